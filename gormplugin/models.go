package gormplugin

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// WithModels changes how GORM migrates and reads the ID fields of the given models, and
// of the models that are related to them. The call of db.Use makes the changes, because
// they are not possible once the models are in use. WithModels has these effects:
//
//   - A nullable ID field of a struct becomes nil when Association.Delete sets its column
//     to NULL. The field also becomes nil when a query reads NULL into a struct that
//     holds an older row. Without WithModels, GORM leaves the old ID in the field.
//   - A plain AutoMigrate gives an ID field without a "type" or "size" tag a column that
//     can be a key: binary(12) on MySQL, MariaDB and SQL Server. On SQLite, AutoMigrate
//     makes the primary key NOT NULL.
//   - GORM allocates less memory when it reads IDs.
//
// WithModels has no effect on other models. WithModels also has no effect on a statement
// that calls db.Table with another name than that of the model's table.
func WithModels(models ...any) Option {
	return func(p *plugin) { p.models = append(p.models, models...) }
}

// prepareModels prepares the models of WithModels in the schemas of db.
func (p *plugin) prepareModels(db *gorm.DB) error {
	prepared := map[*schema.Schema]bool{}
	for _, model := range p.models {
		stmt := &gorm.Statement{DB: db}
		if err := stmt.Parse(model); err != nil {
			return fmt.Errorf("gormplugin.WithModels(%T): %w", model, err)
		}
		if err := p.prepareSchema(db, stmt.Schema, prepared); err != nil {
			return err
		}
	}
	return nil
}

// prepareSchema prepares the ID fields of s and of the schemas that it is related
// to.
func (p *plugin) prepareSchema(db *gorm.DB, s *schema.Schema, prepared map[*schema.Schema]bool) error {
	if s == nil || prepared[s] {
		return nil
	}
	prepared[s] = true
	if err := p.plan(s).err; err != nil {
		return err
	}
	for _, field := range s.Fields {
		if !ids.IsColumn(field) {
			continue
		}
		field.Set = setterOf(field, field.Set)
		_, isTyped := field.TagSettings["TYPE"]
		if ids.IsBinary(field) && field.PrimaryKey {
			field.NotNull = true
		}
		switch {
		case ids.IsBinary(field) && !isTyped && needsSize(db, field):
			field.DataType = binary12
		case strings.EqualFold(string(field.DataType), "uuid") && lacksUUID(db):
			field.DataType = char36
		}
	}
	for _, relation := range s.Relationships.Relations {
		err := errors.Join(p.prepareSchema(db, relation.FieldSchema, prepared), p.prepareSchema(db, relation.JoinTable, prepared))
		if err != nil {
			return err
		}
	}
	return nil
}

// setterOf returns a setter of field that clears it for NULL, and that copies IDs
// without boxing them. All else is set by set, which is GORM's own.
func setterOf(field *schema.Field, set setter) setter {
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

type setter = func(ctx context.Context, row reflect.Value, value any) error

// binary12 is the column type of IDs where the one that GORM takes for bytes can't
// be a key.
const binary12 = "binary(12)"

// needsSize reports whether the column of field can be a key only if the plugin gives it a
// size. The driver of SQL Server ignores the tag for the size.
func needsSize(db *gorm.DB, field *schema.Field) bool {
	return isMySQL(db) && field.Size == 0 || db.Dialector.Name() == "sqlserver"
}

// char36 is the column type of a sqltype.UUID where the database has no type uuid. Its order
// is that of the IDs.
const char36 = "char(36)"

// lacksUUID reports whether the database is MySQL, which has no column type uuid. MariaDB has
// one.
func lacksUUID(db *gorm.DB) bool {
	if !isMySQL(db) {
		return false
	}
	var version string
	err := db.Session(&gorm.Session{NewDB: true}).Raw("SELECT version()").Scan(&version).Error
	return err != nil || !strings.Contains(version, "MariaDB")
}

// uuidColumn matches a column of type uuid in the statements of GORM's migrator for MySQL.
var uuidColumn = regexp.MustCompile("^(?:CREATE|ALTER) TABLE .*` uuid\\b")
