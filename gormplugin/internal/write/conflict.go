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
	var questions []question
	for i, row := range list {
		for _, u := range by {
			if where, ok := s.sameIn(u.Fields, row); ok {
				questions = append(questions, question{i, append(where, u.Where...)})
			}
		}
	}
	found := make([][]oid.ID, len(list))
	for some := range slices.Chunk(questions, 200) { // SQLite takes 500
		s.ask(some, clauses, func(i int, id oid.ID) {
			if !slices.Contains(found[i], id) {
				found[i] = append(found[i], id)
			}
		})
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

// A question is one for the stored rows that a row may conflict with.
type question struct {
	row   int // its place in a list
	where []clause.Expression
}

// ask calls keep with the keys of the stored rows that meet the questions and clauses. It does
// nothing after an error. The query is on the table of the INSERT, in its transaction if it
// has one. The setting keeps package dbresolver from sending it to a replica.
func (s *Pass) ask(questions []question, clauses []clause.Interface, keep func(row int, id oid.ID)) {
	if s.Error != nil {
		return
	}
	tx := s.Session(&gorm.Session{NewDB: true}).Set("gorm:db_resolver:write", true)
	tx.Statement.Table, tx.Statement.TableExpr, tx.Statement.Schema = s.stmt.Table, s.stmt.TableExpr, s.stmt.Schema
	for i, q := range questions {
		if i > 0 {
			tx.Statement.WriteString(" UNION ALL ")
		}
		tx.Statement.Clauses = map[string]clause.Clause{}
		key := clause.Expr{SQL: strconv.Itoa(q.row) + ", ?", Vars: []any{model.NameOf(s.plan.Key)}}
		for _, c := range append([]clause.Interface{clause.Select{Expression: key}, clause.From{}, clause.Where{Exprs: q.where}}, clauses...) {
			tx.Statement.AddClause(c)
		}
		tx.Statement.Build("SELECT", "FROM", "WHERE")
	}
	rows, err := tx.Rows()
	if err == nil {
		defer rows.Close()
		for err == nil && rows.Next() {
			var row int
			id, held := ids.Pointer(s.plan.Key)
			if err = rows.Scan(&row, held); err == nil {
				keep(row, *id)
			}
		}
		err = cmp.Or(err, rows.Err())
	}
	if err != nil {
		s.AddError(fmt.Errorf("gormplugin.Create(%s): reading the stored IDs: %w", s.written(), err))
	}
}
