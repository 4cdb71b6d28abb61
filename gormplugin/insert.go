package gormplugin

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// assign gives every row that has no ID a new one.
func (s *pass) assign() {
	if len(s.plan.columns) == 0 || s.AddError(s.checkModel()) != nil {
		return
	}
	for _, c := range s.plan.columns {
		c.selectInto(s.stmt)
		if c.isSelected(s.stmt) && c.isAssignable() {
			s.AddError(s.assignColumn(c))
		}
	}
}

// assignColumn gives a new ID to each row whose field c is zero.
func (s *pass) assignColumn(c *column) (err error) {
	made := supply{plugin: s.plugin, left: s.rows.len()}
	for row := range s.rows.all() {
		if row.isMap {
			err = s.assignMap(c, row.fields, &made)
		} else {
			err = s.assignStruct(c, row.value, &made)
		}
		if err != nil {
			return err
		}
		made.left--
	}
	return nil
}

// checkModel returns an error if the rows are not of the model. The plugin reads
// and writes fields by their offset in the model. A nil map is refused because GORM
// would store NULL in its key.
func (s *pass) checkModel() error {
	if s.rows.isMaps {
		if slices.ContainsFunc(s.rows.maps, func(row map[string]any) bool { return row == nil }) {
			return s.errorf("a row is a nil map: %w", gorm.ErrInvalidData)
		}
		return nil
	}
	if t, model := rowType(s.rows.structs.Type()), s.stmt.Schema.ModelType; !t.ConvertibleTo(model) {
		return s.errorf("a row is %s, not the model %s: %w", t, model, gorm.ErrInvalidData)
	}
	return nil
}

// rowType returns the type of one row in t, which may be a list of rows or of pointers.
func rowType(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// assignStruct gives row an ID if it has none.
func (s *pass) assignStruct(c *column, row reflect.Value, made *supply) error {
	if !row.CanAddr() {
		if _, zero := c.field.ValueOf(s.stmt.Context, row); zero {
			return s.errorf("can't set %s of a struct passed by value: %w", c, gorm.ErrInvalidValue)
		}
		if !c.pointer {
			return nil
		}
	}
	v := c.valueIn(s.stmt.Context, row)
	id := c.id(v)
	if id == nil {
		v.Set(reflect.New(v.Type().Elem()))
		id = c.id(v)
	}
	if id.IsZero() {
		*id = made.next()
	}
	return nil
}

// assignMap gives row an ID if it has none. It uses the name that the map has for
// the column, or else the column's name. Text and bytes become IDs or are refused.
// Numbers are refused because SQLite would store them.
func (s *pass) assignMap(c *column, row map[string]any, made *supply) error {
	name, value := entry(row, c.field)
	for other := range row {
		if other != name && c.field.Schema.LookUpField(other) == c.field {
			return s.errorf("%s is there twice, as %q and %q: %w", c, min(name, other), max(name, other), gorm.ErrInvalidData)
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
				return s.errorf("%s: %w: %w", c, gorm.ErrInvalidData, err)
			}
		}
		row[name], value = id, id
	}
	if !ids.IsZero(value) {
		switch reflect.Indirect(reflect.ValueOf(value)).Kind() {
		case reflect.Array, reflect.Slice, reflect.Struct:
			return nil // an ID, or an expression
		}
		return s.errorf("%s: %T is not an ID: %w", c, value, gorm.ErrInvalidData)
	}
	id := made.next()
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
	left   int // how many rows may need one, with the present one
	ids    []oid.ID
}

// next returns the next id.
func (s *supply) next() (id oid.ID) {
	if s.ids == nil {
		if s.left == 1 {
			return s.plugin.newID()
		}
		s.ids = make([]oid.ID, s.left)
		s.plugin.fill(s.ids)
	}
	id, s.ids = s.ids[0], s.ids[1:]
	return id
}

// refuseZeroKeys makes the INSERT fail if it would store a key that is zero or,
// which SQLite takes as well, left out. Only keys that are not assigned can be.
func (s *pass) refuseZeroKeys() {
	var zero []string
	for _, c := range s.plan.columns {
		if !c.field.PrimaryKey || c.hasDefault() {
			continue
		}
		isZeroIn := func(r row) bool { return ids.IsZero(r.valueOf(s.stmt.Context, c.field)) }
		if !c.isSelected(s.stmt) {
			s.AddError(s.errorf("%s is left out and has no default: %w", c, gorm.ErrPrimaryKeyRequired))
		} else if !c.isAssignable() && s.rows.any(isZeroIn) {
			zero = append(zero, c.String())
		}
	}
	switch len(zero) {
	case 0:
	case 1:
		s.AddError(s.errorf("%s is zero: set it, or tag it oid:auto: %w", zero[0], gorm.ErrPrimaryKeyRequired))
	default:
		s.AddError(s.errorf("%s are zero: set them, or tag them oid:auto: %w", strings.Join(zero, " and "), gorm.ErrPrimaryKeyRequired))
	}
}

