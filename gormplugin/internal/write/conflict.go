package write

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// conflicting returns for each row the IDs of the stored rows that have the same
// values in one of the unique indexes. The database compares the values, by its own
// collations. All rows go into one query, unless there are hundreds.
func (s *Pass) conflicting(list []model.Row, by []model.Unique) [][]oid.ID {
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
		s.ask(some, !s.isJoining(), func(i int, id oid.ID) {
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

// ask calls keep with the keys of the stored rows that meet the questions. Rows that are
// deleted softly meet them if unscoped is true. The query is on the table of the INSERT, in
// its transaction if it has one. The setting keeps package dbresolver from sending it to a
// replica. After an error, ask does nothing.
func (s *Pass) ask(questions []question, unscoped bool, keep func(row int, id oid.ID)) {
	if s.Error != nil {
		return
	}
	db := s.Session(&gorm.Session{NewDB: true}).Set("gorm:db_resolver:write", true).Session(&gorm.Session{})
	var parts []any
	for _, q := range questions {
		part := db.Model(reflect.New(s.stmt.Schema.ModelType).Interface()).Select(strconv.Itoa(q.row)+", ?", model.NameOf(s.plan.Key))
		part.Statement.Table, part.Statement.TableExpr, part.Statement.Unscoped = s.stmt.Table, s.stmt.TableExpr, unscoped
		part.Statement.AddClause(clause.Where{Exprs: q.where})
		parts = append(parts, part)
	}
	rows, err := db.Raw(strings.Repeat("? UNION ALL ", len(parts)-1)+"?", parts...).Rows()
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
