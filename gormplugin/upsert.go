package gormplugin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// An INSERT with ON CONFLICT may store a row under another ID than its own, or not
// at all. If the database can return the ID of each row, prepareUpsert asks it to.
// Otherwise settle asks afterwards which IDs are in the table.

// prepareUpsert runs before an INSERT is built.
func (s *pass) prepareUpsert() {
	key := s.plan.key
	if key == nil {
		return
	}
	makes := key.hasDefault() && s.rows.any(s.isMade)
	if makes && !s.returns() {
		s.refuseOrphans()
	}
	conflict, ok := conflictOf(s.stmt)
	if !ok {
		return
	}
	// GORM matches the rows that come back with its own by their order. A row that
	// is skipped doesn't come back, and a map isn't matched at all.
	skips := conflict.DoNothing || len(conflict.Where.Exprs) > 0
	switch {
	case s.returns() && (makes || skips && s.reads()):
		s.returnKey()
		s.capture()
	case !key.isSelected(s.stmt) || s.keepsKey(conflict):
		return
	case s.returns() && !skips && !s.rows.isMaps:
		s.returnKey()
		return
	}
	s.conflict, s.unsettled = conflict, true
}

// isMade reports whether the database makes the key of the row.
func (s *pass) isMade(r row) bool {
	return !s.plan.key.isSelected(s.stmt) || ids.IsZero(r.valueOf(s.stmt.Context, s.plan.key.field))
}

// conflictOf returns what the INSERT does with rows that conflict. It isn't ok if such
// a row is an error.
func conflictOf(stmt *gorm.Statement) (conflict clause.OnConflict, ok bool) {
	if conflict, ok = stmt.Clauses["ON CONFLICT"].Expression.(clause.OnConflict); ok {
		return conflict, true
	}
	insert, _ := stmt.Clauses["INSERT"].Expression.(clause.Insert)
	return clause.OnConflict{DoNothing: true}, strings.Contains(strings.ToUpper(insert.Modifier), "IGNORE")
}

// keepsKey reports whether rows can conflict only with the row of their own key.
// On MySQL they conflict by every unique column, whatever the clause says.
func (s *pass) keepsKey(conflict clause.OnConflict) bool {
	switch {
	case s.guarded:
		return true
	case isMySQL(s.DB) || conflict.OnConstraint != "":
		return false
	case len(conflict.Columns) == 0:
		return conflict.UpdateAll // GORM then adds the key
	default:
		return len(conflict.Columns) == 1 && cond.LookUp(s.plan.schema, conflict.Columns[0].Name) == s.plan.schema.PrioritizedPrimaryField
	}
}

// returns reports whether the database can return columns of an INSERT.
func (s *pass) returns() bool { return slices.Contains(s.stmt.BuildClauses, "RETURNING") }

// reads reports whether GORM reads columns that the INSERT returns.
func (s *pass) reads() bool {
	_, asked := s.stmt.Clauses["RETURNING"]
	return asked || len(s.stmt.Schema.FieldsWithDefaultDBValue) > 0
}

func isMySQL(db *gorm.DB) bool { return db.Dialector.Name() == "mysql" }

// returnKey makes the statement return the key of each row. It keeps the other
// columns that are returned.
func (s *pass) returnKey() {
	key := s.plan.key.field
	var columns []clause.Column
	if c, ok := s.stmt.Clauses["RETURNING"]; ok {
		returning, _ := c.Expression.(clause.Returning)
		if columns = returning.Columns; len(columns) == 0 || columns[0].Name == "*" {
			return // it returns all
		}
	} else {
		for _, field := range s.stmt.Schema.FieldsWithDefaultDBValue {
			if field.Readable {
				columns = append(columns, clause.Column{Name: field.DBName})
			}
		}
	}
	if !slices.ContainsFunc(columns, func(c clause.Column) bool { return c.Name == key.DBName }) {
		columns = append(slices.Clip(columns), clause.Column{Name: key.DBName})
	}
	s.stmt.Clauses["RETURNING"] = clause.Clause{Name: "RETURNING", Expression: clause.Returning{Columns: columns}}
}

