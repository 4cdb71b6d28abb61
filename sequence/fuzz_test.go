package sequence_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

// A document is what Parse returns.
type document struct {
	Period time.Time
	Serial int64
}

func parse(n *sequence.Numbering, text string) (d document, err error) {
	d.Period, d.Serial, err = n.Parse(text)
	return d, err
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
			m := new(sequence.Memory)
			return m, sequence.NewNumbering(m, "n", pattern, sequence.WithMaxLead(math.MaxInt64), sequence.WithClock(func() time.Time { return now }))
		}
		skip := func(m *sequence.Memory, serials int64) {
			row, ok, err := m.Driver().Read(t.Context(), "n")
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if _, ok, err := m.Driver().Draw(t.Context(), driver.Draw{Key: "n", Version: row.Version, N: max(serials, 0), Most: math.MaxInt64}); err != nil || !ok {
				t.Fatal(ok, err)
			}
		}
		// {06} says which of the years 2000 to 2099 it is.
		now := time.Date(2000, 1, 1+int(day)%36524, 12, 0, 0, 0, time.UTC)
		m, n := numbering(now)
		one, err := n.Next(t.Context())
		d, parseErr := parse(n, text)
		if parseErr != nil && d != (document{}) {
			t.Fatalf("%q: read %q as %v with %v", pattern, text, d, parseErr)
		}
		if err != nil {
			if parseErr == nil || one != "" {
				t.Fatalf("%q: drew %q, %v, read %q as %v", pattern, one, err, text, d)
			}
			return
		}
		first, err := parse(n, one)
		if err != nil || first.Serial != 1 || first.Period.After(now) || !first.Period.IsZero() && now.Sub(first.Period) > 366*24*time.Hour {
			t.Fatalf("%q: drew %q at %v, which is %v, %v", pattern, one, now, first, err)
		}
		more = int64(uint64(more) % (1<<40 - 2))
		skip(m, more)
		two, err := n.Next(t.Context())
		if err == nil {
			second, err := parse(n, two)
			if err != nil || second != (document{Period: first.Period, Serial: 2 + more}) || len(two) == len(one) && two <= one {
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

// A Meaning that is read prints as itself.
func FuzzMeaning(f *testing.F) {
	for _, meaning := range []string{"1..99", "1..99 cycling", "-5..5, gap-free", "1..199 cycling, gap-free, was 1..99", "1..9, was 1..5, becoming 1..20", "0..0", "1..9 ", "+1..9", "1..9, , was 1..2"} {
		f.Add(meaning)
	}
	f.Fuzz(func(t *testing.T, meaning string) {
		p, again, ok := sequence.ParsePlan(meaning)
		if ok && (again != meaning || p.Validate() != nil) {
			t.Fatalf("%q is read as %v, which prints as %q", meaning, p, again)
		}
	})
}
