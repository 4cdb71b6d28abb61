package gormplugin

import (
	"errors"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// A plugin is the result of New. It can serve any number of databases.
type plugin struct {
	source     func([]oid.ID) // fills a list with new IDs
	afterHooks bool
	models     []any
	plans      model.Plans

	err error // of an option
}

// An Option changes the plugin that New returns.
type Option func(*plugin)

// WithGenerator makes the plugin take IDs from g instead of from oid.New.
func WithGenerator(g *oid.Generator) Option {
	return func(p *plugin) {
		if g == nil {
			p.err = errors.New("gormplugin.WithGenerator(nil): the generator is nil: leave the option out to use oid.New")
			return
		}
		p.source = g.Fill
	}
}

// WithAfterHooks makes the plugin assign IDs after the hooks BeforeSave and BeforeCreate
// instead of before them. Use WithAfterHooks if the hooks of a model make the ID, or insert
// copies of the row. These hooks then don't see the new ID of their row.
func WithAfterHooks() Option {
	return func(p *plugin) { p.afterHooks = true }
}

// WithModels changes how GORM migrates and reads the ID fields of the given models, and of the
// models to which their relation fields lead. db.Use makes the changes, so call it before the
// models are in use. WithModels has these effects:
//
//   - An ID field that is a pointer becomes nil when Association.Delete of a to-one
//     relation, or db.Model(&row).Select("*").Updates(…), sets its column to NULL. In a
//     has-many relation, the struct of the deleted child keeps the ID. A nullable ID field
//     becomes nil or zero when a query reads NULL into a struct that holds an older row.
//     Without WithModels, GORM leaves the old ID in the field.
//   - If an ID field stored as bytes has no tag "type", AutoMigrate makes binary(12) on SQL
//     Server, and also on MySQL and MariaDB if the field has no tag "size". Unlike
//     GORM's own type, binary(12) can be a key. On SQLite, a primary key stored as bytes is
//     NOT NULL.
//   - On MySQL, which has no type uuid, an ID field with the tag "type:uuid" gets the type
//     char(36).
//   - GORM allocates less memory when it reads IDs.
//
// In other models, WithModels can change only the types of foreign keys to the given models.
// It has no effect on an AutoMigrate in which db.Table names a table other than the model's.
func WithModels(models ...any) Option {
	return func(p *plugin) { p.models = append(p.models, models...) }
}

// New returns the plugin, which you pass to db.Use. Several databases may use one plugin.
// New itself returns no error: if an option is invalid, db.Use returns the error.
func New(options ...Option) gorm.Plugin {
	p := &plugin{source: oid.Fill}
	for _, option := range options {
		if option == nil {
			p.err = errors.New("gormplugin.New(nil): an option is nil")
			continue
		}
		option(p)
	}
	return p
}

// Name returns "oidkit", under which GORM registers the plugin.
func (p *plugin) Name() string { return cond.Plugin }
