package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

func at(year, month, day int) func() time.Time {
	return func() time.Time { return time.Date(year, time.Month(month), day, 12, 0, 0, 0, time.UTC) }
}

// ahead lets a clock of a test be ahead of this machine's.
var ahead = sequence.WithMaxLead(1 << 62)

func TestNumbersStartAgainInEachPeriod(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{"INV-{2006}-{00000}", "INV-2026-00001 INV-2026-00002 INV-2026-00003 INV-2026-00004 INV-2027-00001"},
		{"{06}{01}-{000}", "2611-001 2611-002 2611-003 2612-001 2701-001"},
		{"{20060102}/{0+}", "20261121/1 20261121/2 20261122/1 20261201/1 20270101/1"},
		{"{2006}.{002}.{00}", "2026.325.01 2026.325.02 2026.326.01 2026.335.01 2027.001.01"},
		{"{2006-01}#{0+}", "2026-11#1 2026-11#2 2026-11#3 2026-12#1 2027-01#1"},
		{"R{000}", "R001 R002 R003 R004 R005"},
	} {
		m := new(sequence.Memory)
		now := at(2026, 11, 21)
		n := sequence.NewNumbering(m, "n", tt.pattern, ahead, sequence.WithClock(func() time.Time { return now() }))
		var got []string
		for _, clock := range []func() time.Time{now, now, at(2026, 11, 22), at(2026, 12, 1), at(2027, 1, 1)} {
			now = clock
			text, err := n.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.pattern, got, tt.want)
		}
	}
}

func TestParseReadsWhatNextReturns(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	for _, pattern := range []string{"INV-{2006}-{00000}", "{06}{01}{000+}", "{000+}{20060102}", "A{0+}7{2006}", "{002}{0+}-{2006}", "{0+}"} {
		m := new(sequence.Memory)
		var now time.Time
		n := sequence.NewNumbering(m, "n", pattern, ahead, sequence.WithZone(berlin), sequence.WithClock(func() time.Time { return now }))
		for i := range 120 {
			now = time.Date(2026, 1, i, 23, 30, 0, 0, time.UTC)
			text, err := n.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			period, serial, err := n.Parse(text)
			if err != nil || serial < 1 || period.After(now) {
				t.Fatalf("%s: Parse(%q) = %v, %d, %v", pattern, text, period, serial, err)
			}
			if pattern == "{000+}{20060102}" && !period.Equal(time.Date(2026, 1, i+1, 0, 0, 0, 0, berlin)) {
				t.Fatalf("Parse(%q) = %v, at %v", text, period, now)
			}
			for _, bad := range []string{text + "0", "0" + text, text[1:], strings.Replace(text, "2", "x", 1), ""} {
				if period, serial, err := n.Parse(bad); err == nil {
					if back, ok := sameText(period, serial, pattern); ok && back != bad {
						t.Fatalf("%s: Parse(%q) = %v, %d", pattern, bad, period, serial)
					}
				}
			}
		}
	}
}

// sameText draws the text of a number again, in a new store.
func sameText(period time.Time, serial int64, pattern string) (string, bool) {
	m := new(sequence.Memory)
	n := sequence.NewNumbering(m, "n", pattern, ahead, sequence.WithZone(period.Location()),
		sequence.WithClock(func() time.Time { return period }))
	var text string
	for range serial {
		if serial > 400 {
			return "", false
		}
		text, _ = n.Next(context.Background())
	}
	return text, true
}

