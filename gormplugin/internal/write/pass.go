// Package write looks after INSERT, UPDATE and DELETE. It gives rows their IDs, refuses rows
// that would be stored under no ID or refer to none, and settles under which ID a row was
// stored.
package write

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A Pass is what the plugin knows of an INSERT or UPDATE, from its first callback to its
// last.
type Pass struct {
	*gorm.DB
	source func([]oid.ID) // fills a list with new IDs
	stmt   *gorm.Statement
	plan   *model.Plan
	rows   []model.Row
	owner  *schema.Schema // of the rows whose associations the statement saves, or nil

	conflict  clause.OnConflict // of an INSERT whose rows may be stored under other IDs
	unsettled bool              // it is not known under which
	guarded   bool              // it is a Save that must not update another row
	restore   []func()          // the keys before an UPDATE

	ids []oid.ID // made and not yet used
	one [1]oid.ID

	dest      any // of the statement, while GORM reads what the INSERT returns into a list
	destValue reflect.Value
}

var passes = sync.Pool{New: func() any { return new(Pass) }}

// place is where a statement keeps its pass, among its clauses. GORM builds no clause of
// this name.
const place = "oidkit"

// Build writes nothing. With this method, a pass implements clause.Expression.
func (*Pass) Build(clause.Builder) {}

// Begin makes the pass of a statement that is about to be built. It is nil after an
// error, and if the plugin has nothing to do.
func Begin(db *gorm.DB, plans *model.Plans, source func([]oid.ID)) *Pass {
	stmt := db.Statement
	delete(stmt.Clauses, place) // of a chain that is used again
	owner, _ := stmt.Settings.LoadAndDelete(outer)
	if !model.IsBuilding(db) {
		return nil
	}
	pl := plans.Of(stmt.Schema)
	if db.AddError(pl.Err) != nil || !pl.HasIDs {
		return nil
	}
	s := passes.Get().(*Pass)
	s.DB, s.source, s.stmt, s.plan = db, source, stmt, pl
	s.Look()
	s.owner, _ = owner.(*schema.Schema)
	stmt.Clauses[place] = clause.Clause{Name: place, Expression: s}
	return s
}

// PassOf returns the pass of the statement, nil if there is none.
func PassOf(db *gorm.DB) *Pass {
	s, _ := db.Statement.Clauses[place].Expression.(*Pass)
	return s
}

// Look reads the rows again, which hooks may have changed.
func (s *Pass) Look() { s.rows = model.Rows(s.rows[:0], s.stmt) }

// End forgets the pass.
func (s *Pass) End() {
	delete(s.stmt.Clauses, place)
	clear(s.rows)
	*s = Pass{rows: s.rows[:0]}
	passes.Put(s)
}

// outer is the setting in which a statement leaves its schema for those that GORM sends
// for it, which are saves of associations. GORM copies the settings to these.
const outer = "oidkit:outer"

// LeaveSchema runs before GORM saves associations.
func LeaveSchema(db *gorm.DB) {
	if s := db.Statement.Schema; s != nil && len(s.Relationships.Many2Many) > 0 {
		db.Statement.Settings.Store(outer, s)
	}
}

// errorf returns an error of an INSERT, in the form of the call that made it.
func (s *Pass) errorf(format string, args ...any) error {
	return fmt.Errorf("gormplugin.Create(%s): %w", s.written(), fmt.Errorf(format, args...))
}

// isJoinTable reports whether GORM made the type of the rows, which then has no name.
func (s *Pass) isJoinTable() bool { return s.stmt.Schema.ModelType.Name() == "" }

// written names what the statement writes.
func (s *Pass) written() string {
	if s.isJoinTable() {
		return s.stmt.Schema.Table
	}
	return fmt.Sprintf("%T", s.stmt.Dest)
}

// isZero reports whether field has no value in the row.
func (s *Pass) isZero(r model.Row, field *schema.Field) bool {
	return ids.IsZero(r.ValueOf(s.stmt.Context, field))
}

// returns reports whether the database can return columns of an INSERT.
func (s *Pass) returns() bool { return slices.Contains(s.stmt.BuildClauses, "RETURNING") }

// isMade reports whether the database makes the key of the row.
func (s *Pass) isMade(r model.Row) bool {
	return !model.IsSelected(s.stmt, s.plan.Key) || s.isZero(r, s.plan.Key)
}
