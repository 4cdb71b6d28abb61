package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

// day returns the noon of a date.
func day(year, month, day int) time.Time { return at(year, month, day)() }

// fiscal are the options of the invoices of these tests.
var fiscal = []sequence.Option{sequence.WithYearStart(time.April, 1), sequence.WithDates()}

func invoicesOf(store sequence.Store, opts ...sequence.Option) *sequence.Numbering {
	return sequence.NewNumbering(store, "invoices", "INV/{2006}-{+06}/{000}", append(opts, fiscal...)...)
}

// TestNumberCountsInThePeriodOfItsDate draws in random order of periods, long after they ended.
func TestNumberCountsInThePeriodOfItsDate(t *testing.T) {
	n := invoicesOf(new(sequence.Memory))
	for _, tt := range []struct {
		n    *sequence.Numbering
		want string
	}{
		{n.At(day(2027, 3, 31)), "INV/2026-27/001"},
		{n.At(day(2027, 4, 1)), "INV/2027-28/001"},
		{n.At(day(2026, 4, 1)), "INV/2026-27/002"},
		{n.At(day(1970, 4, 1)), "INV/1970-71/001"},
		{n.At(day(9999, 3, 31)), "INV/9998-99/001"},
		{n.For("shop7").At(day(2026, 12, 24)), "INV/2026-27/001"},
		{n.At(day(2027, 1, 1)).For("shop7"), "INV/2026-27/002"},
		{n.At(day(2020, 1, 1)).For("shop7").At(day(2027, 1, 2)), "INV/2026-27/003"},
		{n.For("shop7").At(day(2020, 1, 1)).For("till1").At(day(2027, 1, 2)), "INV/2026-27/001"},
		// 1 April has begun in Kolkata, and it is the date on this document.
		{n.At(time.Date(2028, 4, 1, 0, 30, 0, 0, time.FixedZone("", 19800))), "INV/2028-29/001"},
		{n.At(day(2026, 9, 9)), "INV/2026-27/003"},
	} {
		if text, err := tt.n.Next(t.Context()); text != tt.want || err != nil {
			t.Errorf("%s: Next() = %q, %v, want %q", tt.n.Key(), text, err, tt.want)
		}
	}
	if a, b := n.At(day(2026, 4, 1)).For("shop7"), n.For("shop7").At(day(2027, 3, 31)); a != b {
		t.Error("one scope and period give two numberings: their callers don't share trips")
	}
	period, serial, err := n.Parse("INV/2026-27/042")
	if !period.Equal(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)) || serial != 42 || err != nil {
		t.Errorf("Parse() = %v, %d, %v", period, serial, err)
	}
	s, err := n.At(day(2026, 9, 9)).State(t.Context())
	if s.Text != "INV/2026-27/003" || s.Left != 996 || s.Period.Format(time.DateOnly) != "2026-04-01" || s.Meaning != "yearly from 1 April by date" || err != nil {
		t.Errorf("State() = %+v, %v", s, err)
	}
}

// TestAdvanceToOfADate moves the count of one period.
func TestAdvanceToOfADate(t *testing.T) {
	n := invoicesOf(new(sequence.Memory))
	at := n.At(day(2026, 4, 1))
	if err := at.AdvanceTo(t.Context(), "INV/2026-27/142"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"INV/2027-28/001", "INV/2025-26/999"} {
		wantError(t, at.AdvanceTo(t.Context(), text), fmt.Sprintf(`sequence.Numbering.AdvanceTo("invoices//2026-04-01", %q): the number is of another period than the date of At: call At with a date in the period of the number`, text))
	}
	for date, want := range map[time.Time]string{day(2026, 5, 1): "INV/2026-27/143", day(2027, 5, 1): "INV/2027-28/001"} {
		if text, err := n.At(date).Next(t.Context()); text != want || err != nil {
			t.Errorf("Next() = %q, %v, want %q", text, err, want)
		}
	}
}