// nameAlias adds what to write to the error for a key of a type such as type UserID
// oid.ID. Such a type has no methods, so no driver can send it.
func nameAlias(db *gorm.DB) {
	if db.Error == nil || db.Statement.Schema == nil || !strings.Contains(db.Error.Error(), "unsupported type") {
		return
	}
	for _, field := range db.Statement.Schema.Fields {
		if t := field.IndirectFieldType; ids.IsColumn(field) && t.Kind() == reflect.Array && !ids.IsKey(field) {
			db.Error = fmt.Errorf("%w (%s has no methods: write type %s = oid.For[%s])", db.Error, t, t.Name(), db.Statement.Schema.Name)
			return
		}
	}
}

// A pass is what the plugin knows of an INSERT or UPDATE, from its first callback to its
// last.
type pass struct {
	*gorm.DB
	plugin *plugin
	stmt   *gorm.Statement
	plan   *plan
	rows   rows
	owner  *schema.Schema // of the rows whose associations the statement saves, or nil

	conflict  clause.OnConflict // of an INSERT whose rows may be stored under other IDs
	unsettled bool              // it is not known under which
	kept      []keptKey         // the keys before an UPDATE
}

var passes = sync.Pool{New: func() any { return new(pass) }}

// place is where a statement keeps its pass, among its clauses. GORM builds no clause of
// this name.
const place = "oidkit"

// Build writes nothing. It makes a pass an expression.
func (*pass) Build(clause.Builder) {}

// begin makes the pass of a statement that is about to be built. It is nil after an
// error, and if the plugin has nothing to do.
func (p *plugin) begin(db *gorm.DB) *pass {
	stmt := db.Statement
	delete(stmt.Clauses, place) // of a chain that is used again
	owner, _ := stmt.Settings.LoadAndDelete(outer)
	if !isBuilding(db) {
		return nil
	}
	pl := p.plan(stmt.Schema)
	if pl.err != nil {
		db.AddError(pl.err)
		return nil
	}
	if !pl.hasIDs {
		return nil
	}
	s := passes.Get().(*pass)
	*s = pass{DB: db, plugin: p, stmt: stmt, plan: pl, rows: rowsOf(stmt)}
	s.owner, _ = owner.(*schema.Schema)
	stmt.Clauses[place] = clause.Clause{Name: place, Expression: s}
	return s
}

// passOf returns the pass of the statement, nil if there is none.
func passOf(db *gorm.DB) *pass {
	s, _ := db.Statement.Clauses[place].Expression.(*pass)
	return s
}

// end forgets the pass.
func (s *pass) end() {
	delete(s.stmt.Clauses, place)
	*s = pass{}
	passes.Put(s)
}

// outer is the setting in which a statement leaves its schema for those that GORM sends
// for it, which are saves of associations and preloads. GORM copies the settings to these.
const outer = "oidkit:outer"

// leaveSchema runs before GORM saves or preloads associations.
func leaveSchema(db *gorm.DB) {
	s := db.Statement.Schema
	if s != nil && (len(s.Relationships.Many2Many) > 0 || len(db.Statement.Preloads) > 0) {
		db.Statement.Settings.Store(outer, s)
	}
}

// A keptKey is a key of a row of an UPDATE, and its value before.
type keptKey struct {
	place, value reflect.Value
}

// isBuilding reports whether GORM goes on to build a statement of a model.
func isBuilding(db *gorm.DB) bool {
	return db.Error == nil && db.Statement.Schema != nil && db.Statement.SQL.Len() == 0
}

// errorf returns an error of an INSERT, in the form of the call that made it.
func (s *pass) errorf(format string, args ...any) error {
	return fmt.Errorf("gormplugin.Create(%s): %w", s.dest(), fmt.Errorf(format, args...))
}

// dest names what the statement writes. GORM makes the types of join tables, which have no
// name.
func (s *pass) dest() string {
	t := reflect.TypeOf(s.stmt.Dest)
	if t != nil && !s.rows.isMaps {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			t = t.Elem()
		}
		if t.Name() == "" && t.Kind() == reflect.Struct {
			return s.stmt.Schema.Table
		}
	}
	return fmt.Sprintf("%T", s.stmt.Dest)
}
