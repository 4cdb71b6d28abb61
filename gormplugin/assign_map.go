package gormplugin

import (
	"reflect"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// mapRows returns the rows of dest if it is of the types that GORM takes for rows
// in the form of maps.
func mapRows(dest any) (rows []map[string]any, ok bool) {
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

// assignMap gives row an id, under the name that it has there or else under the
// column's, if it has none. Text and bytes become ids, or are refused, as
// numbers are: SQLite would store them as they are.
func (c *column) assignMap(stmt *gorm.Statement, row map[string]any, ids *supply, left int) error {
	if row == nil {
		return createError(stmt, "a row is a nil map: %w", gorm.ErrInvalidData)
	}
	name, value := entry(row, c.field)
	for other := range row {
		if other != name && c.field.Schema.LookUpField(other) == c.field {
			return createError(stmt, "%s is there twice, as %q and %q: %w", c, min(name, other), max(name, other), gorm.ErrInvalidData)
		}
	}
	switch text := value.(type) {
	case string, []byte:
		var id oid.ID
		if !reflect.ValueOf(text).IsZero() {
			if err := id.Scan(text); err != nil {
				return createError(stmt, "%s: %w: %w", c, gorm.ErrInvalidData, err)
			}
		}
		row[name], value = id, id
	}
	if !isZero(value) {
		switch reflect.Indirect(reflect.ValueOf(value)).Kind() {
		case reflect.Array, reflect.Slice, reflect.Struct:
			return nil // an id, or an expression
		}
		return createError(stmt, "%s: %T is no id: %w", c, value, gorm.ErrInvalidData)
	}
	id := ids.next(left)
	if held, ok := value.(*oid.ID); ok && held != nil {
		*held = id
		return nil
	}
	row[name] = id
	return nil
}
