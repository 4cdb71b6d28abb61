package gormplugin

import (
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

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