func TestBadPatternIsReportedByTheFirstCall(t *testing.T) {
	for pattern, want := range map[string]string{
		"":                                   "0 fields for the number, want one, such as {00000}",
		"INV":                                "0 fields for the number, want one, such as {00000}",
		"{00}{00}":                           "2 fields for the number, want one, such as {00000}",
		"{2006":                              "a { has no matching }",
		"2006}{0}":                           "a } has no matching {",
		"\xff{0}":                            "not UTF-8",
		"{}{0}":                              "{} is not a field: want a number such as {00000}, with at most 100 zeros, or date fields: 2006, 06, +2006, +06, Q, 01, 02 or 002",
		"{Jan}{2006}{0}":                     "{Jan} is not a field: want a number such as {00000}, with at most 100 zeros, or date fields: 2006, 06, +2006, +06, Q, 01, 02 or 002",
		"{2006}{15}{0}":                      "{15} is not a field: want a number such as {00000}, with at most 100 zeros, or date fields: 2006, 06, +2006, +06, Q, 01, 02 or 002",
		"{2006x}{0}":                         "{2006x} is not a field: want a number such as {00000}, with at most 100 zeros, or date fields: 2006, 06, +2006, +06, Q, 01, 02 or 002",
		"{2006}{1}{0}":                       "{1} is not a field: want a number such as {00000}, with at most 100 zeros, or date fields: 2006, 06, +2006, +06, Q, 01, 02 or 002",
		"{" + strings.Repeat("0", 101) + "}": "{" + strings.Repeat("0", 101) + "} is not a field: want a number such as {00000}, with at most 100 zeros, or date fields: 2006, 06, +2006, +06, Q, 01, 02 or 002",
		"{01}-{000}":                         "a day, month or quarter without its year, so the texts would repeat: add {2006}",
		"{2006}{02}-{000}":                   "a day without its month: add {01}",
		"{02}{01}-{000}":                     "a day, month or quarter without its year, so the texts would repeat: add {2006}",
		"{002}-{000}":                        "a day, month or quarter without its year, so the texts would repeat: add {2006}",
	} {
		n := sequence.NewNumbering(new(sequence.Memory), "n", pattern)
		_, err := n.Next(t.Context())
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%q: got %v, want %s", pattern, err, want)
		}
		if _, err := n.For("s").Next(t.Context()); err == nil {
			t.Errorf("%q: For", pattern)
		}
	}
}

// TestNumberingsOfOneNameShareACount draws by two patterns. A third restarts at other
// times, so its numbers could come twice.
func TestNumberingsOfOneNameShareACount(t *testing.T) {
	m := new(sequence.Memory)
	for i, pattern := range []string{"A-{2006}-{0}", "B-{06}-{0}"} {
		text, err := sequence.NewNumbering(m, "n", pattern).Next(t.Context())
		if err != nil || !strings.HasSuffix(text, fmt.Sprint("-", i+1)) {
			t.Errorf("pattern %q: %q, %v, want number %d", pattern, text, err, i+1)
		}
	}
	if _, err := sequence.NewNumbering(m, "n", "{2006-01}-{0}").Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("a pattern that restarts each month: %v", err)
	}
}

func TestWidthOverflowIsAnErrorOrGrows(t *testing.T) {
	m := new(sequence.Memory)
	strict := sequence.NewNumbering(m, "strict", "{00}")
	grows := sequence.NewNumbering(m, "grows", "{00+}")
	for i := range 120 {
		_, err := strict.Next(t.Context())
		if i < 99 && err != nil || i >= 99 && !errors.Is(err, sequence.ErrExhausted) {
			t.Fatalf("number %d: %v", i+1, err)
		}
		if text, err := grows.Next(t.Context()); err != nil || len(text) < 2 || i == 119 && text != "120" {
			t.Fatalf("number %d: %q, %v", i+1, text, err)
		}
	}
}

func TestEachScopeHasItsOwnCount(t *testing.T) {
	m := new(sequence.Memory)
	n := sequence.NewNumbering(m, "n", "{0+}")
	next := func(n *sequence.Numbering, want string) {
		t.Helper()
		if text, err := n.Next(t.Context()); err != nil || text != want {
			t.Errorf("%s: %q, %v, want %s", n.Key(), text, err, want)
		}
	}
	next(n, "1")
	next(n.For("shop7"), "1")
	next(n.For("shop8"), "1")
	next(n.For("shop7"), "2")
	next(n.For("shop7").For("till1"), "1")
	next(n.For("shop7"), "3")
	next(n, "2")
	if a, b := n.For("shop7"), n.For("shop7"); a != b {
		t.Error("one scope gives two numberings: their callers don't share trips")
	}
	for _, n := range []*sequence.Numbering{n.For(""), n.For(strings.Repeat("x", 300)), sequence.NewNumbering(m, "a/b", "{0+}")} {
		if _, err := n.Next(t.Context()); err == nil {
			t.Errorf("%q", n.Key())
		}
	}
}

