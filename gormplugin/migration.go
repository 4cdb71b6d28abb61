package gormplugin

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
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

// binary12 is the column type of IDs where the one that GORM takes for bytes can't
// be a key.
const binary12 = "binary(12)"

// needsSize reports whether a key of the database must have a size.
func needsSize(db *gorm.DB) bool {
	return db.Dialector.Name() == "mysql" || db.Dialector.Name() == "sqlserver"
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

// isUnsized reports whether field holds IDs as bytes and has no tag for its size.
func isUnsized(field *schema.Field) bool {
	return ids.IsBinary(field) && !isTyped(field) && field.Size == 0
}

// isTyped reports whether field has a tag for its column type.
func isTyped(field *schema.Field) bool {
	_, typed := field.TagSettings["TYPE"]
	return typed
}

// uuidColumn matches a column of type uuid in the statements of GORM's migrator for MySQL.
var uuidColumn = regexp.MustCompile("^(?:CREATE|ALTER) TABLE .*` uuid\\b")

// nameRemedy adds advice to MySQL's error for a key of type longblob, and to that for a
// column of type uuid.
func nameRemedy(db *gorm.DB) {
	if db.Error == nil || !isMySQL(db) {
		return
	}
	switch text := db.Error.Error(); {
	case strings.Contains(text, "Error 1170"):
		db.Error = fmt.Errorf("%w (an oid.ID without a size: name the model in gormplugin.WithModels, embed gormplugin.Model, "+
			"tag the field gorm:\"size:12\", or migrate with gormplugin.ForMigration)", db.Error)
	case strings.Contains(text, "Error 1064") && uuidColumn.MatchString(db.Statement.SQL.String()):
		db.Error = fmt.Errorf("%w (MySQL has no column type uuid: name the model in gormplugin.WithModels, which makes the column "+
			"char(36), or tag the field gorm:\"type:char(36)\")", db.Error)
	}
}

// retypings match the statements by which GORM's migrators change the type of a column, with
// the names in quotes. On SQLite that is a new table.
var retypings = []*regexp.Regexp{
	regexp.MustCompile(`^ALTER TABLE "(.+)" ALTER COLUMN "(.+)" TYPE (.+) USING "(.+)"::.+$`),
	regexp.MustCompile("^ALTER TABLE `(.+)` MODIFY COLUMN `(.+)` (.+)$"),
	regexp.MustCompile(`^ALTER TABLE "(.+)" ALTER COLUMN "(.+)" (\w*binary.+)$`),
	regexp.MustCompile("(?s)^CREATE TABLE [`\"]?(.+)__temp[`\"]? (.*)$"),
}

// refuseRetype refuses a migration that would turn an existing column into one of IDs. The
// database would keep numbers or text in it that are not IDs, or lose them. A column is
// known by its model, or by the type binary(12).
func (p *plugin) refuseRetype(db *gorm.DB) {
	if db.Error != nil || db.DryRun {
		return
	}
	sql := db.Statement.SQL.String()
	for _, retyping := range retypings {
		match := retyping.FindStringSubmatch(sql)
		if match == nil {
			continue
		}
		table := strings.NewReplacer("`", "", `"`, "").Replace(match[1])
		columns, err := db.Session(&gorm.Session{NewDB: true}).Migrator().ColumnTypes(table)
		if err != nil {
			return // the migration itself tells
		}
		fields := p.fieldsOf(db, table)
		for _, column := range columns {
			name, now := column.Name(), strings.ToLower(column.DatabaseTypeName())
			becomes := ""
			switch field := fields[name]; {
			case len(match) == 3: // on SQLite
				definition := regexp.MustCompile("[`\"]" + regexp.QuoteMeta(name) + "[`\"] (\\w+)").FindStringSubmatch(match[2])
				if ids.IsColumn(field) && definition != nil {
					becomes = definition[1]
				}
			case match[2] == name && (ids.IsColumn(field) || strings.Contains(match[3], binary12)):
				becomes = match[3]
			}
			becomes = strings.ToLower(becomes)
			for _, isText := range []bool{false, true} {
				if canHold(becomes, isText) && !canHold(now, isText) {
					db.AddError(fmt.Errorf("gormplugin.AutoMigrate(%s.%s): the column is %s, whose values are not IDs: move the rows to a new column or table first: %w",
						table, name, now, gorm.ErrInvalidData))
					db.Statement.WriteString(cond.NotSent)
					return
				}
			}
		}
		return
	}
}

// fieldsOf returns the fields of the model that db has for the table, by their columns.
func (p *plugin) fieldsOf(db *gorm.DB, table string) (fields map[string]*schema.Field) {
	p.plans.Range(func(_, known any) bool {
		s := known.(*plan).schema
		stmt := &gorm.Statement{DB: db}
		if s.Table == table && stmt.Parse(reflect.New(s.ModelType).Interface()) == nil && stmt.Schema == s && slices.ContainsFunc(s.Fields, ids.IsColumn) {
			fields = s.FieldsByDBName
		}
		return fields == nil
	})
	return fields
}

// canHold reports whether a column of the type can hold IDs, as text or as bytes.
func canHold(columnType string, isText bool) bool {
	types := []string{"blob", "binary", "bytea", "string"}
	if isText {
		types = []string{"char", "text", "uuid", "string"}
	}
	return slices.ContainsFunc(types, func(t string) bool { return strings.Contains(columnType, t) })
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
		if ids.IsBinary(field) && field.PrimaryKey {
			field.NotNull = true
		}
		switch {
		case isUnsized(field) && needsSize(db):
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
