package sequence

import (
	"context"
	"fmt"
	"math"
	"time"
)

// A StampStore keeps stamps. A stamp is one number, x = ticks since 1970 times
// the width plus the serial, and drawing n of them is one atomic step
//
//	x = max(x + n, now·width + n − 1)
//
// after which the n numbers up to x are the caller's. x grows by n at least, so
// that no number comes twice and all ascend, whatever now is: a clock behind only
// fails to move x, a clock ahead moves it too far. Time and serial are read off
// the same number, so that they can't disagree.
type StampStore interface {
	// TakeStamps draws the next d.N stamps of key and returns the last one. The
	// key must be there, made by [Store.Create]; its numbers and its plan
	// have nothing to do with its stamps. The first draw settles the width and
	// the tick; if others come later, errors.Is(err, ErrConflict) holds.
	TakeStamps(ctx context.Context, key string, d StampDraw) (last int64, err error)
}

// A StampDraw is what a [Stamper] asks of its store.
type StampDraw struct {
	N       int64         // how many stamps, at least 1
	Width   int64         // serials in a tick
	Tick    time.Duration // 1 µs to 1 s, in powers of ten
	Now     time.Time     // by the clock of this machine; a store with a clock of its own uses that
	MaxLead time.Duration // by which Now may be ahead
}

// Validate returns an error unless d can be drawn.
func (d StampDraw) Validate() error {
	if err := CheckDraw(d.N); err != nil {
		return err
	}
	if d.Width < 1 {
		return fmt.Errorf("width %d is less than 1", d.Width)
	}
	if d.Tick < time.Microsecond || time.Second%d.Tick != 0 {
		return fmt.Errorf("a tick of %v", d.Tick)
	}
	return nil
}

// Start returns the stamp 0 of the tick of d.Now.
func (d StampDraw) Start() (int64, error) {
	perSecond := int64(time.Second / d.Tick)
	seconds := max(d.Now.Unix(), 0)
	if seconds >= math.MaxInt64/d.Width/perSecond {
		return 0, fmt.Errorf("%w: the year %d is too late", ErrExhausted, d.Now.Year())
	}
	ticks := seconds*perSecond + int64(d.Now.Nanosecond())/int64(d.Tick)
	return ticks * d.Width, nil
}

// CheckLead returns ErrClockLead if d.Now is too far ahead of the server's time.
func (d StampDraw) CheckLead(server time.Time) error {
	if lead := d.Now.Sub(server); lead > d.MaxLead {
		return fmt.Errorf("%w of the server's by %v, which is more than %v", ErrClockLead, lead, d.MaxLead)
	}
	return nil
}

// Conflict returns the error for a key whose stamps have another width or tick.
func (d StampDraw) Conflict(width int64, tick time.Duration) error {
	return fmt.Errorf("%w: its stamps have a width of %d and a tick of %v, not %d and %v",
		ErrConflict, width, tick, d.Width, d.Tick)
}

// A Stamper draws the stamps of one key. It is safe for concurrent use, and needs
// no closing.
type Stamper struct {
	key    string
	c      *coalescer
	format format
	width  int64
	err    error // what is wrong with the options
}

// NewStamper returns a stamper of key, which [Store.Create] must have made, in
// store. What is wrong with an option, the first call reports.
func NewStamper(store StampStore, key string, opts ...StampOption) *Stamper {
	cfg := config{
		retries: defaultRetries,
		width:   defaultWidth,
		layout:  defaultLayout,
		maxLead: 10 * time.Second,
		now:     time.Now,
	}
	for _, o := range opts {
		o.stamper(&cfg)
	}
	s := &Stamper{key: key, width: cfg.width, err: cfg.err}
	if s.err == nil {
		s.format, s.err = newFormat(cfg.layout, cfg.width)
	}
	tick := s.format.orDefault().tick()
	s.c = newCoalescer(drawer{
		key: key,
		take: func(ctx context.Context, n int64) (Block, error) {
			last, err := store.TakeStamps(ctx, key, StampDraw{N: n, Width: cfg.width, Tick: tick, Now: cfg.now(), MaxLead: cfg.maxLead})
			if err != nil {
				return Block{}, err
			}
			if last < n-1 {
				return Block{}, fmt.Errorf("the store drew %d stamps up to %d", n, last)
			}
			// Only the ordinals of this block are read.
			return Block{first: last - n + 1, n: n}, nil
		},
		retries: cfg.retries,
		observe: cfg.observe,
	})
	// A stamp that nobody waits for grows old. It is thrown away, so that every
	// stamp is drawn after the call that gets it began, and so is greater than
	// all that any machine had before.
	s.c.fresh = true
	return s
}

// Next draws a stamp: greater than every stamp of the key that a call of Next had
// returned, in whatever process, when this call began. Callers share their draws
// as those of [Sequence.Next] do.
func (s *Stamper) Next(ctx context.Context) (Stamp, error) {
	err := s.err
	var got Block
	if err == nil {
		got, _, err = s.c.next(ctx)
	}
	if err != nil {
		return Stamp{}, fmt.Errorf("sequence.Stamper.Next(%q): %w", s.key, err)
	}
	ticks, serial := got.first/s.width, got.first%s.width
	f := s.format.orDefault()
	t := time.Unix(ticks/f.perSecond(), ticks%f.perSecond()*int64(f.tick())).UTC()
	if t.Year() > 9999 {
		return Stamp{}, fmt.Errorf("sequence.Stamper.Next(%q): %w: its stamps have reached the year %d", s.key, ErrExhausted, t.Year())
	}
	return Stamp{Tick: t, Serial: int(serial), format: s.format}, nil
}

// Parse returns the stamp whose text is text, in the layout and width of s.
func (s *Stamper) Parse(text string) (Stamp, error) {
	err := s.err
	var st Stamp
	if err == nil {
		st, err = s.format.parse(text)
	}
	if err == nil && int64(st.Serial) >= s.width {
		err = fmt.Errorf("serial %d, where a tick has %d", st.Serial, s.width)
	}
	if err != nil {
		return Stamp{}, badText("sequence.Stamper.Parse", text, err)
	}
	return st, nil
}
