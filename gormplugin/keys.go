package gormplugin

import (
	"maps"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// keptKeys is the setting of a statement that holds the keys of its row.
const keptKeys = "oidkit:kept_keys"

// A keptKey is a key of the struct of an UPDATE, and its value before.
type keptKey struct {
	place, value reflect.Value
}

// keepKeys remembers the IDs that are keys in the struct of an UPDATE. While GORM
// builds the SQL, it writes the new values into the struct. A key that is refused,
// or that the database refuses, would stay there. If that is zero, the next
// statement by the struct would have no condition.
func keepKeys(db *gorm.DB) {
	stmt := db.Statement
	if !isBuilding(db) || stmt.ReflectValue.Kind() != reflect.Struct || !stmt.ReflectValue.CanAddr() {
		return
	}
	var kept []keptKey
	for _, field := range stmt.Schema.PrimaryFields {
		if isID(field) {
			place, value := field.ReflectValueOf(stmt.Context, stmt.ReflectValue), reflect.New(field.FieldType).Elem()
			value.Set(place)
			kept = append(kept, keptKey{place, value})
			setByPointer(stmt, field)
		}
	}
	if kept != nil {
		db.InstanceSet(keptKeys, kept)
	}
}

// setByPointer replaces the new ID of a key that is a pointer by a pointer, in a copy of
// the map of an UPDATE. GORM writes an ID to where the struct's pointer points, and the
// condition holds the same pointer. The statement would change the row that has the new
// ID.
func setByPointer(stmt *gorm.Statement, field *schema.Field) {
	assigned, _ := mapRows(stmt.Dest)
	if len(assigned) != 1 || field.FieldType.Kind() != reflect.Pointer || !isBytes12(field.IndirectFieldType) {
		return
	}
	name, value := entry(assigned[0], field)
	if value == nil {
		return
	}
	if id, err := idOf(value); err == nil {
		pointer := reflect.New(field.IndirectFieldType)
		pointer.Elem().Set(reflect.ValueOf(id).Convert(field.IndirectFieldType))
		copied := maps.Clone(assigned[0])
		copied[name] = pointer.Interface()
		stmt.Dest = copied
	}
}

// restoreKeys writes the keys back if the UPDATE failed.
func restoreKeys(db *gorm.DB) {
	if db.Error == nil {
		return
	}
	value, ok := db.InstanceGet(keptKeys)
	if !ok {
		return
	}
	for _, key := range value.([]keptKey) {
		key.place.Set(key.value)
	}
}
