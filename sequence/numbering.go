package sequence

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Numbering draws formatted document numbers, such as INV-2026-00001. If the pattern
// has a date, the count starts again at 1 in each day, month or year. A Numbering is safe
// for concurrent use, and doesn't have to be closed.
type Numbering struct {
	pattern pattern
	text    string // its Meaning

	// A number that nobody waits for is dropped. The period may have changed before
	// somebody wants it.
	made *coalescer

	mu     sync.Mutex
	scopes map[string]weak.Pointer[Numbering] // those that are in use
}

// NewNumbering returns the numbering called name in store. The first draw adds the key to
// the store. NewNumbering itself returns no error: if an argument is invalid, every draw
// returns the error. Two numberings with the same name share a count, even if their
// patterns differ. Both must restart at the same times and in the same time zone, and
// either both or neither must have the option [WithGapFree]. Otherwise every draw of the
// numbering that draws second returns [ErrConflict].
//
// The pattern is text with fields in braces:
//
//	{00000}   the number, padded to 5 digits. After 99999 the error is ErrExhausted
//	{00000+}  the number, padded to 5 digits. 99999 is followed by 100000
//	{2006}    the year, or {06} for its last two digits
//	{01}      the month, which needs a year
//	{02}      the day of the month, which needs a month and a year
//	{002}     the day of the year, which needs a year
//
// The fields of one date may share braces: {20060102}, {2006-01}. The smallest date field
// says when the count starts again at 1. With INV-{2006}-{00000} the count starts again
// in each year, and with {0+} it never starts again.
//
// The clock of this machine and the zone of [WithZone] say when a day, month or year
// begins. If this clock is too far ahead of the clock of the store ([WithMaxLead]), or
// shows a day, month or year that is already over, a draw returns [ErrClockLead]. Once
// one program has drawn in a period, all programs draw in this period or in a later one.
func NewNumbering(store Store, name, pattern string, opts ...Option) *Numbering {
	c := newCounter("Numbering", forNumbering, store, name, opts)
	p, err := parsePattern(pattern)
	if err != nil {
		err = fmt.Errorf("pattern %s: %w", quoteKey(pattern), err)
	}
	c.err = cmp.Or(c.err, unless(!strings.Contains(name, "/"), "the name has a /, which begins the scope: use For"), err)
	text := p.period.String() + " restarting"
	if p.period != never {
		text = fmt.Sprintf("%v in %s", p.period, zoneName(c.cfg.zone))
	}
	if c.cfg.gapFree {
		text += ", gap-free"
	}
	return newNumbering(p, text, c)
}

func newNumbering(p pattern, text string, c *counter) *Numbering {
	n := &Numbering{pattern: p, text: text, made: &coalescer{counter: c}}
	c.kind = n
	return n
}

func (n *Numbering) c() *coalescer { return n.made.orZero("Numbering", "NewNumbering") }

// For returns the numbering of a scope, such as a shop or a tenant. Each scope has its
// own count. Calls with the same scope return the same Numbering, so that its callers
// share trips. A scope that the program no longer uses still takes about 100 bytes of
// memory, because the program remembers its last number. To get a scope within a scope,
// call the method For of the Numbering of the outer scope. The method For itself returns
// no error: if scope is empty, too long, not UTF-8, or has a /, every draw returns an
// error that matches [ErrScope].
func (n *Numbering) For(scope string) *Numbering {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s := n.scopes[scope].Value(); s != nil {
		return s
	}
	c := n.c().like(n.Key() + "/" + scope)
	bad := cmp.Or(
		unless(scope != "", "the scope is empty"),
		unless(!strings.Contains(scope, "/"), "the scope has a /, which begins another scope: call For for each part"),
		checkKey(c.key),
	)
	if bad != nil && c.err == nil {
		c.err = fmt.Errorf("%w: %w", ErrScope, bad)
	}
	s := newNumbering(n.pattern, n.text, c)
	if n.scopes == nil {
		n.scopes = map[string]weak.Pointer[Numbering]{}
	}
	n.scopes[scope] = weak.Make(s)
	runtime.AddCleanup(s, n.forget, scope)
	return s
}

// forget removes a scope that the program no longer uses, unless it came back meanwhile.
func (n *Numbering) forget(scope string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.scopes[scope].Value() == nil {
		delete(n.scopes, scope)
	}
}

// Key returns the key of n in its store: the name, followed by a / and the scope if n has
// a scope.
func (n *Numbering) Key() string { return n.c().key }

