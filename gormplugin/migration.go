package gormplugin

import (
	"fmt"
	"reflect"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/migrator"
	"gorm.io/gorm/schema"
)

// ForMigration returns a session of db for AutoMigrate, CreateTable, AddColumn and
// AlterColumn. In that session, an ID field without a "type" or "size" tag gets a column
// that can be a key:
//
//	gormplugin.ForMigration(db).AutoMigrate(&User{})
//
// On MySQL and MariaDB the column is binary(12) instead of longblob. On SQL Server the
// column is binary(12) instead of varbinary(max). On other databases, ForMigration
// doesn't change the type, because a column of the default type can be a key. The default
// type is bytea on PostgreSQL, blob on SQLite and String on ClickHouse.
//
// If a field has the tag "type" or "size", the tag decides the type of its column. The
// tag "size:12", as in [Model], makes the type varbinary(12) on MySQL, with or without
// ForMigration. Suppose that the primary key of a model has the tag "size:12", and so has
// each of its other ID fields that is not a foreign key. This model needs ForMigration
// only on SQL Server.
//
// Use the session only for migration, because the type of its Dialector is not the type
// that the driver defines. ForMigration doesn't change db. If a table was made with
// ForMigration, use ForMigration in each migration of the table, or name the table's
// model in [WithModels]. On MySQL, a plain AutoMigrate would change the columns back to
// longblob.
func ForMigration(db *gorm.DB) *gorm.DB {
	tx := db.Session(&gorm.Session{})
	if _, done := tx.Dialector.(migrating); done {
		return tx
	}
	if !needsSize(tx) {
		return tx
	}
	inner, ok := tx.Dialector.(dialector)
	if !ok {
		tx.AddError(fmt.Errorf("gormplugin.ForMigration(): the dialector %T is unknown: %w", tx.Dialector, gorm.ErrUnsupportedDriver))
		return tx
	}
	tx.Dialector = migrating{inner} // Session has made a copy of db.Config
	return tx
}

// A dialector has the methods of those of MySQL and SQL Server.
type dialector interface {
	gorm.Dialector
	gorm.SavePointerDialectorInterface
	gorm.ErrorTranslator
}

// migrating is a dialector that knows the column type of IDs.
type migrating struct{ dialector }

// DataTypeOf returns the column type of field.
func (d migrating) DataTypeOf(field *schema.Field) string {
	// SQL Server's driver ignores the size.
	if isUnsized(field) || d.Name() == "sqlserver" && ids.IsBinary(field) && !isTyped(field) {
		return binary12
	}
	return d.dialector.DataTypeOf(field)
}

// Migrator returns the Migrator of the driver, because GORM looks for methods of this
// type that the interface doesn't have. Only the Dialector in the Migrator is replaced.
func (d migrating) Migrator(db *gorm.DB) gorm.Migrator {
	m := d.dialector.Migrator(db)
	v := reflect.New(reflect.TypeOf(m)).Elem()
	v.Set(reflect.ValueOf(m))
	if v.Kind() == reflect.Struct {
		if field := v.FieldByName("Migrator"); field.IsValid() && field.Type() == reflect.TypeFor[migrator.Migrator]() {
			field.Addr().Interface().(*migrator.Migrator).Dialector = d
			return v.Interface().(gorm.Migrator)
		}
	}
	db.AddError(fmt.Errorf("gormplugin.ForMigration(): the migrator %T is unknown: %w", m, gorm.ErrUnsupportedDriver))
	return m
}
