package write

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// Settle runs after an INSERT. It makes the rows hold the ID that they are stored
// under, or zero.
func (s *Pass) Settle() {
	if !s.unsettled {
		return
	}
	rest := s.share()
	if len(rest) == 0 || s.Error != nil || s.DryRun {
		return
	}
	// RowsAffected tells whether all rows were inserted. MySQL counts unchanged
	// rows too if the connection asks for it, and with RETURNING GORM counts rows
	// that it hasn't read.
	_, returning := s.stmt.Clauses["RETURNING"]
	if s.conflict.DoNothing && int(s.RowsAffected) == len(s.rows) && !model.IsMySQL(s.DB) && !returning {
		return
	}
	s.adopt(s.skipped(rest))
	s.refuseOrphans()
}

// skipped returns those of the rows whose ID is not in the table.
func (s *Pass) skipped(rows []model.Row) []model.Row {
	idOf := func(row model.Row) oid.ID { return row.ID(s.stmt.Context, s.plan.Key) }
	var own []any
	for _, row := range rows {
		if id := idOf(row); !s.isMade(row) && !id.IsZero() {
			own = append(own, id)
		}
	}
	stored := make(map[oid.ID]bool)
	if len(own) > 0 {
		where := []clause.Expression{clause.IN{Column: model.NameOf(s.plan.Key), Values: own}}
		s.ask([]question{{where: where}}, true, func(_ int, id oid.ID) { stored[id] = true })
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row model.Row) bool { return !s.isMade(row) && stored[idOf(row)] })
}

// adopt gives each skipped row the ID of the one stored row that it conflicts with. If there
// is no such row, or if there are several, the ID is zero. A row of a join table can't
// refer to zero, so a Create that saves such a row fails.
func (s *Pass) adopt(skipped []model.Row) {
	if s.Error != nil {
		return
	}
	for i, found := range s.conflicting(skipped, s.mergedBy()) {
		switch {
		case len(found) == 1:
			skipped[i].SetID(s.stmt.Context, s.plan.Key, found[0])
		case !s.isJoining():
			skipped[i].SetID(s.stmt.Context, s.plan.Key, oid.ID{})
		case s.Error == nil:
			s.AddError(s.errorf("a %s %s: %w", s.stmt.Schema.Name, s.whyNotJoined(len(found)), gorm.ErrPrimaryKeyRequired))
		}
	}
}

// whyNotJoined tells why a row that conflicts with n stored rows has no ID.
func (s *Pass) whyNotJoined(n int) string {
	if n > 1 {
		return fmt.Sprintf("conflicts with %d stored rows, each by a different unique column: give it the ID of one of them", n)
	}
	return s.whyNoID(s.plan.Key, "conflicts with a row that the plugin doesn't find: restore the row if it is deleted softly, declare its unique index in the model, or use READ COMMITTED if the row is newer than this transaction")
}

// mergedBy returns the unique indexes by which rows are merged or joined. There is none if rows
// are only skipped, or if the columns that the clause names are not known. MySQL merges by any
// index.
func (s *Pass) mergedBy() []*schema.Index {
	var by schema.Index
	switch {
	case s.isJoining() || model.IsMySQL(s.DB) && !s.conflict.DoNothing:
		return s.plan.Uniques()
	case s.conflict.DoNothing || len(s.conflict.Columns) == 0:
		return nil
	}
	for _, c := range s.conflict.Columns {
		field := cond.LookUp(s.stmt.Schema, c.Name)
		if field == nil || field == s.plan.Key {
			return nil
		}
		by.Fields = append(by.Fields, schema.IndexOption{Field: field})
	}
	return []*schema.Index{&by}
}

// isJoining reports whether GORM saves rows for a many-to-many relation and skips those that
// are stored. It then writes the join table with the IDs in these rows.
func (s *Pass) isJoining() bool {
	return s.conflict.DoNothing && s.owner != nil && slices.ContainsFunc(s.owner.Relationships.Many2Many, func(r *schema.Relationship) bool {
		return r.FieldSchema == s.stmt.Schema
	})
}

// conflicting returns for each row the IDs of the stored rows that have the same
// values in one of the unique indexes. The database compares the values, by its own
// collations. All rows go into one query, unless there are hundreds.
func (s *Pass) conflicting(list []model.Row, by []*schema.Index) [][]oid.ID {
	var questions []question
	for i, row := range list {
		for _, u := range by {
			if where, ok := s.sameIn(u, row); ok {
				questions = append(questions, question{i, where})
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

// sameIn returns the conditions that a stored row is in the unique index with the values of
// r. It isn't ok if one is NULL, which never conflicts.
func (s *Pass) sameIn(u *schema.Index, r model.Row) (where []clause.Expression, ok bool) {
	for _, column := range u.Fields {
		value := r.ValueOf(s.stmt.Context, column.Field)
		if ids.IsNull(value) {
			return nil, false
		}
		where = append(where, clause.Eq{Column: model.NameOf(column.Field), Value: value})
	}
	if u.Where != "" {
		where = append(where, clause.Expr{SQL: u.Where})
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
