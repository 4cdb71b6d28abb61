package sequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Numbering draws formatted document numbers, such as INV-2026-00001. If the pattern
// has a date, the count starts again at 1 in each day, month, quarter or year. A Numbering
// is safe for concurrent use, and doesn't have to be closed.
type Numbering struct {
	pattern pattern

	of  *Numbering // on which At was called, or nil
	day int64      // the first day of the period of At, counted from 1970

	// A number that nobody waits for is dropped. The period may have changed before
	// somebody wants it.
	made *coalescer

	mu    sync.Mutex
	parts map[string]weak.Pointer[Numbering] // scopes and periods that are in use, by their keys
}

// NewNumbering returns the numbering called name in store. The first draw adds the key to
// the store, except with [WithExisting]. NewNumbering itself returns no error: if an
// argument is invalid, every draw returns the error. Two numberings with the same name
// share a count, even if their patterns differ. Both must restart at the same times, in the
// same time zone, and with the same [WithYearStart]. If one numbering has the option
// [WithGapFree], the other must have it too. The same holds for [WithDates], for a pattern
// with the day before the month, and for a pattern whose only year is {+2006} or {+06}.
// Otherwise every draw of the numbering that draws second returns [ErrConflict]. Two
// patterns must not differ only by digits next to {0+} or {00000+}: A{0+} gives A12 for
// number 12, and A1{0+} gives A12 for number 2.
//
// The pattern is text with fields in braces:
//
//	{00000}   the number, padded to 5 digits. After 99999 the error is ErrExhausted
//	{00000+}  the number, padded to 5 digits. 99999 is followed by 100000
//	{2006}    the year, or {06} for its last two digits. With WithYearStart, the year in
//	          which the fiscal year begins
//	{+2006}   the year in which the fiscal year ends, or {+06}. It needs WithYearStart
//	{Q}       the quarter of the year, 1 to 4, which needs a year
//	{01}      the month, which needs a year
//	{02}      the day of the month, which needs a month and a year
//	{002}     the day of the year, which needs a year
//
// The fields of one date may share braces: {20060102}, {2006-01}. The smallest date field
// says when the count starts again at 1. With INV-{2006}-{00000} the count starts again in
// each year. With INV-{0+}, which has no date, it never starts again. With {2006}-{+06}
// and years that begin in April, the year of 1 May 2026 is 2026-27.
//
// The clock of this machine and the zone of [WithZone] say when a period, such as a year,
// begins. If this clock is too far ahead of the store's clock ([WithMaxLead]), or shows a
// period that the store's clock left too long ago, a draw returns [ErrClockLead]. Once one
// program has drawn from a key in a period, all programs draw from the key in this period
// or in a later one. With [WithDates], the number of a document is in the period of the
// document's date instead.
func NewNumbering(store Store, name, pattern string, opts ...Option) *Numbering {
	c := newCounter("Numbering", forNumbering, store, name, append([]Option{WithMaxLead(10 * time.Second)}, opts...))
	p, err := parsePattern(pattern, c.cfg)
	c.err = cmp.Or(c.err,
		unless(!strings.Contains(name, "/"), "the name has a /, which is only for scopes: call For to make a scope"),
		unless(err == nil, "pattern %s: %w", quoteKey(pattern), err))
	c.meaning = p.cadence.String() + " restarting"
	switch {
	case c.cfg.dates != "":
		c.meaning, c.err = fmt.Sprintf("%v%s by date", p.cadence, p.from), cmp.Or(c.err, errNoDate)
	case p.cadence != never:
		c.meaning = fmt.Sprintf("%v%s in %s", p.cadence, p.from, zoneName(c.cfg.zone))
	}
	if c.cfg.gapFree {
		c.meaning += ", gap-free"
	}
	return (&Numbering{pattern: p}).with(c)
}

// with returns n, which draws from c.
func (n *Numbering) with(c *counter) *Numbering {
	c.kind, n.made, n.parts = n, &coalescer{counter: c}, map[string]weak.Pointer[Numbering]{}
	return n
}

// errNoDate is the error of a Numbering with WithDates on which At wasn't called.
var errNoDate = errors.New("the numbering has WithDates, and needs the date of the document: call At")

func (n *Numbering) c() *coalescer { return n.made.orZero("Numbering", "NewNumbering") }