// TestScopesThatNobodyUsesTakeNoMemory draws once for each of many scopes.
func TestScopesThatNobodyUsesTakeNoMemory(t *testing.T) {
	store := new(sequence.Memory)
	n := sequence.NewNumbering(store, "n", "{0+}")
	kept := n.For("kept")
	for i := range 1000 {
		if _, err := n.For(fmt.Sprint(i)).Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for n.Scopes() > 1 { // if the test hangs here, some scopes are kept
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if n.For("kept") != kept {
		t.Error("a scope that is in use was forgotten")
	}
	if text, err := n.For("7").Next(t.Context()); err != nil || text != "2" {
		t.Errorf("the second number of a scope that was forgotten: %q, %v", text, err)
	}
}

// clocked is a store with a clock of its own.
type clocked struct {
	driver.Driver
	now func() time.Time
}

func (c clocked) Read(ctx context.Context, key string) (driver.Row, bool, error) {
	row, ok, err := c.Driver.Read(ctx, key)
	row.Now = c.now()
	return row, ok, err
}

func (c clocked) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	if d.Clock != nil {
		clock := *d.Clock
		clock.Now = c.now()
		d.Clock = &clock
	}
	step, ok, err := c.Driver.Draw(ctx, d)
	step.Now = c.now()
	return step, ok, err
}

// TestClocksThatDisagreeAreAnError has a program whose clock is ahead of the store's or
// behind it.
func TestClocksThatDisagreeAreAnError(t *testing.T) {
	server := time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC)
	for _, tt := range []struct {
		clock time.Duration // of the program, ahead of the server's
		lead  time.Duration // of WithMaxLead, 0 for the default
		want  string        // the number or the end of the error
		is    error
	}{
		{0, 0, "2026-1", nil},
		{10 * time.Second, 0, "2026-1", nil},
		{11 * time.Second, 0, "clocks disagree: the clock of this machine is 11s ahead of the store's: set the clock, or allow more with WithMaxLead", sequence.ErrClockLead},
		{365 * 24 * time.Hour, 0, "clocks disagree: the clock of this machine is 8760h0m0s ahead of the store's: set the clock, or allow more with WithMaxLead", sequence.ErrClockLead},
		{time.Minute, time.Hour, "2026-1", nil},
		{-29 * time.Second, 0, "2026-1", nil},
		{-31 * time.Second, 0, "clocks disagree: the clock of this machine is 31s behind the store's, which shows a later period: set the clock, or allow more with WithMaxLead", sequence.ErrClockLead},
		{-31 * time.Second, time.Minute, "2025-1", nil},
		{-365 * 24 * time.Hour, 0, "clocks disagree: the clock of this machine is 8760h0m0s behind the store's, which shows a later period: set the clock, or allow more with WithMaxLead", sequence.ErrClockLead},
	} {
		store := storeOf{clocked{new(sequence.Memory).Driver(), func() time.Time { return server }}}
		opts := []sequence.Option{sequence.WithClock(func() time.Time { return server.Add(tt.clock) })}
		if tt.lead > 0 {
			opts = append(opts, sequence.WithMaxLead(tt.lead))
		}
		text, err := sequence.NewNumbering(store, "n", "{2006}-{0+}", opts...).Next(t.Context())
		if err != nil {
			text = strings.TrimPrefix(err.Error(), `sequence.Numbering.Next("n"): `)
		}
		if text != tt.want || !errors.Is(err, tt.is) {
			t.Errorf("a clock %v ahead: %s, want %s", tt.clock, text, tt.want)
		}
	}
}

