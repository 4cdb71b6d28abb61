package gormplugin

import (
	"time"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm/clause"
)

// CreatedBetween is the condition that an ID was made in [from, to). IDs hold whole
// seconds, so from is rounded down and to is rounded up, as in [oid.Range]. Pass it to
// Where, Not, Or, Joins and the generics:
//
//	db.Where(gormplugin.CreatedBetween(from, to)).Find(&users)
//
// The column is the model's primary key unless one is named. The name is a column
// or field of the model, or table.column in a join. It is an error if the column
// doesn't hold IDs.
func CreatedBetween(from, to time.Time, column ...string) clause.Expression {
	lo, hi := oid.Range(from, to)
	return cond.Within("CreatedBetween", column, "(? >= ? AND ? < ?)", lo, hi)
}

// CreatedSince is the condition that an ID was made at t, rounded down to the second, or
// later. The column is that of [CreatedBetween].
func CreatedSince(t time.Time, column ...string) clause.Expression {
	return cond.Within("CreatedSince", column, "(? >= ?)", oid.MinAt(t))
}

// CreatedBefore is the condition that an ID was made before t, rounded up to the second.
// The column is that of [CreatedBetween].
func CreatedBefore(t time.Time, column ...string) clause.Expression {
	return cond.Within("CreatedBefore", column, "(? < ?)", oid.Until(t))
}

// IDs is the condition that the primary key is one of the IDs:
//
//	db.Delete(&User{}, gormplugin.IDs(ids...))
//
// If there are no IDs, the condition matches no row. GORM itself drops an empty list, so
// Where("tenant = 1").Delete(&User{}, []oid.ID{}) deletes the whole tenant. It is an error if
// all IDs are zero, as in any condition on a primary key.
func IDs[T ~[12]byte](ids ...T) clause.Expression {
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = oid.ID(id)
	}
	return cond.OneOf(list)
}
