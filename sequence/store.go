package sequence

import (
	"errors"
	"fmt"
	"reflect"

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

	// ErrClockLead means that a clock is too far ahead. The clock of this machine is ahead
	// of the store's, or so far behind it that it shows another period, or stamps are ahead
	// of the clock. The error says which.
	ErrClockLead = errors.New("clocks disagree")
)

// conflict returns the error for a key that has one meaning and should have another.
func conflict(have, want string) error {
	return fmt.Errorf("%w: it is %q, and this program wants %q: use another key", ErrConflict, have, want)
}

var errNilStore = errors.New("the store is nil")

// driverOf returns the driver of a store, which may be nil or a nil pointer.
func driverOf(store Store) (driver.Driver, error) {
	if v := reflect.ValueOf(store); store == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errNilStore
	}
	d := store.Driver()
	if d == nil {
		return nil, errNilStore
	}
	return d, nil
}
