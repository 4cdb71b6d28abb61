// Package gormplugin gives GORM models with an oid.ID primary key their IDs. It
// makes them on the client, in every shape that GORM creates rows from. It also
// refuses conditions that compare an ID column with anything but an ID:
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
// # Which fields get an ID
//
// The primary key of a model gets an ID if its value is zero. Its type is oid.ID,
// oid.For[T], sqltype.Hex, sqltype.UUID, another type of 12 bytes that is sent as these
// bytes or their hex digits, or a pointer to one. It needs no tag if
// [WithModels] names the model. A key that is also a foreign key, or part of a
// composite key, gets none, because only the program knows its value. Tags change
// this:
//
//	gorm:"oid:auto" // this field of an ID type gets an ID too
//	gorm:"oid:-"    // this key gets none
//
// A key is never optional. It is written even where Select leaves it out. A row
// whose key is still zero when it would be inserted is refused. The error wraps one
// of GORM's. The database may fill a key that has a default tag if oid:- or Omit
// excludes it from the plugin. An update that would set a key to zero or NULL is
// refused too, such as
//
//	db.Model(&user).Select("*").Updates(User{Name: "Ann"}) // Omit("ID") is missing
//
// # Conditions
//
// Without the plugin, don't pass an ID as the only argument of a condition. GORM
// expands the ID in db.First(&user, id) and db.Delete(&User{}, id) into 12 numbers, one
// per byte. Such a condition finds nothing or fails. On MySQL it can match, and so
// delete, every row of the table. On MySQL the number 0 matches nearly every binary
// key too.
//
// With the plugin, a condition that compares an ID column with a value needs an ID.
// Otherwise the statement is an error, before any SQL is sent. An ID may be of any type
// of 12 bytes, a driver.Valuer that gives one, 12 bytes, or 24 hex digits. It is sent in
// the form of the column. NULL, columns, expressions and subqueries pass, and [gorm.Expr]
// passes any value. Numbers, booleans and other bytes and text are refused. An ID that is
// the only argument is refused too where the key is a number or text. Such an error wraps
// gorm.ErrInvalidData. In a column of text, such as
// one of sqltype.Hex, other text passes as a bound and with LIKE.
//
// No row has the zero ID for its key. A statement whose condition asks for it is an
// error that wraps gorm.ErrPrimaryKeyRequired, and for a query gorm.ErrRecordNotFound
// too. The condition may be joined to others by AND. An UPDATE or DELETE whose only
// condition is not to be the zero ID is such an error as well. Elsewhere the zero ID is a
// value like any other, as in "id <> ?", under Not and Or, in a list with other IDs, in a
// subquery and in the condition of a Preload. It excludes and finds nobody there.
//
// The plugin doesn't parse SQL. In text it looks only at a whole condition that is a
// column of the model, an operator, and placeholders or named arguments. Examples
// are "id = ?", "users.id IN (?, ?)" and "id BETWEEN @a AND @b". It also looks at
// several columns in brackets, such as "(a, b) IN ?". Longer text, "id + 0 = ?",
// expressions as arguments, tables of another database and aliases in quotes are
// passed on.
//
// A string without a placeholder is SQL to GORM. Calling db.First(&user, text) with
// text from a request is an SQL injection, unless the text was parsed first. Only text
// that is one value, such as "1.0" or "true", is refused.
//
// In the same way, the plugin checks values that are stored in an ID column by Update,
// maps and ON CONFLICT. Zero is refused there for keys only.
//
// GORM drops some arguments before a plugin sees them. An empty list, nil, "", a zero
// struct and an empty map add no condition. A nil *oid.ID makes GORM panic. Pass a
// list that can be empty with [IDs].
//
// # Upserts
//
// After a Create with ON CONFLICT or INSERT IGNORE, each struct holds the ID of the
// stored row. This is its own ID or the one of the row that it conflicts with. A struct
// whose row was skipped holds zero, and so does one whose stored row can't be
// determined. A composite key stays unchanged. Rows that would refer to such a
// row are refused. Only the key is updated, not the other fields. If the database
// can't return IDs with the INSERT, this takes one more SELECT, and one for each
// 200 rows that were merged.
//
// A row at the other end of a many-to-many relation that exists under its unique
// columns is joined under its stored ID.
//
// # Foreign keys
//
// Foreign keys are oid.ID and, where they can be NULL, sqltype.ZeroNull. A zero
// oid.ID is stored as 12 zero bytes, without an error. A relation that keeps IDs in
// a field of type string, as a polymorphic owner may, is an error. GORM (v1.31)
// leaves the old ID in a nullable field in two cases, and [WithModels] clears it.
// One is Association.Delete of a *oid.ID. The other is a struct that was used
// before and is read again. GORM panics when it preloads by a composite key of
// pointers of which one is nil.
//
// # Order
//
// IDs are assigned before GORM calls the hooks BeforeSave and BeforeCreate, so hooks
// see them. Hooks that set the ID "if it is zero" then find nothing to do. Hooks that
// insert a copy of their row would insert its ID twice. See [WithAfterHooks]. Rows of
// one statement get consecutive IDs, in their order.
//
// # Limits
//
// Without a Model, db.Table("users").Create(map) tells the plugin nothing about the
// key. The row is inserted without one, unless the column is NOT NULL. Conditions
// of such a statement are not checked either.
//
// GORM scans rows into a single oid.ID as if it were a list. Scan into a slice, a
// struct, or with Row().Scan. A query that reads an ID into a field or list of type string
// is an error. The plugin doesn't see what Scan and Rows read into, where a string gets the
// 12 raw bytes.
package gormplugin

import (
	"errors"
	"sync"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// A plugin is the result of New. It can serve any number of databases.
type plugin struct {
	newID      func() oid.ID
	fill       func([]oid.ID)
	afterHooks bool
	models     []any

	err error // of an option

	plans sync.Map // of *plan by *schema.Schema
}

// An option changes the plugin that New returns.
type option func(*plugin)

// WithGenerator makes the plugin take IDs from g instead of from oid.New.
func WithGenerator(g *oid.Generator) option {
	return func(p *plugin) {
		if g == nil {
			p.err = errors.New("gormplugin.WithGenerator(nil): the generator is nil: leave the option out for oid.New")
			return
		}
		p.newID, p.fill = g.New, g.Fill
	}
}

// WithAfterHooks makes the plugin assign IDs after the hooks BeforeSave and
// BeforeCreate instead of before them. Use it for models whose hooks make the ID,
// or insert copies of their row. The hooks then see a zero ID.
func WithAfterHooks() option {
	return func(p *plugin) { p.afterHooks = true }
}

// New returns the plugin for db.Use. One plugin can serve any number of databases. An error
// of an option is one of db.Use.
func New(options ...option) gorm.Plugin {
	p := &plugin{newID: oid.New, fill: oid.Fill}
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
