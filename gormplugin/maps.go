package gormplugin

import (
	"database/sql"
	"reflect"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// readMaps puts oid.ID into results in the form of maps. GORM puts the driver's
// []byte there, which is base64 in JSON.
func readMaps(db *gorm.DB) {
	if db.Error != nil || db.Statement.Schema == nil {
		return
	}
	maps, _ := mapRows(db.Statement.Dest)
	for _, row := range maps {
		for name, value := range row {
			switch value.(type) {
			case []byte, string:
			default:
				continue
			}
			field := db.Statement.Schema.LookUpField(name)
			if !isID(field) {
				continue
			}
			if id, ok := readID(field, value); ok {
				row[name] = id
			}
		}
	}
}

// readID returns the ID that the column of field holds as value.
func readID(field *schema.Field, value any) (id oid.ID, ok bool) {
	held := reflect.New(idTypeIn(field.IndirectFieldType))
	scanner, ok := held.Interface().(sql.Scanner)
	if !ok || scanner.Scan(value) != nil {
		return oid.ID{}, false
	}
	return held.Elem().Convert(idType).Interface().(oid.ID), true
}
