package sequence

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Stamper draws the stamps of one key. A Stamper is safe for concurrent use, and
// doesn't have to be closed.
type Stamper struct {
	// A stamp that nobody waits for grows old, and is dropped. So every stamp is drawn
	// after the call that gets it began, and is greater than all stamps that any machine
	// had before this call.
	made *coalescer
}

// NewStamper returns a stamper of key in store. The first draw adds the key to the store,
// except with [WithExisting]. NewStamper itself returns no error: if an argument is
// invalid, every draw returns the error.
//
// Stamps take their time from the clock of the store, so that all machines agree. On SQLite,
// this is the clock of the machine. SQLite and MongoDB show the time only down to the
// millisecond. A [Memory] uses the clock of the program, which [WithClock] can replace.
func NewStamper(store Store, key string, opts ...Option) *Stamper {
	s := &Stamper{made: &coalescer{counter: newCounter("Stamper", forStamper, store, key, opts)}}
	s.made.kind, s.made.meaning = s, stampMeaning
	return s
}

func (s *Stamper) c() *coalescer { return s.made.orZero("Stamper", "NewStamper") }

// Next draws a stamp. While the store keeps its data, the stamp is greater than every stamp
// of the key that any process had got before this call began. Callers share trips, as in
// [Sequence.Next].
func (s *Stamper) Next(ctx context.Context) (Stamp, error) {
	got, err := s.c().next(ctx)
	if err != nil {
		return Stamp{}, s.c().fail("Next", err)
	}
	return stampAt(got.first), nil
}

// State returns what the store knows about the key of s. State draws no stamp.
func (s *Stamper) State(ctx context.Context) (State, error) {
	row, err := s.c().state(ctx)
	return stateOf(row, time.UTC), err
}

// Parse reads the text of a stamp, as [Stamp.String] returns it.
func (s *Stamper) Parse(text string) (Stamp, error) {
	st, err := parseStamp(text)
	return st, failed("Stamper", "Parse", text, err)
}

// bounds is of [kind], as exhausted is. The count is the number of the tick since 1970, times
// perTick, plus a serial.
func (s *Stamper) bounds(row driver.Row) (driver.Draw, Plan, error) {
	clock := driver.Clock{Now: s.c().cfg.now(), Tick: tick, Width: perTick, MaxAhead: s.c().cfg.maxLead}
	return driver.Draw{Most: math.MaxInt64, Clock: &clock}, Plan{}, conflict(row.Meaning, stampMeaning)
}

func (s *Stamper) exhausted(_ driver.Row, x int64) error {
	return fmt.Errorf("%w: the last stamp or the clock of the store is at %v, and stamps can't hold much later dates: set the clock, or use another key", ErrExhausted, stampAt(x).Tick.Format(time.DateOnly))
}
