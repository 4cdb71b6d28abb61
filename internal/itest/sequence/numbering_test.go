package sequence_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

func TestNumberings(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		now := time.Now().UTC()
		year := now.Format("2006")
		clock := sequence.WithClock(func() time.Time { return now })
		n := sequence.NewNumbering(s, "n", "INV-{2006}-{0000}", clock)
		next := func(n *sequence.Numbering, want string) {
			t.Helper()
			if text, err := n.Next(t.Context()); err != nil || text != want {
				t.Errorf("got %q, %v, want %s", text, err, want)
			}
		}
		next(n, "INV-"+year+"-0001")
		next(n, "INV-"+year+"-0002")
		next(n.For("shop7"), "INV-"+year+"-0001")
		if err := n.Advance(t.Context(), "INV-"+year+"-0123"); err != nil {
			t.Fatal(err)
		}
		next(n, "INV-"+year+"-0124")
		if err := n.Advance(t.Context(), "INV-"+year+"-0124"); err != nil { // it is there already
			t.Fatal(err)
		}
		now = now.AddDate(-1, 0, 0) // a clock that is behind doesn't open the old year again
		next(n, "INV-"+year+"-0125")
		now = time.Now().AddDate(1, 0, 0)
		if text, err := n.Next(t.Context()); !errors.Is(err, sequence.ErrClockLead) {
			t.Errorf("a year ahead: %q, %v", text, err)
		}
		if text, err := n.For("new").Next(t.Context()); !errors.Is(err, sequence.ErrClockLead) {
			t.Errorf("a year ahead, at the first number: %q, %v", text, err)
		}
		now = time.Now()
		if text, err := sequence.NewNumbering(s, "n", "{200601}-{0+}", clock).Next(t.Context()); !errors.Is(err, sequence.ErrConflict) || !strings.HasSuffix(err.Error(), `it is a numbering of the kind "year", not "month"`) {
			t.Errorf("another period: %q, %v", text, err)
		}
		if _, err := s.Take(t.Context(), "n", 1); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("drawn from as a sequence: %v", err)
		}
		if err := s.Create(t.Context(), "n", sequence.Plan{First: 1, Last: 9}); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("created as a sequence: %v", err)
		}
		create(t, s, 1, 9)
		if text, err := sequence.NewNumbering(s, "k", "{0+}").Next(t.Context()); !errors.Is(err, sequence.ErrConflict) || !strings.HasSuffix(err.Error(), "it was made by Create: use another name") {
			t.Errorf("a sequence as a numbering: %q, %v", text, err)
		}
		next(n, "INV-"+year+"-0126")
	})
}

// TestFirstNumberIsDrawnOnce has many programs draw the first numbers of a key at once.
func TestFirstNumberIsDrawnOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		for _, scope := range []string{"a", "b", "c"} {
			var mu sync.Mutex
			seen := map[string]bool{}
			var wg sync.WaitGroup
			for range 10 {
				n := sequence.NewNumbering(s, "n", "{00}").For(scope)
				wg.Go(func() {
					text, err := n.Next(t.Context())
					mu.Lock()
					defer mu.Unlock()
					if err != nil || seen[text] {
						t.Errorf("%q, %v", text, err)
					}
					seen[text] = true
				})
			}
			wg.Wait()
			if !seen["01"] || !seen["10"] || len(seen) != 10 {
				t.Errorf("numbers %v", seen)
			}
		}
	})
}
