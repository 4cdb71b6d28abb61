// Package migrate gives columns of IDs their types, and refuses migrations that would destroy
// keys.
package migrate

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// Prepare prepares the ID fields of the models of WithModels, and of those to which their
// relation fields lead, in the schemas of db.
func Prepare(db *gorm.DB, models []any, plans *model.Plans) error {
	var schemas []*schema.Schema
	for _, of := range models {
		stmt := &gorm.Statement{DB: db}
		if err := stmt.Parse(of); err != nil {
			return fmt.Errorf("gormplugin.WithModels(%T): %w", of, err)
		}
		schemas = append(schemas, stmt.Schema)
	}
	for i := 0; i < len(schemas); i++ { // it grows
		s := schemas[i]
		if s == nil || slices.Contains(schemas[:i], s) {
			continue
		}
		if err := plans.Of(s).Err; err != nil {
			return err
		}
		for _, field := range s.Fields {
			if ids.IsColumn(field) {
				prepare(db, field)
			}
		}
		for _, relation := range s.Relationships.Relations {
			schemas = append(schemas, relation.FieldSchema, relation.JoinTable)
		}
	}
	return nil
}

// prepare sets how field is read, and the type that AutoMigrate gives its column.
func prepare(db *gorm.DB, field *schema.Field) {
	field.Set = setterOf(field)
	_, isTyped := field.TagSettings["TYPE"]
	if ids.IsBinary(field) && field.PrimaryKey {
		field.NotNull = true
	}
	switch {
	case ids.IsBinary(field) && !isTyped && (model.IsMySQL(db) && field.Size == 0 || db.Dialector.Name() == "sqlserver"):
		field.DataType = binary12
	case strings.EqualFold(string(field.DataType), "uuid") && model.IsMySQL(db) && !isMariaDB(db):
		field.DataType = "char(36)" // whose order is that of the IDs
	}
}

// setterOf returns a setter of field that clears it for NULL, and that copies IDs
// without boxing them. All else is set by set, which is GORM's own.
func setterOf(field *schema.Field) func(ctx context.Context, row reflect.Value, value any) error {
	set := field.Set
	return func(ctx context.Context, row reflect.Value, value any) error {
		v := reflect.ValueOf(value)
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		switch {
		case !v.IsValid():
			field.ReflectValueOf(ctx, row).SetZero()
		case v.Type() == field.FieldType:
			field.ReflectValueOf(ctx, row).Set(v)
		default:
			return set(ctx, row, value)
		}
		return nil
	}
}

// binary12 is the column type of IDs where the one that GORM takes for bytes can't
// be a key. The driver of SQL Server ignores the tag for the size.
const binary12 = "binary(12)"

// isMariaDB reports whether the database is MariaDB, which has uuid columns from 10.7.
func isMariaDB(db *gorm.DB) bool {
	var version string
	err := db.Session(&gorm.Session{NewDB: true}).Raw("SELECT version()").Scan(&version).Error
	return err == nil && strings.Contains(version, "MariaDB")
}

// uuidColumn matches a column of type uuid in the statements of GORM's migrator for MySQL.
var uuidColumn = regexp.MustCompile("^(?:CREATE|ALTER) TABLE .*` uuid\\b")
