package cond

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Mend returns exprs, the conditions of a clause, mended, and whether that changed any. It
// is a copy then. The error is that of the first condition that doesn't name IDs, or of a
// change of the rows whose key isn't zero, which are all rows.
func (m Model) Mend(exprs []clause.Expression) (mended []clause.Expression, changed bool, err error) {
	w := walk{Model: m}
	mended, changed = w.list(exprs)
	if w.leaves == 1 && w.everyone != nil {
		w.refuse(w.everyone)
	}
	return mended, changed, w.err
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
	w.err = cmp.Or(w.err, err)
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
	switch expr := expr.(type) {
	case Own:
		column, err := w.idColumn(expr.Call, expr.Names)
		if err != nil {
			return w.refuse(err)
		}
		exprs, _ := w.list(expr.Of(column))
		return sealed(exprs)
	case clause.Where:
		return group(w, expr)
	case clause.AndConditions:
		return group(w, expr)
	case clause.OrConditions:
		return group(w, expr)
	case clause.NotConditions:
		w.isNot = !w.isNot
		mended := group(w, expr)
		w.isNot = !w.isNot
		return mended
	}
	w.leaves++
	return w.compare(expr)
}

// group returns the replacement of a group of conditions. It is nil if they are right.
func group[T interface {
	clause.Expression
	~struct{ Exprs []clause.Expression }
}](w *walk, expr T) clause.Expression {
	if mended, changed := w.list(clause.Where(expr).Exprs); changed {
		return T(clause.Where{Exprs: mended})
	}
	return nil
}

var comparisons = sync.Pool{New: func() any { return new(comparison) }}

// compare returns what replaces the condition expr. It is nil if expr is right as it is,
// or no comparison with ID columns.
func (w *walk) compare(expr clause.Expression) clause.Expression {
	cmp := comparisons.Get().(*comparison)
	defer comparisons.Put(cmp)
	*cmp = comparison{}
	cmp.fields, cmp.values = cmp.field[:], cmp.value[:]
	if !w.read(expr, cmp) {
		return nil
	}
	if w.Changes && cmp.isZero(w.isNot) {
		w.everyone = fmt.Errorf("gormplugin.Where(%s): no key is the zero ID, so the condition holds for all rows: pass an ID that is not zero: %w", ids.Name(cmp.fields[0]), gorm.ErrPrimaryKeyRequired)
	}
	if long := w.long(cmp); long != nil {
		return cmp.writeList(long)
	}
	values, changed := Mapped(cmp.values, cmp.convert)
	cmp.values = values
	if cmp.err != nil {
		return w.refuse(cmp.err)
	}
	if !changed && !cmp.isNew {
		return nil
	}
	return cmp.write()
}

// An Own condition is one of this module. When the model of its statement is known, it
// becomes conditions of GORM, in brackets, because GORM puts NOT before it as it is.
type Own struct {
	Call  string   // of the program, for errors
	Names []string // of the column, which is the primary key if there is none
	Of    func(column clause.Column) []clause.Expression
}

// Build writes the condition. Its clause has been mended, unless the condition is a value
// in SQL text, the statement has no model, or the plugin is missing.
func (o Own) Build(builder clause.Builder) {
	stmt, ok := builder.(*gorm.Statement)
	if !ok {
		builder.AddError(fmt.Errorf("gormplugin: this condition works only in a statement of GORM, not in a %T: %w", builder, gorm.ErrInvalidDB))
		return
	}
	w := walk{Model: ModelOf(stmt)}
	expr := w.expr(o)
	if stmt.Plugins[Plugin] == nil {
		w.err = fmt.Errorf("gormplugin: call db.Use(gormplugin.New(…)) first: %w", gorm.ErrInvalidDB)
	}
	if w.err != nil {
		Refuse(stmt, w.err)
		return
	}
	expr.Build(builder)
}

// Sealed conditions stand in brackets. GORM adds no others.
type sealed []clause.Expression

// Build writes the conditions.
func (s sealed) Build(builder clause.Builder) {
	builder.WriteByte('(')
	clause.Where{Exprs: s}.Build(builder)
	builder.WriteByte(')')
}
