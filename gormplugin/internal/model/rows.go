package model

import (
	"context"
	"iter"
	"reflect"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// Rows are the rows that a statement writes. They are maps or structs.
type Rows struct {
	Maps    []map[string]any
	Structs reflect.Value // a struct, or a list of structs or of pointers to them
	IsMaps  bool
}

// RowsOf returns the rows of the statement.
func RowsOf(stmt *gorm.Statement) Rows {
	maps, ok := MapRows(stmt.Dest)
	return Rows{Maps: maps, Structs: stmt.ReflectValue, IsMaps: ok}
}

// MapRows returns the rows of dest if it is of the types that GORM takes for rows
// in the form of maps.
func MapRows(dest any) (maps []map[string]any, ok bool) {
	switch dest := dest.(type) {
	case map[string]any:
		return []map[string]any{dest}, true
	case *map[string]any:
		return []map[string]any{*dest}, true
	case []map[string]any:
		return dest, true
	case *[]map[string]any:
		return *dest, true
	}
	return nil, false
}

// Len returns how many rows there are, with those that are nil.
func (r Rows) Len() int {
	if r.IsMaps {
		return len(r.Maps)
	}
	switch r.Structs.Kind() {
	case reflect.Struct:
		return 1
	case reflect.Slice, reflect.Array:
		return r.Structs.Len()
	}
	return 0
}

// All goes through the rows. It leaves out nil pointers, which GORM reports.
func (r Rows) All() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for i := range r.Len() {
			var one Row
			switch {
			case r.IsMaps:
				one = Row{Fields: r.Maps[i], IsMap: true}
			case r.Structs.Kind() == reflect.Struct:
				one = Row{Value: r.Structs}
			default:
				one = Row{Value: reflect.Indirect(r.Structs.Index(i))}
			}
			if (one.IsMap || one.Value.Kind() == reflect.Struct) && !yield(one) {
				return
			}
		}
	}
}

// Any reports whether holds is true of a row.
func (r Rows) Any(holds func(Row) bool) bool {
	for row := range r.All() {
		if holds(row) {
			return true
		}
	}
	return false
}

// A Row is one row of a statement. It is a struct or a map.
type Row struct {
	Value  reflect.Value
	Fields map[string]any
	IsMap  bool
}

// ValueOf returns the value of field in the row.
func (r Row) ValueOf(ctx context.Context, field *schema.Field) any {
	if r.IsMap {
		_, value := Entry(r.Fields, field)
		return value
	}
	value, _ := field.ValueOf(ctx, r.Value)
	return value
}

// ID returns the ID that the row has in c. It is zero if there is none.
func (r Row) ID(ctx context.Context, c *Column) (id oid.ID) {
	value := r.ValueOf(ctx, c.Field)
	if ids.IsZero(value) {
		return oid.ID{}
	}
	id, _ = ids.Of(value) // what is not an ID stays zero
	return id
}

// SetID puts id into c. It does nothing for a struct that was passed by value.
func (r Row) SetID(ctx context.Context, c *Column, id oid.ID) {
	if r.IsMap {
		name, value := Entry(r.Fields, c.Field)
		if held, _ := value.(*oid.ID); held != nil {
			*held = id
		} else {
			r.Fields[name] = id
		}
	} else if r.Value.CanAddr() {
		if held := c.Field.ReflectValueOf(ctx, r.Value); !held.IsZero() || !id.IsZero() {
			*c.ID(held) = id
		}
	}
}

// Set puts a value of field into the row.
func (r Row) Set(ctx context.Context, field *schema.Field, value reflect.Value) {
	if r.IsMap {
		name, _ := Entry(r.Fields, field)
		r.Fields[name] = value.Interface()
	} else if r.Value.CanAddr() {
		field.ReflectValueOf(ctx, r.Value).Set(value)
	}
}

// Entry returns the Entry of fields that GORM takes for field, under its column's
// name and nil if there is none.
func Entry(fields map[string]any, field *schema.Field) (name string, value any) {
	for name, value := range fields {
		if field.Schema.LookUpField(name) == field {
			return name, value
		}
	}
	return field.DBName, nil
}

// RowType returns the type of one row in t, which may be a list of rows or of pointers.
func RowType(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