// TestARolledBackPeriodGivesNoRoom begins the next day in a transaction that is rolled back. The
// clock is then a minute earlier, in the day whose numbers are used up.
func TestARolledBackPeriodGivesNoRoom(t *testing.T) {
	now := time.Date(2026, 11, 28, 23, 59, 30, 0, time.UTC)
	m := new(sequence.Memory)
	n := sequence.NewNumbering(m, "n", "{20060102}-{0}", sequence.WithGapFree(), sequence.WithClock(func() time.Time { return now }))
	for serial := range 9 {
		if text, err := drawIn(t, m, n, true); err != nil || text != fmt.Sprintf("20261128-%d", serial+1) {
			t.Fatalf("NextIn() = %q, %v", text, err)
		}
	}
	now = now.Add(time.Minute)
	if text, err := drawIn(t, m, n, false); err != nil || text != "20261129-1" {
		t.Fatalf("NextIn() on the next day = %q, %v", text, err)
	}
	now = now.Add(-time.Minute)
	if text, err := drawIn(t, m, n, true); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("NextIn() on the day before = %q, %v, want ErrExhausted", text, err)
	}
}

// TestNoPeriodOpensAgain has many callers with clocks that differ by up to 5 seconds
// draw over three changes of the day.
func TestNoPeriodOpensAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(sequence.Memory)
		midnight := time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
		time.Sleep(time.Until(midnight.Add(-30 * time.Second)))
		var mu sync.Mutex
		seen := map[string]bool{}
		highest := map[string]int64{}
		var newest time.Time
		var wg sync.WaitGroup
		for range 20 {
			skew := time.Duration(rand.Int64N(int64(10*time.Second))) - 5*time.Second
			n := sequence.NewNumbering(m, "n", "{20060102}-{0+}", sequence.WithClock(func() time.Time { return time.Now().Add(skew) }))
			wg.Go(func() {
				for time.Since(midnight) < 2*24*time.Hour+30*time.Second {
					mu.Lock()
					before := newest
					mu.Unlock()
					text, err := n.Next(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					period, serial, err := n.Parse(text)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if seen[text] {
						t.Errorf("%s came twice", text)
					}
					if period.Before(before) {
						t.Errorf("%s, after %v had begun", text, before)
					}
					seen[text] = true
					highest[text[:8]] = max(highest[text[:8]], serial)
					if period.After(newest) {
						newest = period
					}
					mu.Unlock()
					if near := time.Since(midnight) % (24 * time.Hour); near > 30*time.Second && near < 24*time.Hour-30*time.Second {
						time.Sleep(24*time.Hour - 30*time.Second - near)
					}
					time.Sleep(time.Duration(rand.Int64N(int64(100 * time.Millisecond))))
				}
			})
		}
		wg.Wait()
		if len(highest) != 4 {
			t.Errorf("%d days", len(highest))
		}
		total := int64(0)
		for _, n := range highest {
			total += n
		}
		if total != int64(len(seen)) {
			t.Errorf("%d numbers up to %v: a period doesn't start at 1, or has a gap", len(seen), highest)
		}
	})
}

func TestNumberingParsesNumbersOfManyDigits(t *testing.T) {
	for _, width := range []int{18, 19, 20, 40} {
		n := sequence.NewNumbering(new(sequence.Memory), "wide", "{2006}-{"+strings.Repeat("0", width)+"}")
		text, err := n.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, serial, err := n.Parse(text); err != nil || serial != 1 {
			t.Errorf("Parse(%s) = %d, %v", text, serial, err)
		}
		if _, serial, err := n.Parse(text[:5] + "1" + text[6:]); err == nil {
			t.Errorf("a number that is too large: %d", serial)
		}
	}
}

