package gormplugin

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A unique is a unique index. It has only the rows that meet the conditions.
type unique struct {
	fields []*schema.Field
	where  []clause.Expression
}

// uniques returns the unique indexes of the model.
func (pl *plan) uniques() []unique {
	pl.once.Do(func() {
		for _, field := range pl.schema.Fields {
			if field.Unique && field.DBName != "" {
				pl.unique = append(pl.unique, unique{fields: []*schema.Field{field}})
			}
		}
		for _, index := range pl.schema.ParseIndexes() {
			var u unique
			for _, option := range index.Fields {
				if option.Expression == "" {
					u.fields = append(u.fields, option.Field)
				}
			}
			if index.Where != "" {
				u.where = append(u.where, clause.Expr{SQL: index.Where})
			}
			if index.Class == "UNIQUE" && len(u.fields) == len(index.Fields) {
				pl.unique = append(pl.unique, u)
			}
		}
	})
	return pl.unique
}

// conflicting returns for each row the IDs of the stored rows that have the same
// values in one of the unique indexes, and that meet the clauses. The database compares
// the values, by its own collations. All rows go into one query, unless there are
// hundreds.
func (s *pass) conflicting(list []row, by []unique, clauses []clause.Interface) [][]oid.ID {
	found := make([][]oid.ID, len(list))
	read := func(scan func(...any) error) error {
		var i int
		id, held := ids.Pointer(s.plan.key.field)
		err := scan(&i, held)
		if err == nil && !slices.Contains(found[i], *id) {
			found[i] = append(found[i], *id)
		}
		return err
	}
	stmt, parts := s.newStatement(), 0
	for i, row := range list {
		for _, u := range by {
			where, ok := s.sameIn(u.fields, row)
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
			stmt.Clauses = map[string]clause.Clause{}
			stmt.AddClause(clause.Select{Expression: clause.Expr{SQL: strconv.Itoa(i) + ", ?", Vars: []any{s.plan.key.name()}}})
			stmt.AddClause(clause.From{})
			stmt.AddClause(clause.Where{Exprs: append(where, u.where...)})
			for _, c := range clauses {
				stmt.AddClause(c)
			}
			stmt.Build("SELECT", "FROM", "WHERE")
		}
	}
	if parts > 0 {
		s.query(stmt, read)
	}
	return found
}

// sameIn returns the conditions that a stored row has the values of r in fields. It
// isn't ok if one is NULL, which never conflicts.
func (s *pass) sameIn(fields []*schema.Field, r row) (where []clause.Expression, ok bool) {
	for _, field := range fields {
		value := r.valueOf(s.stmt.Context, field)
		if ids.IsNull(value) {
			return nil, false
		}
		where = append(where, clause.Eq{Column: columnOf(field), Value: value})
	}
	return where, true
}

// newStatement returns a statement on the table of the INSERT.
func (s *pass) newStatement() *gorm.Statement {
	return &gorm.Statement{
		DB:        s.DB,
		Table:     s.stmt.Table,
		TableExpr: s.stmt.TableExpr,
		Schema:    s.stmt.Schema,
		Clauses:   map[string]clause.Clause{},
	}
}

// query sends stmt and calls read for each row. It asks on the connection of the
// INSERT, which may be a transaction. A query through GORM could be sent to a
// replica.
func (s *pass) query(stmt *gorm.Statement, read func(scan func(...any) error) error) {
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
		if err == nil {
			err = rows.Err()
		}
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
