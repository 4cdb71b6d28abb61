package gormplugin

import (
	"context"
	"iter"
	"reflect"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// rows are the rows that a statement writes. They are maps or structs.
type rows struct {
	maps    []map[string]any
	structs reflect.Value // a struct, or a list of structs or of pointers to them
	isMaps  bool
}

// rowsOf returns the rows of the statement.
func rowsOf(stmt *gorm.Statement) rows {
	maps, ok := mapRows(stmt.Dest)
	return rows{maps: maps, structs: stmt.ReflectValue, isMaps: ok}
}

// mapRows returns the rows of dest if it is of the types that GORM takes for rows
// in the form of maps.
func mapRows(dest any) (maps []map[string]any, ok bool) {
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

// len returns how many rows there are, with those that are nil.
func (r rows) len() int {
	if r.isMaps {
		return len(r.maps)
	}
	switch r.structs.Kind() {
	case reflect.Struct:
		return 1
	case reflect.Slice, reflect.Array:
		return r.structs.Len()
	}
	return 0
}

// all goes through the rows. It leaves out nil pointers, which GORM reports.
func (r rows) all() iter.Seq[row] {
	return func(yield func(row) bool) {
		for i := range r.len() {
			var one row
			switch {
			case r.isMaps:
				one = row{fields: r.maps[i], isMap: true}
			case r.structs.Kind() == reflect.Struct:
				one = row{value: r.structs}
			default:
				one = row{value: reflect.Indirect(r.structs.Index(i))}
			}
			if (one.isMap || one.value.Kind() == reflect.Struct) && !yield(one) {
				return
			}
		}
	}
}

// any reports whether holds is true of a row.
func (r rows) any(holds func(row) bool) bool {
	for row := range r.all() {
		if holds(row) {
			return true
		}
	}
	return false
}

// A row is one row of a statement. It is a struct or a map.
type row struct {
	value  reflect.Value
	fields map[string]any
	isMap  bool
}

// valueOf returns the value of field in the row.
func (r row) valueOf(ctx context.Context, field *schema.Field) any {
	if r.isMap {
		_, value := entry(r.fields, field)
		return value
	}
	value, _ := field.ValueOf(ctx, r.value)
	return value
}

// id returns the ID that the row has in c. It is zero if there is none.
func (r row) id(ctx context.Context, c *column) (id oid.ID) {
	value := r.valueOf(ctx, c.field)
	if ids.IsZero(value) {
		return oid.ID{}
	}
	id, _ = ids.Of(value) // what is not an ID stays zero
	return id
}

// setID puts id into c. It does nothing for a struct that was passed by value.
func (r row) setID(ctx context.Context, c *column, id oid.ID) {
	if r.isMap {
		name, value := entry(r.fields, c.field)
		if held, _ := value.(*oid.ID); held != nil {
			*held = id
		} else {
			r.fields[name] = id
		}
	} else if r.value.CanAddr() {
		if held := c.field.ReflectValueOf(ctx, r.value); !held.IsZero() || !id.IsZero() {
			*c.id(held) = id
		}
	}
}

// set puts a value of field into the row.
func (r row) set(ctx context.Context, field *schema.Field, value reflect.Value) {
	if r.isMap {
		name, _ := entry(r.fields, field)
		r.fields[name] = value.Interface()
	} else if r.value.CanAddr() {
		field.ReflectValueOf(ctx, r.value).Set(value)
	}
}

// entry returns the entry of fields that GORM takes for field, under its column's
// name and nil if there is none.
func entry(fields map[string]any, field *schema.Field) (name string, value any) {
	for name, value := range fields {
		if field.Schema.LookUpField(name) == field {
			return name, value
		}
	}
	return field.DBName, nil
}

// rowType returns the type of one row in t, which may be a list of rows or of pointers.
func rowType(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
