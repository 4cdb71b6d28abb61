package sequence_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// A layout that is accepted gives each stamp a text of its own, of one length, in the
// order of the stamps, which is read back.
func FuzzLayout(f *testing.F) {
	for _, layout := range []string{"20060102150405000000", "20060102150405", "2006-01-02T15:04:05.", "2006-01-02T15:04:05.000", "Order 2006002.150405.00",
		"2006-01-_2T15:04:05.", "2006__2150405", "060102150405", "2006Jan02150405", "200601020304050", "2006-01-02T15:04:05Z07:00", "20060102150405.000Z",
		"2006-01-02 Mon 15:04:05.000", "200601021504052006"} {
		f.Add(layout, int64(100), int64(1772366400_123456), int64(1772366400_123457), 7, "2026112009311512345607")
	}
	f.Add("2006-01-_2T15:04:05.", int64(100), int64(1), int64(2), 7, "2026-11-02T09:31:15.07")
	f.Add("2006-01-02T15:04:05-07", int64(100), int64(1), int64(2), 7, "2026-11-02T10:31:15+0107")
	f.Add("02.01.2006 15:04:05", int64(100), time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC).UnixMicro(), time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).UnixMicro(), 7, "")
	f.Fuzz(func(t *testing.T, layout string, width, first, second int64, serial int, text string) {
		if len(layout) > 200 { // the developer writes it
			return
		}
		m := sequence.NewMemory()
		create(t, m, "k", sequence.Plan{Last: 1})
		s := sequence.NewStamper(m, "k", sequence.WithLayout(layout), sequence.WithWidth(width), sequence.WithMaxLead(1<<62),
			sequence.WithClock(func() time.Time { return time.UnixMicro(1772366400_123456) }))
		drawn, err := s.Next(t.Context())
		st, parseErr := s.Parse(text)
		if err != nil {
			if parseErr == nil || drawn != (sequence.Stamp{}) || st != (sequence.Stamp{}) {
				t.Fatalf("%q, %d: drew %v, %v, read %v, %v", layout, width, drawn, err, st, parseErr)
			}
			return
		}
		if parseErr == nil && st.String() != text {
			t.Fatalf("%q, %d: read %q as %v", layout, width, text, st)
		}
		if parseErr != nil && st != (sequence.Stamp{}) {
			t.Fatalf("%q, %d: read %q as %v with %v", layout, width, text, st, parseErr)
		}
		state, err := m.State(t.Context(), "k")
		if err != nil || state.Width != width || state.Stamp.Compare(drawn) != 0 {
			t.Fatalf("%q, %d: state %+v, %v after %v", layout, width, state, err, drawn)
		}
		// Any two stamps from 1970 to 2200 that it may make.
		last := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
		a, b := drawn, drawn
		for at, st := range map[int64]*sequence.Stamp{first: &a, second: &b} {
			st.Tick = time.UnixMicro(int64(uint64(at) % uint64(last))).UTC().Truncate(state.Tick)
			st.Serial = int(uint64(serial) % uint64(width))
		}
		b.Serial = int(uint64(b.Serial+1) % uint64(width))
		if got, want := strings.Compare(a.String(), b.String()), a.Compare(b); got != want || len(a.String()) != len(b.String()) {
			t.Fatalf("%q, %d: the texts %q and %q compare as %d, the stamps as %d", layout, width, a, b, got, want)
		}
		for _, st := range []sequence.Stamp{a, b, drawn} {
			back, err := s.Parse(st.String())
			if err != nil || back != st {
				t.Fatalf("%q, %d: %q came back as %v, %v", layout, width, st, back, err)
			}
			back = drawn
			if err := back.UnmarshalText([]byte(st.String())); err != nil || back != st {
				t.Fatalf("%q, %d: %q came back as text %v, %v", layout, width, st, back, err)
			}
		}
	})
}

