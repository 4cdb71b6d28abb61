package gormplugin

import (
	"context"
	"database/sql/driver"
	"reflect"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// A row is one row of a statement: a struct, or a map.
type row struct {
	value  reflect.Value
	fields map[string]any
}

// rowsOf returns the rows that the statement writes, without those that are nil.
func rowsOf(stmt *gorm.Statement) []row {
	if maps, ok := mapRows(stmt.Dest); ok {
		rows := make([]row, 0, len(maps))
		for _, fields := range maps {
			rows = append(rows, row{fields: fields})
		}
		return rows
	}
	switch value := stmt.ReflectValue; value.Kind() {
	case reflect.Struct:
		return []row{{value: value}}
	case reflect.Slice, reflect.Array:
		rows := make([]row, 0, value.Len())
		for i := range value.Len() {
			if v := reflect.Indirect(value.Index(i)); v.Kind() == reflect.Struct {
				rows = append(rows, row{value: v})
			}
		}
		return rows
	}
	return nil
}

// valueOf returns what the row has in field.
func (r row) valueOf(ctx context.Context, field *schema.Field) any {
	if r.fields != nil {
		_, value := entry(r.fields, field)
		return value
	}
	value, _ := field.ValueOf(ctx, r.value)
	return value
}

// id returns the id that the row has in c: zero if there is none.
func (r row) id(ctx context.Context, c *column) (id oid.ID) {
	value := r.valueOf(ctx, c.field)
	if isZero(value) {
		return id
	}
	if valuer, ok := value.(driver.Valuer); ok {
		value, _ = valuer.Value()
	}
	_ = id.Scan(value) // what is no id stays zero
	return id
}

// setID puts id into c. Where there is no place, in a struct that was passed by
// value, it does nothing.
func (r row) setID(ctx context.Context, c *column, id oid.ID) {
	if r.fields != nil {
		name, value := entry(r.fields, c.field)
		if held, ok := value.(*oid.ID); ok && held != nil {
			*held = id
			return
		}
		r.fields[name] = id
		return
	}
	if r.value.CanAddr() {
		if held := c.id(c.field.ReflectValueOf(ctx, r.value)); held != nil {
			*held = id
		}
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

// isZero reports whether value is nil, zero, or points to zero.
func isZero(value any) bool {
	v := reflect.Indirect(reflect.ValueOf(value))
	return !v.IsValid() || v.IsZero()
}
