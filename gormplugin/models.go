package gormplugin

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// WithModels prepares models, and the models that they are related to, when db.Use
// is called. It changes their ID fields, which is not possible once the models are
// in use. Afterwards:
//
//   - A nullable ID is cleared in the struct when Association.Delete clears it in the
//     database, and when a struct that was used before is read again. GORM leaves the
//     old ID there otherwise.
//   - A plain AutoMigrate gives untagged IDs a column that can be a key: binary(12) on
//     MySQL, MariaDB and SQL Server. On SQLite the key is NOT NULL.
//   - Reading IDs allocates less.
//
// Without it, or for db.Table with another name, models work as the package comment
// says.
func WithModels(models ...any) option {
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
		if isUnsized(field) && needsSize(db) {
			field.DataType = binary12
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
