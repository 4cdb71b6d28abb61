package gormplugin

import (
	"context"
	"database/sql/driver"
	"fmt"
	"reflect"

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

// at returns row i. It is nil where the list holds a nil pointer.
func (r rows) at(i int) row {
	switch {
	case r.isMaps:
		return row{fields: r.maps[i], isMap: true}
	case r.structs.Kind() == reflect.Struct:
		return row{value: r.structs}
	}
	return row{value: reflect.Indirect(r.structs.Index(i))}
}

// any reports whether holds is true of a row that isn't nil.
func (r rows) any(holds func(row) bool) bool {
	for i := range r.len() {
		if row := r.at(i); !row.isNil() && holds(row) {
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

func (r row) isNil() bool { return !r.isMap && r.value.Kind() != reflect.Struct }

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
	if isZero(value) {
		return oid.ID{}
	}
	id, _ = idOf(value) // what is not an ID stays zero
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

// isNull reports whether value is NULL in the database.
func isNull(value any) bool {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer && v.IsNil() {
		return true
	}
	valuer, ok := value.(driver.Valuer)
	if !ok {
		return false
	}
	sent, _ := valuer.Value()
	return sent == nil
}

// createError returns an error of an INSERT, in the form of the call that made it.
func createError(stmt *gorm.Statement, format string, args ...any) error {
	return fmt.Errorf("gormplugin.Create(%T): %w", stmt.Dest, fmt.Errorf(format, args...))
}
