package sequence

import (
	"errors"
	"fmt"
	"time"
)

// DefaultTripTimeout is how long one call of the store may take, unless
// [WithTripTimeout] sets another time.
const DefaultTripTimeout = 5 * time.Second

// config is what options set.
type config struct {
	retries int
	observe Observer
	timeout time.Duration

	wrap   func(Number)
	lease  int64
	maxAge time.Duration

	width        int64
	layout       string
	maxStampLead time.Duration

	zone    *time.Location
	gapFree bool

	maxLead time.Duration
	now     func() time.Time
}

// An Option is for [New], [NewStamper] or [NewNumbering]. Each option says for which.
type Option struct {
	name string
	by   user
	set  func(*config) error
}

// A user of options.
type user int

const (
	bySequence user = 1 << iota
	byStamper
	byNumbering
	byAll = bySequence | byStamper | byNumbering
)

// configure returns what opts set, and the first error.
func configure(by user, opts []Option) (config, error) {
	c := config{
		retries: -1,
		timeout: DefaultTripTimeout,
		width:   defaultWidth,
		layout:  defaultLayout,
		zone:    time.UTC,
		maxLead: 10 * time.Second,
		now:     time.Now,
	}
	for _, o := range opts {
		if o.set == nil {
			return config{}, errors.New("the zero Option is invalid")
		}
		if o.by&by == 0 {
			return config{}, fmt.Errorf("%s is not for a %s", o.name,
				map[user]string{bySequence: "Sequence", byStamper: "Stamper", byNumbering: "Numbering"}[by])
		}
		if err := o.set(&c); err != nil {
			return config{}, fmt.Errorf("%s: %w", o.name, err)
		}
	}
	return c, nil
}

// observing returns nil if there is no observer.
func (c config) observing() *observing {
	if c.observe == nil {
		return nil
	}
	return &observing{observer: c.observe}
}

// WithWrap has f called each time that the serials start over, with the number that
// begins the new cycle. Exactly one call in all programs announces a wrap, before it
// returns. It is the call of Next or Take that gets this number, or that drops it with
// the rest of a lease. No call does if the number is lost in a gap. A large Take stops
// announcing when its context ends. It is for a [Sequence].
func WithWrap(f func(Number)) Option {
	return Option{"WithWrap", bySequence, func(c *config) error {
		c.wrap = f
		return nil
	}}
}

// WithLease has the sequence draw at least n numbers in each trip. Later callers get
// those that nobody waits for, without a trip. maxAge is how long after the draw numbers
// may be handed out. 0 means until Close. It is for a [Sequence].
//
// A lease is for rates that shared trips don't reach. It costs gaps of up to n numbers
// when the program ends. It also hands out old serials. A serial may come from an
// earlier cycle, or from before a resize.
func WithLease(n int64, maxAge time.Duration) Option {
	return Option{fmt.Sprintf("WithLease(%d, %v)", n, maxAge), bySequence, func(c *config) error {
		c.lease, c.maxAge = n, maxAge
		if maxAge < 0 {
			return errors.New("the age must not be negative")
		}
		return CheckDraw(n)
	}}
}

// WithRetry limits how often a draw that failed is made again. Without it, there is no
// limit while a caller waits. Only transient failures are retried, as [ErrTransient]
// explains. A retry may leave a gap, but never repeats a number.
//
// The first retry is made at once, and the next after 5 to 10 ms. Each further pause is
// twice as long, up to 1 s. So 3 retries give up after 15 to 30 ms, 8 after 0.6 to 1.3
// s, and 20 after 6.6 to 13 s. The time of the draws comes on top.
func WithRetry(n int) Option {
	return Option{fmt.Sprintf("WithRetry(%d)", n), byAll, func(c *config) error {
		c.retries = n
		if n < 0 {
			return errors.New("must not be negative")
		}
		return nil
	}}
}

