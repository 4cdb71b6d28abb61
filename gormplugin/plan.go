package gormplugin

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A plan holds the facts about a model that never change. Relations are not part of
// it, because a schema gets more of them while other models are parsed.
type plan struct {
	schema  *schema.Schema
	hasIDs  bool      // in any column
	columns []*column // that are looked after
	key     *column   // the one that is the whole primary key, nil if there is none
	err     error     // what makes no sense

	once   sync.Once
	unique []unique // by uniques
}

// A column is a field that the plugin looks after. It is a primary key that holds
// an ID, or a field tagged oid:auto.
type column struct {
	field   *schema.Field
	rule    rule
	pointer bool // *oid.ID or *oid.For[T]
}

// A rule says when a column gets a new ID.
type rule int

const (
	never      rule = iota // tagged oid:-, or one part of a composite key
	ownKey                 // unless it turns out to be a foreign key
	everywhere             // tagged oid:auto
)

// plan returns the plan of s.
func (p *plugin) plan(s *schema.Schema) *plan {
	if known, ok := p.plans.Load(s); ok {
		return known.(*plan)
	}
	known, _ := p.plans.LoadOrStore(s, newPlan(s))
	return known.(*plan)
}

func newPlan(s *schema.Schema) *plan {
	pl := &plan{schema: s, hasIDs: slices.ContainsFunc(s.Fields, ids.IsColumn), err: refuseKeys(s)}
	for _, field := range s.Fields {
		if t := field.IndirectFieldType; field.DBName != "" && ids.IsBare(field) {
			pl.err = fmt.Errorf("gormplugin.Model(%s): %s: %s has no methods: write type %s = oid.For[%s]: %w", s.Name, field.Name, t, t.Name(), s.Name, gorm.ErrInvalidField)
		}
		if field.DBName == "" || !ids.IsKey(field) {
			if _, ok := schema.ParseTagSetting(field.Tag.Get("gorm"), ";")["OID"]; ok {
				pl.err = fmt.Errorf("gormplugin.Model(%s): %s: the tag oid is for columns of type oid.ID, not %s", s.Name, field.Name, field.FieldType)
			}
			continue
		}
		c := &column{field: field, pointer: field.FieldType.Kind() == reflect.Pointer}
		switch tag, ok := field.TagSettings["OID"]; {
		case !ok:
			if len(s.PrimaryFields) == 1 {
				c.rule = ownKey
			}
		case tag == "auto":
			c.rule = everywhere
		case tag != "-":
			pl.err = fmt.Errorf("gormplugin.Model(%s): %s: tag oid:%s, want oid:auto or oid:-", s.Name, field.Name, tag)
		}
		if field.PrimaryKey || c.rule == everywhere {
			pl.columns = append(pl.columns, c)
		}
		if field.PrimaryKey && len(s.PrimaryFields) == 1 {
			pl.key = c
		}
	}
	return pl
}

// refuseKeys returns an error if a relation of s keeps IDs in a field that isn't for them. GORM
// stores the raw bytes in a string, and then finds no row by them. A field of another model's
// IDs would hold what its type denies.
func refuseKeys(s *schema.Schema) error {
	s.Relationships.Mux.RLock()
	defer s.Relationships.Mux.RUnlock()
	for _, relation := range s.Relationships.Relations {
		for _, ref := range relation.References {
			if ref.PrimaryKey == nil {
				continue
			}
			if ids.IsBinary(ref.PrimaryKey) && ids.IsString(ref.ForeignKey) {
				return fmt.Errorf("gormplugin.Model(%s): %s: %s is %s, but holds the ID of %s: make it %s: %w",
					s.Name, relation.Name, ids.Name(ref.ForeignKey), ref.ForeignKey.FieldType, ids.Name(ref.PrimaryKey), ref.PrimaryKey.FieldType, gorm.ErrInvalidField)
			}
			if whose, held, ok := ids.Misfit(ref.ForeignKey, ref.PrimaryKey); ok {
				return fmt.Errorf("gormplugin.Model(%s): %s: %s is %s, but refers to %s, which is %s: make it %s, or oid.ID if it refers to several models: %w",
					s.Name, relation.Name, ids.Name(ref.ForeignKey), held, ids.Name(ref.PrimaryKey), whose, whose, gorm.ErrInvalidField)
			}
		}
	}
	return nil
}

// String returns the name of the column, for error messages.
func (c *column) String() string { return ids.Name(c.field) }

// name returns the column for a clause.
func (c *column) name() clause.Column { return columnOf(c.field) }

func columnOf(field *schema.Field) clause.Column {
	return clause.Column{Table: clause.CurrentTable, Name: field.DBName}
}

// isAssignable reports whether c is given new IDs.
func (c *column) isAssignable() bool {
	return c.rule == everywhere || c.rule == ownKey && !c.isForeignKey()
}

// isForeignKey reports whether the column refers to another row. The relation may
// be one of its own model, or a has-one or has-many of a model that GORM has
// parsed.
func (c *column) isForeignKey() bool {
	relations := &c.field.Schema.Relationships
	relations.Mux.RLock()
	defer relations.Mux.RUnlock()
	for _, relation := range relations.Relations {
		for _, ref := range relation.References {
			if ref.ForeignKey == c.field {
				return true
			}
		}
	}
	return false
}

// hasDefault reports whether the database fills the column if the INSERT doesn't.
// The tag autoIncrement doesn't count as a default: it may be left from an integer key.
func (c *column) hasDefault() bool { return hasDefault(c.field) }

func hasDefault(field *schema.Field) bool {
	return field != nil && field.HasDefaultValue && !field.AutoIncrement
}

// id returns where v, a value of the field of c that can be set, holds its ID. A pointer
// that is nil is set to a new one.
func (c *column) id(v reflect.Value) *oid.ID {
	if c.pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return (*oid.ID)(v.Bytes()) // cheaper than v.Addr().Interface()
}