// TestNumberingErrorsNameTheRemedy makes the mistakes that a new user makes.
func TestNumberingErrorsNameTheRemedy(t *testing.T) {
	m := new(sequence.Memory)
	n := sequence.NewNumbering(m, "n", "INV-{2006}-{00000}")
	parse := func(text string) error { _, _, err := n.Parse(text); return err }
	next := func(n *sequence.Numbering) error { _, err := n.Next(t.Context()); return err }
	full := sequence.NewNumbering(m, "full", "{00}")
	if err := full.AdvanceTo(t.Context(), "99"); err != nil {
		t.Fatal(err)
	}
	if err := next(n); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{parse("ORD-2026-00001"), `sequence.Numbering.Parse("ORD-2026-00001"): the text doesn't match the pattern "INV-{2006}-{00000}"`},
		{parse(""), `sequence.Numbering.Parse(""): the text doesn't match the pattern "INV-{2006}-{00000}"`},
		{parse("INV-2026-0000x"), `sequence.Numbering.Parse("INV-2026-0000x"): the text doesn't match the pattern "INV-{2006}-{00000}"`},
		{parse("INV-2026-000001"), `sequence.Numbering.Parse("INV-2026-000001"): the text doesn't match the pattern "INV-{2006}-{00000}"`},
		{parse("INV-2026-00000"), `sequence.Numbering.Parse("INV-2026-00000"): the number 0 is out of range: want 1 to 99999`},
		{n.AdvanceTo(t.Context(), "4711"), `sequence.Numbering.AdvanceTo("n", "4711"): the text doesn't match the pattern "INV-{2006}-{00000}"`},
		{next(full), `sequence.Numbering.Next("full"): count exhausted: the key has used 99 numbers, and the pattern "{00}" has room for 99: write {0+} for numbers of any length`},
		{next(n.For("a/b")), `sequence.Numbering.Next("n/a/b"): invalid argument: the scope has a /, which begins another scope: call For for each part`},
		{next(n.For("a").For("")), `sequence.Numbering.Next("n/a/"): invalid argument: the scope is empty`},
		{next(sequence.NewNumbering(m, "n", "{2006-01}{0+}")), `sequence.Numbering.Next("n"): conflict with the stored key: the meaning of the key is "yearly in UTC", and this program wants "monthly in UTC": use the same type, pattern and options as the program that added the key, or another key`},
		{next(sequence.NewNumbering(m, "late", "{2006}-{0+}", sequence.WithClock(at(10000, 1, 1)))), `sequence.Numbering.Next("late"): count exhausted: the year 10000 is after 9999`},
		{next(sequence.NewNumbering(m, "n", "{0+}")), `sequence.Numbering.Next("n"): conflict with the stored key: the meaning of the key is "yearly in UTC", and this program wants "never restarting": use the same type, pattern and options as the program that added the key, or another key`},
	} {
		wantError(t, tt.err, tt.want)
	}
}

// TestZonesOfOneNumberingMustAgree has two programs in different zones.
func TestZonesOfOneNumberingMustAgree(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	m := new(sequence.Memory)
	pattern := "{2006}-{0+}"
	if _, err := sequence.NewNumbering(m, "n", pattern, sequence.WithZone(berlin)).Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		zone *time.Location
		want string // "" if it is the same zone
	}{
		{berlin, ""},
		{time.UTC, "yearly in UTC"},
		{time.FixedZone("Europe/Berlin", 7200), "yearly in +02:00"},
		{time.FixedZone("CET", 3600), "yearly in +01:00"},
		{time.FixedZone("", 0), "yearly in UTC"},
		{time.FixedZone("ship's time", 0), "yearly in UTC"},
	} {
		_, err := sequence.NewNumbering(m, "n", pattern, sequence.WithZone(tt.zone)).Next(t.Context())
		if tt.want == "" {
			if err != nil {
				t.Errorf("zone %v: %v", tt.zone, err)
			}
			continue
		}
		wantError(t, err, `sequence.Numbering.Next("n"): conflict with the stored key: the meaning of the key is "yearly in Europe/Berlin", and this program wants "`+tt.want+`": use the same type, pattern and options as the program that added the key, or another key`)
		if !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("zone %v: not an ErrConflict", tt.zone)
		}
	}
}

