package gormplugin

import (
	"time"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm/clause"
)

// CreatedBetween is the condition that an ID was made in [from, to). IDs hold whole
// seconds, so from is rounded down and to is rounded up, as in [oid.Range]. Pass the
// condition to Where, Not, Or or Joins, also of gorm.G:
//
//	db.Where(gormplugin.CreatedBetween(from, to)).Find(&users)
//
// Without a column, the condition is on the model's primary key. column is the name of a
// column or of its field. In a join, it is table.column. If the column doesn't hold IDs,
// the statement is an error.
func CreatedBetween(from, to time.Time, column ...string) clause.Expression {
	lo, hi := oid.Range(from, to)
	return cond.Within("CreatedBetween", column, "(? >= ? AND ? < ?)", lo, hi)
}

// CreatedSince is the condition that an ID was made at or after t, rounded down to the
// second. Name a column as for [CreatedBetween].
func CreatedSince(t time.Time, column ...string) clause.Expression {
	return cond.Within("CreatedSince", column, "(? >= ?)", oid.MinAt(t))
}

// CreatedBefore is the condition that an ID was made before t, rounded up to the second.
// Name a column as for [CreatedBetween].
func CreatedBefore(t time.Time, column ...string) clause.Expression {
	return cond.Within("CreatedBefore", column, "(? < ?)", oid.Until(t))
}

// IDs is the condition that the primary key is one of the IDs:
//
//	db.Delete(&User{}, gormplugin.IDs(ids...))
//
// With an empty list, the condition matches no row. GORM itself drops an empty list, so
// Where("tenant = 1").Delete(&User{}, []oid.ID{}) deletes all rows of the tenant. If the
// list is not empty and all its IDs are zero, the statement is an error, because no row
// has the zero ID as its primary key.
func IDs[T ~[12]byte](ids ...T) clause.Expression {
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = oid.ID(id)
	}
	return cond.OneOf(list)
}