// A pattern that is accepted counts from 1 in each period. Parse reads what Next
// returns, and nothing else.
func FuzzNumbering(f *testing.F) {
	for _, pattern := range []string{"INV-{2006}-{00000}", "{06}{01}-{000}", "{20060102}/{0+}", "{2006}.{002}.{00}", "{2006-01}#{0+}", "R{000}", "{0+}{2006}",
		"{000+}{20060102}", "A{0+}7{2006}", "{02}{01}{06}{0}", "{2006}{06}{0+}", "{2006}{2006}{00}", "{}", "{0}{0}", "{01}{0}", "{02}{2006}{0}", "}{0}", "{0", "{00000000000000000000000}"} {
		f.Add(pattern, uint16(9800), int64(5), "INV-2026-00001")
	}
	f.Add("{06}{01}-{000}", uint16(0), int64(997), "2611-001")
	f.Add("INV-{2006}-{00000}", uint16(0), int64(0), "INV-9999-99999") // far ahead of every clock
	f.Fuzz(func(t *testing.T, pattern string, day uint16, more int64, text string) {
		if len(pattern) > 200 { // the developer writes it
			return
		}
		numbering := func(now time.Time) (*sequence.Memory, *sequence.Numbering) {
			m := sequence.NewMemory()
			return m, sequence.NewNumbering(m, "n", pattern, sequence.WithMaxLead(math.MaxInt64), sequence.WithClock(func() time.Time { return now }))
		}
		skip := func(m *sequence.Memory, n int64) {
			st, err := m.State(t.Context(), "n")
			if err == nil && n > 0 {
				_, err = m.TakeNumbers(t.Context(), "n", sequence.NumberDraw{N: n, Kind: st.Numbering, MaxLead: math.MaxInt64})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		// {06} says which of the years 2000 to 2099 it is.
		now := time.Date(2000, 1, 1+int(day)%36524, 12, 0, 0, 0, time.UTC)
		m, n := numbering(now)
		one, err := n.Next(t.Context())
		d, parseErr := n.Parse(text)
		if parseErr != nil && d != (sequence.Document{}) {
			t.Fatalf("%q: read %q as %v with %v", pattern, text, d, parseErr)
		}
		if err != nil {
			if parseErr == nil || one != "" {
				t.Fatalf("%q: drew %q, %v, read %q as %v", pattern, one, err, text, d)
			}
			return
		}
		first, err := n.Parse(one)
		if err != nil || first.Serial != 1 || first.Period.After(now) || !first.Period.IsZero() && now.Sub(first.Period) > 366*24*time.Hour {
			t.Fatalf("%q: drew %q at %v, which is %v, %v", pattern, one, now, first, err)
		}
		more = int64(uint64(more) % (1<<40 - 2))
		skip(m, more)
		two, err := n.Next(t.Context())
		if err == nil {
			second, err := n.Parse(two)
			if err != nil || second != (sequence.Document{Period: first.Period, Serial: 2 + more}) || len(two) == len(one) && two <= one {
				t.Fatalf("%q: after %q and %d more came %q, which is %v, %v", pattern, one, more, two, second, err)
			}
		} else if !errors.Is(err, sequence.ErrExhausted) {
			t.Fatalf("%q: after %q and %d more: %v", pattern, one, more, err)
		}

		// Next draws in its period exactly the number that was read.
		if parseErr != nil {
			return
		}
		if d.Period.IsZero() {
			d.Period = now
		}
		m, n = numbering(d.Period)
		if _, err := n.Next(t.Context()); err != nil {
			t.Fatalf("%q: read %q as %v, when no number is drawn: %v", pattern, text, d, err)
		}
		if d.Serial == 1 {
			_, n = numbering(d.Period)
		} else {
			skip(m, d.Serial-2)
		}
		if again, err := n.Next(t.Context()); err != nil || again != text {
			t.Fatalf("%q: read %q as %v, which is drawn as %q, %v", pattern, text, d, again, err)
		}
	})
}

// Whatever a store holds, a state says how many numbers are left, and the next ones are
// of the plan. The serials are compared with big integers, which don't wrap.
func FuzzState(f *testing.F) {
	f.Add(int64(1), int64(9999), false, int64(0), int64(5), int64(3), int64(1), int64(20000), true)
	f.Add(int64(0), int64(math.MaxInt64), true, int64(7), int64(7), int64(1), int64(0), int64(99), false)
	f.Add(int64(5), int64(7), true, int64(2), int64(13), int64(4), int64(5), int64(9), true)
	f.Add(int64(math.MinInt64), int64(math.MaxInt64), true, int64(0), int64(math.MaxInt64), int64(1), int64(1), int64(math.MaxInt64), true)
	f.Fuzz(func(t *testing.T, first, last int64, cycle bool, base, drawn, n, newFirst, newLast int64, goOn bool) {
		p := sequence.Plan{First: first, Last: last, Cycle: cycle}
		b, err := sequence.NewBlock(p, base, drawn, n)
		if p.Validate() != nil {
			if err == nil {
				t.Fatalf("a block of plan %v", p)
			}
			return
		}
		if err == nil {
			if int64(b.Len()) != n {
				t.Fatalf("%d numbers, want %d", b.Len(), n)
			}
			for _, i := range []int{0, b.Len() / 2, b.Len() - 1} {
				checkNumber(t, p, base, drawn-n+1+int64(i), b.At(i))
			}
		}
		if base < 0 || drawn < base || !cycle && drawn-base > p.Size() {
			return // no store says this
		}
		s := sequence.State{Key: "k", Plan: p, Base: base, Last: drawn}
		left := s.Left()
		next, err := s.Next()
		if (err == nil) != (left > 0) || left < 0 {
			t.Fatalf("%+v: %d left, next %v, %v", s, left, next, err)
		}
		if err == nil {
			checkNumber(t, p, base, drawn+1, next)
		}
		advanced, err := s.Advanced(n)
		if err == nil && (advanced.Last != max(drawn, n) || n > drawn && n-drawn > left) || err != nil && (advanced != s || n >= 0 && n <= drawn) {
			t.Fatalf("%+v advanced to %d: %+v, %v", s, n, advanced, err)
		}
		var opts []sequence.ResizeOption
		if goOn {
			opts = append(opts, sequence.GoOn)
		}
		q := sequence.Plan{First: newFirst, Last: newLast, Cycle: cycle}
		resized, err := s.Resized(q, opts...)
		if err != nil {
			if resized != s {
				t.Fatalf("%+v resized to %v: %+v, %v", s, q, resized, err)
			}
			return
		}
		if resized.Plan != q || resized.Last != drawn || resized.Base < 0 || resized.Base > drawn || resized.Accepts(q) != nil || resized.Accepts(p) != nil {
			t.Fatalf("%+v resized to %v: %+v", s, q, resized)
		}
		if after, err := resized.Next(); err == nil {
			checkNumber(t, q, resized.Base, drawn+1, after)
			if !goOn && after.Serial != newFirst {
				t.Fatalf("%+v resized to %v: starts over at %v", s, q, after)
			}
		}
	})
}

// checkNumber compares a number with arithmetic that doesn't wrap.
func checkNumber(t *testing.T, p sequence.Plan, base, ordinal int64, got sequence.Number) {
	t.Helper()
	size := new(big.Int).Sub(big.NewInt(p.Last), big.NewInt(p.First))
	size.Add(size, big.NewInt(1))
	before := new(big.Int).Sub(big.NewInt(ordinal-1), big.NewInt(base))
	cycle, serial := new(big.Int).DivMod(before, size, new(big.Int))
	serial.Add(serial, big.NewInt(p.First))
	cycle.Add(cycle, big.NewInt(base))
	want := sequence.Number{Serial: serial.Int64(), Cycle: cycle.Int64(), Ordinal: ordinal}
	if got != want || got.Serial < p.First || got.Serial > p.Last {
		t.Fatalf("number %d of plan %v from %d is %+v, want %+v", ordinal, p, base, got, want)
	}
}
