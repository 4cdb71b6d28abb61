package sequence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// A Store keeps the counts. Packages pgsequence, sqlsequence and mongosequence have
// stores that many machines share. [Memory] serves tests and single programs.
//
// For each key, a store keeps its plan and how many numbers it ever handed out. The
// count only grows, by one atomic operation per draw. [NewBlock] computes serials from
// it, also those that start over.
//
// Implementations must be safe for concurrent use, and must respect the context. The
// author of a store also needs [CheckKey], [CheckDraw], [NewBlock] and the methods of
// [State]. [StampStore] and [NumberingStore] are optional.
type Store interface {
	// Create makes the key with plan p. If the key exists with this plan, or had it
	// before its last resize, Create does nothing. It never resets a count. If the key
	// exists with another plan, the error is ErrConflict.
	Create(ctx context.Context, key string, p Plan) error

	// Take draws the next n numbers of the key. It returns ErrNotFound for a key that
	// nobody created. It returns ErrExhausted, and draws nothing, if fewer than n are
	// left in a plan without Cycle, or before 2^63. After any other error the numbers
	// may be drawn or not. If they are, they are a gap.
	Take(ctx context.Context, key string, n int64) (Block, error)

	// Resize gives the key the plan p from the next number on. The next serial is
	// p.First, in a new cycle. With GoOn it is the serial after the last one. Resize may
	// run while others draw. Each draw gets numbers of one plan or of the other. It
	// returns ErrNotFound for a missing key.
	Resize(ctx context.Context, key string, p Plan, opts ...ResizeOption) error

	// State returns what is known about the key. It draws nothing.
	State(ctx context.Context, key string) (State, error)

	// Advance makes the next number have an ordinal greater than this one. It never goes
	// back. Use it after an import, or after you restored a backup. It returns
	// ErrExhausted, and changes nothing, if the plan ends before ordinal.
	Advance(ctx context.Context, key string, ordinal int64) error
}

// These are found by errors.Is in the errors of this package and its stores.
var (
	// ErrNotFound means that nobody created the key.
	ErrNotFound = errors.New("key not found: call Create once")

	// ErrConflict means that the key exists and is something else. It has another plan,
	// another width or tick of stamps, or another kind of numbering.
	ErrConflict = errors.New("key exists with another plan")

	// ErrExhausted means that fewer numbers are left than were asked for.
	ErrExhausted = errors.New("count exhausted")

	// ErrClockLead means that the clock of this machine is too far ahead of the
	// server's, or that the stamps are too far ahead of the clock.
	ErrClockLead = errors.New("clock is ahead")

	// ErrClosed means that the [Sequence] was closed.
	ErrClosed = errors.New("sequence closed")

	// ErrTransient is wrapped by failures that may pass, such as a lost connection, a
	// change of the primary or a deadlock. A draw is only made again after such a
	// failure.
	ErrTransient = errors.New("transient failure")
)

// A ResizeOption changes what Resize does.
type ResizeOption int

// GoOn has Resize go on with the serial after the last one, instead of starting over.
// The new plan must have the same First and must contain the last serial. Otherwise the
// error is [ErrConflict].
const GoOn ResizeOption = 1

// MaxKey is how many bytes a key may have.
const MaxKey = 255

// CheckKey returns an error unless key has 1 to MaxKey bytes of UTF-8 without NUL,
// which every store can hold.
func CheckKey(key string) error {
	switch {
	case key == "":
		return errors.New("the key is empty")
	case len(key) > MaxKey:
		return fmt.Errorf("the key has %d bytes, more than %d", len(key), MaxKey)
	case !utf8.ValidString(key) || strings.ContainsRune(key, 0):
		return errors.New("the key is not UTF-8 without NUL")
	}
	return nil
}

// QuoteKey returns the key as errors show it, quoted and cut at 32 bytes.
func QuoteKey(key string) string {
	const most = 32
	if len(key) > most {
		return fmt.Sprintf("%q…", key[:most])
	}
	return fmt.Sprintf("%q", key)
}

// CheckDraw returns an error if nobody can draw n numbers at once. A store that
// added a negative n would hand out its numbers again.
func CheckDraw(n int64) error {
	if n < 1 {
		return errTooFew
	}
	if n > math.MaxInt {
		return fmt.Errorf("more than %d numbers asked for", math.MaxInt)
	}
	return nil
}

// NewBlock returns n numbers, of which the last has the ordinal last. They belong to the
// plan p, which counts from the ordinal base as in [State]. Stores pass the results of
// their atomic operation. An impossible block is an error.
func NewBlock(p Plan, base, last, n int64) (Block, error) {
	if err := p.Validate(); err != nil {
		return Block{}, err
	}
	switch {
	case n < 1 || n > math.MaxInt:
		return Block{}, fmt.Errorf("invalid block of %d numbers", n)
	case base < 0:
		return Block{}, fmt.Errorf("plan %v in effect after the number %d", p, base)
	case last < n || base > last-n: // the first keeps the second from wrapping
		return Block{}, fmt.Errorf("%d numbers up to %d, with a plan in effect only after %d", n, last, base)
	case !p.Cycle && last-base > p.Size():
		return Block{}, fmt.Errorf("%w: %d numbers of plan %v", ErrExhausted, last-base, p)
	}
	return Block{plan: p, base: base, span: span{last - n + 1, n}}, nil
}

