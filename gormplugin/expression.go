package gormplugin

import (
	"time"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm/clause"
)

// CreatedBetween returns the condition that the creation time of an ID is in [from, to). IDs
// hold whole seconds, so the start is rounded down, and the end is rounded up, as in
// [oid.Range]. Pass the condition to Where, Not or Or of a *gorm.DB, or of a statement that
// begins with [gorm.G]. For Joins, pass db.Where(condition):
//
//	db.Where(gormplugin.CreatedBetween(from, to)).Find(&users)
//
// column is the name of a column or field. In a join, write table.column. If column is left
// out, the condition compares the model's primary key. If the model has several primary keys,
// and none is called ID, or if it has none, the statement returns an error. The statement also
// returns an error if the model has no such column, or if the column holds no IDs.
func CreatedBetween(from, to time.Time, column ...string) clause.Expression {
	lo, hi := oid.Range(from, to)
	return cond.Own{Call: "CreatedBetween", Names: column, Of: func(c clause.Column) []clause.Expression {
		return []clause.Expression{clause.Gte{Column: c, Value: lo}, clause.Lt{Column: c, Value: hi}}
	}}
}

// CreatedSince returns the condition that the creation time of an ID is t or later, with t
// rounded down to a whole second. column is as for [CreatedBetween].
func CreatedSince(t time.Time, column ...string) clause.Expression {
	return cond.Own{Call: "CreatedSince", Names: column, Of: func(c clause.Column) []clause.Expression {
		return []clause.Expression{clause.Gte{Column: c, Value: oid.MinAt(t)}}
	}}
}

// CreatedBefore returns the condition that the creation time of an ID is before t, with t
// rounded up to a whole second. column is as for [CreatedBetween].
func CreatedBefore(t time.Time, column ...string) clause.Expression {
	return cond.Own{Call: "CreatedBefore", Names: column, Of: func(c clause.Column) []clause.Expression {
		return []clause.Expression{clause.Lt{Column: c, Value: oid.Until(t)}}
	}}
}

// IDs returns the condition that the primary key is one of ids:
//
//	db.Delete(&User{}, gormplugin.IDs(ids...))
//
// If ids is empty, the condition matches no row. Without the function IDs, GORM drops an empty
// list that is the only argument, so db.Where("tenant = 1").Delete(&User{}, []oid.ID{})
// deletes all rows of the tenant. If the model has several primary keys, and none is called
// ID, or if it has none, the statement returns an error.
func IDs[T ~[12]byte](ids ...T) clause.Expression {
	return cond.Own{Call: "IDs", Of: func(key clause.Column) []clause.Expression {
		if len(ids) == 0 {
			return []clause.Expression{clause.Expr{SQL: "1 = 0"}}
		}
		return []clause.Expression{clause.IN{Column: key, Values: []any{ids}}}
	}}
}
