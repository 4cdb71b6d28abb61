// Package gormplugin gives GORM models with an oid.ID primary key their ids, on
// the client and in every shape that GORM creates rows from. It also makes sure
// that a condition on an id names ids:
//
//	type User struct {
//		ID   oid.ID
//		Name string
//	}
//
//	db.Use(gormplugin.New(gormplugin.WithModels(&User{})))
//	db.AutoMigrate(&User{})
//	db.Create(&User{Name: "Ann"}) // INSERT INTO users (id, name) VALUES (…, 'Ann')
//	db.First(&user, id)           // WHERE id = …
//	db.Delete(&User{}, 0)         // an error, before any SQL is sent
//
// # Which fields get an id
//
// The primary key of a model gets an id if its value is zero. Its type is oid.ID,
// oid.For[T], sqltype.Hex, sqltype.UUID, or a pointer to one. It needs no tag. A key
// that is also a foreign key, or part of a composite key, is never made up: only the
// program knows its value. Tags say otherwise:
//
//	gorm:"oid:auto" // this field gets an id too, whatever it is
//	gorm:"oid:-"    // this key doesn't
//
// A key is never optional. It is written even where Select leaves it out. A row
// whose key is still zero when it would be inserted is refused with an error
// that wraps one of GORM's. The exception is a key with a default tag that the
// plugin is kept from, by oid:- or Omit: that asks for the database's default. An
// update that would set a key to zero or NULL is refused too, such as
//
//	db.Model(&user).Select("*").Updates(User{Name: "Ann"}) // Omit("ID") is missing
//
// # Conditions
//
// Without the plugin, don't pass an id alone. GORM takes db.First(&user, id) and
// db.Delete(&User{}, id) for a list of 12 numbers, one per byte. That finds nothing
// or fails, but on MySQL it can match, and so delete, every row of the table. On
// MySQL the number 0 matches nearly every binary key too.
//
// With the plugin, a condition that GORM passes on and that meets an id column
// names ids, or the statement is an error. An id may be of any type of 12 bytes, a
// driver.Valuer that gives one, 12 bytes, or 24 hex digits. It is sent in the form
// of the column. NULL, columns, expressions and subqueries pass, and so does
// [gorm.Expr], which is the way out. Numbers, booleans and other bytes and text are
// refused before any SQL is sent. So is the zero id as the value of a primary key.
// Such an error wraps gorm.ErrInvalidData or, for the zero id,
// gorm.ErrPrimaryKeyRequired. A query by the zero id is gorm.ErrRecordNotFound too.
//
// In SQL text the plugin looks only at a whole string that is a column of the model,
// an operator and placeholders or named arguments: "id = ?", "users.id IN (?, ?)",
// "id BETWEEN @a AND @b". Several columns in brackets are looked at too: "(a, b) IN ?".
// Longer text, "id + 0 = ?", expressions as arguments, tables of another database and
// aliases in quotes are passed on. A string without a placeholder is SQL to GORM.
// db.First(&user, text) with text from a request is an SQL injection unless the text
// was parsed first.
//
// What Update, maps and ON CONFLICT store in an id column is looked at in the same
// way. Zero is refused there for keys only.
//
// GORM drops some arguments before a plugin sees them: an empty list, nil, "", a zero
// struct and an empty map add no condition. A nil *oid.ID makes GORM panic. Pass a
// list that can be empty with [IDs].
//
// # Upserts
//
// After a Create with ON CONFLICT each row holds the id that it is stored under:
// its own, or that of the row that it conflicts with. A row that DO NOTHING skipped
// holds zero, and so does a row whose stored counterpart can't be determined. Rows
// that would refer to such a row are refused. Fields other than the key are as they
// were before. If the database can't return ids with the INSERT, this takes one more
// SELECT, or one for each row that was merged.
//
// A row at the other end of a many-to-many relation that exists under its unique
// columns is joined under its stored id.
//
// # Foreign keys
//
// Foreign keys are oid.ID and, where they can be NULL, sqltype.ZeroNull. [WithModels]
// clears such a field where GORM (v1.31) leaves the old id in it: after
// Association.Delete of a *oid.ID, and when a struct that was used before is read
// again. GORM panics when it preloads by a composite key of pointers of which one is
// nil.
//
// # Order
//
// Ids are assigned before GORM calls BeforeSave and BeforeCreate, so that these
// see them. Hooks that set the id "if it is zero" then find nothing to do, and
// hooks that insert a copy of their row would insert its id twice: see
// [WithAfterHooks]. Rows of one statement get consecutive ids, in their order.
//
// # Limits
//
// db.Table("users").Create(map) without a Model tells the plugin nothing about the
// key. The row is inserted without one, unless the column is NOT NULL. Conditions
// of such a statement are not looked at either.
//
// GORM scans rows into a single oid.ID as if it were a list. Scan into a slice, a
// struct, or with Row().Scan.
package gormplugin

import (
	"sync"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// A plugin is what New returns. It can serve any number of databases.
type plugin struct {
	newID      func() oid.ID
	fill       func([]oid.ID)
	afterHooks bool
	models     []any

	plans sync.Map // of *plan by *schema.Schema
}

// An Option changes what New returns.
type Option func(*plugin)

// WithGenerator makes the plugin take ids from g instead of from oid.New. A nil
// g changes nothing.
func WithGenerator(g *oid.Generator) Option {
	return func(p *plugin) {
		if g != nil {
			p.newID, p.fill = g.New, g.Fill
		}
	}
}

// WithAfterHooks makes the plugin assign ids after the hooks BeforeSave and
// BeforeCreate instead of before them: for models whose hooks make the id, or
// insert copies of their row. The hooks then see a zero id.
func WithAfterHooks() Option {
	return func(p *plugin) { p.afterHooks = true }
}

// New returns the plugin for db.Use. One plugin can serve any number of databases.
func New(options ...Option) gorm.Plugin {
	p := &plugin{newID: oid.New, fill: oid.Fill}
	for _, option := range options {
		option(p)
	}
	return p
}

// Name returns "oidkit", under which GORM registers the plugin.
func (p *plugin) Name() string { return "oidkit" }
