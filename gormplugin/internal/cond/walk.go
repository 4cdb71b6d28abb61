package cond

import (
	"database/sql/driver"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Mend returns what replaces expr, the expression of a clause or of a condition. It is nil
// if expr is right as it is. The error is that of the first condition that doesn't name
// IDs, or of a change of all rows except the one whose key is zero, which is no row.
func (m Model) Mend(expr clause.Expression) (mended clause.Expression, err error) {
	w := walk{Model: m}
	changed := false
	switch of := expr.(type) {
	case clause.Where:
		mended = w.expr(expr)
	case clause.GroupBy:
		if of.Having, changed = w.list(of.Having); changed {
			mended = of
		}
	case clause.From:
		of.Joins, changed = Mapped(of.Joins, func(_ int, join clause.Join) (clause.Join, bool) {
			on, changed := w.list(join.ON.Exprs)
			join.ON.Exprs = on
			return join, changed
		})
		if changed {
			mended = of
		}
	}
	if w.leaves == 1 && w.everyone != nil {
		w.refuse(w.everyone)
	}
	return mended, w.err
}

// A walk is one way through the conditions of a clause.
type walk struct {
	Model
	leaves   int   // how many conditions there are
	everyone error // of one that holds for all rows
	err      error // the first refusal
}

// refuse keeps the first refusal.
func (w *walk) refuse(err error) clause.Expression {
	if w.err == nil {
		w.err = err
	}
	return nil
}

// list returns exprs mended, and whether anything was. If so it is a copy.
func (w *walk) list(exprs []clause.Expression) (mended []clause.Expression, changed bool) {
	return Mapped(exprs, func(_ int, expr clause.Expression) (clause.Expression, bool) {
		mended := w.expr(expr)
		return mended, mended != nil
	})
}

// expr returns the replacement of expr. It is nil if expr is right as it is.
func (w *walk) expr(expr clause.Expression) clause.Expression {
	changed := false
	switch expr := expr.(type) {
	case own:
		exprs, err := expr.of(w.Model)
		if err != nil {
			return w.refuse(err)
		}
		exprs, _ = w.list(exprs)
		return sealed(exprs)
	case clause.Where:
		if expr.Exprs, changed = w.list(expr.Exprs); changed {
			return expr
		}
	case clause.AndConditions:
		if expr.Exprs, changed = w.list(expr.Exprs); changed {
			return expr
		}
	case clause.OrConditions:
		if expr.Exprs, changed = w.list(expr.Exprs); changed {
			return expr
		}
	case clause.NotConditions:
		w.isNot = !w.isNot
		expr.Exprs, changed = w.list(expr.Exprs)
		w.isNot = !w.isNot
		if changed {
			return expr
		}
	default:
		w.leaves++
		return w.compare(expr)
	}
	return nil
}

// Mapped returns list with what of returns for its values that change, and whether any does.
// It is a copy then.
func Mapped[T any](list []T, of func(i int, value T) (T, bool)) (mapped []T, changed bool) {
	mapped = list
	for i, value := range list {
		other, differs := of(i, value)
		if !differs {
			continue
		}
		if !changed {
			mapped, changed = slices.Clone(list), true
		}
		mapped[i] = other
	}
	return mapped, changed
}

// Refused stands among the values of a statement for a condition that must not be sent.
// No driver can send it. It survives where GORM drops an error, which is in subqueries.
type Refused struct{ Err error }

// NotSent is what a logger prints of a statement that was refused.
const NotSent = "/* refused and not sent */"

// Refuse makes the statement fail. The error stands among its values too, because GORM
// drops the errors of subqueries.
func Refuse(stmt *gorm.Statement, err error) {
	stmt.Vars = append(stmt.Vars, Refused{err})
	Carry(stmt, len(stmt.Vars)-1)
}

// Carry makes the statement fail if its values from first on hold a refusal. The refusal
// may be one of a subquery. A logger prints what is built of the statement nevertheless.
func Carry(stmt *gorm.Statement, first int) {
	for _, v := range stmt.Vars[min(first, len(stmt.Vars)):] {
		if refused, ok := v.(Refused); ok && stmt.Error == nil {
			stmt.AddError(refused.Err)
			if stmt.SQL.Len() > 0 {
				stmt.WriteString(NotSent)
			}
		}
	}
}

// Value returns the error of the refusal.
func (r Refused) Value() (driver.Value, error) { return nil, r.Err }
