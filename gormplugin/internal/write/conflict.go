package write

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// conflicting returns for each row the IDs of the stored rows that have the same
// values in one of the unique indexes, and that meet the clauses. The database compares
// the values, by its own collations. All rows go into one query, unless there are
// hundreds.
func (s *Pass) conflicting(list []model.Row, by []model.Unique, clauses ...clause.Interface) [][]oid.ID {
	found := make([][]oid.ID, len(list))
	keep := func(i int, id oid.ID) {
		if !slices.Contains(found[i], id) {
			found[i] = append(found[i], id)
		}
	}
	tx, parts := s.newQuery(), 0
	for i, row := range list {
		for _, u := range by {
			where, ok := s.sameIn(u.Fields, row)
			if !ok {
				continue
			}
			if parts++; parts > 200 { // SQLite takes 500
				s.query(tx, keep)
				tx, parts = s.newQuery(), 1
			}
			if parts > 1 {
				tx.Statement.WriteString(" UNION ALL ")
			}
			s.ask(tx, i, append(where, u.Where...), clauses...)
		}
	}
	if parts > 0 {
		s.query(tx, keep)
	}
	return found
}

// sameIn returns the conditions that a stored row has the values of r in fields. It
// isn't ok if one is NULL, which never conflicts.
func (s *Pass) sameIn(fields []*schema.Field, r model.Row) (where []clause.Expression, ok bool) {
	for _, field := range fields {
		value := r.ValueOf(s.stmt.Context, field)
		if ids.IsNull(value) {
			return nil, false
		}
		where = append(where, clause.Eq{Column: model.NameOf(field), Value: value})
	}
	return where, true
}

// newQuery returns a query on the table of the INSERT, in its transaction if it has one. The
// setting keeps package dbresolver from sending it to a replica.
func (s *Pass) newQuery() *gorm.DB {
	tx := s.Session(&gorm.Session{NewDB: true}).Set("gorm:db_resolver:write", true)
	tx.Statement.Table, tx.Statement.TableExpr, tx.Statement.Schema = s.stmt.Table, s.stmt.TableExpr, s.stmt.Schema
	return tx
}

// ask adds a SELECT of i, and of the keys of the rows that meet the conditions and clauses, to
// the SQL of tx.
func (s *Pass) ask(tx *gorm.DB, i int, where []clause.Expression, clauses ...clause.Interface) {
	tx.Statement.Clauses = map[string]clause.Clause{}
	of := clause.Expr{SQL: strconv.Itoa(i) + ", ?", Vars: []any{model.NameOf(s.plan.Key)}}
	own := []clause.Interface{clause.Select{Expression: of}, clause.From{}, clause.Where{Exprs: where}}
	for _, c := range slices.Concat(own, clauses) {
		tx.Statement.AddClause(c)
	}
	tx.Statement.Build("SELECT", "FROM", "WHERE")
}

// query sends tx, unless a query before it failed, and calls keep for each row.
func (s *Pass) query(tx *gorm.DB, keep func(i int, id oid.ID)) {
	if s.Error != nil {
		return
	}
	rows, err := tx.Rows()
	if err == nil {
		defer rows.Close()
		for err == nil && rows.Next() {
			var i int
			id, held := ids.Pointer(s.plan.Key)
			if err = rows.Scan(&i, held); err == nil {
				keep(i, *id)
			}
		}
		err = cmp.Or(err, rows.Err())
	}
	if err != nil {
		s.AddError(fmt.Errorf("gormplugin.Create(%s): reading the stored IDs: %w", s.written(), err))
	}
}