// TestBadDatesDrawNothing has dates without a period, and a numbering without a date.
func TestBadDatesDrawNothing(t *testing.T) {
	m := new(sequence.Memory)
	n := invoicesOf(m, sequence.WithGapFree())
	byClock := sequence.NewNumbering(m, "clock", "{2006}-{0}", sequence.WithGapFree())
	monthly := sequence.NewNumbering(m, "monthly", "{+2006}-{01}-{0}", append(fiscal, sequence.WithGapFree())...)
	both := sequence.NewNumbering(m, "both", "{2006}-{0}", sequence.WithDates(), sequence.WithZone(time.UTC))
	short := sequence.NewNumbering(m, "short", "{06}-{0}", sequence.WithDates(), sequence.WithGapFree())
	shortFiscal := sequence.NewNumbering(m, "short fiscal", "{+06}-{0}", append(fiscal, sequence.WithDates(), sequence.WithGapFree())...)
	long := sequence.NewNumbering(m, "n", "{2006}-{0}", sequence.WithDates(), sequence.WithGapFree())
	for _, tt := range []struct {
		n    *sequence.Numbering
		want string // the end of the error
	}{
		{n, `("invoices"): the numbering has WithDates, and needs the date of the document: call At`},
		{n.For("s"), `("invoices/s"): the numbering has WithDates, and needs the date of the document: call At`},
		{n.For("a/b").At(day(2026, 4, 1)), `("invoices/a/b//2026-04-01"): invalid argument: the scope has a /, which begins another scope: call For for each part`},
		{n.At(time.Time{}), `("invoices//0000-04-01"): the date is the zero Time`},
		{n.At(day(1969, 12, 31)), `("invoices//1969-04-01"): the period of 1969-12-31 begins before 1970`},
		{n.At(day(1970, 3, 31)), `("invoices//1969-04-01"): the period of 1970-03-31 begins before 1970`},
		{n.At(day(-5, 3, 31)), `: the period of -0005-03-31 begins before 1970`},
		{n.At(day(10000, 1, 1)), `("invoices//9999-04-01"): count exhausted: the year 10000 is after 9999`},
		{n.At(day(9999, 4, 1)), `("invoices//9999-04-01"): count exhausted: the year 10000 is after 9999`},
		{n.At(time.Unix(math.MaxInt64/2, 0)), ` is after 9999`},
		{short.At(day(1999, 12, 31)), `("short//1999-01-01"): a year of two digits means 2000 to 2099, but the year of the date begins in 1999: write {2006}`},
		{short.At(day(2100, 1, 1)), `("short//2100-01-01"): a year of two digits means 2000 to 2099, but the year of the date begins in 2100: write {2006}`},
		{shortFiscal.At(day(2000, 3, 31)), `but the year of the date begins in 1999: write {2006}`},
		{shortFiscal.At(day(2100, 4, 1)), `but the year of the date begins in 2100: write {2006}`},
		{monthly.At(day(1969, 12, 31)), `: the period of 1969-12-31 begins before 1970`},
		{byClock.At(day(2026, 4, 1)), `("clock"): At needs the option WithDates, which the numbering lacks`},
		{both.At(day(2026, 4, 1)), `("both//2026-01-01"): WithDates and WithZone can't be combined, because each date counts in its own zone`},
		{new(sequence.Numbering).At(day(2026, 4, 1)), `: the zero Numbering is invalid: call NewNumbering`},
		{long.For(strings.Repeat("x", 250)).At(day(2026, 4, 1)), `the key has 264 bytes, more than 255`},
	} {
		for call, do := range map[string]func() error{
			"Next":      func() error { _, err := tt.n.Next(t.Context()); return err },
			"Take":      func() error { _, err := tt.n.Take(t.Context(), 2); return err },
			"State":     func() error { _, err := tt.n.State(t.Context()); return err },
			"AdvanceTo": func() error { return tt.n.AdvanceTo(t.Context(), "INV/2026-27/001") },
			"NextIn":    func() error { _, err := drawIn(t, m, tt.n, true); return err },
		} {
			want := tt.want
			if _, reason, ok := strings.Cut(want, ")"); ok && call != "Next" { // the call has more arguments
				want = reason
			}
			if err := do(); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %v, want %s", call, err, tt.want)
			}
		}
	}
	if _, err := long.For(strings.Repeat("x", 250)).At(day(2026, 4, 1)).Next(t.Context()); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a scope that is too long: %v, want fs.ErrInvalid", err)
	}
	if all, err := sequence.List(t.Context(), m); len(all) > 0 || err != nil {
		t.Errorf("the store has %v, %v", all, err)
	}
	if text, err := drawIn(t, m, monthly.At(day(1970, 1, 1)), true); text != "1970-01-1" || err != nil {
		t.Errorf("the first month: %q, %v", text, err)
	}
}

