package sequence

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// config is what options set.
type config struct {
	observe  func(Trip)
	existing bool
	gapFree  bool

	lease  int64
	maxAge time.Duration // of numbers that nobody waits for; 0 means no limit

	zone    *time.Location
	zoned   bool          // whether WithZone set zone
	maxLead time.Duration // negative means no limit
	now     func() time.Time

	years   calendar
	started bool   // whether WithYearStart set years
	dates   string // the form of the end of the keys of periods, or "" without WithDates
}

// An Option changes what [New], [NewStamper] or [NewNumbering] returns. If only some of
// these functions accept an option, its comment says so.
type Option struct {
	name string
	by   constructors // that take it
	err  error        // of its arguments
	set  func(*config)
}

// constructors is a set of the functions New, NewStamper and NewNumbering.
type constructors uint8

const forSequence, forStamper, forNumbering, forAll constructors = 1, 2, 4, 7

// configure returns what opts set for a type of this name, and the first error.
func configure(name string, by constructors, opts []Option) (config, error) {
	c := config{years: calendar{month: 1, day: 1}, maxAge: time.Second, zone: time.UTC, maxLead: -1, now: time.Now}
	for _, o := range opts {
		switch {
		case o.set == nil:
			return c, errors.New("the zero Option is invalid: call a function such as WithExisting")
		case o.by&by == 0:
			return c, fmt.Errorf("%s is not an option for a %s", o.name, name)
		case o.err != nil:
			return c, fmt.Errorf("%s: %w", o.name, o.err)
		}
		o.set(&c)
	}
	return c, cmp.Or(
		unless(!c.gapFree || c.lease == 0, "WithGapFree and WithLease can't be combined, because the unused numbers of a lease are a gap"),
		unless(c.dates == "" || !c.zoned, "WithDates and WithZone can't be combined, because each date counts in its own zone"),
	)
}

// WithExisting makes draws from a missing key fail with [ErrNotFound]. Without
// WithExisting, the first draw adds the key to the store. Use WithExisting after the
// first deployment, so that a program doesn't begin at 1 in a wrong database or in an
// emptied table.
//
// Even with WithExisting, AdvanceTo can add a missing key, and a draw adds the key of a
// scope or a period of a [Numbering] if the key of the numbering itself exists. To add the
// key of the numbering without a draw, call AdvanceTo with the number 0, such as
// INV-2026-00000. With [WithDates], call AdvanceTo on a result of [Numbering.At].
func WithExisting() Option {
	return Option{"WithExisting", forAll, nil, func(c *config) { c.existing = true }}
}

// WithGapFree makes the numbers gap-free. The method NextIn draws numbers in the caller's
// transaction, and a rollback gives the numbers back. MongoDB's stores can't do this. With
// this option, Next and Take return errors. All programs that draw from a key must have
// this option, or none may have it. The option can't be added or removed once the key
// exists. WithGapFree is for a [Sequence] and a [Numbering].
func WithGapFree() Option {
	return Option{"WithGapFree", forSequence | forNumbering, nil, func(c *config) { c.gapFree = true }}
}

// WithLease makes Next draw at least n numbers in each trip, if so many are left. Numbers
// that no caller waits for go to later callers, without a trip, until maxAge after the
// draw. If maxAge is 0, a number can be handed out until Close. WithLease is for a
// [Sequence].
//
// Use a lease if shared trips are not fast enough. The rest of a lease is dropped after
// maxAge, and is lost when the program ends. Each time, this leaves a gap of up to n
// numbers. A number from a lease can be old: its serial may belong to an earlier cycle, or
// to the plan before a resize. The number may also have been drawn before another program
// called AdvanceTo.
func WithLease(n int64, maxAge time.Duration) Option {
	err := cmp.Or(checkDraw(n), unless(maxAge >= 0, "the age must not be negative"))
	return Option{fmt.Sprintf("WithLease(%d, %v)", n, maxAge), forSequence, err, func(c *config) { c.lease, c.maxAge = n, maxAge }}
}

