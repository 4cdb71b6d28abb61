package sequence

import (
	"context"
	"fmt"
	"time"
)

// A NumberingStore also keeps the counts of numberings. A count is one integer,
//
//	x = period · 2^40 + how many numbers of the period were drawn
//
// and drawing n numbers is one atomic step,
//
//	x = max(x, d.Floor) + n
//
// after which the last n numbers of x's period are the caller's. Floor is the current
// period · 2^40. So the first draw of a new period starts its count at 1. A caller whose
// clock is behind also draws in the new period, and no period opens again.
type NumberingStore interface {
	// TakeNumbers draws d.N numbers of the key and returns x. It makes the key
	// if it doesn't exist. If the key exists with another kind, or was made by
	// Create, the error is ErrConflict.
	TakeNumbers(ctx context.Context, key string, d NumberDraw) (x int64, err error)
}

// A NumberDraw is a request of a [Numbering] to its store.
type NumberDraw struct {
	N       int64         // the number of numbers. With 0, the count only rises to Floor
	Floor   int64         // x is at least this, before N is added
	Kind    string        // such as "year" or "month gap-free"
	Now     time.Time     // by the clock of this machine
	MaxLead time.Duration // how far Now may be ahead of the server's clock
}

// Validate returns an error unless d can be drawn.
func (d NumberDraw) Validate() error {
	if d.N < 0 || d.N >= perPeriod || d.Floor < 0 || d.Kind == "" {
		return fmt.Errorf("invalid draw of %d numbers from %d, kind %q", d.N, d.Floor, d.Kind)
	}
	return nil
}

// CheckLead returns ErrClockLead if d.Now is too far ahead of the server's time.
func (d NumberDraw) CheckLead(server time.Time) error { return checkLead(d.Now, d.MaxLead, server) }

// CheckKind returns ErrConflict if the key has another kind than d. The kind of a key
// that Create made is "".
func (d NumberDraw) CheckKind(kind string) error {
	switch {
	case kind == "":
		return fmt.Errorf("%w: it was made by Create: use another name", ErrConflict)
	case kind != d.Kind:
		return fmt.Errorf("%w: it is a numbering of the kind %q, not %q", ErrConflict, kind, d.Kind)
	}
	return nil
}

// NumberingState returns the State of a numbering's key. It is for stores.
func NumberingState(key, kind string, x int64) State {
	s := State{Key: key, Numbering: kind, Last: x % perPeriod}
	if day := x / perPeriod; day > 0 {
		s.Period = dayStart(day)
	}
	return s
}
