package sequence

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// config is what options set.
type config struct {
	retries  int // negative means no limit
	observe  func(Trip)
	existing bool
	gapFree  bool

	lease  int64
	maxAge time.Duration // of numbers that nobody waits for; 0 means no limit

	zone       *time.Location
	maxLead    time.Duration
	limitsLead bool // maxLead was set
	now        func() time.Time
}

// An Option is for [New], [NewStamper] or [NewNumbering]. Each option says for which.
type Option struct {
	name string
	by   user
	err  error // of its arguments
	set  func(*config)
}

// A user is a type that options are for.
type user int

const (
	bySequence user = 1 << iota
	byStamper
	byNumbering
	byAll = bySequence | byStamper | byNumbering
)

// configure returns what opts set for a type of this name, and the first error.
func configure(name string, by user, opts []Option) (config, error) {
	c := config{retries: -1, maxAge: time.Second, zone: time.UTC, maxLead: 10 * time.Second, now: time.Now}
	for _, o := range opts {
		switch {
		case o.set == nil:
			return c, errors.New("the zero Option is invalid")
		case o.by&by == 0:
			return c, fmt.Errorf("%s is not for a %s", o.name, name)
		case o.err != nil:
			return c, fmt.Errorf("%s: %w", o.name, o.err)
		}
		o.set(&c)
	}
	if c.gapFree && c.lease > 0 {
		return c, errors.New("WithGapFree and WithLease exclude each other: the rest of a lease is a gap")
	}
	return c, nil
}

// WithExisting has a missing key be [ErrNotFound] from the first draw on. Without it, the
// first draw makes the key. Use it after the first deployment, so that a wrong database or
// an emptied table isn't taken for a new one.
func WithExisting() Option {
	return Option{"WithExisting", byAll, nil, func(c *config) { c.existing = true }}
}

// WithGapFree makes the numbers gap-free. NextIn draws them in the caller's transaction,
// and a rollback gives them back. Next returns an error. A key is gap-free or not from its
// first number on. It is for a [Sequence] and a [Numbering].
func WithGapFree() Option {
	return Option{"WithGapFree", bySequence | byNumbering, nil, func(c *config) { c.gapFree = true }}
}

// WithLease has the sequence draw at least n numbers in each trip. Later callers get
// those that nobody waits for, without a trip. maxAge is how long after the draw numbers
// may be handed out. 0 means until Close. It is for a [Sequence].
//
// A lease is for rates that shared trips don't reach. It costs gaps of up to n numbers
// when the program ends. It also hands out old serials. A serial may come from an
// earlier cycle, or from before a resize.
func WithLease(n int64, maxAge time.Duration) Option {
	err := cmp.Or(checkDraw(n), unless(maxAge >= 0, "the age must not be negative"))
	return Option{fmt.Sprintf("WithLease(%d, %v)", n, maxAge), bySequence, err, func(c *config) { c.lease, c.maxAge = n, maxAge }}
}

// WithRetry limits how often a draw that failed is made again. Without it, there is no
// limit while a caller waits. Only transient failures are retried, as [IsTransient]
// explains. A retry may leave a gap, but never repeats a number.
//
// The first retry is made at once, and the next after 5 to 10 ms. Each further pause is
// twice as long, up to 1 s. So 3 retries give up after 15 to 30 ms, 8 after 0.6 to 1.3
// s, and 20 after 6.6 to 13 s. The time of the draws comes on top.
func WithRetry(n int) Option {
	err := unless(n >= 0, "must not be negative")
	return Option{fmt.Sprintf("WithRetry(%d)", n), byAll, err, func(c *config) { c.retries = n }}
}

// WithObserver has f called after each trip to the store, when the callers have their
// numbers. While callers wait for a trip that goes on, such as for a server that is down,
// f hears of it every few seconds. f is called with one [Trip] after the other. It may
// draw, and it holds up nobody: up to 1,000 trips wait for it, and further ones are
// dropped. A panic of f is ignored.
//
// Without an observer, package log/slog is told, at level Warn, of callers who wait for more
// than a few seconds, of a store that went back to an older state, and of what makes draws
// slow.
func WithObserver(f func(Trip)) Option {
	return Option{"WithObserver", byAll, nil, func(c *config) { c.observe = f }}
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
	err := unless(d >= 0, "must not be negative")
	return Option{fmt.Sprintf("WithMaxLead(%v)", d), byStamper | byNumbering, err, func(c *config) { c.maxLead, c.limitsLead = d, true }}
}

// WithClock sets the clock of this machine. The default is time.Now. It is for a
// [Stamper] and a [Numbering].
func WithClock(f func() time.Time) Option {
	return Option{"WithClock", byStamper | byNumbering, unless(f != nil, "the clock is nil"), func(c *config) { c.now = f }}
}

// WithZone sets the time zone in which days, months and years begin. The default is UTC.
// All programs must agree on it: the key keeps the zone, and a program with another one
// gets [ErrConflict]. It is for a [Numbering].
func WithZone(zone *time.Location) Option {
	return Option{"WithZone", byNumbering, unless(zone != nil, "the time zone is nil"), func(c *config) { c.zone = zone }}
}
