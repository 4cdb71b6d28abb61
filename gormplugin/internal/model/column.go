package model

import (
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A Column is a field that the plugin looks after. It is a primary key that holds
// an ID, or a field tagged oid:auto.
type Column struct {
	Field   *schema.Field
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

// String returns the name of the column, for error messages.
func (c *Column) String() string { return ids.Name(c.Field) }

// Name returns the column for a clause.
func (c *Column) Name() clause.Column { return NameOf(c.Field) }

func NameOf(field *schema.Field) clause.Column {
	return clause.Column{Table: clause.CurrentTable, Name: field.DBName}
}

// IsAssignable reports whether c is given new IDs.
func (c *Column) IsAssignable() bool {
	return c.rule == everywhere || c.rule == ownKey && !c.isForeignKey()
}

// isForeignKey reports whether the column refers to another row. The relation may
// be one of its own model, or a has-one or has-many of a model that GORM has
// parsed.
func (c *Column) isForeignKey() bool {
	relations := &c.Field.Schema.Relationships
	relations.Mux.RLock()
	defer relations.Mux.RUnlock()
	for _, relation := range relations.Relations {
		for _, ref := range relation.References {
			if ref.ForeignKey == c.Field {
				return true
			}
		}
	}
	return false
}

// HasDefault reports whether the database fills the column if the INSERT doesn't.
// The tag autoIncrement doesn't count as a default: it may be left from an integer key.
func (c *Column) HasDefault() bool { return HasDefault(c.Field) }

func HasDefault(field *schema.Field) bool {
	return field != nil && field.HasDefaultValue && !field.AutoIncrement
}

// ID returns where v, a value of the field of c that can be set, holds its ID. A pointer
// that is nil is set to a new one.
func (c *Column) ID(v reflect.Value) *oid.ID {
	if c.pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return (*oid.ID)(v.Bytes()) // cheaper than v.Addr().Interface()
}

// IsSelected reports whether the statement writes c.
func (c *Column) IsSelected(stmt *gorm.Statement) bool {
	if len(stmt.Selects) == 0 && len(stmt.Omits) == 0 {
		return c.Field.Creatable
	}
	columns, restricted := stmt.SelectAndOmitColumns(true, false)
	selected, named := columns[c.Field.DBName]
	return selected || !named && !restricted
}

// SelectInto makes the statement write c where a Select leaves it out. A key is
// never optional. It is left out only if the statement or a tag names it for that.
func (c *Column) SelectInto(stmt *gorm.Statement) {
	if c.IsSelected(stmt) {
		return
	}
	columns, _ := stmt.SelectAndOmitColumns(true, false)
	if _, omitted := columns[c.Field.DBName]; !omitted {
		// Clip, because a session that is used again holds the same slice.
		stmt.Selects = append(slices.Clip(stmt.Selects), c.Field.DBName)
	}
}
