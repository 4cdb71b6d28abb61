package sequence

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Store keeps counts. Packages pgsequence, sqlsequence and mongosequence have stores
// that many machines share. [Memory] is a store in the memory of one program, for example
// for tests.
//
// The stores of packages pgsequence and sqlsequence have a method Tx, and so does
// [Memory]. The method Tx returns a Store for draws in one transaction. Pass this Store
// only to [Sequence.NextIn], [Sequence.TakeIn], [Numbering.NextIn] and [Numbering.TakeIn].
type Store interface {
	// Driver is only for package sequence, which calls it. Package driver says what
	// authors of stores must know.
	Driver() driver.Driver
}

// Some errors match these values with errors.Is.
var (
	// ErrNotFound means that nobody has drawn from the key yet, or that somebody deleted
	// the key, and perhaps made a new key with its name, or emptied the table.
	ErrNotFound = errors.New("key not found")

	// ErrConflict means that the stored key doesn't match the program. The key has another
	// plan, time zone or start of the year, or is another kind of count, such as stamps or
	// numbers by date. The text of the error says what differs.
	ErrConflict = errors.New("conflict with the stored key")

	// ErrExhausted means that the key or period has too few numbers left, or that a year
	// is after 9999.
	ErrExhausted = errors.New("count exhausted")

	// ErrClockLead means that clocks disagree too much. The clock of this machine is ahead
	// of the store's clock, or shows a period that is already over, or stamps are ahead of
	// the store's clock. The text of the error says which of these it is.
	ErrClockLead = errors.New("clocks disagree")
)

// conflict returns an error unless a key has the meaning that it should have.
func conflict(have, want string) error {
	if have == want {
		return nil
	}
	return fmt.Errorf("%w: the meaning of the key is %q, and this program wants %q: use the same type, pattern and options as the program that added the key, or another key", ErrConflict, have, want)
}

// driverOf returns the driver of a store, which may be nil or a nil pointer.
func driverOf(store Store) (d driver.Driver, err error) {
	if v := reflect.ValueOf(store); v.IsValid() && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		d = store.Driver()
	}
	return d, unless(d != nil, "the store is nil")
}
