package gormplugin

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// beforeHooks assigns ids before BeforeSave and BeforeCreate are called.
func (p *Plugin) beforeHooks(db *gorm.DB) {
	if !p.afterHooks {
		p.assign(db)
	}
}

// beforeInsert runs right before the INSERT is built. It assigns the ids that the
// hooks have left or wiped out, and refuses rows whose key is zero nevertheless.
func (p *Plugin) beforeInsert(db *gorm.DB) {
	s := db.Statement.Schema
	if p.afterHooks || s != nil && (s.BeforeSave || s.BeforeCreate) {
		p.assign(db)
	}
	p.refuse(db)
	refuseLost(db)
	refuseHalfJoined(db)
	p.prepareUpsert(db)
}

// assign gives every row of the statement that has no id a new one.
func (p *Plugin) assign(db *gorm.DB) {
	stmt := db.Statement
	if db.Error != nil || stmt.Schema == nil || stmt.SQL.Len() > 0 {
		return
	}
	pl := p.plan(stmt.Schema)
	if pl.err != nil {
		db.AddError(pl.err)
		return
	}
	if len(pl.columns) > 0 && db.AddError(checkModel(stmt)) != nil {
		return
	}
	for _, c := range pl.columns {
		if c.written(stmt) && c.assignable() {
			db.AddError(p.assignRows(stmt, c))
		}
	}
}

// assignable reports whether c is given new ids.
func (c *column) assignable() bool {
	return c.rule == everywhere || c.rule == ownKey && !c.isForeignKey()
}

// written reports whether c is among the columns that the statement writes. Where
// a Select leaves it out, written adds it: a key is never optional.
func (c *column) written(stmt *gorm.Statement) bool {
	if len(stmt.Selects) == 0 && len(stmt.Omits) == 0 {
		return c.field.Creatable
	}
	columns, restricted := stmt.SelectAndOmitColumns(true, false)
	selected, named := columns[c.field.DBName]
	if !named && restricted {
		// Clip: a session that is used again holds the same slice.
		stmt.Selects = append(slices.Clip(stmt.Selects), c.field.DBName)
		return true
	}
	return selected || !named
}

// assignRows gives a new id to each row of the statement whose field c is zero.
func (p *Plugin) assignRows(stmt *gorm.Statement, c *column) error {
	ids := &supply{plugin: p}
	if rows, ok := mapRows(stmt.Dest); ok {
		for i, row := range rows {
			if err := c.assignMap(stmt, row, ids, len(rows)-i); err != nil {
				return err
			}
		}
		return nil
	}
	switch rows := stmt.ReflectValue; rows.Kind() {
	case reflect.Struct:
		return c.assignStruct(stmt, rows, ids, 1)
	case reflect.Slice, reflect.Array:
		for i := range rows.Len() {
			if err := c.assignStruct(stmt, reflect.Indirect(rows.Index(i)), ids, rows.Len()-i); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkModel returns an error if the rows of the statement, or what they point to,
// are not of its model: they would be read and written as if they were, by offset.
func checkModel(stmt *gorm.Statement) error {
	if _, ok := mapRows(stmt.Dest); ok {
		return nil
	}
	t := stmt.ReflectValue.Type()
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if model := stmt.Schema.ModelType; t != model && !t.ConvertibleTo(model) {
		return createError(stmt, "a row is %s, not the model %s: %w", t, model, gorm.ErrInvalidData)
	}
	return nil
}

// assignStruct gives row an id if it has none. The last argument tells how many
// rows are left, with this one.
func (c *column) assignStruct(stmt *gorm.Statement, row reflect.Value, ids *supply, left int) error {
	if !row.IsValid() {
		return nil // a nil pointer, which GORM reports
	}
	if !row.CanAddr() {
		if _, zero := c.field.ValueOf(stmt.Context, row); zero {
			return createError(stmt, "can't set %s of a struct passed by value: %w", c, gorm.ErrInvalidValue)
		} else if !c.pointer {
			return nil
		}
	}
	v := c.in(stmt.Context, row)
	id := c.id(v)
	if id == nil {
		v.Set(reflect.New(v.Type().Elem()))
		id = c.id(v)
	}
	if id.IsZero() {
		*id = ids.next(left)
	}
	return nil
}

// A supply hands out the new ids of one statement. It reserves them in one step,
// when the first is asked for; those of rows that turn out to have one are left.
type supply struct {
	plugin *Plugin
	ids    []oid.ID
	used   int
}

// next returns the next id. At most left ids will be asked for, with this one.
func (s *supply) next(left int) oid.ID {
	if s.ids == nil {
		if left == 1 {
			return s.plugin.newID()
		}
		s.ids = make([]oid.ID, left)
		s.plugin.fill(s.ids)
	}
	s.used++
	return s.ids[s.used-1]
}

// createError returns an error of the statement, in the form of the call that
// made it.
func createError(stmt *gorm.Statement, format string, args ...any) error {
	return fmt.Errorf("gormplugin: Create(%T): %w", stmt.Dest, fmt.Errorf(format, args...))
}

// String names the column for error messages.
func (c *column) String() string { return c.field.Schema.Name + "." + c.field.Name }
