package gormplugin

import (
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
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
				if field := resultOf(db.Statement, name); ids.IsColumn(field) {
					if id, ok := ids.Read(field, value); ok {
						row[name] = id
					}
				}
			}
		}
	}
}

// resultOf returns the field that a column of the result holds, or nil. Joins puts the
// relation before the name, as in Company__id.
func resultOf(stmt *gorm.Statement, name string) *schema.Field {
	field := stmt.Schema.LookUpField(name)
	if i := strings.LastIndex(name, "__"); field == nil && i >= 0 {
		field, _ = cond.ModelOf(stmt).Field(name[:i] + "." + name[i+len("__"):])
	}
	return field
}