// For returns the numbering of a scope, such as a shop or a tenant. Each scope has its
// own count. Calls with the same scope return the same Numbering, so that its callers
// share trips. A scope that the program no longer uses still takes about 100 bytes of
// memory, because the program remembers the scope's last number. With [WithDates], this
// holds for each period of the scope. To get a scope within a scope, call the method For of
// the Numbering of the outer scope. The method For itself returns no error. If scope is
// empty, too long, not UTF-8, or has a / or a NUL, every draw returns an error that matches
// [fs.ErrInvalid]. An HTTP server can answer this error with the status 400.
func (n *Numbering) For(scope string) *Numbering {
	if n.of != nil {
		return n.of.For(scope).At(dayStart(n.day))
	}
	key := n.Key() + "/" + scope
	err := cmp.Or(
		unless(scope != "", "the scope is empty"),
		unless(!strings.Contains(scope, "/"), "the scope has a /, which begins another scope: call For for each part"),
		checkKey(key+n.c().cfg.dates),
	)
	return n.part(&Numbering{pattern: n.pattern}, key, unless(err == nil, "%w: %w", fs.ErrInvalid, err))
}

// At returns the numbering for documents with the date t:
//
//	number, err := invoices.For("shop7").At(issued).NextIn(ctx, store.Tx(tx))
//
// The numbering n must have the option [WithDates]. The date is the day that t shows in its
// own zone. For and At can be called in any order. All dates of a period share one count.
// Periods are never closed. If documents of an old period must not get numbers anymore, check
// the date before you draw. At itself returns no error. If the date is the zero Time or after
// 9999, or if its period begins before 1970, every draw returns an error. If the pattern has
// no year of four digits, the year must begin in 2000 to 2099, because the text doesn't show
// the century.
func (n *Numbering) At(t time.Time) *Numbering {
	n = cmp.Or(n.of, n)
	day, err := n.pattern.first(t)
	key := n.Key() + dayStart(day).Format(n.c().cfg.dates)
	bad := cmp.Or(unless(n.c().cfg.dates != "", "At needs the option WithDates, which the numbering lacks"), err, checkKey(key))
	return n.part(&Numbering{pattern: n.pattern, of: n, day: day}, key, bad)
}

// part returns the numbering of a scope or a period of n. It is p, unless one is in use. If bad
// isn't nil, each of its draws returns bad.
func (n *Numbering) part(p *Numbering, key string, bad error) *Numbering {
	n.mu.Lock()
	defer n.mu.Unlock()
	if used := n.parts[key].Value(); used != nil && bad == nil {
		return used
	}
	c := n.c().like(key)
	if c.err == nil || c.err == errNoDate && (p.of != nil || bad != nil) {
		c.err = bad
	}
	if c.above = n.c().counter; p.of == nil {
		c.above = cmp.Or(n.c().above, c.above) // the key of the name
	}
	if bad == nil && n.parts != nil {
		n.parts[key] = weak.Make(p)
		runtime.AddCleanup(p, n.forget, key)
	}
	return p.with(c)
}

// forget removes a part that the program no longer uses, unless it came back meanwhile.
func (n *Numbering) forget(key string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.parts[key].Value() == nil {
		delete(n.parts, key)
	}
}

// Key returns the key of n in its store. The key begins with the name. If n has a scope,
// "/" and the scope follow. If n is a result of [Numbering.At], "//" and the first day of
// the period follow.
func (n *Numbering) Key() string { return n.c().key }

// Next draws a number and returns its text. Callers share trips, as in [Sequence.Next].
func (n *Numbering) Next(ctx context.Context) (text string, err error) {
	got, err := n.c().next(ctx)
	all, err := n.texts("Next", got, err)
	return strings.Join(all, ""), err
}

// NextIn draws a number in the caller's transaction, and returns its text. The numbering
// must have the option [WithGapFree]. Pass the result of store.Tx for that transaction:
// see [Sequence.NextIn].
func (n *Numbering) NextIn(ctx context.Context, tx Store) (text string, err error) {
	got, err := n.c().drawIn(ctx, tx, 1)
	all, err := n.texts("NextIn", got, err)
	return strings.Join(all, ""), err
}

// Take draws the next numbers in one trip, and returns their texts. The parameter count says
// how many. The numbers are consecutive, and belong to one period. If fewer than count numbers
// are left in the period, Take draws none, and returns [ErrExhausted]. The greatest count is a
// million.
func (n *Numbering) Take(ctx context.Context, count int64) ([]string, error) {
	got, err := n.c().takeN(ctx, count)
	return n.texts("Take", got, err, count)
}

// TakeIn draws the next numbers in the caller's transaction. The parameter count says how
// many. It needs no more round trips than NextIn. The rules of [Numbering.NextIn] and
// [Numbering.Take] hold for TakeIn too.
func (n *Numbering) TakeIn(ctx context.Context, tx Store, count int64) ([]string, error) {
	got, err := n.c().drawIn(ctx, tx, count)
	return n.texts("TakeIn", got, err, count)
}

