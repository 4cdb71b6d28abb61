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
	err   error // an invalid name, pattern or option

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
// reports an invalid name, pattern or option.
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
	}, keeping{fresh: true, least: 1})
}

// For returns the numbering of a scope, such as a shop, a tenant or a register. Each
// scope has counts of its own. The same scope gives the same Numbering, so that its
// callers share their draws. A scope that the program no longer uses takes no memory.
func (n *Numbering) For(scope string) *Numbering {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s := n.scopes[scope].Value(); s != nil {
		return s
	}
	s := &Numbering{store: n.store, key: n.key + "/" + scope, cfg: n.cfg, pat: n.pat, err: n.err}
	if s.err == nil {
		s.err = CheckKey(s.key)
	}
	if s.err == nil && scope == "" {
		s.err = errors.New("the scope is empty")
	}
	if s.err == nil {
		s.c = s.coalescer()
	}
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
	day, serial, err := n.pat.parse(text)
	if err != nil {
		return Document{}, err
	}
	d := Document{Serial: serial}
	if n.pat.period != never {
		year, month, dom := dayStart(day).Date()
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
	day, serial, err := n.pat.parse(text)
	if err != nil {
		return err
	}
	d, err := n.draw(0)
	if err != nil {
		return err
	}
	if day*perPeriod > d.Floor {
		return errors.New("its period has not begun")
	}
	d.Floor = day*perPeriod + serial
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

// perPeriod is how many numbers a period can have. Counts are multiples of it, plus a
// number.
const perPeriod = 1 << 40

// A period says when a count starts over. Its values are days since 1970. They are the
// day itself, the first day of the month or of the year, and 0 for never.
type period int

const (
	never period = iota
	yearly
	monthly
	daily
)

func (p period) String() string { return [...]string{"never", "year", "month", "day"}[p] }

// of returns the period of t, in the zone of t.
func (p period) of(t time.Time) int64 {
	year, month, day := t.Date()
	switch p {
	case never:
		return 0
	case yearly:
		month, day = 1, 1
	case monthly:
		day = 1
	}
	return max(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()/86400, 0)
}

// dayStart returns when a day since 1970 began, in UTC.
func dayStart(day int64) time.Time { return time.Unix(day*86400, 0).UTC() }

// lastDay is the last that has a year of four digits.
var lastDay = daily.of(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))

// A pattern is the form of a number's text.
type pattern struct {
	parts  []part
	period period
}

// A part of a pattern is text, a field of the date, or the number.
type part struct {
	text  string // fixed text
	field string // of the date, in the layout of package time
	width int    // the least digits of the number; 0 means that the part isn't the number
	grows bool
}

// fields are the fields of a date. The longer ones come first.
var fields = []string{"2006", "002", "01", "02", "06"}

func parsePattern(s string) (pattern, error) {
	var p pattern
	numbers := 0
	for s != "" {
		text, rest, found := strings.Cut(s, "{")
		if strings.Contains(text, "}") {
			return p, errors.New("a } without its {")
		}
		if text != "" {
			p.parts = append(p.parts, part{text: text})
		}
		if !found {
			break
		}
		inside, after, found := strings.Cut(rest, "}")
		if !found {
			return p, errors.New("a { without its }")
		}
		s = after
		if zeros := strings.TrimSuffix(inside, "+"); zeros != "" && strings.Trim(zeros, "0") == "" {
			p.parts = append(p.parts, part{width: len(zeros), grows: zeros != inside})
			numbers++
			continue
		}
		parts, err := parseDate(inside)
		if err != nil {
			return p, err
		}
		p.parts = append(p.parts, parts...)
	}
	if numbers != 1 {
		return p, fmt.Errorf("%d fields for the number, such as {00000}, not 1", numbers)
	}
	// Apart from the return: Go doesn't say in which order that evaluates p and a call
	// that changes p.
	err := p.setPeriod()
	return p, err
}

// parseDate returns the parts of a date in braces.
func parseDate(inside string) (parts []part, err error) {
	for s := inside; s != ""; {
		field := ""
		for _, f := range fields {
			if strings.HasPrefix(s, f) {
				field = f
				break
			}
		}
		if field != "" {
			parts = append(parts, part{field: field})
			s = s[len(field):]
			continue
		}
		if !strings.ContainsRune("-/._ :", rune(s[0])) {
			break
		}
		parts = append(parts, part{text: s[:1]})
		s = s[1:]
	}
	length := 0
	for _, p := range parts {
		length += len(p.field) + len(p.text)
	}
	if length != len(inside) || length == 0 {
		return nil, fmt.Errorf("{%s} is neither a number such as {00000} nor a date of the fields 2006, 06, 01, 02 and 002", inside)
	}
	return parts, nil
}

// setPeriod finds the smallest field. It refuses patterns in which two periods would
// have the same text.
func (p *pattern) setPeriod() error {
	has := map[string]bool{}
	for _, part := range p.parts {
		has[part.field] = true
	}
	year := has["2006"] || has["06"]
	switch {
	case has["002"]:
		p.period = daily
	case has["02"] && !has["01"]:
		return errors.New("a day without its month")
	case has["02"]:
		p.period = daily
	case has["01"]:
		p.period = monthly
	case year:
		p.period = yearly
	}
	if p.period != never && !year {
		return fmt.Errorf("a %v without its year", p.period)
	}
	return nil
}

// text returns the text of a count. x is the integer that stores keep.
func (p pattern) text(x int64) (string, error) {
	day, serial := x/perPeriod, x%perPeriod
	if serial == 0 || day > lastDay {
		return "", fmt.Errorf("%w: the store's count is %d", ErrExhausted, x)
	}
	t := dayStart(day)
	var b []byte
	for _, part := range p.parts {
		switch {
		case part.field != "":
			b = t.AppendFormat(b, part.field)
		case part.width == 0:
			b = append(b, part.text...)
		default:
			before := len(b)
			b = fmt.Appendf(b, "%0*d", part.width, serial)
			if len(b)-before > part.width && !part.grows {
				return "", fmt.Errorf("%w: number %d has more than %d digits", ErrExhausted, serial, part.width)
			}
		}
	}
	return string(b), nil
}

// parse returns the period and the number of a text.
func (p pattern) parse(text string) (day, serial int64, err error) {
	fixed := 0 // bytes besides the number
	for _, part := range p.parts {
		fixed += len(part.text) + len(part.field)
	}
	values := map[string]int{"2006": 1970, "01": 1, "02": 1}
	rest := text
	for _, part := range p.parts {
		n := len(part.text) + len(part.field)
		if part.width > 0 {
			n = len(text) - fixed
		}
		if n < 0 || n > len(rest) {
			return 0, 0, errors.New("too short")
		}
		var head string
		head, rest = rest[:n], rest[n:]
		if part.width == 0 && part.field == "" {
			continue
		}
		if n > 18 { // a pattern may ask for more zeros than an int64 has digits
			head = strings.TrimLeft(head[:n-18], "0") + head[n-18:]
		}
		v, ok := digits(head)
		if !ok || len(head) > 18 {
			return 0, 0, errors.New("not all digits where a number or a date should be")
		}
		if part.width > 0 {
			serial = v
		} else {
			values[part.field] = int(v)
		}
	}
	year := values["2006"]
	if short, ok := values["06"]; ok && year == 1970 {
		year = 2000 + short
	}
	t := time.Date(year, time.Month(values["01"]), values["02"], 0, 0, 0, 0, time.UTC)
	if yearDay, ok := values["002"]; ok {
		t = time.Date(year, 1, yearDay, 0, 0, 0, 0, time.UTC)
	}
	day = p.period.of(t)
	if serial < 1 || serial >= perPeriod {
		return 0, 0, fmt.Errorf("the number %d is out of range", serial)
	}
	if back, err := p.text(day*perPeriod + serial); err != nil || back != text {
		return 0, 0, errors.New("not a number of this pattern")
	}
	return day, serial, nil
}