// A State is what a store knows about a key.
type State struct {
	Key  string
	Plan Plan
	Was  Plan  // the plan before the last resize, or the zero Plan
	Base int64 // the number with ordinal Base+1 is Plan.First of a cycle
	Last int64 // the ordinal of the last number drawn, or 0

	Stamp Stamp         // the last stamp drawn, or the zero Stamp
	Width int64         // serials per tick of the key's stamps, 0 before the first
	Tick  time.Duration // the tick of the key's stamps, 0 before the first

	// Numbering is "" for a key that Create made. For the key of a [Numbering] it is the
	// kind, such as "year" or "month gap-free". Last then counts the numbers of Period,
	// and the fields above have no meaning.
	Numbering string
	Period    time.Time // when the current period began, or the zero Time if the count never restarts
}

// Validate returns an error if no draws can have left s. Somebody then changed the
// store's data by hand. It is for stores.
func (s State) Validate() error {
	if s.Numbering != "" {
		if s.Last < 0 {
			return fmt.Errorf("the count %d is negative", s.Last)
		}
		return nil
	}
	if err := s.Plan.Validate(); err != nil {
		return err
	}
	if s.Base < 0 || s.Base > s.Last || !s.Plan.Cycle && s.Last-s.Base > s.Plan.Size() {
		return fmt.Errorf("plan %v in effect after %d, where the count is %d", s.Plan, s.Base, s.Last)
	}
	if s.Width == 0 && s.Tick == 0 {
		return nil
	}
	if s.Stamp.Serial < 0 || s.Stamp.Tick.Unix() < 0 {
		return fmt.Errorf("the stamp of %v is before 1970", s.Stamp.Tick)
	}
	return StampDraw{N: 1, Width: s.Width, Tick: s.Tick}.Validate()
}

// Left returns how many numbers can be drawn before [ErrExhausted].
func (s State) Left() int64 {
	left := math.MaxInt64 - s.Last
	if !s.Plan.Cycle {
		left = min(left, s.Plan.Size()-(s.Last-s.Base))
	}
	return max(left, 0)
}

// Next returns the number that the next draw gets, if nobody draws before it.
func (s State) Next() (Number, error) {
	if s.Left() < 1 {
		return Number{}, fmt.Errorf("sequence.State.Next(): %w: plan %v", ErrExhausted, s.Plan)
	}
	return numberAt(s.Plan, s.Base, s.Last+1), nil
}

// used returns how many serials of the current cycle were drawn. If the cycle is
// complete, it is the size of the plan.
func (s State) used() int64 {
	if s.Last == s.Base {
		return 0
	}
	return (s.Last-s.Base-1)%s.Plan.Size() + 1
}

// Resized returns s after a Resize. It is for stores.
func (s State) Resized(p Plan, opts ...ResizeOption) (State, error) {
	if err := p.Validate(); err != nil {
		return s, err
	}
	base := s.Last
	for _, o := range opts {
		if o != GoOn {
			return s, fmt.Errorf("unknown option %d", o)
		}
		used := s.used()
		if p.First != s.Plan.First || used > p.Size() {
			return s, fmt.Errorf("%w: %v, whose last serial is %d", ErrConflict, s.Plan, s.Plan.First+used-1)
		}
		base = s.Last - used
	}
	if s.Plan != p {
		s.Was = s.Plan
	}
	s.Plan, s.Base = p, base
	return s, nil
}

// Advanced returns s after an Advance. It is for stores.
func (s State) Advanced(ordinal int64) (State, error) {
	if ordinal < 0 {
		return s, fmt.Errorf("negative ordinal %d", ordinal)
	}
	if ordinal-s.Last > s.Left() { // neither is negative
		return s, fmt.Errorf("%w: plan %v has numbers up to %d", ErrExhausted, s.Plan, s.Last+s.Left())
	}
	s.Last = max(s.Last, ordinal)
	return s, nil
}

// Accepts returns an error unless Create of plan p would do nothing. It is for stores.
func (s State) Accepts(p Plan) error {
	if s.Numbering != "" {
		return fmt.Errorf("%w: it is a numbering (%s): use another key", ErrConflict, s.Numbering)
	}
	if p != s.Plan && (p != s.Was || s.Was == Plan{}) {
		return fmt.Errorf("%w: %v: call Resize to change it", ErrConflict, s.Plan)
	}
	return nil
}
