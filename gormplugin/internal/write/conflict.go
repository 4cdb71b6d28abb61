package write

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

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
	read := func(scan func(...any) error) error {
		var i int
		id, held := ids.Pointer(s.plan.Key)
		err := scan(&i, held)
		if err == nil && !slices.Contains(found[i], *id) {
			found[i] = append(found[i], *id)
		}
		return err
	}
	stmt, parts := s.newStatement(), 0
	for i, row := range list {
		for _, u := range by {
			where, ok := s.sameIn(u.Fields, row)
			if !ok {
				continue
			}
			if parts++; parts > 200 { // SQLite takes 500
				s.query(stmt, read)
				stmt, parts = s.newStatement(), 1
			}
			if parts > 1 {
				stmt.SQL.WriteString(" UNION ALL ")
			}
			of := clause.Expr{SQL: strconv.Itoa(i) + ", ?", Vars: []any{model.NameOf(s.plan.Key)}}
			ask(stmt, slices.Concat([]clause.Interface{clause.Select{Expression: of}, clause.Where{Exprs: append(where, u.Where...)}}, clauses)...)
		}
	}
	if parts > 0 {
		s.query(stmt, read)
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

// ask adds a SELECT with the clauses to the SQL of stmt.
func ask(stmt *gorm.Statement, clauses ...clause.Interface) {
	stmt.Clauses = map[string]clause.Clause{}
	stmt.AddClause(clause.From{})
	for _, c := range clauses {
		stmt.AddClause(c)
	}
	stmt.Build("SELECT", "FROM", "WHERE")
}

// newStatement returns a statement on the table of the INSERT.
func (s *Pass) newStatement() *gorm.Statement {
	return &gorm.Statement{DB: s.DB, Table: s.stmt.Table, TableExpr: s.stmt.TableExpr, Schema: s.stmt.Schema}
}

// query sends stmt and calls read for each row. It asks on the connection of the
// INSERT, which may be a transaction. A query through GORM could be sent to a
// replica.
func (s *Pass) query(stmt *gorm.Statement, read func(scan func(...any) error) error) {
	if s.Error != nil {
		return
	}
	begin, n := time.Now(), int64(0)
	rows, err := s.stmt.ConnPool.QueryContext(s.stmt.Context, stmt.SQL.String(), stmt.Vars...)
	if err == nil {
		defer rows.Close()
		for err == nil && rows.Next() {
			n++
			err = read(rows.Scan)
		}
		err = cmp.Or(err, rows.Err())
	}
	s.Logger.Trace(s.stmt.Context, begin, func() (string, int64) {
		sql, vars := stmt.SQL.String(), stmt.Vars
		if filter, ok := s.Logger.(gorm.ParamsFilter); ok {
			sql, vars = filter.ParamsFilter(s.stmt.Context, sql, vars...)
		}
		return s.Dialector.Explain(sql, vars...), n
	}, err)
	if err != nil {
		s.AddError(fmt.Errorf("gormplugin.Create(%s): reading the stored IDs: %w", s.written(), err))
	}
}
