package gormplugin

import (
	"context"
	"fmt"
	"reflect"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm/schema"
)

// A plan is what the plugin knows of a model. It holds only what never changes:
// the relations of a schema grow while other models are parsed.
type plan struct {
	columns []*column
	key     *column // the one that is the whole primary key, nil if there is none
	err     error   // a tag that makes no sense
}

// A column is a field that the plugin looks after: a primary key that holds an
// id, or a field tagged oid:auto.
type column struct {
	field   *schema.Field
	rule    rule
	pointer bool // *oid.ID or *oid.For[T]
	wrapped bool // oid.For[T]
}

// A rule says when a column gets a new id.
type rule int

const (
	never      rule = iota // tagged oid:-, or one part of a composite key
	ownKey                 // unless it turns out to be a foreign key
	everywhere             // tagged oid:auto
)

var idType = reflect.TypeFor[oid.ID]()

// plan returns the plan of s.
func (p *Plugin) plan(s *schema.Schema) *plan {
	if known, ok := p.plans.Load(s); ok {
		return known.(*plan)
	}
	known, _ := p.plans.LoadOrStore(s, newPlan(s))
	return known.(*plan)
}

func newPlan(s *schema.Schema) *plan {
	pl := &plan{}
	for _, field := range s.Fields {
		c := &column{field: field}
		if field.DBName == "" || !c.holdsID() {
			if _, ok := schema.ParseTagSetting(field.Tag.Get("gorm"), ";")["OID"]; ok {
				pl.err = fmt.Errorf("gormplugin: %s.%s: the tag oid is for columns of type oid.ID, not %s", s.Name, field.Name, field.FieldType)
			}
			continue
		}
		switch tag, ok := field.TagSettings["OID"]; {
		case !ok:
			if len(s.PrimaryFields) == 1 {
				c.rule = ownKey
			}
		case tag == "auto":
			c.rule = everywhere
		case tag != "-":
			pl.err = fmt.Errorf("gormplugin: %s.%s: tag oid:%s, want oid:auto or oid:-", s.Name, field.Name, tag)
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

// holdsID reports whether the field of c is of one of the types that hold an id,
// and sets up c to find it.
func (c *column) holdsID() bool {
	t := c.field.FieldType
	if t.Kind() == reflect.Pointer {
		c.pointer = true
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Anonymous {
		c.wrapped = true
		t = t.Field(0).Type
	}
	return t == idType
}

// in returns the field of c in row, a struct. It is GORM's field.ReflectValueOf,
// without its cost for a field that isn't embedded.
func (c *column) in(ctx context.Context, row reflect.Value) reflect.Value {
	if index := c.field.StructField.Index; len(index) == 1 && index[0] >= 0 {
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
	if c.wrapped {
		v = v.Field(0)
	}
	return (*oid.ID)(v.Bytes()) // cheaper than v.Addr().Interface()
}

// isForeignKey reports whether the column refers to another row: by a relation
// of its own model, or by a has-one or has-many of a model that GORM has parsed.
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

// relationOf returns the relation of s that has the name, nil if there is none.
func relationOf(s *schema.Schema, name string) *schema.Relationship {
	s.Relationships.Mux.RLock()
	defer s.Relationships.Mux.RUnlock()
	return s.Relationships.Relations[name]
}
