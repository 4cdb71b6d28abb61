package gormplugin

import (
	"slices"
	"strconv"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// GORM saves the rows at the other end of a many-to-many relation with ON CONFLICT
// DO NOTHING. It then writes the join table with the IDs in these rows. A row that
// exists under a unique name is skipped, so join gives it the ID of the stored row.

// joining is where a statement tells those that save its associations its model.
const joining = "oidkit:joining"

// setJoining runs before GORM saves the associations of db.
func setJoining(db *gorm.DB) {
	if s := db.Statement.Schema; s != nil && len(s.Relationships.Many2Many) > 0 {
		db.Statement.Settings.Store(joining, s)
	}
}

// takeJoining runs first in a statement. GORM has copied the settings of the one
// that it saves associations for.
func takeJoining(db *gorm.DB) {
	if owner, ok := db.Statement.Settings.LoadAndDelete(joining); ok {
		db.InstanceSet(joining, owner)
	}
}

// isJoining reports whether GORM saves the rows of db for a many-to-many relation.
func isJoining(db *gorm.DB) bool {
	value, _ := db.InstanceGet(joining)
	owner, ok := value.(*schema.Schema)
	return ok && slices.ContainsFunc(owner.Relationships.Many2Many, func(r *schema.Relationship) bool {
		return r.FieldSchema == db.Statement.Schema
	})
}

// join gives each skipped row the ID of the one row that it conflicts with.
func (in insert) join(skipped []row) {
	found := in.conflicting(skipped)
	if in.Error != nil {
		return
	}
	name := in.stmt.Schema.Name
	for i, row := range skipped {
		if len(found[i]) > 1 {
			in.AddError(createError(in.stmt, "a %s conflicts with %d stored rows by different unique columns; save it under the ID of one: %w",
				name, len(found[i]), gorm.ErrPrimaryKeyRequired))
			return
		}
		if len(found[i]) == 0 {
			in.AddError(createError(in.stmt, "a %s conflicts with a row that isn't found by the unique indexes of the model; find that row first: %w",
				name, gorm.ErrPrimaryKeyRequired))
			return
		}
		for id, isLive := range found[i] {
			if !isLive {
				in.AddError(createError(in.stmt, "a %s conflicts with a row that is deleted softly; restore that row, or delete it with Unscoped: %w",
					name, gorm.ErrPrimaryKeyRequired))
				return
			}
			row.setID(in.stmt.Context, in.plan.key, id)
		}
	}
}

// A unique is a unique index. It has only the rows that meet the conditions.
type unique struct {
	fields []*schema.Field
	where  []clause.Expression
}

// uniques returns the unique indexes of the model.
func (pl *plan) uniques(s *schema.Schema) []unique {
	pl.once.Do(func() {
		for _, field := range s.Fields {
			if field.Unique && field.DBName != "" {
				pl.unique = append(pl.unique, unique{fields: []*schema.Field{field}})
			}
		}
		for _, index := range s.ParseIndexes() {
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
// values in a unique index, and whether these are live. The database compares the
// values, by its own collations. All rows go into one query, unless there are
// hundreds.
func (in insert) conflicting(list []row) []map[oid.ID]bool {
	found := make([]map[oid.ID]bool, len(list))
	read := func(scan func(...any) error) error {
		var i int
		var isLive bool
		id, held := in.plan.key.held()
		if err := scan(&i, held, &isLive); err != nil {
			return err
		}
		if found[i] == nil {
			found[i] = map[oid.ID]bool{}
		}
		found[i][*id] = found[i][*id] || isLive
		return nil
	}
	type question struct {
		row   int
		where []clause.Expression
	}
	var questions []question
	for i, row := range list {
		for _, u := range in.plan.uniques(in.stmt.Schema) {
			if where, ok := in.sameIn(u.fields, row); ok {
				questions = append(questions, question{i, append(where, u.where...)})
			}
		}
	}
	for some := range slices.Chunk(questions, 200) { // SQLite takes 500 parts, and a question has two
		stmt := in.newStatement()
		for _, q := range some {
			in.addPart(stmt, q.row, q.where, true)
			if len(in.stmt.Schema.QueryClauses) > 0 {
				in.addPart(stmt, q.row, q.where, false)
			}
		}
		in.query(stmt, read)
	}
	return found
}

// addPart adds the query for the stored rows that meet where to stmt. It asks for
// the live rows, or for all.
func (in insert) addPart(stmt *gorm.Statement, i int, where []clause.Expression, isLive bool) {
	if stmt.SQL.Len() > 0 {
		stmt.SQL.WriteString(" UNION ALL ")
	}
	flag := map[bool]string{true: "1", false: "0"}[isLive]
	stmt.Clauses = map[string]clause.Clause{}
	stmt.AddClause(clause.Select{Expression: clause.Expr{SQL: strconv.Itoa(i) + ", ?, " + flag, Vars: []any{columnOf(in.plan.key.field)}}})
	stmt.AddClause(clause.From{})
	stmt.AddClause(clause.Where{Exprs: where})
	if isLive {
		for _, c := range in.stmt.Schema.QueryClauses {
			stmt.AddClause(c)
		}
	}
	stmt.Build("SELECT", "FROM", "WHERE")
}

// sameIn returns the conditions that a stored row has the values of r in fields. It
// isn't ok if one is NULL, which never conflicts.
func (in insert) sameIn(fields []*schema.Field, r row) (where []clause.Expression, ok bool) {
	for _, field := range fields {
		value := r.valueOf(in.stmt.Context, field)
		if isNull(value) {
			return nil, false
		}
		where = append(where, clause.Eq{Column: columnOf(field), Value: value})
	}
	return where, true
}
