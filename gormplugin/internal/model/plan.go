// Package model says what GORM's models and their rows are to the plugin: which columns it
// looks after, and where a row holds an ID.
package model

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// A Plan holds the facts about a model that never change. Only Err looks at relations,
// because a schema gets more of them while other models are parsed.
type Plan struct {
	HasIDs bool            // in any column
	Fields []*schema.Field // that are looked after: keys that hold IDs, and those tagged oid:auto
	Key    *schema.Field   // the one that is the whole primary key, nil if there is none
	Err    error           // what makes no sense

	Uniques func() []*schema.Index // the unique indexes
}

// Plans are the plans of the models that a plugin has met. The zero value has none.
type Plans struct{ bySchema sync.Map }

// Of returns the plan of s.
func (p *Plans) Of(s *schema.Schema) *Plan {
	if known, ok := p.bySchema.Load(s); ok {
		return known.(*Plan)
	}
	known, _ := p.bySchema.LoadOrStore(s, newPlan(s))
	return known.(*Plan)
}

// FieldsOf returns the fields of the model that db has for the table, by their columns.
func (p *Plans) FieldsOf(db *gorm.DB, table string) (fields map[string]*schema.Field) {
	p.bySchema.Range(func(of, plan any) bool {
		s, stmt := of.(*schema.Schema), &gorm.Statement{DB: db}
		if s.Table == table && plan.(*Plan).HasIDs && stmt.Parse(reflect.New(s.ModelType).Interface()) == nil && stmt.Schema == s {
			fields = s.FieldsByDBName
		}
		return fields == nil
	})
	return fields
}

func newPlan(s *schema.Schema) *Plan {
	pl := &Plan{HasIDs: slices.ContainsFunc(s.Fields, ids.IsColumn), Err: refuseKeys(s)}
	pl.Uniques = sync.OnceValue(func() []*schema.Index { return uniquesOf(s) })
	for _, field := range s.Fields {
		if t := field.IndirectFieldType; field.DBName != "" && ids.IsBare(field) {
			pl.Err = fmt.Errorf("gormplugin.Model(%s): %s: the type %s has no method Value, which a database needs: use oid.ID, or an alias such as type UserID = oid.For[User]: %w", s.Name, field.Name, t, gorm.ErrInvalidField)
		}
		if field.DBName == "" || !ids.IsKey(field) {
			if _, ok := schema.ParseTagSetting(field.Tag.Get("gorm"), ";")["OID"]; ok {
				pl.Err = fmt.Errorf("gormplugin.Model(%s): %s: the tag oid is only for columns of IDs, and this field of type %s is not one", s.Name, field.Name, field.FieldType)
			}
			continue
		}
		tag, isTagged := field.TagSettings["OID"]
		if isTagged && tag != "auto" && tag != "-" {
			pl.Err = fmt.Errorf("gormplugin.Model(%s): %s: the tag is oid:%s, want oid:auto or oid:-", s.Name, field.Name, tag)
		}
		if field.PrimaryKey || tag == "auto" {
			pl.Fields = append(pl.Fields, field)
		}
		if field.PrimaryKey && len(s.PrimaryFields) == 1 {
			pl.Key = field
		}
	}
	return pl
}

// refuseKeys returns an error if a relation of s keeps IDs in a field that isn't for them, or
// keeps something else in a field of IDs. GORM stores the raw bytes in a string, and then finds
// no row by them. A field of another model's IDs would hold what its type denies. A model that
// still embeds gorm.Model has a number as its key.
func refuseKeys(s *schema.Schema) error {
	s.Relationships.Mux.RLock()
	defer s.Relationships.Mux.RUnlock()
	for _, relation := range s.Relationships.Relations {
		for _, ref := range relation.References {
			key, problem := ref.PrimaryKey, ""
			switch {
			case key == nil: // of a polymorphic type
			case ids.IsBinary(key) && ids.IsString(ref.ForeignKey):
				problem = fmt.Sprintf("%s is %s, but refers to %s: make it %s", ids.Name(ref.ForeignKey), ref.ForeignKey.FieldType, ids.Name(key), key.FieldType)
			case ids.Differ(ref.ForeignKey, key):
				whose := ids.TypeName(key)
				problem = fmt.Sprintf("%s is %s, but refers to %s, which is %s: make it %s, or oid.ID if it refers to several models", ids.Name(ref.ForeignKey), ids.TypeName(ref.ForeignKey), ids.Name(key), whose, whose)
			case ids.IsColumn(ref.ForeignKey) && (key.GORMDataType == schema.Uint || key.GORMDataType == schema.Int):
				problem = fmt.Sprintf("%s is %s, but refers to %s, which is %s: make that key an oid.ID, for example by embedding gormplugin.Model instead of gorm.Model", ids.Name(ref.ForeignKey), ref.ForeignKey.FieldType, ids.Name(key), key.FieldType)
			}
			if problem != "" {
				return fmt.Errorf("gormplugin.Model(%s): %s: %s: %w", s.Name, relation.Name, problem, gorm.ErrInvalidField)
			}
		}
	}
	return nil
}

// uniquesOf returns the unique indexes of a model that hold columns only.
func uniquesOf(s *schema.Schema) (list []*schema.Index) {
	for _, field := range s.Fields {
		if field.Unique && field.DBName != "" {
			list = append(list, &schema.Index{Fields: []schema.IndexOption{{Field: field}}})
		}
	}
	for _, index := range s.ParseIndexes() {
		isExpression := func(option schema.IndexOption) bool { return option.Expression != "" }
		if index.Class == "UNIQUE" && !slices.ContainsFunc(index.Fields, isExpression) {
			list = append(list, index)
		}
	}
	return list
}
