package sequence

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
	"weak"
)

// A Numbering draws formatted document numbers, such as INV-2026-00001. The count starts
// at 1 in each day, month or year. It is safe for concurrent use, and needs no closing.
type Numbering struct {
	store NumberingStore
	key   string
	cfg   config
	opts  []Option
	pat   pattern
	c     *coalescer[span]
	err   error // a nil store, an invalid name, pattern or option

	mu     sync.Mutex
	scopes map[string]weak.Pointer[Numbering] // those that are in use
}

// A Document is a document number that was read from its text.
type Document struct {
	Period time.Time // when the day, month or year began. The zero Time if the count never restarts
	Serial int64     // counts the numbers of the period from 1
}

// NewNumbering returns the numbering called name in store, which must also be a
// [NumberingStore]. Nobody has to create the key. The first draw does. The first call
// reports a nil store, an invalid name, pattern or option. The name is what counts: two
// numberings of one name share a count, also if their patterns differ. If the patterns
// restart at different times, the second numbering gets [ErrConflict].
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
// [WithZone]. Once one program has drawn in it, all programs do, also those whose clocks
// are behind. No period opens again after the next has begun.
func NewNumbering(store Store, name, pattern string, opts ...Option) *Numbering {
	n := &Numbering{key: name, opts: opts}
	n.err = n.init(store, name, pattern)
	return n
}

func (n *Numbering) init(store Store, name, pattern string) (err error) {
	if n.cfg, err = configure(byNumbering, n.opts); err != nil {
		return err
	}
	if err := CheckKey(n.key); err != nil {
		return err
	}
	if strings.Contains(name, "/") {
		return errors.New("the name has a /, which begins the scope: use For")
	}
	if n.pat, err = parsePattern(pattern); err != nil {
		return fmt.Errorf("pattern %q: %w", pattern, err)
	}
	if store == nil {
		return errNilStore
	}
	var ok bool
	if n.store, ok = store.(NumberingStore); !ok {
		return fmt.Errorf("a %T is not a sequence.NumberingStore", store)
	}
	n.c = n.coalescer()
	return nil
}

func (n *Numbering) coalescer() *coalescer[span] {
	// A number that nobody waits for is dropped. The period may have changed before
	// somebody wants it.
	return newCoalescer(drawer[span]{
		key: n.key,
		take: func(ctx context.Context, count int64) (span, error) {
			d, err := n.draw(count)
			if err != nil {
				return span{}, err
			}
			x, err := n.store.TakeNumbers(ctx, n.key, d)
			if err != nil {
				return span{}, err
			}
			return spanUpTo(x, count)
		},
		retries: n.cfg.retries,
		limit:   n.cfg.timeout,
		observe: n.cfg.observing(),
	}, keeping{fresh: true})
}

// For returns the numbering of a scope, such as a shop, a tenant or a register. Each
// scope has counts of its own. The same scope gives the same Numbering, so that its
// callers share their draws. A scope that the program no longer uses takes no memory.
// A scope can have scopes of its own. The first call reports an invalid scope, such as one
// with a /.
func (n *Numbering) For(scope string) *Numbering {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s := n.scopes[scope].Value(); s != nil {
		return s
	}
	s := &Numbering{store: n.store, key: n.key + "/" + scope, cfg: n.cfg, pat: n.pat, err: n.err}
	switch {
	case s.err != nil:
	case scope == "":
		s.err = errors.New("the scope is empty")
	case strings.Contains(scope, "/"):
		s.err = errors.New("the scope has a /, which begins another scope: call For for each part")
	default:
		s.err = CheckKey(s.key)
	}
	s.c = s.coalescer()
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
	text, err := n.next(ctx)
	if err != nil {
		return "", fmt.Errorf("sequence.Numbering.Next(%s): %w", QuoteKey(n.key), err)
	}
	return text, nil
}

func (n *Numbering) next(ctx context.Context) (string, error) {
	if n.err != nil {
		return "", n.err
	}
	if n.cfg.gapFree {
		return "", errors.New("its numbers are gap-free: draw them in a transaction, with the store's NextTx")
	}
	got, _, err := n.c.next(ctx)
	if err != nil {
		return "", err
	}
	return n.pat.text(got.first)
}

// NextIn is for stores that have a NextTx. It draws a gap-free number with take, and
// returns its text.
func (n *Numbering) NextIn(ctx context.Context, take func(ctx context.Context, key string, d NumberDraw) (x int64, err error)) (string, error) {
	if n.err != nil {
		return "", n.err
	}
	if !n.cfg.gapFree {
		return "", errors.New("its numbers are not gap-free: draw them with Next, or make it with WithGapFree")
	}
	d, err := n.draw(1)
	if err != nil {
		return "", err
	}
	x, err := take(ctx, n.key, d)
	if err != nil {
		return "", err
	}
	return n.pat.text(x)
}

// Parse reads the text of a number of n. It accepts exactly the texts that Next returns.
func (n *Numbering) Parse(text string) (Document, error) {
	d, err := n.parse(text)
	if err != nil {
		return Document{}, badText("sequence.Numbering.Parse", text, err)
	}
	return d, nil
}

func (n *Numbering) parse(text string) (Document, error) {
	if n.err != nil {
		return Document{}, n.err
	}
	x, err := n.pat.parse(text)
	if err != nil {
		return Document{}, err
	}
	d := Document{Serial: x % perPeriod}
	if n.pat.period != never {
		year, month, dom := dayStart(x / perPeriod).Date()
		d.Period = time.Date(year, month, dom, 0, 0, 0, 0, n.cfg.zone)
	}
	return d, nil
}

// Advance has n go on after the number whose text is text. It never goes back. Use it
// after an import, or after you restored a backup. The period of text must have begun.
func (n *Numbering) Advance(ctx context.Context, text string) error {
	if err := n.advance(ctx, text); err != nil {
		return badText("sequence.Numbering.Advance", text, err)
	}
	return nil
}

func (n *Numbering) advance(ctx context.Context, text string) error {
	if n.err != nil {
		return n.err
	}
	x, err := n.pat.parse(text)
	if err != nil {
		return err
	}
	d, err := n.draw(0)
	if err != nil {
		return err
	}
	if x >= d.Floor+perPeriod {
		return errors.New("its period has not begun")
	}
	d.Floor = x
	_, err = guard(ctx, "the store", n.cfg.timeout, func(ctx context.Context) (int64, error) {
		return n.store.TakeNumbers(ctx, n.key, d)
	})
	return err
}

// draw returns the draw of so many numbers now.
func (n *Numbering) draw(count int64) (NumberDraw, error) {
	now := n.cfg.now()
	day := n.pat.period.of(now.In(n.cfg.zone))
	if day > lastDay {
		return NumberDraw{}, fmt.Errorf("%w: the year %d is too late", ErrExhausted, now.Year())
	}
	kind := n.pat.period.String()
	if n.cfg.gapFree {
		kind += " gap-free"
	}
	return NumberDraw{N: count, Floor: day * perPeriod, Kind: kind, Now: now, MaxLead: n.cfg.maxLead}, nil
}