// texts returns the texts of a draw by a method, or none and an error.
func (n *Numbering) texts(method string, got span, err error, args ...any) (all []string, _ error) {
	for i := range got.n {
		text, bad := n.pattern.text(got.first+i, 1)
		all, err = append(all, text), cmp.Or(err, bad)
	}
	if err != nil {
		return nil, n.c().fail(method, err, args...)
	}
	return all, nil
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
		s.Text, err = n.pattern.text(row.X, 1)
	}
	return s, n.c().fail("State", err)
}

// Parse reads a number's text. Parse accepts exactly the texts that draws with this
// pattern can return. The result period is the time, in the zone of [WithZone], at which
// the number's day, month, quarter or year begins. If the count never restarts, period is
// the zero Time. The result serial is the position of the number in its period, counted
// from 1. If the pattern has no year of four digits, the two digits of {06} or {+06} mean a
// year that begins in 2000 to 2099.
func (n *Numbering) Parse(text string) (period time.Time, serial int64, err error) {
	x, err := n.parse(text, 1)
	s := stateOf(driver.Row{Meaning: n.c().meaning, X: x}, n.c().cfg.zone) // of no draw after an error
	return s.Period, s.Last.Serial, failed("Numbering", "Parse", text, err)
}

// parse returns the count of a text, whose number is at least least.
func (n *Numbering) parse(text string, least int64) (x int64, err error) {
	if err := n.c().err; err != nil && err != errNoDate {
		return 0, err
	}
	return n.pattern.parse(text, least)
}

// AdvanceTo makes the next number of n greater than the number with the given text, such
// as INV-2026-00042. AdvanceTo never moves a count back. Use AdvanceTo after an import, or
// after you restored a backup. If the period of the given number has not begun, AdvanceTo
// returns an error. If n is a result of [Numbering.At], AdvanceTo instead returns an error
// if the date of At is in another period than the number. If the store lacks the key,
// AdvanceTo adds it, even with the option [WithExisting], unless n has drawn from the key
// before. With the number 0, such as INV-2026-00000, AdvanceTo only adds the missing key.
func (n *Numbering) AdvanceTo(ctx context.Context, text string) error {
	x, err := n.parse(text, 0)
	_, err = n.c().take(ctx, draw{err: err, exact: true, makes: true, floor: func(row driver.Row) (int64, error) {
		if n.of != nil {
			return x, unless(x/perPeriod == n.day, "the number is of another period than the date of At: call At with a date in the period of the number")
		}
		today, _ := n.pattern.first(n.now()) // bounds has had no error
		return x, unless(x/perPeriod <= max(today, row.X/perPeriod), "the period of the number has not begun")
	}})
	return n.c().fail("AdvanceTo", err, quoteKey(text))
}

// now returns the time of this machine in the zone of n.
func (n *Numbering) now() time.Time { return n.c().cfg.now().In(n.c().cfg.zone) }

// bounds is of [kind], as exhausted is. The count is the first day of the period since 1970,
// times perPeriod, plus the numbers of the period.
func (n *Numbering) bounds(row driver.Row) (driver.Draw, Plan, error) {
	other := conflict(row.Meaning, n.c().meaning)
	if n.c().cfg.dates != "" {
		return driver.Draw{Floor: n.day * perPeriod, Most: n.day*perPeriod + n.pattern.most}, Plan{}, other
	}
	now, lead := n.now(), n.c().cfg.maxLead
	day, err := n.pattern.first(now)
	clock := driver.Clock{Now: now, MaxAhead: -1, NotBefore: now.Add(-lead)}
	if n.pattern.cadence != never {
		clock.NotAfter = n.pattern.begin(now, now.Location(), 1).Add(lead)
	}
	// Other programs may have begun the next period. Its first count may be greater than
	// the last of this one.
	most := max(day, row.X/perPeriod)*perPeriod + n.pattern.most
	return driver.Draw{Floor: day * perPeriod, Most: most, Clock: &clock}, Plan{}, cmp.Or(other, err)
}

func (n *Numbering) exhausted(_ driver.Row, x int64) error {
	of := "period"
	if n.pattern.cadence == never {
		of = "key"
	}
	return fmt.Errorf("%w: the %s has used %d numbers, and the pattern %q has room for %d: write {0+} for numbers of any length",
		ErrExhausted, of, x%perPeriod, n.pattern.source, n.pattern.most)
}
