package cond

import (
	"database/sql/driver"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Mend returns what replaces expr, the expression of a clause or of a condition. It is nil
// if expr is right as it is. The error is that of the first condition that doesn't name
// IDs, or of a change of all rows except the one whose key is zero, which is no row.
func (m Model) Mend(expr clause.Expression) (mended clause.Expression, err error) {
	w := walk{Model: m}
	switch expr := expr.(type) {
	case clause.Where:
		if exprs, changed := w.list(expr.Exprs); changed {
			mended = clause.Where{Exprs: exprs}
		}
	case clause.GroupBy:
		if having, changed := w.list(expr.Having); changed {
			expr.Having = having
			mended = expr
		}
	case clause.From:
		changed := false
		for i, join := range expr.Joins {
			if on, other := w.list(join.ON.Exprs); other {
				join.ON.Exprs = on
				expr.Joins, changed = With(expr.Joins, changed, i, join), true
			}
		}
		if changed {
			mended = expr
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
	for i, expr := range exprs {
		if fixed := w.expr(expr); fixed != nil {
			exprs, changed = With(exprs, changed, i, fixed), true
		}
	}
	return exprs, changed
}

// expr returns the replacement of expr. It is nil if expr is right as it is.
func (w *walk) expr(expr clause.Expression) clause.Expression {
	changed := false
	switch expr := expr.(type) {
	case own:
		mended, everyone, err := expr.of(w.Model)
		if err != nil {
			return w.refuse(err)
		}
		w.leaves++
		w.everyone = everyone
		return mended
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
		if p := reflect.ValueOf(expr); p.Kind() == reflect.Pointer {
			return w.pointer(p)
		}
		w.leaves++
		return w.compare(expr)
	}
	return nil
}

// pointer mends the condition that p, a pointer, points to. It returns nil if that is
// none.
func (w *walk) pointer(p reflect.Value) clause.Expression {
	if p.IsNil() {
		return nil
	}
	expr, ok := p.Elem().Interface().(clause.Expression)
	if !ok {
		return nil
	}
	mended := w.expr(expr)
	if reflect.TypeOf(mended) != p.Type().Elem() {
		return mended
	}
	// GORM joins a pointer to other conditions by AND, also one to an OR.
	copied := reflect.New(p.Type().Elem())
	copied.Elem().Set(reflect.ValueOf(mended))
	return copied.Interface().(clause.Expression)
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
