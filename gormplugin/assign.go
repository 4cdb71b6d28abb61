package gormplugin

import (
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// An insert holds the plugin's view of an INSERT. Each callback computes it once
// and passes it down.
type insert struct {
	*gorm.DB
	stmt *gorm.Statement
	plan *plan
	rows rows
}

// insertOf returns the INSERT of db. It isn't ok after an error, without a model,
// or if the SQL is there already.
func (p *plugin) insertOf(db *gorm.DB) (in insert, ok bool) {
	if !isBuilding(db) {
		return in, false
	}
	pl := p.plan(db.Statement.Schema)
	if pl.err != nil {
		db.AddError(pl.err)
		return in, false
	}
	return insert{DB: db, stmt: db.Statement, plan: pl, rows: rowsOf(db.Statement)}, true
}

// assign gives every row that has no ID a new one.
func (p *plugin) assign(in insert) {
	if len(in.plan.columns) == 0 || in.AddError(in.checkModel()) != nil {
		return
	}
	for _, c := range in.plan.columns {
		c.selectInto(in.stmt)
		if c.isSelected(in.stmt) && c.isAssignable() {
			in.AddError(in.assignColumn(c, &supply{plugin: p}))
		}
	}
}

// assignColumn gives a new ID to each row whose field c is zero.
func (in insert) assignColumn(c *column, ids *supply) error {
	n := in.rows.len()
	for i := range n {
		var err error
		if row := in.rows.at(i); row.isMap {
			err = in.assignMap(c, row.fields, ids, n-i)
		} else {
			err = in.assignStruct(c, row.value, ids, n-i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkModel returns an error if the rows are not of the model. The plugin reads
// and writes fields by their offset in the model. A nil map is refused because GORM
// would store NULL in its key.
func (in insert) checkModel() error {
	if in.rows.isMaps {
		if slices.ContainsFunc(in.rows.maps, func(row map[string]any) bool { return row == nil }) {
			return createError(in.stmt, "a row is a nil map: %w", gorm.ErrInvalidData)
		}
		return nil
	}
	t := in.rows.structs.Type()
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if model := in.stmt.Schema.ModelType; !t.ConvertibleTo(model) {
		return createError(in.stmt, "a row is %s, not the model %s: %w", t, model, gorm.ErrInvalidData)
	}
	return nil
}

// assignStruct gives row an ID if it has none. At most left rows, with this one,
// still need one.
func (in insert) assignStruct(c *column, row reflect.Value, ids *supply, left int) error {
	if !row.IsValid() {
		return nil // a nil pointer, which GORM reports
	}
	if !row.CanAddr() {
		if _, zero := c.field.ValueOf(in.stmt.Context, row); zero {
			return createError(in.stmt, "can't set %s of a struct passed by value: %w", c, gorm.ErrInvalidValue)
		}
		if !c.pointer {
			return nil
		}
	}
	v := c.valueIn(in.stmt.Context, row)
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

// assignMap gives row an ID if it has none. It uses the name that the map has for
// the column, or else the column's name. Text and bytes become IDs or are refused.
// Numbers are refused because SQLite would store them.
func (in insert) assignMap(c *column, row map[string]any, ids *supply, left int) error {
	name, value := entry(row, c.field)
	for other := range row {
		if other != name && c.field.Schema.LookUpField(other) == c.field {
			return createError(in.stmt, "%s is there twice, as %q and %q: %w", c, min(name, other), max(name, other), gorm.ErrInvalidData)
		}
	}
	if held, _ := value.(*any); held != nil {
		row[name], value = *held, *held
	}
	switch text := value.(type) {
	case string, []byte:
		var id oid.ID
		if !reflect.ValueOf(text).IsZero() {
			if err := id.Scan(text); err != nil {
				return createError(in.stmt, "%s: %w: %w", c, gorm.ErrInvalidData, err)
			}
		}
		row[name], value = id, id
	}
	if !isZero(value) {
		switch reflect.Indirect(reflect.ValueOf(value)).Kind() {
		case reflect.Array, reflect.Slice, reflect.Struct:
			return nil // an ID, or an expression
		}
		return createError(in.stmt, "%s: %T is not an ID: %w", c, value, gorm.ErrInvalidData)
	}
	id := ids.next(left)
	if held, _ := value.(*oid.ID); held != nil {
		*held = id
		return nil
	}
	row[name] = id
	return nil
}

// A supply hands out the new IDs of one statement. It reserves them in one step,
// when the first is asked for. IDs of rows that turn out to have one are not used.
type supply struct {
	plugin *plugin
	ids    []oid.ID
	used   int
}

// next returns the next id. At most left IDs will be asked for, with this one.
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