// TestDatesAndClocksNeverShareATextOfAKey mixes numberings with WithDates and without it, in
// either order of first use, on the name, on a scope, and on both.
func TestDatesAndClocksNeverShareATextOfAKey(t *testing.T) {
	for _, gapFree := range []bool{false, true} {
		for _, places := range [][2]string{{"", ""}, {"s", "s"}, {"", "s"}, {"s", ""}} {
			for _, datesFirst := range []bool{true, false} {
				m := new(sequence.Memory)
				opts := []sequence.Option{sequence.WithClock(at(2026, 7, 1)), ahead}
				if gapFree {
					opts = append(opts, sequence.WithGapFree())
				}
				draw := func(n *sequence.Numbering) (string, error) {
					if gapFree {
						return drawIn(t, m, n, true)
					}
					return n.Next(t.Context())
				}
				at := func(n *sequence.Numbering, scope string) *sequence.Numbering {
					if scope != "" {
						n = n.For(scope)
					}
					return n
				}
				// The names of places are of the numbering by date, and of the one by the clock.
				dates := at(sequence.NewNumbering(m, "n", "{2006}-{0}", append(opts, sequence.WithDates())...), places[0])
				clock := at(sequence.NewNumbering(m, "n", "{2006}-{0}", opts...), places[1])
				byDate := func(year int) error { _, err := draw(dates.At(day(year, 7, 1))); return err }
				byClock := func() error { _, err := draw(clock); return err }
				name := fmt.Sprintf("gap-free %v, dates on %q, clock on %q, dates first %v", gapFree, places[0], places[1], datesFirst)
				// A count of a scope and one of the name have no text in common, unless the name's
				// row must say both.
				conflict := places[0] == places[1] || places[1] == ""
				if datesFirst {
					if err := byDate(2026); err != nil {
						t.Fatal(name, err)
					}
					if err := byClock(); errors.Is(err, sequence.ErrConflict) != conflict || !conflict && err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if err := byDate(2025); err != nil { // a new period
						t.Error(name, err)
					}
					continue
				}
				if err := byClock(); err != nil {
					t.Fatal(name, err)
				}
				for _, year := range []int{2026, 2024} {
					if err := byDate(year); errors.Is(err, sequence.ErrConflict) != conflict || !conflict && err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
				if err := byClock(); err != nil {
					t.Error(name, err)
				}
			}
		}
	}
}

// TestFirstUsesOfBothKindsAtOnce has many programs of each kind draw first. The programs of one
// kind succeed, and no text comes twice.
func TestFirstUsesOfBothKindsAtOnce(t *testing.T) {
	for range 200 {
		m := new(sequence.Memory)
		drawn, won := newSet(), newSet()
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				var opts []sequence.Option
				if i%2 == 1 {
					opts = append(opts, sequence.WithDates())
				}
				n := sequence.NewNumbering(m, "n", "{2006}-{00}", opts...).For("s")
				if i%2 == 1 {
					n = n.At(time.Now().UTC())
				}
				text, err := n.Next(t.Context())
				switch {
				case err == nil:
					won.add(fmt.Sprint(i % 2))
					if !drawn.add(text) {
						t.Errorf("%s came twice", text)
					}
				case !errors.Is(err, sequence.ErrConflict):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(won.all) != 1 {
			t.Fatalf("programs of %d kinds succeeded", len(won.all))
		}
	}
}

type set struct {
	mu  sync.Mutex
	all map[string]bool
}

func newSet() *set { return &set{all: map[string]bool{}} }

// add reports whether a text is new.
func (s *set) add(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	isNew := !s.all[text]
	s.all[text] = true
	return isNew
}

// TestPeriodsAreMadeWhileTheNameExists has WithExisting.
func TestPeriodsAreMadeWhileTheNameExists(t *testing.T) {
	for _, gapFree := range []bool{false, true} {
		m := new(sequence.Memory)
		opts := []sequence.Option{sequence.WithExisting()}
		if gapFree {
			opts = append(opts, sequence.WithGapFree())
		}
		n := invoicesOf(m, opts...)
		draw := func(n *sequence.Numbering) (string, error) {
			if gapFree {
				return drawIn(t, m, n, true)
			}
			return n.Next(t.Context())
		}
		for _, n := range []*sequence.Numbering{n.At(day(2026, 4, 1)), n.For("s").At(day(2026, 4, 1))} {
			if _, err := draw(n); !errors.Is(err, sequence.ErrNotFound) || !strings.Contains(err.Error(), `WithExisting forbids adding the key "invoices": to add it, draw once without this option, or call AdvanceTo, unless this is a Stamper`) {
				t.Errorf("before the name exists: %v", err)
			}
		}
		if all, err := sequence.List(t.Context(), m); len(all) > 0 || err != nil {
			t.Errorf("the store has %v, %v", all, err)
		}
		if err := n.At(day(2026, 4, 1)).AdvanceTo(t.Context(), "INV/2026-27/000"); err != nil {
			t.Fatal(err)
		}
		for _, n := range []*sequence.Numbering{n.At(day(2026, 4, 1)), n.At(day(2030, 4, 1)), n.For("s").At(day(2026, 4, 1)), n.For("s").For("t").At(day(2026, 4, 1))} {
			if text, err := draw(n); !strings.HasSuffix(text, "/001") || err != nil {
				t.Errorf("%s: %q, %v", n.Key(), text, err)
			}
		}
		if text, err := draw(n.For("u").For("t").At(day(2026, 4, 1))); !strings.HasSuffix(text, "/001") || err != nil {
			t.Errorf("a scope of a scope that nobody made: %q, %v", text, err)
		}
		if _, ok, err := m.Driver().Read(t.Context(), "invoices/u"); ok || err != nil {
			t.Errorf("the key of the outer scope: %v, %v", ok, err)
		}
	}
}

// TestEmptiedTableIsNoticedByDate deletes all keys under a program that has drawn in another
// period.
func TestEmptiedTableIsNoticedByDate(t *testing.T) {
	for _, gapFree := range []bool{false, true} {
		m := new(sequence.Memory)
		var opts []sequence.Option
		draw := func(n *sequence.Numbering) (string, error) { return n.Next(t.Context()) }
		if gapFree {
			opts = append(opts, sequence.WithGapFree())
			draw = func(n *sequence.Numbering) (string, error) { return drawIn(t, m, n, true) }
		}
		n := invoicesOf(m, opts...)
		for range 2 {
			if _, err := draw(n.At(day(2026, 4, 1))); err != nil {
				t.Fatal(err)
			}
		}
		forget := func() {
			for _, key := range []string{"invoices", "invoices//2026-04-01"} {
				sequence.Forget(m, key)
			}
		}
		forget()
		for _, n := range []*sequence.Numbering{n.At(day(2026, 4, 1)), n.At(day(2027, 4, 1))} {
			if text, err := draw(n); !errors.Is(err, sequence.ErrNotFound) {
				t.Errorf("gap-free %v: %s drew %q, %v, want ErrNotFound", gapFree, n.Key(), text, err)
			}
		}
		if text, err := draw(invoicesOf(m, opts...).At(day(2027, 4, 1))); text != "INV/2027-28/001" || err != nil {
			t.Errorf("a new program: %q, %v", text, err)
		}
		if text, err := draw(n.At(day(2028, 4, 1))); !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("gap-free %v: after another program made the key again: %q, %v, want ErrNotFound", gapFree, text, err)
		}
	}
}

// TestRolledBackPeriodLeavesNothing has the first draw of a name rolled back.
func TestRolledBackPeriodLeavesNothing(t *testing.T) {
	m := new(sequence.Memory)
	n := invoicesOf(m, sequence.WithGapFree())
	if text, err := drawIn(t, m, n.At(day(2026, 4, 1)), false); text != "INV/2026-27/001" || err != nil {
		t.Fatal(text, err)
	}
	if all, err := sequence.List(t.Context(), m); len(all) > 0 || err != nil {
		t.Errorf("the store has %v, %v", all, err)
	}
	for _, want := range []string{"INV/2026-27/001", "INV/2026-27/002"} {
		if text, err := drawIn(t, m, n.At(day(2026, 4, 1)), true); text != want || err != nil {
			t.Errorf("NextIn() = %q, %v, want %q", text, err, want)
		}
	}
}

// TestTransactionsOfPeriodsDontWaitForEachOther has a transaction that has drawn the first
// number of a scope's period, while another one draws that of another scope.
func TestTransactionsOfPeriodsDontWaitForEachOther(t *testing.T) {
	m := new(sequence.Memory)
	n := invoicesOf(m, sequence.WithGapFree())
	for _, scope := range []string{"a", "b"} { // the scopes exist
		if _, err := drawIn(t, m, n.For(scope).At(day(2025, 4, 1)), true); err != nil {
			t.Fatal(err)
		}
	}
	n = invoicesOf(m, sequence.WithGapFree()) // in a program that is new
	err := m.InTx(t.Context(), func(tx *sequence.Memory) error {
		if _, err := n.For("a").At(day(2026, 4, 1)).NextIn(t.Context(), m.Tx(tx)); err != nil {
			return err
		}
		for _, other := range []*sequence.Numbering{n.For("b").At(day(2026, 4, 1)), n.For("a").At(day(2027, 4, 1)), n.At(day(2026, 4, 1))} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := m.InTx(ctx, func(tx *sequence.Memory) error { _, err := other.NextIn(ctx, m.Tx(tx)); return err }); err != nil {
				return fmt.Errorf("%s: %w", other.Key(), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestDatesNeedNoClock has a store whose clock is years away.
func TestDatesNeedNoClock(t *testing.T) {
	for _, now := range []time.Time{day(1971, 1, 1), day(2026, 1, 1), day(9999, 1, 1), {}} {
		store := storeOf{clocked{new(sequence.Memory).Driver(), func() time.Time { return now }}}
		n := invoicesOf(store, sequence.WithClock(func() time.Time { return time.Time{} }), sequence.WithMaxLead(0))
		for _, want := range []string{"INV/2026-27/001", "INV/2026-27/002"} {
			if text, err := n.At(day(2026, 4, 1)).Next(t.Context()); text != want || err != nil {
				t.Errorf("Next() = %q, %v, want %q", text, err, want)
			}
		}
	}
}

// TestTakeOfANumberingIsConsecutive takes blocks while others draw.
func TestTakeOfANumberingIsConsecutive(t *testing.T) {
	m := new(sequence.Memory)
	clock := sequence.WithClock(at(2026, 11, 21))
	n, gapFree := sequence.NewNumbering(m, "n", "{2006}-{0000}", clock), sequence.NewNumbering(m, "gap-free", "{2006}-{0000}", clock, sequence.WithGapFree())
	takeIn := func(n *sequence.Numbering, count int64) (texts []string, err error) {
		err = m.InTx(t.Context(), func(tx *sequence.Memory) error {
			texts, err = n.TakeIn(t.Context(), m.Tx(tx), count)
			return err
		})
		return texts, err
	}
	for name, take := range map[string]func(int64) ([]string, error){
		"Take":         func(count int64) ([]string, error) { return n.Take(t.Context(), count) },
		"TakeIn":       func(count int64) ([]string, error) { return takeIn(gapFree, count) },
		"Take by date": func(count int64) ([]string, error) { return invoicesOf(m).At(day(2026, 4, 1)).Take(t.Context(), count) },
	} {
		if texts, err := take(3); err != nil || len(texts) != 3 || !strings.HasSuffix(texts[0], "001") || !strings.HasSuffix(texts[2], "003") {
			t.Errorf("%s(3) = %v, %v", name, texts, err)
		}
		for count, want := range map[int64]string{
			0:              "want at least 1 number",
			math.MinInt64:  "want at least 1 number",
			math.MaxInt64:  "want at most 1000000 numbers",
			1_000_001:      "want at most 1000000 numbers",
			9997:           "room for 9",
			1_000_000:      "room for 9",
			perPeriodOfRow: "want at most 1000000 numbers",
		} {
			texts, err := take(count)
			if texts != nil || err == nil || !strings.Contains(err.Error(), want) || strings.HasPrefix(want, "room") != errors.Is(err, sequence.ErrExhausted) {
				t.Errorf("%s(%d) = %v, %v, want %s", name, count, texts, err, want)
			}
		}
		if texts, err := take(2); err != nil || !strings.HasSuffix(texts[0], "004") { // the errors drew nothing
			t.Errorf("%s(2) = %v, %v", name, texts, err)
		}
	}
	if _, err := gapFree.Take(t.Context(), 2); err == nil || !strings.Contains(err.Error(), "the numbers are gap-free") {
		t.Errorf("Take of a gap-free numbering: %v", err)
	}
	drawn := newSet()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				texts, err := n.Take(t.Context(), int64(1+i%5))
				if err != nil {
					t.Error(err)
					return
				}
				if i%2 == 0 {
					text, err := n.Next(t.Context())
					if err != nil || !drawn.add(text) {
						t.Errorf("Next() = %q, %v, or it came twice", text, err)
					}
				}
				var before int64
				for _, text := range texts {
					_, serial, err := n.Parse(text)
					if err != nil || !drawn.add(text) || before != 0 && serial != before+1 {
						t.Errorf("Take() = %v, %v, or it came twice", texts, err)
					}
					before = serial
				}
			}
		})
	}
	wg.Wait()
}

// perPeriodOfRow is by how much the counts of two days differ.
const perPeriodOfRow = 1 << 40

// TestTakeStaysInOnePeriod takes a block while another program begins the next year.
func TestTakeStaysInOnePeriod(t *testing.T) {
	m := new(sequence.Memory)
	late := sequence.NewNumbering(m, "n", "{2006}-{00}", sequence.WithClock(at(2026, 12, 31)))
	early := sequence.NewNumbering(m, "n", "{2006}-{00}", sequence.WithClock(at(2027, 1, 1)), ahead)
	var got []string
	for _, n := range []*sequence.Numbering{late, early, late, early} {
		texts, err := n.Take(t.Context(), 40)
		if err != nil && !errors.Is(err, sequence.ErrExhausted) {
			t.Fatal(err)
		}
		if len(texts) > 0 {
			got = append(got, texts[0], texts[len(texts)-1])
		}
	}
	if want := []string{"2026-01", "2026-40", "2027-01", "2027-40", "2027-41", "2027-80"}; !slices.Equal(got, want) {
		t.Errorf("took %v, want %v", got, want)
	}
}

// TestRowsThatWereChangedByHandAreNoticedByDate moves the count of a period into the next one.
func TestRowsThatWereChangedByHandAreNoticedByDate(t *testing.T) {
	m := new(sequence.Memory)
	n := invoicesOf(m).At(day(2026, 4, 1))
	if _, err := n.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	row, _, err := m.Driver().Read(t.Context(), n.Key())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := m.Driver().Draw(t.Context(), driver.Draw{Key: n.Key(), Version: row.Version, N: 365 * perPeriodOfRow, Most: math.MaxInt64}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if text, err := n.Next(t.Context()); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("Next() = %q, %v, want ErrExhausted", text, err)
	}
}
