// Package gormplugin gives GORM models with an oid.ID primary key their ids, on
// the client and in every shape that GORM creates rows from:
//
//	type User struct {
//		ID   oid.ID
//		Name string
//	}
//
//	db.Use(gormplugin.New())
//	db.Create(&User{Name: "Ann"}) // INSERT INTO users (id, name) VALUES (…, 'Ann')
//
// # Which fields get an id
//
// The primary key of a model, if its type is oid.ID, *oid.ID, oid.For[T] or
// *oid.For[T] and its value is zero. It needs no tag. A key that is also a foreign
// key, or part of a composite key, is never made up: its value means something
// that only the program knows. Tags say otherwise:
//
//	gorm:"oid:auto" // this field gets an id too, whatever it is
//	gorm:"oid:-"    // this key doesn't
//
// A key is never optional. It is written even where Select leaves it out, and a
// row whose key is still zero when it would be inserted is refused with an error
// that wraps one of GORM's. The exception is a key with a default tag that the
// plugin is kept from, by oid:- or Omit: that asks for the database's default. An
// update that would set a key to zero or NULL is refused too, such as
//
//	db.Model(&user).Select("*").Updates(User{Name: "Ann"}) // Omit("ID") is missing
//
// # Conditions
//
// Without the plugin, don't pass an id alone: GORM takes db.First(&user, id) and
// db.Delete(&User{}, id) for a list of 12 numbers, one a byte. That finds nothing
// or fails, but on MySQL it can match, and so delete, every row of the table. The
// plugin puts the id together again, in queries, updates and deletes, wherever in
// a condition it stands, and takes 24 hex digits for an id there too. The zero id
// alone is refused. A nil *oid.ID alone makes GORM panic.
//
// # Upserts
//
// After a Create with ON CONFLICT each row holds the id that it is stored under:
// its own, or that of the row that it conflicts with. A row that DO NOTHING skipped
// holds zero, and if another row belongs to it that one is refused. The same goes
// for a row of which the plugin can't tell with which it was merged. Other fields
// than the key, oid:auto or not, are as they were before. Where the database
// can't return ids with the INSERT, this takes one SELECT more, or one for each
// row that was merged.
//
// # Foreign keys
//
// Foreign keys are oid.ID and, where they can be NULL, sqltype.ZeroNull. With
// *oid.ID, GORM (v1.31) doesn't clear the field in Association.Delete, and panics
// where it preloads by a composite key of which one part is nil. With either type
// a query into a struct that was used before leaves the old id where the column is
// NULL: query into fresh structs.
//
// # Order
//
// Ids are assigned before GORM calls BeforeSave and BeforeCreate, so that these
// see them. Hooks that set the id "if it is zero" then find nothing to do, and
// hooks that insert a copy of their row would insert its id twice: see
// [AfterHooks]. Rows of one statement get consecutive ids, in their order.
//
// # Limits
//
// Of db.Table("users").Create(map) without a Model nobody knows the key: the row is
// stored without one unless the column is NOT NULL. GORM scans rows into a lone
// oid.ID as if it were a list: scan into a slice, a struct, or with Row().Scan.
//
// Of a lone []oid.For[T] GORM makes one condition for each element, all of which
// must hold, and none for a zero one. Say "id IN ?" or pass a []oid.ID.
//
// Without a Model, and in SQL, the plugin can't tell an id from other bytes: what
// GORM spreads there, as id[:] in "id IN (?)", stays spread. An oid.ID it doesn't.
package gormplugin

import (
	"errors"
	"sync"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

var _ gorm.Plugin = (*Plugin)(nil)

// A Plugin is what db.Use takes. Use New to make one; one Plugin can serve any
// number of databases.
type Plugin struct {
	newID      func() oid.ID
	fill       func([]oid.ID)
	afterHooks bool

	plans sync.Map // of *plan by *schema.Schema
}

// An Option changes what New returns.
type Option func(*Plugin)

// WithGenerator makes the plugin take ids from g instead of from oid.New. A nil
// g is none.
func WithGenerator(g *oid.Generator) Option {
	return func(p *Plugin) {
		if g != nil {
			p.newID, p.fill = g.New, g.Fill
		}
	}
}

// AfterHooks makes the plugin assign ids after the hooks BeforeSave and
// BeforeCreate instead of before them: for models whose hooks make the id, or
// insert copies of their row. The hooks then see a zero id.
func AfterHooks() Option {
	return func(p *Plugin) { p.afterHooks = true }
}

// New returns a plugin for db.Use.
func New(options ...Option) *Plugin {
	p := &Plugin{newID: oid.New, fill: oid.Fill}
	for _, option := range options {
		option(p)
	}
	return p
}

// Name returns "oidkit", under which GORM registers the plugin.
func (p *Plugin) Name() string { return "oidkit" }

// Initialize registers the plugin's callbacks with db. GORM calls it from db.Use.
func (p *Plugin) Initialize(db *gorm.DB) error {
	db.ClauseBuilders["SET"] = refuseZeroKey(db.ClauseBuilders["SET"])
	on := db.Callback()
	return errors.Join(
		on.Create().Before("gorm:before_create").Register("oidkit:before_hooks", p.beforeHooks),
		on.Create().Before("gorm:create").Register("oidkit:before_insert", p.beforeInsert),
		on.Create().Before("gorm:save_after_associations").Register("oidkit:settle", p.settle),
		on.Query().Before("gorm:query").Register("oidkit:repair", repairQuery),
		on.Row().Before("gorm:row").Register("oidkit:repair", repair),
		on.Update().Before("gorm:update").Register("oidkit:before_update", beforeUpdate),
		on.Delete().Before("gorm:before_delete").Register("oidkit:before_delete", refuseDeleteOfID),
		on.Delete().Before("gorm:delete").Register("oidkit:repair", repair),
	)
}
