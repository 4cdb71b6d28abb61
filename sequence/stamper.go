package sequence

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Stamper draws the stamps of one key. It is safe for concurrent use, and needs no
// closing.
type Stamper struct {
	key string
	cfg config
	c   *coalescer
	err error // a nil store, an invalid key or option
}

// NewStamper returns a stamper of key in store. The first draw makes the key. The first
// call reports a nil store, an invalid key or an invalid option.
//
// Stamps take their time from the clock of the store, so that all machines agree. SQLite
// and [Memory] have none but the clock of this machine.
func NewStamper(store Store, key string, opts ...Option) *Stamper {
	s := &Stamper{key: key}
	var c *counter
	c, s.cfg, s.err = newCounter(store, key, byStamper, opts)
	c.kind = stampKind{s}
	// A stamp that nobody waits for grows old, and is dropped. So every stamp is drawn
	// after the call that gets it began. It is greater than all that any machine had
	// before.
	s.c = newCoalescer(newPuller(c, s.cfg), keeping{none: true})
	return s
}

// Next draws a stamp. It is greater than every stamp of the key that a call of Next had
// returned, in any process, when this call began. Callers share draws in the same way as
// in [Sequence.Next].
func (s *Stamper) Next(ctx context.Context) (Stamp, error) {
	err := s.err
	if err == nil {
		var got span
		if got, err = s.c.next(ctx); err == nil {
			return stampAt(got.first), nil
		}
	}
	return Stamp{}, fmt.Errorf("sequence.Stamper.Next(%s): %w", quoteKey(s.key), err)
}

// State returns what the store knows about the key. It draws nothing.
func (s *Stamper) State(ctx context.Context) (State, error) {
	return s.c.counter.state(ctx, "sequence.Stamper.State", s.err)
}

// Parse returns the stamp whose text is text.
func (s *Stamper) Parse(text string) (Stamp, error) {
	st, err := parseStamp(text)
	if err != nil {
		return Stamp{}, badText("sequence.Stamper.Parse", text, err)
	}
	return st, nil
}

// stampKind is the kind of a [Stamper]. A count is the number of the tick since 1970, times
// perTick, plus a serial.
type stampKind struct{ *Stamper }

func (s stampKind) meaning() string { return stampMeaning }

func (s stampKind) bounds(row driver.Row) (bounds, error) {
	if row.Meaning != stampMeaning {
		return bounds{}, conflict(row.Meaning, stampMeaning)
	}
	clock := driver.Clock{Now: s.cfg.now(), Tick: tick, Width: perTick, MaxAhead: -1}
	if s.cfg.limitsLead {
		clock.MaxAhead = s.cfg.maxLead
	}
	return bounds{most: math.MaxInt64, clock: &clock}, nil
}

func (s stampKind) exhausted(row driver.Row) error {
	return fmt.Errorf("%w: the last stamp is %v", ErrExhausted, stampAt(row.X).Tick.Format(time.DateOnly))
}
