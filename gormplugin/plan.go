package gormplugin

import (
	"context"
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
	pl := &plan{schema: s, hasIDs: slices.ContainsFunc(s.Fields, ids.IsColumn), err: refuseText(s)}
	for _, field := range s.Fields {
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

// refuseText returns an error if a relation of s keeps IDs in a field of type string. GORM
// stores the raw bytes there, and then finds no row by them.
func refuseText(s *schema.Schema) error {
	s.Relationships.Mux.RLock()
	defer s.Relationships.Mux.RUnlock()
	for _, relation := range s.Relationships.Relations {
		for _, ref := range relation.References {
			if ref.PrimaryKey != nil && ids.IsColumn(ref.PrimaryKey) && ids.IsString(ref.ForeignKey) {
				return fmt.Errorf("gormplugin.Model(%s): %s: %s is %s, but holds the ID of %s: make it %s: %w",
					s.Name, relation.Name, ids.Name(ref.ForeignKey), ref.ForeignKey.FieldType, ids.Name(ref.PrimaryKey), ref.PrimaryKey.FieldType, gorm.ErrInvalidField)
			}
		}
	}
	return nil
}

// String names the column for error messages.
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
// The tag autoIncrement, left from an integer key, is no such default.
func (c *column) hasDefault() bool {
	return c.field.HasDefaultValue && !c.field.AutoIncrement
}

// isSelected reports whether the statement writes c.
func (c *column) isSelected(stmt *gorm.Statement) bool {
	if len(stmt.Selects) == 0 && len(stmt.Omits) == 0 {
		return c.field.Creatable
	}
	columns, restricted := stmt.SelectAndOmitColumns(true, false)
	selected, named := columns[c.field.DBName]
	return selected || !named && !restricted
}

// selectInto makes the statement write c where a Select leaves it out. A key is
// never optional. It is left out only if the statement or a tag names it for that.
func (c *column) selectInto(stmt *gorm.Statement) {
	if c.isSelected(stmt) {
		return
	}
	columns, _ := stmt.SelectAndOmitColumns(true, false)
	if _, omitted := columns[c.field.DBName]; !omitted {
		// Clip, because a session that is used again holds the same slice.
		stmt.Selects = append(slices.Clip(stmt.Selects), c.field.DBName)
	}
}

// valueIn returns the field of c in row, a struct. It is GORM's
// field.ReflectValueOf, without its cost for a field that isn't embedded.
func (c *column) valueIn(ctx context.Context, row reflect.Value) reflect.Value {
	if index := c.field.StructField.Index; len(index) == 1 {
		return row.Field(index[0])
	}
	return c.field.ReflectValueOf(ctx, row)
}

// id returns where v, a value of the field of c, holds its id. It is nil if v is
// a nil pointer.
func (c *column) id(v reflect.Value) *oid.ID {
	if c.pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return (*oid.ID)(v.Bytes()) // cheaper than v.Addr().Interface()
}

// A unique is a unique index. It has only the rows that meet the conditions.
type unique struct {
	fields []*schema.Field
	where  []clause.Expression
}

// uniques returns the unique indexes of the model.
func (pl *plan) uniques() []unique {
	pl.once.Do(func() {
		for _, field := range pl.schema.Fields {
			if field.Unique && field.DBName != "" {
				pl.unique = append(pl.unique, unique{fields: []*schema.Field{field}})
			}
		}
		for _, index := range pl.schema.ParseIndexes() {
			var u unique
			for _, option := range index.Fields {
				if option.Expression == "" {
					u.fields = append(u.fields, option.Field)
				}
			}
			if index.Where != "" {
				u.where = append(u.where, clause.Expr{SQL: index.Where})
			}
			if index.Class == "UNIQUE" && len(u.fields) == len(index.Fields) {
				pl.unique = append(pl.unique, u)
			}
		}
	})
	return pl.unique
}
