package sequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A Numbering draws formatted document numbers, such as INV-2026-00001. The count starts
// at 1 in each day, month or year. It is safe for concurrent use, and needs no closing.
type Numbering struct {
	key  string
	text string // its Meaning
	cfg  config
	pat  pattern
	c    *coalescer
	err  error // a nil store, an invalid name, pattern or option

	mu     sync.Mutex
	scopes map[string]weak.Pointer[Numbering] // those that are in use
}

// NewNumbering returns the numbering called name in store. The first draw makes the key.
// The first call reports a nil store, an invalid name, pattern or option. The name is what
// counts: two numberings of one name share a count, also if their patterns differ. If they
// restart at different times, or in different time zones, or if only one of them is
// gap-free, the second one gets [ErrConflict].
//
// The pattern is text with fields in braces:
//
//	{00000}   the number, padded to 5 digits. After 99999 the error is ErrExhausted
//	{00000+}  the same, but it grows when it needs more digits
//	{2006}    the year, or {06} for its last two digits
//	{01}      the month, which needs a year
//	{02}      the day of the month, which needs a month and a year
//	{002}     the day of the year, which needs a year
//
// The fields of one date may share braces: {20060102}, {2006-01}. The smallest field
// says when the count starts over. INV-{2006}-{00000} has a count per year, and {0+} has
// one that never starts over.
//
// A day, month or year begins by the clock of this machine and in the zone of
// [WithZone]. The clock of the store is compared with it: a machine whose clock is ahead
// gets [ErrClockLead], and one whose clock shows a period that is over gets
// [ErrClockLag]. Once one program has drawn in a period, all programs do. No period opens
// again after the next has begun.
func NewNumbering(store Store, name, pattern string, opts ...Option) *Numbering {
	n := &Numbering{key: name}
	var c *counter
	c, n.cfg, n.err = newCounter(store, name, byNumbering, opts)
	if n.err == nil && strings.Contains(name, "/") {
		n.err = errors.New("the name has a /, which begins the scope: use For")
	}
	var err error
	if n.pat, err = parsePattern(pattern); err != nil && n.err == nil {
		n.err = fmt.Errorf("pattern %q: %w", pattern, err)
	}
	n.text = "never restarting"
	if n.pat.period != never {
		n.text = fmt.Sprintf("%v in %s", n.pat.period, zoneName(n.cfg.zone))
	}
	if n.cfg.gapFree {
		n.text += ", gap-free"
	}
	n.bind(c)
	return n
}

// bind has n draw from c.
func (n *Numbering) bind(c *counter) {
	c.kind = documentKind{n}
	// A number that nobody waits for is dropped. The period may have changed before
	// somebody wants it.
	n.c = newCoalescer(newPuller(c, n.cfg), keeping{none: true})
}

