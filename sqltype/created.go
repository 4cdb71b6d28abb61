package sqltype

import (
	"fmt"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// CreatedBetween returns a condition for the rows whose id, in the given column,
// was made in [from, to), and its two arguments:
//
//	where, args := sqltype.CreatedBetween("id", from, to)             // (id >= ? and id < ?)
//	where, args := sqltype.CreatedBetween("id", from, to, "$1", "$2") // (id >= $1 and id < $2)
//
// It is a range of the column itself, so that the primary key's index serves it.
// The bounds are those of [oid.Range]. The column is copied as it is: it must not
// come from a user. The placeholders are the first and the second; "?" stands for
// what is left out.
//
// For a text column use oid.Range, and give the bounds as [Hex].
func CreatedBetween(column string, from, to time.Time, placeholders ...string) (where string, args []any) {
	placeholder := [2]string{"?", "?"}
	copy(placeholder[:], placeholders)
	lo, hi := oid.Range(from, to)
	return fmt.Sprintf("(%s >= %s and %s < %s)", column, placeholder[0], column, placeholder[1]), []any{lo, hi}
}
