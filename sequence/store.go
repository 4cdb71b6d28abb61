package sequence

import (
	"errors"
	"fmt"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Store keeps counts. Packages pgsequence, sqlsequence and mongosequence have stores
// that many machines share. [Memory] serves tests and single programs.
//
// A store with transactions has a method Tx, which returns a Store that is bound to one.
// It is for [Sequence.NextIn] and [Numbering.NextIn], and for nothing else.
type Store interface {
	// Driver is for this package. Package driver describes it to authors of stores.
	Driver() driver.Driver
}

// These are found by errors.Is in the errors of this package.
var (
	// ErrNotFound means that the store has no such key. Somebody deleted it, or emptied
	// the table, or nobody has made it yet.
	ErrNotFound = errors.New("key not found")

	// ErrConflict means that the key exists and is something else. It has another plan,
	// another kind, or another time zone. The error says which.
	ErrConflict = errors.New("key exists with another meaning")

	// ErrExhausted means that fewer numbers are left than were asked for.
	ErrExhausted = errors.New("count exhausted")

	// ErrClockLead means that the clock of this machine is too far ahead of the store's,
	// or that stamps are too far ahead of the clock.
	ErrClockLead = errors.New("clock is ahead")

	// ErrClockLag means that the clock of this machine is so far behind the store's that
	// it shows another period.
	ErrClockLag = errors.New("clock is behind")
)

// conflict returns the error for a key that has one meaning and should have another.
func conflict(have, want string) error {
	return fmt.Errorf("%w: it is %q, and this program wants %q: use another key", ErrConflict, have, want)
}

var errNilStore = errors.New("the store is nil")