// For returns the numbering of a scope, such as a shop, a tenant or a register. Each
// scope has counts of its own. The same scope gives the same Numbering, so that its
// callers share their draws. A scope that the program no longer uses takes no memory, and
// then the program no longer knows what it has seen of it: keep the Numbering of a scope
// whose rows may be lost.
// A scope can have scopes of its own. The first call reports an invalid scope, such as one
// with a /.
func (n *Numbering) For(scope string) *Numbering {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s := n.scopes[scope].Value(); s != nil {
		return s
	}
	s := &Numbering{key: n.key + "/" + scope, text: n.text, cfg: n.cfg, pat: n.pat, err: n.err}
	switch {
	case s.err != nil:
	case scope == "":
		s.err = errors.New("the scope is empty")
	case strings.Contains(scope, "/"):
		s.err = errors.New("the scope has a /, which begins another scope: call For for each part")
	default:
		s.err = checkKey(s.key)
	}
	s.bind(n.c.counter.like(s.key))
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

// Key returns the key of n in its store. It is the name, followed by a / and the scope
// if there is one.
func (n *Numbering) Key() string { return n.key }

// Next draws a number and returns its text. Callers share draws in the same way as in
// [Sequence.Next].
func (n *Numbering) Next(ctx context.Context) (string, error) {
	err := cmp.Or(n.err, n.cfg.mustBe(false))
	if err == nil {
		var got span
		if got, err = n.c.next(ctx); err == nil {
			var text string
			if text, err = n.pat.text(got.first); err == nil {
				return text, nil
			}
		}
	}
	return "", fmt.Errorf("sequence.Numbering.Next(%s): %w", quoteKey(n.key), err)
}

// NextIn draws a number of a numbering with [WithGapFree] in the caller's transaction,
// as [Sequence.NextIn] does, and returns its text.
func (n *Numbering) NextIn(ctx context.Context, tx Store) (string, error) {
	err := n.err
	if err == nil {
		var got span
		if got, err = n.c.counter.drawIn(ctx, tx, n.cfg, 1); err == nil {
			var text string
			if text, err = n.pat.text(got.first); err == nil {
				return text, nil
			}
		}
	}
	return "", fmt.Errorf("sequence.Numbering.NextIn(%s): %w", quoteKey(n.key), err)
}

// State returns what the store knows about the key. It draws nothing.
func (n *Numbering) State(ctx context.Context) (State, error) {
	return n.c.counter.state(ctx, "sequence.Numbering.State", n.err)
}

// Parse reads the text of a number of n. It accepts exactly the texts that Next returns.
// period is when the day, month or year began, or the zero Time if the count never
// restarts. serial counts the numbers of the period from 1.
func (n *Numbering) Parse(text string) (period time.Time, serial int64, err error) {
	err = n.err
	if err == nil {
		var x int64
		if x, err = n.pat.parse(text); err == nil {
			period, serial = documentAt(n.pat.period, n.cfg.zone, x)
			return period, serial, nil
		}
	}
	return time.Time{}, 0, badText("sequence.Numbering.Parse", text, err)
}

// AdvanceTo has n go on after the number whose text is text. It never goes back. Use it
// after an import, or after you restored a backup. The period of text must have begun.
func (n *Numbering) AdvanceTo(ctx context.Context, text string) error {
	if err := n.advanceTo(ctx, text); err != nil {
		return badText("sequence.Numbering.AdvanceTo", text, err)
	}
	return nil
}

func (n *Numbering) advanceTo(ctx context.Context, text string) error {
	if n.err != nil {
		return n.err
	}
	x, err := n.pat.parse(text)
	if err != nil {
		return err
	}
	_, err = n.c.take(ctx, draw{floor: func(row driver.Row) (int64, error) {
		if now := n.pat.period.of(n.cfg.now().In(n.cfg.zone)); x/perPeriod > max(now, row.X/perPeriod) {
			return 0, errors.New("its period has not begun")
		}
		return x, nil
	}})
	return err
}

// documentKind is the kind of a [Numbering]. A count is the first day of the period since
// 1970, times perPeriod, plus the numbers of the period.
type documentKind struct{ *Numbering }

func (n documentKind) meaning() string { return n.text }

func (n documentKind) bounds(row driver.Row) (bounds, error) {
	if row.Meaning != n.text {
		return bounds{}, conflict(row.Meaning, n.text)
	}
	now := n.cfg.now()
	local := now.In(n.cfg.zone)
	day := n.pat.period.of(local)
	if day > lastDay {
		return bounds{}, fmt.Errorf("%w: the year %d is too late", ErrExhausted, local.Year())
	}
	clock := driver.Clock{Now: now, MaxAhead: -1, NotBefore: now.Add(-n.cfg.maxLead)}
	if end := n.pat.period.end(local); !end.IsZero() {
		clock.NotAfter = end.Add(n.cfg.maxLead)
	}
	// Other programs may have begun the next period. Its first count may be greater than
	// the last of this one.
	return bounds{
		floor: day * perPeriod,
		most:  max(day, row.X/perPeriod)*perPeriod + n.pat.most(),
		clock: &clock,
	}, nil
}

func (n documentKind) exhausted(row driver.Row) error {
	return fmt.Errorf("%w: the period has had %d numbers, and the pattern %q has %d: write {0+} to let it grow",
		ErrExhausted, row.X%perPeriod, n.pat.source, n.pat.most())
}