// WithTripTimeout sets how long one call of the store may take. The default is 5
// seconds, and 0 means no limit. A call that takes longer is cut off. That is a
// transient failure, and may leave a gap. So a connection that has gone silent stops the
// callers for no longer than d.
func WithTripTimeout(d time.Duration) Option {
	return Option{fmt.Sprintf("WithTripTimeout(%v)", d), byAll, func(c *config) error {
		c.timeout = d
		if d < 0 {
			return errors.New("must not be negative")
		}
		return nil
	}}
}

// WithObserver has f called after each trip to the store.
func WithObserver(f Observer) Option {
	return Option{"WithObserver", byAll, func(c *config) error {
		c.observe = f
		return nil
	}}
}

// WithWidth sets how many serials a tick of the stamps has. The default is 100. All
// stampers of a key must agree on it. It is for a [Stamper].
func WithWidth(n int64) Option {
	return Option{fmt.Sprintf("WithWidth(%d)", n), byStamper, func(c *config) error {
		c.width = n
		return nil
	}}
}

// WithLayout sets the text of a stamp before the serial. A layout is the date and the
// time of day down to the second, as package time writes layouts. After it come 0 to 6
// zeros, one for each digit of the tick below the second. It is for a [Stamper].
//
// The default is "20060102150405000000", with a tick of a microsecond.
// "2006-01-02T15:04:05." has a tick of a second, and a dot before the serial. All
// stampers of a key must agree on the tick.
func WithLayout(layout string) Option {
	return Option{fmt.Sprintf("WithLayout(%q)", layout), byStamper, func(c *config) error {
		c.layout = layout
		return nil
	}}
}

// WithMaxStampLead limits how far the stamps may run ahead of the clock of the store.
// Beyond d, Next returns [ErrClockLead]. Without the option, there is no limit, and
// stamps always go on from the last one. A server clock that was ten years ahead for a
// second then dates all stamps for ten years. [Trip] shows the lead. The option is for a
// [Stamper].
func WithMaxStampLead(d time.Duration) Option {
	return Option{fmt.Sprintf("WithMaxStampLead(%v)", d), byStamper, func(c *config) error {
		c.maxStampLead = d
		if d <= 0 {
			return errors.New("must be positive")
		}
		return nil
	}}
}

// WithMaxLead sets how far the clock of this machine may be ahead of the server's. The
// default is 10 seconds. Beyond it, Next returns [ErrClockLead]. A clock that lags does
// no harm. A clock that is ahead dates the stamps of all machines, and begins the next
// period of a numbering early. It is for a [Stamper] and a [Numbering]. Stores that date
// stamps by the server's clock ignore it for stamps.
func WithMaxLead(d time.Duration) Option {
	return Option{fmt.Sprintf("WithMaxLead(%v)", d), byStamper | byNumbering, func(c *config) error {
		c.maxLead = d
		if d < 0 {
			return errors.New("must not be negative")
		}
		return nil
	}}
}

// WithClock sets the clock of this machine. The default is time.Now. It is for a
// [Stamper] and a [Numbering].
func WithClock(f func() time.Time) Option {
	return Option{"WithClock", byStamper | byNumbering, func(c *config) error {
		c.now = f
		if f == nil {
			return errors.New("the clock is nil")
		}
		return nil
	}}
}

// WithZone sets the time zone in which days, months and years begin. The default is UTC.
// It is for a [Numbering].
func WithZone(zone *time.Location) Option {
	return Option{"WithZone", byNumbering, func(c *config) error {
		c.zone = zone
		if zone == nil {
			return errors.New("the time zone is nil")
		}
		return nil
	}}
}

// WithGapFree makes the numbers gap-free. NextTx of pgsequence and sqlsequence draws
// them in the caller's transaction, and a rollback gives them back. Next returns an
// error. A key is gap-free or not from its first number on. It is for a [Numbering].
func WithGapFree() Option {
	return Option{"WithGapFree", byNumbering, func(c *config) error {
		c.gapFree = true
		return nil
	}}
}
