package cond

import (
	"database/sql/driver"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Mend returns what replaces expr, the expression of a clause or of a condition. It is nil
// if expr is right as it is. The error is that of the first condition that doesn't name
// IDs.
//
// No row has the zero ID for its key. Zero tells why if the conditions can hold for no row
// because one of them asks for it. The zero ID is a value like any other where it only
// excludes nobody, as under NOT and OR. A change of all rows but that one is no exclusion.
func (m Model) Mend(expr clause.Expression) (mended clause.Expression, zero, err error) {
	w := walk{Model: m}
	switch expr := expr.(type) {
	case clause.Where:
		if exprs, changed := w.list(expr.Exprs, true); changed {
			mended = clause.Where{Exprs: exprs}
		}
	case clause.GroupBy:
		if having, changed := w.list(expr.Having, false); changed {
			expr.Having = having
			mended = expr
		}
	case clause.From:
		changed := false
		for i, join := range expr.Joins {
			if on, other := w.list(join.ON.Exprs, false); other {
				join.ON.Exprs = on
				expr.Joins, changed = With(expr.Joins, changed, i, join), true
			}
		}
		if changed {
			mended = expr
		}
	}
	if m.Changes && w.leaves == 1 && w.zero == nil {
		w.zero = w.other
	}
	return mended, w.zero, w.err
}

// A walk is one way through the conditions of a clause.
type walk struct {
	Model
	zero   error // the first condition that asks for the zero ID
	other  error // the first condition that asks for another than the zero ID
	leaves int   // how many conditions there are
	err    error // the first refusal
}

// refuse keeps the first refusal.
func (w *walk) refuse(err error) clause.Expression {
	if w.err == nil {
		w.err = err
	}
	return nil
}

// asksForZero keeps the error of a condition that asks for the zero ID, or for another.
func (w *walk) asksForZero(err error, mustHold bool) {
	if err == nil {
		return
	}
	w.other = err
	if mustHold && w.zero == nil {
		w.zero = err
	}
}

// list returns exprs mended, and whether anything was. If so it is a copy.
func (w *walk) list(exprs []clause.Expression, mustHold bool) (mended []clause.Expression, changed bool) {
	mustHold = mustHold && (len(exprs) == 1 || !hasAlternative(exprs))
	for i, expr := range exprs {
		if fixed := w.expr(expr, mustHold); fixed != nil {
			exprs, changed = With(exprs, changed, i, fixed), true
		}
	}
	return exprs, changed
}

// hasAlternative reports whether GORM joins one of exprs to the others by OR.
func hasAlternative(exprs []clause.Expression) bool {
	for _, expr := range exprs {
		if or, ok := expr.(clause.OrConditions); ok && len(or.Exprs) == 1 {
			return true
		}
	}
	return false
}

// expr returns the replacement of expr. It is nil if expr is right as it is.
func (w *walk) expr(expr clause.Expression, mustHold bool) clause.Expression {
	changed := false
	w.leaves++
	switch expr := expr.(type) {
	case own:
		mended, zero, err := expr.of(w.Model)
		if err != nil {
			return w.refuse(err)
		}
		w.asksForZero(zero, mustHold)
		return mended
	case clause.Where:
		w.leaves--
		if expr.Exprs, changed = w.list(expr.Exprs, mustHold); changed {
			return expr
		}
	case clause.AndConditions:
		w.leaves--
		if expr.Exprs, changed = w.list(expr.Exprs, mustHold); changed {
			return expr
		}
	case clause.OrConditions:
		w.leaves--
		if expr.Exprs, changed = w.list(expr.Exprs, mustHold && len(expr.Exprs) == 1); changed {
			return expr
		}
	case clause.NotConditions:
		w.leaves--
		if expr.Exprs, changed = w.list(expr.Exprs, false); changed {
			return expr
		}
	default:
		if p := reflect.ValueOf(expr); p.Kind() == reflect.Pointer {
			w.leaves--
			return w.pointer(p, mustHold)
		}
		return w.compare(expr, mustHold)
	}
	return nil
}

// pointer mends the condition that p, a pointer, points to. It returns nil if that is
// none.
func (w *walk) pointer(p reflect.Value, mustHold bool) clause.Expression {
	if p.IsNil() {
		return nil
	}
	expr, ok := p.Elem().Interface().(clause.Expression)
	if !ok {
		return nil
	}
	mended := w.expr(expr, mustHold)
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
