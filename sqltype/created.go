package sqltype

import (
	"fmt"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// CreatedBetween returns a condition and its two arguments. The condition selects
// the rows whose ID, in the given column, was made in [from, to):
//
//	where, args := sqltype.CreatedBetween("id", from, to)             // (id >= ? and id < ?)
//	where, args := sqltype.CreatedBetween("id", from, to, "$1", "$2") // (id >= $1 and id < $2)
//
// The condition is a range of the column itself, so the primary key's index serves
// it. The bounds are those of [oid.Range]. The column is copied into the SQL as it
// is, so it must not come from a user. The first two placeholders are used. A missing
// one is "?".
//
// For a text or uuid column, use oid.Range and pass the bounds as [Hex] or [UUID].
func CreatedBetween(column string, from, to time.Time, placeholders ...string) (where string, args []any) {
	lo, hi := oid.Range(from, to)
	placeholder := [2]string{"?", "?"}
	copy(placeholder[:], placeholders)
	return fmt.Sprintf("(%s >= %s and %s < %s)", column, placeholder[0], column, placeholder[1]), []any{lo, hi}
}

// CreatedSince returns a condition, as [CreatedBetween] does, for the rows whose ID
// was made at t or later. The bound is [oid.MinAt].
//
//	where, args := sqltype.CreatedSince("id", t, "$1") // (id >= $1)
func CreatedSince(column string, t time.Time, placeholder ...string) (where string, args []any) {
	return compare(column, ">=", oid.MinAt(t), placeholder)
}

// CreatedBefore returns a condition, as [CreatedBetween] does, for the rows whose ID
// was made before t. The bound is [oid.Until].
//
//	where, args := sqltype.CreatedBefore("id", t, "$1") // (id < $1)
func CreatedBefore(column string, t time.Time, placeholder ...string) (where string, args []any) {
	return compare(column, "<", oid.Until(t), placeholder)
}

// After returns a condition, as [CreatedBetween] does, for the IDs that come after
// id. In ascending order, it selects the page after the one that ended with id. For
// the first page, pass the zero ID.
//
//	where, args := sqltype.After("id", last, "$1") // (id > $1)
func After(column string, id oid.ID, placeholder ...string) (where string, args []any) {
	return compare(column, ">", id, placeholder)
}

// Before returns a condition, as [CreatedBetween] does, for the IDs that come before
// id. In descending order, it selects the page after the one that ended with id. For
// the first page, pass the zero ID, which means the end.
//
//	where, args := sqltype.Before("id", last, "$1") // (id < $1)
func Before(column string, id oid.ID, placeholder ...string) (where string, args []any) {
	if id.IsZero() {
		greatest := oid.Until(time.Unix(1<<32, 0))
		return compare(column, "<=", greatest, placeholder)
	}
	return compare(column, "<", id, placeholder)
}

func compare(column, operator string, id oid.ID, placeholders []string) (where string, args []any) {
	placeholder := "?"
	if len(placeholders) > 0 {
		placeholder = placeholders[0]
	}
	return fmt.Sprintf("(%s %s %s)", column, operator, placeholder), []any{id}
}
