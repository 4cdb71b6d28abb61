package sequence

import (
	"context"
	"errors"
)

// A Store keeps the counts. Packages mongosequence and pgsequence have stores
// that many machines share; [Memory] serves tests and single programs.
//
// A store keeps, for each key, its plan and how many numbers it ever handed out:
// a count that only grows, by one unconditional atomic operation a draw. It never
// starts over; the serials that do are arithmetic on it, see [NewBlock].
//
// Implementations must be safe for concurrent use, and their errors must name the
// key.
type Store interface {
	// Create makes the key with plan p. If the key is there with this plan,
	// Create does nothing: it never resets a count. If it is there with
	// another plan, errors.Is(err, ErrConflict) holds.
	Create(ctx context.Context, key string, p Plan) error

	// Take draws the next n numbers of the key. It returns ErrNotFound for a
	// key that nobody created, and ErrExhausted, having drawn nothing, if
	// fewer than n are left before 2^63. After any other error the numbers
	// may be drawn or not; then they are a gap and nobody gets them.
	Take(ctx context.Context, key string, n int64) (Block, error)

	// Resize gives the key the plan p, from the next number on, which is
	// p.First of a new cycle. It may run while others draw: each gets numbers
	// of one plan or the other. It returns ErrNotFound for a missing key.
	Resize(ctx context.Context, key string, p Plan) error
}

// What errors.Is finds in the errors of stores, sequences and stampers.
var (
	// ErrNotFound: nobody created the key.
	ErrNotFound = errors.New("key not found")

	// ErrConflict: the key exists with another plan, width or tick.
	ErrConflict = errors.New("key exists with another plan")

	// ErrExhausted: fewer numbers are left before 2^63 than were asked for.
	ErrExhausted = errors.New("count exhausted")

	// ErrClockLead: the clock of this machine is further ahead of the server's
	// than a [Stamper] may be.
	ErrClockLead = errors.New("clock is ahead")

	// ErrClosed: the [Sequence] was closed.
	ErrClosed = errors.New("sequence closed")

	// ErrTransient is for stores to wrap errors with that their driver calls
	// passing ones: a lost connection, a change of the primary, a deadlock.
	// [WithRetry] draws again after these alone.
	ErrTransient = errors.New("transient failure")
)
