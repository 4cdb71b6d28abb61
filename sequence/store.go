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
	// ErrNotFound means that the key was not added yet, was deleted, or was deleted and made
	// again. Emptying the table deletes its keys.
	ErrNotFound = errors.New("key not found")

	// ErrConflict means that the stored key doesn't match the program. For example, the key
	// has another plan, time zone or start of the year, is gap-free, or counts stamps. From
	// Resize, ErrConflict can also mean that the new plan could repeat a serial. The text of
	// the error says what differs.
	ErrConflict = errors.New("conflict with the stored key")

	// ErrExhausted means that the key or period has too few numbers left, or that a year
	// is after 9999.
	ErrExhausted = errors.New("count exhausted")

	// ErrClockLead has one of three causes, and the text of the error says which. The clock of
	// this machine is too far ahead of the store's clock. Or the clock of this machine is
	// behind, and shows a period that ended too long ago by the store's clock. Or stamps are
	// too far ahead of the store's clock.
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
