package write

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// GORM finds the rows of an UPDATE and of a DELETE by the keys in the structs that it gets.

// KeepKeys remembers the IDs that are keys in the rows of an UPDATE. While GORM
// builds the SQL, it writes the new values into the rows. A key that is refused,
// or that the database refuses, would stay there. If that is zero, the next
// statement by the row would have no condition. A new pointer key is refused, because
// GORM's condition holds it too. It would name the row that has the new ID.
func (s *Pass) KeepKeys() {
	var set map[string]any
	if len(s.rows) == 1 {
		set = s.rows[0].Fields
	}
	for _, row := range model.Structs(nil, s.stmt.ReflectValue) {
		for _, field := range s.stmt.Schema.PrimaryFields {
			if !row.Value.CanAddr() || !ids.IsColumn(field) {
				continue
			}
			place := field.ReflectValueOf(s.stmt.Context, row.Value)
			value := reflect.ValueOf(place.Interface())
			s.restore = append(s.restore, func() { place.Set(value) })
			_, changed := model.Entry(set, field)
			if changed != nil && place.Kind() == reflect.Pointer && !place.IsNil() {
				s.AddError(fmt.Errorf("gormplugin.Update(%s): a key of type %s can't be changed in an update with db.Model(&row): choose the row with Where: %w", ids.Name(field), field.FieldType, gorm.ErrInvalidData))
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

// RefuseDeleteOfID makes Model(&User{}).Delete(id) fail. GORM expects rows there.
// It looks for the key of a row in a byte of an ID and panics. It ignores a number.
func RefuseDeleteOfID(db *gorm.DB) {
	stmt := db.Statement
	if errors.Is(db.Error, schema.ErrUnsupportedDataType) {
		if v := reflect.Indirect(reflect.ValueOf(stmt.Dest)); v.IsValid() && ids.TypeIn(v.Type()) != nil {
			db.Error = fmt.Errorf("%w (this is an ID, not a model: write Delete(&User{}, id))", db.Error)
		}
	}
	if !model.IsBuilding(db) || !slices.ContainsFunc(stmt.Schema.PrimaryFields, ids.IsColumn) {
		return
	}
	t := model.RowType(stmt.ReflectValue.Type())
	isRow := t == stmt.Schema.ModelType || t.Kind() == reflect.Map || t.Kind() == reflect.Struct && ids.TypeIn(t) == nil
	if !isRow {
		db.AddError(fmt.Errorf("gormplugin.Delete(%T): this is not a row: write Delete(&%s{}, id): %w", stmt.Dest, stmt.Schema.Name, gorm.ErrInvalidData))
	}
}