// Next draws a number and returns its text. Callers share trips, as in [Sequence.Next].
func (n *Numbering) Next(ctx context.Context) (text string, err error) {
	got, err := n.c().next(ctx)
	if err == nil {
		text, err = n.pattern.text(got.first)
	}
	return text, n.c().fail("Next", err)
}

// NextIn draws a number in the caller's transaction, and returns its text. The numbering
// must have the option [WithGapFree]. The argument tx is the result of store.Tx for that
// transaction: see [Sequence.NextIn].
func (n *Numbering) NextIn(ctx context.Context, tx Store) (text string, err error) {
	got, err := n.c().drawIn(ctx, tx, 1)
	if err == nil {
		text, err = n.pattern.text(got.first)
	}
	return text, n.c().fail("NextIn", err)
}

// State returns what the store knows about the key of n. State draws no number.
func (n *Numbering) State(ctx context.Context) (State, error) {
	row, err := n.c().state(ctx)
	if err != nil {
		return State{}, err
	}
	s := stateOf(row, n.c().cfg.zone)
	s.Left = max(0, n.pattern.most-s.Last.Serial)
	if s.Last.Serial > 0 {
		s.Text, err = n.pattern.text(row.X)
	}
	return s, n.c().fail("State", err)
}

// Parse reads the text of a number of n. Parse accepts exactly the texts that Next
// returns. The result period is the time at which the day, month or year of the number
// began, or the zero Time if the count never restarts. The result serial is the position
// of the number in its period, counted from 1. A year of two digits, as of {06}, is one of
// 2000 to 2099.
func (n *Numbering) Parse(text string) (period time.Time, serial int64, err error) {
	x, err := n.parse(text, 1)
	if err != nil {
		return time.Time{}, 0, badText("sequence.Numbering.Parse", text, err)
	}
	period, serial = documentAt(n.pattern.period, n.c().cfg.zone, x)
	return period, serial, nil
}

// parse returns the count of a text, whose number is at least least.
func (n *Numbering) parse(text string, least int64) (x int64, err error) {
	if n.c().err != nil {
		return 0, n.c().err
	}
	return n.pattern.parse(text, least)
}

// AdvanceTo makes the next number of n greater than the number with the given text, such
// as INV-2026-00042. AdvanceTo never moves a count back. Use AdvanceTo after an import,
// or after you restored a backup. If the period of the given number has not begun,
// AdvanceTo returns an error. If the store lacks the key, AdvanceTo adds it, also with the
// option [WithExisting]. With the number 0, such as INV-2026-00000, it does only that.
func (n *Numbering) AdvanceTo(ctx context.Context, text string) error {
	x, err := n.parse(text, 0)
	_, err = n.c().take(ctx, draw{err: err, exact: true, makes: true, floor: func(row driver.Row) (int64, error) {
		return x, unless(x/perPeriod <= max(n.pattern.period.of(n.now()), row.X/perPeriod), "its period has not begun")
	}})
	return n.c().fail("AdvanceTo", err, quoteKey(text))
}

// now returns the time of this machine in the zone of n.
func (n *Numbering) now() time.Time { return n.c().cfg.now().In(n.c().cfg.zone) }

// meaning is of [kind], as bounds and exhausted are. The count is the first day of the
// period since 1970, times perPeriod, plus the numbers of the period.
func (n *Numbering) meaning() string { return n.text }

func (n *Numbering) bounds(row driver.Row) (driver.Draw, Plan, error) {
	if row.Meaning != n.text {
		return driver.Draw{}, Plan{}, conflict(row.Meaning, n.text)
	}
	now, lead := n.now(), n.c().cfg.maxLead
	day := n.pattern.period.of(now)
	if day > lastDay {
		return driver.Draw{}, Plan{}, fmt.Errorf("%w: the year %d is too late", ErrExhausted, now.Year())
	}
	clock := driver.Clock{Now: now, MaxAhead: -1, NotBefore: now.Add(-lead)}
	if n.pattern.period != never {
		clock.NotAfter = n.pattern.period.begin(now, now.Location(), 1).Add(lead)
	}
	// Other programs may have begun the next period. Its first count may be greater than
	// the last of this one.
	most := max(day, row.X/perPeriod)*perPeriod + n.pattern.most
	return driver.Draw{Floor: day * perPeriod, Most: most, Clock: &clock}, Plan{}, nil
}

func (n *Numbering) exhausted(row driver.Row) error {
	return fmt.Errorf("%w: the period has had %d numbers, and the pattern %q has %d: write {0+} to let it grow",
		ErrExhausted, row.X%perPeriod, n.pattern.source, n.pattern.most)
}
