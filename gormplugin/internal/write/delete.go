package write

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/model"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// RefuseDeleteOfID makes Model(&User{}).Delete(id) fail. GORM expects rows there.
// It looks for the key of a row in a byte of an ID and panics. It ignores a number.
func RefuseDeleteOfID(db *gorm.DB) {
	stmt := db.Statement
	if errors.Is(db.Error, schema.ErrUnsupportedDataType) && isLoneID(stmt.Dest) {
		db.Error = fmt.Errorf("%w (this is an ID, not a model: write Delete(&User{}, id))", db.Error)
	}
	if !model.IsBuilding(db) || !slices.ContainsFunc(stmt.Schema.PrimaryFields, ids.IsColumn) {
		return
	}
	t := model.RowType(stmt.ReflectValue.Type())
	isRow := t == stmt.Schema.ModelType || t.Kind() == reflect.Map || t.Kind() == reflect.Struct && ids.TypeIn(t) == nil
	if !isRow {
		db.AddError(fmt.Errorf("gormplugin.Delete(%T): this is not a row; write Delete(&%s{}, id): %w", stmt.Dest, stmt.Schema.Name, gorm.ErrInvalidData))
	}
}

// isLoneID reports whether v is an ID, or a pointer to one.
func isLoneID(v any) bool {
	t := reflect.TypeOf(v)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t != nil && t.Kind() == reflect.Array && ids.TypeIn(t) != nil
}