// settle runs after an INSERT. It makes the rows hold the ID that they are stored
// under, or zero.
func (s *pass) settle() {
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
	if s.conflict.DoNothing && int(s.RowsAffected) == s.rows.len() && !isMySQL(s.DB) && !returning {
		return
	}
	skipped := s.skipped(rest)
	if s.conflict.DoNothing && s.isJoining() {
		s.join(skipped)
	} else {
		s.merge(skipped)
	}
	if s.Error == nil {
		s.refuseOrphans()
	}
}

// skipped returns those of the rows whose ID is not in the table.
func (s *pass) skipped(rows []row) (list []row) {
	stored := make(map[oid.ID]bool)
	var own []any
	for _, row := range rows {
		if id := row.id(s.stmt.Context, s.plan.key); !s.isMade(row) && !id.IsZero() {
			own = append(own, ids.In(s.plan.key.field, id))
		}
	}
	if len(own) > 0 {
		stmt := s.newStatement()
		stmt.AddClause(clause.Select{Columns: []clause.Column{s.plan.key.name()}})
		stmt.AddClause(clause.From{})
		stmt.AddClause(clause.Where{Exprs: []clause.Expression{clause.IN{Column: s.plan.key.name(), Values: own}}})
		stmt.Build("SELECT", "FROM", "WHERE")
		s.query(stmt, func(scan func(...any) error) error {
			id, held := ids.Pointer(s.plan.key.field)
			err := scan(held)
			stored[*id] = true
			return err
		})
	}
	for _, row := range rows {
		if s.isMade(row) || !stored[row.id(s.stmt.Context, s.plan.key)] {
			list = append(list, row)
		}
	}
	return list
}

// merge gives each skipped row the ID of the row that it was merged into. It is zero if
// the row was not stored, or if several stored rows conflict with it.
func (s *pass) merge(skipped []row) {
	if s.Error != nil {
		return
	}
	found := make([][]oid.ID, len(skipped))
	if !s.conflict.DoNothing {
		found = s.conflicting(skipped, s.mergedBy(), nil)
	}
	for i, row := range skipped {
		var stored oid.ID
		if len(found[i]) == 1 {
			stored = found[i][0]
		}
		row.setID(s.stmt.Context, s.plan.key, stored)
	}
}

// mergedBy returns the unique indexes by which rows are merged. There are none if the
// columns that the clause names are not known. MySQL merges by any index.
func (s *pass) mergedBy() []unique {
	if isMySQL(s.DB) {
		return s.plan.uniques()
	}
	var by unique
	for _, c := range s.conflict.Columns {
		field := cond.LookUp(s.plan.schema, c.Name)
		if field == nil || field == s.plan.key.field {
			return nil
		}
		by.fields = append(by.fields, field)
	}
	if by.fields == nil {
		return nil
	}
	return []unique{by}
}

// isJoining reports whether GORM saves the rows for a many-to-many relation. It then
// writes the join table with the IDs in these rows.
func (s *pass) isJoining() bool {
	return s.owner != nil && slices.ContainsFunc(s.owner.Relationships.Many2Many, func(r *schema.Relationship) bool {
		return r.FieldSchema == s.plan.schema
	})
}

// join gives each skipped row the ID of the one live row that it conflicts with.
func (s *pass) join(skipped []row) {
	found := s.conflicting(skipped, s.plan.uniques(), s.plan.schema.QueryClauses)
	name := s.plan.schema.Name
	for i, row := range skipped {
		switch {
		case s.Error != nil:
			return
		case len(found[i]) == 0 && s.plan.key.hasDefault() && !s.returns():
			s.AddError(s.errorf("a %s %s: %w", name, s.whyNoID(s.plan.key.field), gorm.ErrPrimaryKeyRequired))
		case len(found[i]) == 0:
			s.AddError(s.errorf("a %s conflicts with a row that is deleted softly or isn't found by the unique indexes of the model; restore that row, or find it first, in a transaction with READ COMMITTED if it is newer than this one: %w", name, gorm.ErrPrimaryKeyRequired))
		case len(found[i]) > 1:
			s.AddError(s.errorf("a %s conflicts with %d stored rows by different unique columns; save it under the ID of one: %w", name, len(found[i]), gorm.ErrPrimaryKeyRequired))
		default:
			row.setID(s.stmt.Context, s.plan.key, found[i][0])
		}
	}
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
