package sequence

import (
	"fmt"
	"time"
)

// defaultRetries is how often a draw is made again after a passing failure,
// unless WithRetry says otherwise.
const defaultRetries = 3

// config is what options set.
type config struct {
	retries int
	observe Observer

	wrap   func(Number)
	lease  int64
	maxAge time.Duration

	width   int64
	layout  string
	maxLead time.Duration
	now     func() time.Time

	err error
}

func (c *config) refuse(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// An Option is for [New], a StampOption for [NewStamper], a SharedOption for both.
type (
	Option       interface{ sequence(*config) }
	StampOption  interface{ stamper(*config) }
	SharedOption interface {
		Option
		StampOption
	}
)

type (
	option       func(*config)
	stampOption  func(*config)
	sharedOption func(*config)
)

func (o option) sequence(c *config)       { o(c) }
func (o stampOption) stamper(c *config)   { o(c) }
func (o sharedOption) sequence(c *config) { o(c) }
func (o sharedOption) stamper(c *config)  { o(c) }

// WithWrap has f called each time that the serials start over, with the number
// that begins the new cycle. One caller in the world hears of a wrap: the call of
// Next or Take that gets this number, before it returns, or the call that throws
// it away with the rest of a lease. Nobody does if the number is lost in a gap.
func WithWrap(f func(Number)) Option {
	return option(func(c *config) { c.wrap = f })
}

// WithLease has the sequence draw n numbers at least, and hand out what nobody
// waits for to later callers, without a trip. maxAge is how long after the draw
// they may be handed out; 0 means as long as the sequence is open.
//
// A lease is for rates that sharing trips doesn't reach. It costs gaps, of up to
// n numbers when the program ends, and old serials: one that was drawn in an
// earlier cycle, or before a resize, may be handed out after it.
func WithLease(n int64, maxAge time.Duration) Option {
	return option(func(c *config) {
		c.lease, c.maxAge = n, maxAge
		if err := CheckDraw(n); err != nil {
			c.refuse("WithLease(%d, %v): %w", n, maxAge, err)
		}
		if maxAge < 0 {
			c.refuse("WithLease(%d, %v): negative age", n, maxAge)
		}
	})
}

// WithRetry sets how often a draw that failed is made again, 3 times unless set.
// Only failures that the store's driver calls passing count, and only while a
// caller waits. Each may leave a gap; none repeats a number.
func WithRetry(n int) SharedOption {
	return sharedOption(func(c *config) {
		c.retries = n
		if n < 0 {
			c.refuse("WithRetry(%d): negative", n)
		}
	})
}

// WithObserver has f told of each trip to the store.
func WithObserver(f Observer) SharedOption {
	return sharedOption(func(c *config) { c.observe = f })
}

// WithWidth sets how many serials a tick of the stamps has: 100 unless set. All
// stampers of a key must agree on it.
func WithWidth(n int64) StampOption {
	return stampOption(func(c *config) { c.width = n })
}

// WithLayout sets what the text of a stamp is, up to the serial: the date and
// the time of day down to the second in the reference layout of package time,
// then as many zeros as the tick has digits below the second, 0 to 6 of them.
// "20060102150405000000" is the layout unless set: a tick of a microsecond.
// "2006-01-02T15:04:05." is one with a tick of a second, and a dot before the
// serial. All stampers of a key must agree on the tick.
func WithLayout(layout string) StampOption {
	return stampOption(func(c *config) { c.layout = layout })
}

// WithMaxLead sets by how much the clock of this machine may be ahead of the
// server's: 10 seconds unless set. Stamps take no harm from clocks that lag, but
// one clock that is ahead dates the stamps of all machines. It matters to stores
// that take the time from their callers, as mongosequence does; pgsequence asks
// the server's clock.
func WithMaxLead(d time.Duration) StampOption {
	return stampOption(func(c *config) {
		c.maxLead = d
		if d < 0 {
			c.refuse("WithMaxLead(%v): negative", d)
		}
	})
}

// WithClock has the stamper read f instead of the system clock.
func WithClock(f func() time.Time) StampOption {
	return stampOption(func(c *config) {
		c.now = f
		if f == nil {
			c.refuse("WithClock(nil): no clock")
		}
	})
}
