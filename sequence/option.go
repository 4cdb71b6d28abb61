package sequence

import (
	"errors"
	"fmt"
	"time"
)

// config is what options set.
type config struct {
	retries  int
	observe  func(Trip)
	timeout  time.Duration
	existing bool
	gapFree  bool

	lease  int64
	maxAge time.Duration

	zone       *time.Location
	maxLead    time.Duration
	limitsLead bool // maxLead was set
	now        func() time.Time
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

func (u user) String() string {
	return map[user]string{bySequence: "Sequence", byStamper: "Stamper", byNumbering: "Numbering"}[u]
}

// configure returns what opts set, and the first error.
func configure(by user, opts []Option) (config, error) {
	c := config{retries: -1, timeout: 5 * time.Second, zone: time.UTC, maxLead: 10 * time.Second, now: time.Now}
	for _, o := range opts {
		if o.set == nil {
			return c, errors.New("the zero Option is invalid")
		}
		if o.by&by == 0 {
			return c, fmt.Errorf("%s is not for a %v", o.name, by)
		}
		if err := o.set(&c); err != nil {
			return c, fmt.Errorf("%s: %w", o.name, err)
		}
	}
	if c.gapFree && c.lease > 0 {
		return c, errors.New("WithGapFree and WithLease exclude each other: the rest of a lease is a gap")
	}
	return c, nil
}

// mustBe returns an error unless the numbers are gap-free, or aren't.
func (cfg config) mustBe(gapFree bool) error {
	switch {
	case cfg.gapFree && !gapFree:
		return errors.New("its numbers are gap-free: draw them in a transaction, with NextIn")
	case !cfg.gapFree && gapFree:
		return errors.New("its numbers are not gap-free: draw them with Next, or make it with WithGapFree")
	}
	return nil
}

// WithExisting has a missing key be [ErrNotFound] from the first draw on. Without it, the
// first draw makes the key. Use it after the first deployment, so that a wrong database or
// an emptied table isn't taken for a new one.
func WithExisting() Option {
	return Option{"WithExisting", byAll, func(c *config) error {
		c.existing = true
		return nil
	}}
}

// WithGapFree makes the numbers gap-free. NextIn draws them in the caller's transaction,
// and a rollback gives them back. Next returns an error. A key is gap-free or not from its
// first number on. It is for a [Sequence] and a [Numbering].
func WithGapFree() Option {
	return Option{"WithGapFree", bySequence | byNumbering, func(c *config) error {
		c.gapFree = true
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
		return checkDraw(n)
	}}
}

// WithRetry limits how often a draw that failed is made again. Without it, there is no
// limit while a caller waits. Only transient failures are retried, as [IsTransient]
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

// WithTripTimeout sets how long one draw may take in the store. The time begins when the
// store has a connection. The default is 5 seconds, and 0 means no limit. A draw that
// takes longer is cut off. That is a transient failure, and may leave a gap. So
// connections that have gone silent stop the callers for no longer than d.
func WithTripTimeout(d time.Duration) Option {
	return Option{fmt.Sprintf("WithTripTimeout(%v)", d), byAll, func(c *config) error {
		c.timeout = d
		if d < 0 {
			return errors.New("must not be negative")
		}
		return nil
	}}
}

// WithObserver has f called after each trip to the store, when the callers have their
// numbers. While callers wait for a trip that goes on, such as for a server that is down,
// f hears of it every few seconds. f is called with one [Trip] after the other. It may
// draw, and it holds up nobody: up to 1,000 trips wait for it, and further ones are
// dropped. A panic of f is ignored.
func WithObserver(f func(Trip)) Option {
	return Option{"WithObserver", byAll, func(c *config) error {
		c.observe = f
		return nil
	}}
}

// WithMaxLead sets how far a clock may be ahead. The default is 10 seconds. Beyond it,
// Next returns [ErrClockLead]. It is for a [Numbering] and a [Stamper].
//
// For a Numbering, it is how far the clock of this machine may be ahead of the store's.
// Such a clock begins the next period early.
//
// For a Stamper, it is how far stamps may be ahead of the clock. Without the option there
// is no such limit, because stamps always go on after the last one. A clock that was ten
// years ahead for a moment then dates all stamps for ten years. [Trip] shows the lead.
func WithMaxLead(d time.Duration) Option {
	return Option{fmt.Sprintf("WithMaxLead(%v)", d), byStamper | byNumbering, func(c *config) error {
		c.maxLead, c.limitsLead = d, true
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
// All programs must agree on it: the key keeps the zone, and a program with another one
// gets [ErrConflict]. It is for a [Numbering].
func WithZone(zone *time.Location) Option {
	return Option{"WithZone", byNumbering, func(c *config) error {
		if zone == nil {
			return errors.New("the time zone is nil")
		}
		c.zone = zone
		return nil
	}}
}
