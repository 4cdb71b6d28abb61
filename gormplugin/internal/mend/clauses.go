// Package mend puts the conditions and the stored values of a statement's clauses into the
// form of their columns, or makes the statement fail.
package mend

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Where mends the conditions of the WHERE clause of a statement that is about to be built.
func Where(db *gorm.DB) {
	if !model.IsBuilding(db) {
		return
	}
	stmt := db.Statement
	c := stmt.Clauses["WHERE"]
	mended, err := Clause(stmt, c.Expression)
	cond.Refuse(stmt, err)
	if mended != nil {
		c.Expression = mended
		stmt.Clauses["WHERE"] = c
	}
}

// Joins mends the conditions of joins by a relation. GORM writes them into the
// SQL before the clause that they stand in is built.
func Joins(stmt *gorm.Statement) {
	m := cond.ModelOf(stmt)
	for i := range stmt.Joins {
		join := &stmt.Joins[i]
		joined, ok := m.Joined(join.Name, join.Alias)
		switch {
		case !ok:
		case join.On != nil:
			mended, _, err := joined.Mend(join.On.Exprs)
			cond.Refuse(stmt, err)
			join.On = &clause.Where{Exprs: mended}
		case len(join.Conds) > 0 && reflect.TypeOf(join.Conds[0]) != reflect.TypeFor[*gorm.DB]() && slices.ContainsFunc(joined.Schema.Fields, ids.IsColumn):
			cond.Refuse(stmt, fmt.Errorf("gormplugin.Joins(%s): GORM would ignore the condition: pass it as db.Where(condition): %w", join.Name, gorm.ErrInvalidData))
		}
	}
}

// Clause returns what replaces the expression of a clause, nil if it is right.
func Clause(stmt *gorm.Statement, expr clause.Expression) (_ clause.Expression, err error) {
	m, changed := cond.ModelOf(stmt), false
	switch expr := expr.(type) {
	case clause.Where:
		if expr.Exprs, changed, err = m.Mend(expr.Exprs); changed {
			return expr, err
		}
	case clause.GroupBy:
		if expr.Having, changed, err = m.Mend(expr.Having); changed {
			return expr, err
		}
	case clause.From:
		expr.Joins, changed = cond.Mapped(expr.Joins, func(_ int, join clause.Join) (_ clause.Join, changed bool) {
			if err == nil {
				join.ON.Exprs, changed, err = m.Mend(join.ON.Exprs)
			}
			return join, changed
		})
		if changed {
			return expr, err
		}
	case clause.Set:
		if expr, changed, err = assignments(m, expr); changed {
			return expr, err
		}
	case clause.Values:
		return nil, mapValues(m, stmt, expr)
	case clause.OnConflict:
		return upsertClause(m, expr)
	}
	return nil, err
}

// Wrap puts the builder of a clause into one that mends the clause first. It does so once
// per builder, because the copies of a database's configuration share the map. The builder
// below is kept in the map too. A dialect that is opened again may put it back.
func Wrap(builders map[string]clause.ClauseBuilder, name string) {
	own := "oidkit:" + name
	below, wrapped := builders[own]
	if wrapped && reflect.ValueOf(builders[name]).Pointer() != reflect.ValueOf(below).Pointer() {
		return
	}
	builders[own] = builders[name]
	builders[name] = mending(builders[name])
}

// mending returns a builder of a clause that mends its conditions before build
// writes it. A nil build is GORM's own.
func mending(build clause.ClauseBuilder) clause.ClauseBuilder {
	if build == nil {
		build = func(c clause.Clause, builder clause.Builder) { c.Build(builder) }
	}
	return func(c clause.Clause, builder clause.Builder) {
		stmt, ok := builder.(*gorm.Statement)
		if !ok {
			build(c, builder)
			return
		}
		before := len(stmt.Vars)
		if stmt.Schema != nil {
			mended, err := Clause(stmt, c.Expression)
			if err != nil {
				cond.Refuse(stmt, err)
				return
			}
			if mended != nil {
				c.Expression = mended
			}
		}
		build(c, builder)
		cond.Carry(stmt, before)
		// A long list of IDs isn't prepared. Nobody sends the same list again, and prepared
		// statements are kept. 65,535 placeholders are shorter.
		if stmt.SQL.Len() >= 500_000 {
			stmt.ConnPool = Unprepared(stmt.ConnPool)
		}
	}
}

// Unprepared returns the pool that prepares no statements.
func Unprepared(pool gorm.ConnPool) gorm.ConnPool {
	switch pool := pool.(type) {
	case *gorm.PreparedStmtDB:
		return pool.ConnPool
	case *gorm.PreparedStmtTX:
		return pool.Tx
	}
	return pool
}