// TestFullPatternBurnsNothing draws past the end of a pattern, and then widens it.
func TestFullPatternBurnsNothing(t *testing.T) {
	m := new(sequence.Memory)
	narrow := sequence.NewNumbering(m, "n", "{0}")
	for range 9 {
		if _, err := narrow.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 {
		if text, err := narrow.Next(t.Context()); !errors.Is(err, sequence.ErrExhausted) {
			t.Fatalf("Next() = %q, %v, want ErrExhausted", text, err)
		}
	}
	if text, err := sequence.NewNumbering(m, "n", "{00000}").Next(t.Context()); text != "00010" || err != nil {
		t.Errorf("after it was widened: %q, %v, want 00010", text, err)
	}
}

// TestNextPeriodOfOthersIsDrawnIn has one program whose clock is slightly ahead begin the
// next year. The other one goes on in it, with a pattern whose end it knows.
func TestNextPeriodOfOthersIsDrawnIn(t *testing.T) {
	m := new(sequence.Memory)
	eve := time.Date(2026, 12, 31, 23, 59, 58, 0, time.UTC)
	now := sequence.WithClock(func() time.Time { return eve })
	soon := sequence.WithClock(func() time.Time { return eve.Add(5 * time.Second) })
	late, early := sequence.NewNumbering(m, "n", "{2006}-{00}", now), sequence.NewNumbering(m, "n", "{2006}-{00}", soon)
	for _, tt := range []struct {
		n    *sequence.Numbering
		want string
	}{{late, "2026-01"}, {early, "2027-01"}, {late, "2027-02"}, {late, "2027-03"}, {early, "2027-04"}} {
		if text, err := tt.n.Next(t.Context()); text != tt.want || err != nil {
			t.Errorf("Next() = %q, %v, want %s", text, err, tt.want)
		}
	}
}

func TestAdvanceToOfANumbering(t *testing.T) {
	m := new(sequence.Memory)
	n := sequence.NewNumbering(m, "n", "{2006}-{0000}", sequence.WithClock(at(2026, 11, 21)))
	for _, tt := range []struct{ to, next string }{{"2026-0123", "2026-0124"}, {"2026-0100", "2026-0125"}, {"2025-9999", "2026-0126"}} {
		if err := n.AdvanceTo(t.Context(), tt.to); err != nil {
			t.Fatal(err)
		}
		if text, err := n.Next(t.Context()); err != nil || text != tt.next {
			t.Errorf("after AdvanceTo(%s): %s, %v, want %s", tt.to, text, err, tt.next)
		}
	}
	for _, bad := range []string{"2027-0001", "2027-0000", "2026-00000", "x"} {
		if err := n.AdvanceTo(t.Context(), bad); err == nil {
			t.Errorf("AdvanceTo(%s) is no error", bad)
		}
	}
}

// TestKindsOfOneKeyMustAgree draws from each kind of key in each way, and moves it as a
// Sequence.
func TestKindsOfOneKeyMustAgree(t *testing.T) {
	next := map[string]func(m *sequence.Memory, key string) error{
		"1..9 cycling": func(m *sequence.Memory, key string) error {
			_, err := sequence.New(m, key, cycling(9)).Next(context.Background())
			return err
		},
		"stamps of 100 per 1us": func(m *sequence.Memory, key string) error {
			_, err := sequence.NewStamper(m, key).Next(context.Background())
			return err
		},
		"yearly in UTC": func(m *sequence.Memory, key string) error {
			_, err := sequence.NewNumbering(m, key, "{2006}-{0+}").Next(context.Background())
			return err
		},
	}
	for have, first := range next {
		for want, second := range next {
			m := new(sequence.Memory)
			if err := first(m, "k"); err != nil {
				t.Fatal(err)
			}
			if err := second(m, "k"); have != want && !errors.Is(err, sequence.ErrConflict) || have == want && err != nil {
				t.Errorf("a key that is %q, drawn from as %q: %v", have, want, err)
			}
			s := sequence.New(m, "k", cycling(9))
			for name, err := range map[string]error{"AdvanceToOrdinal": s.AdvanceToOrdinal(t.Context(), 5), "Resize": s.Resize(t.Context(), cycling(7))} {
				if (err == nil) != (have == "1..9 cycling") || err != nil && (!errors.Is(err, sequence.ErrConflict) || !strings.Contains(err.Error(), "the meaning of the key is \""+have+"\"")) {
					t.Errorf("%s of a key that is %q: %v", name, have, err)
				}
			}
		}
	}
}