// WithObserver makes the package call f after each trip of Next, Take, NextIn, TakeIn,
// AdvanceTo and AdvanceToOrdinal. While callers wait for a trip that isn't over, such as when
// the server is down, the package also calls f every few seconds. Calls of f for one Sequence,
// Stamper or Numbering don't overlap. The function f may draw. If it draws from the same one,
// it is called for these trips too. A slow f doesn't delay callers: up to 1,000 Trips are
// queued for it, and further Trips are dropped. Panics of f are ignored.
//
// Without an observer, the package logs to log/slog at level Warn. It logs callers who
// wait for more than a few seconds, a store that went back to an older state, and the
// reason why draws are slow.
func WithObserver(f func(Trip)) Option {
	return Option{"WithObserver", forAll, nil, func(c *config) { c.observe = f }}
}

// WithMaxLead sets how far the clock of this machine, or a stamp, may be ahead of the clock
// of the store. If the lead is greater than d, draws return [ErrClockLead]. WithMaxLead is
// for a [Numbering] and a [Stamper].
//
// For a Numbering without [WithDates], d is how far the clock of this machine may be ahead
// of the clock of the store. If the clock of this machine is ahead, the next period begins
// up to d early. If the clock of this machine is behind, the old period ends up to d late.
// The default of d is 10 seconds.
//
// For a Stamper, d is how far stamps may be ahead of the clock of the store. By default,
// there is no limit. Each stamp is greater than the stamp before, even after somebody has
// set the clock of the store back. If a stamp was drawn while this clock was ten years
// ahead, the times in all later stamps of the key are wrong for the next ten years. The
// field Lead of a [Trip] says how far stamps are ahead.
func WithMaxLead(d time.Duration) Option {
	err := unless(d >= 0, "the lead must not be negative")
	return Option{fmt.Sprintf("WithMaxLead(%v)", d), forStamper | forNumbering, err, func(c *config) { c.maxLead = d }}
}

// WithClock sets the function that reads the clock of this machine. The default is
// time.Now. WithClock is for a [Stamper] and a [Numbering].
func WithClock(f func() time.Time) Option {
	return Option{"WithClock", forStamper | forNumbering, unless(f != nil, "the clock is nil"), func(c *config) { c.now = f }}
}

// WithZone sets the time zone in which periods, such as years, begin. The default is UTC.
// If the count of a key restarts, all programs must use the same zone for the key. The
// store keeps the zone's IANA name, such as Europe/Berlin. For time.Local and other zones
// without such a name, the store keeps the offsets, such as +01:00/+02:00. A draw with
// another name or other offsets returns [ErrConflict]. WithZone is for a [Numbering].
func WithZone(zone *time.Location) Option {
	return Option{"WithZone", forNumbering, unless(zone != nil, "the time zone is nil"), func(c *config) { c.zone, c.zoned = zone, true }}
}

// WithYearStart makes the years of the pattern fiscal years, each of which begins on this
// day, such as 1 April. The fields {2006} and {06} of the pattern show the year in which
// the fiscal year begins. The fields {+2006} and {+06} show the year in which the fiscal
// year ends. The field {Q} shows the quarter of the fiscal year. The day is 1 to 28,
// so that every month has this day. The store keeps the start of the year for each key, and
// a draw with another start returns [ErrConflict]. WithYearStart is for a [Numbering].
//
// If years don't begin on 1 January, a month in the pattern needs {+06} or {+2006}. Without
// this field, 2026-01 would be the January of the fiscal year that begins in 2026, but
// readers would take it for January 2026. If years don't begin on 1 January, the field
// {002} is refused, because it counts the days from 1 January. If years don't begin on the
// first of a month, a pattern with a month needs the day too.
func WithYearStart(month time.Month, day int) Option {
	err := unless(month >= time.January && month <= time.December && day >= 1 && day <= 28, "not a day that every month has: use a month from January to December, and a day from 1 to 28")
	return Option{fmt.Sprintf("WithYearStart(%v, %d)", month, day), forNumbering, err, func(c *config) {
		if c.started = true; month > time.January || day > 1 {
			c.years = calendar{month: month, day: day, late: 1, from: fmt.Sprintf(" from %d %v", day, month)}
		}
	}}
}

// WithDates puts each number into the period of its document's date, which the program
// passes to [Numbering.At]. Each period has its own count, and programs can draw from
// every period at any time, whatever the clocks show. All programs that draw from a name
// or a scope must have this option, or none may have it. Otherwise, some draws return
// [ErrConflict]. WithDates needs a date in the pattern, and can't be combined with
// WithZone. WithDates is for a [Numbering].
func WithDates() Option {
	return Option{"WithDates", forNumbering, nil, func(c *config) { c.dates = "//" + time.DateOnly }}
}
