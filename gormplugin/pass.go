package gormplugin

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

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
	guarded   bool              // it is a Save that must not update another row
	restore   []func()          // the keys before an UPDATE

	dest      any // of the statement, while GORM reads what the INSERT returns into a list
	destValue reflect.Value
}

var passes = sync.Pool{New: func() any { return new(pass) }}

// place is where a statement keeps its pass, among its clauses. GORM builds no clause of
// this name.
const place = "oidkit"

// Build writes nothing. With this method, a pass implements clause.Expression.
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
// for it, which are saves of associations. GORM copies the settings to these.
const outer = "oidkit:outer"

// leaveSchema runs before GORM saves associations.
func leaveSchema(db *gorm.DB) {
	s := db.Statement.Schema
	if s != nil && len(s.Relationships.Many2Many) > 0 {
		db.Statement.Settings.Store(outer, s)
	}
}

// isBuilding reports whether GORM goes on to build a statement of a model.
func isBuilding(db *gorm.DB) bool {
	return db.Error == nil && db.Statement.Schema != nil && db.Statement.SQL.Len() == 0
}

// errorf returns an error of an INSERT, in the form of the call that made it.
func (s *pass) errorf(format string, args ...any) error {
	return fmt.Errorf("gormplugin.Create(%s): %w", s.written(), fmt.Errorf(format, args...))
}

// written names what the statement writes. GORM makes the types of join tables, which have no
// name.
func (s *pass) written() string {
	if s.stmt.Schema.ModelType.Name() == "" {
		return s.stmt.Schema.Table
	}
	return fmt.Sprintf("%T", s.stmt.Dest)
}

// returns reports whether the database can return columns of an INSERT.
func (s *pass) returns() bool { return slices.Contains(s.stmt.BuildClauses, "RETURNING") }

func isMySQL(db *gorm.DB) bool { return db.Dialector.Name() == "mysql" }
