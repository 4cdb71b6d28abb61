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
// that wraps one of GORM's. A key with a default tag is the exception: there zero
// asks for the database's default.
//
// # Order
//
// Ids are assigned before GORM calls BeforeSave and BeforeCreate, so that these
// see them. Hooks that set the id "if it is zero" then find nothing to do, and
// hooks that insert a copy of their row would insert its id twice: see
// [AfterHooks]. Rows of one statement get consecutive ids, in their order.
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

// WithGenerator makes the plugin take ids from g instead of from oid.New.
func WithGenerator(g *oid.Generator) Option {
	return func(p *Plugin) { p.newID, p.fill = g.New, g.Fill }
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
	create := db.Callback().Create()
	return errors.Join(
		create.Before("gorm:before_create").Register("oidkit:before_hooks", p.beforeHooks),
		create.Before("gorm:create").Register("oidkit:before_insert", p.beforeInsert),
	)
}
