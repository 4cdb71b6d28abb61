package write

import (
	"fmt"
	"reflect"

	"github.com/oidkit/oidkit/gormplugin/internal/model"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
)

// KeepKeys remembers the IDs that are keys in the rows of an UPDATE. While GORM
// builds the SQL, it writes the new values into the rows. A key that is refused,
// or that the database refuses, would stay there. If that is zero, the next
// statement by the row would have no condition. A key that is a pointer is refused,
// because GORM's condition holds it too. It would name the row that has the new ID.
func (s *Pass) KeepKeys() {
	if !s.stmt.ReflectValue.CanAddr() && s.stmt.ReflectValue.Kind() == reflect.Struct {
		return
	}
	written := model.Rows{Structs: s.stmt.ReflectValue}
	for _, field := range s.stmt.Schema.PrimaryFields {
		if !ids.IsColumn(field) {
			continue
		}
		var set any
		if len(s.rows.Maps) == 1 {
			_, set = model.Entry(s.rows.Maps[0], field)
		}
		for row := range written.All() {
			place, value := field.ReflectValueOf(s.stmt.Context, row.Value), reflect.New(field.FieldType).Elem()
			value.Set(place)
			s.restore = append(s.restore, func() { place.Set(value) })
			if set != nil && place.Kind() == reflect.Pointer && !place.IsNil() {
				s.AddError(fmt.Errorf("gormplugin.Update(%s): %s can't be changed in a Model with a row: name the row in Where: %w", ids.Name(field), field.FieldType, gorm.ErrInvalidData))
			}
		}
	}
}

// RestoreKeys writes the keys back if the UPDATE failed.
func (s *Pass) RestoreKeys() {
	if s.Error != nil {
		for _, restore := range s.restore {
			restore()
		}
	}
}
