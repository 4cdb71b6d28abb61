package sequence_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// TestEachKindDrawsOnEachStore draws numbers, stamps and documents, looks at them and
// moves them.
func TestEachKindDrawsOnEachStore(t *testing.T) {
	onEach(t, func(t *testing.T, p place, s opened) {
		ctx := t.Context()
		tickets := sequence.New(s, "tickets", cycling(3))
		for i := range int64(5) {
			want := sequence.Number{Serial: 1 + i%3, Cycle: i / 3, Ordinal: 1 + i}
			if n, err := tickets.Next(ctx); n != want || err != nil {
				t.Errorf("Next() = %+v, %v, want %+v", n, err, want)
			}
		}
		b, err := tickets.Take(ctx, 4)
		if err != nil || len(b) != 4 || b[3].Ordinal != 9 {
			t.Errorf("Take(4) = %v, %v", b, err)
		}
		ended := sequence.New(s, "ended", sequence.Plan{First: 7, Last: 8})
		for _, want := range []int64{7, 8, 0} {
			n, err := ended.Next(ctx)
			if n.Serial != want || (want == 0) != errors.Is(err, sequence.ErrExhausted) {
				t.Errorf("Next() = %v, %v, want serial %d", n, err, want)
			}
		}
		stamper := sequence.NewStamper(s, "stamps")
		var last sequence.Stamp
		for range 20 {
			st, err := stamper.Next(ctx)
			if err != nil || st.Compare(last) <= 0 || time.Since(st.Tick).Abs() > time.Minute {
				t.Errorf("stamp %v after %v, %v", st, last, err)
			}
			last = st
		}
		invoices := sequence.NewNumbering(s, "invoices", "INV-{2006}-{000}").For("shop7")
		year := time.Now().UTC().Year()
		for i := range 3 {
			want := fmt.Sprintf("INV-%d-%03d", year, i+1)
			if text, err := invoices.Next(ctx); text != want || err != nil {
				t.Errorf("Next() = %q, %v, want %q", text, err, want)
			}
		}
		if err := invoices.AdvanceTo(ctx, fmt.Sprintf("INV-%d-998", year)); err != nil {
			t.Error(err)
		}
		for _, want := range []string{fmt.Sprintf("INV-%d-999", year), ""} {
			text, err := invoices.Next(ctx)
			if text != want || (want == "") != errors.Is(err, sequence.ErrExhausted) {
				t.Errorf("Next() = %q, %v, want %q", text, err, want)
			}
		}
		all, err := sequence.List(ctx, s)
		var meanings []string
		for _, st := range all {
			meanings = append(meanings, st.Key+": "+st.Meaning)
		}
		want := []string{"ended: 7..8", "invoices/shop7: yearly in UTC", "stamps: stamps of 100 per 1us", "tickets: 1..3 cycling"}
		if err != nil || !slices.Equal(meanings, want) {
			t.Errorf("List() = %q, %v, want %q", meanings, err, want)
		}
	})
}

// numbers collects numbers that must not come twice.
type numbers struct {
	mu       sync.Mutex
	texts    map[string]bool
	ordinals map[int64]bool
}

func newNumbers() *numbers { return &numbers{texts: map[string]bool{}, ordinals: map[int64]bool{}} }

func (n *numbers) add(t *testing.T, got sequence.Number) {
	n.addText(t, fmt.Sprint(got.Serial, " of cycle ", got.Cycle))
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ordinals[got.Ordinal] {
		t.Errorf("ordinal %d came twice", got.Ordinal)
	}
	n.ordinals[got.Ordinal] = true
}

func (n *numbers) addText(t *testing.T, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.texts[text] {
		t.Errorf("%s came twice", text)
	}
	n.texts[text] = true
}

// TestPlanChangesWhileOthersDraw rolls out a new plan, in programs that start in random
// order and draw all the time.
func TestPlanChangesWhileOthersDraw(t *testing.T) {
	onEach(t, func(t *testing.T, p place, s opened) {
		for round := range 3 {
			key := fmt.Sprint("k", round)
			from, to := cycling(int64(5+round)), cycling(int64(9-3*round))
			if _, err := sequence.New(s, key, from).Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			drawn := newNumbers()
			var wg sync.WaitGroup
			for _, program := range rand.Perm(6) {
				wg.Go(func() {
					plan := from
					if program%2 == 1 {
						plan = to
					}
					seq := sequence.New(s, key, plan)
					if plan == to {
						if err := seq.Resize(t.Context(), from); err != nil {
							t.Error(err)
							return
						}
					}
					for range 15 {
						n, err := seq.Next(t.Context())
						if err != nil {
							t.Error(err)
							return
						}
						drawn.add(t, n)
					}
				})
			}
			wg.Wait()
			if st, err := sequence.New(s, key, to).State(t.Context()); err != nil || st.Plan != to {
				t.Errorf("in the end the plan is %v, %v, want %v", st.Plan, err, to)
			}
		}
	})
}

// TestGapFreeNumbersHaveNoGaps has writers that roll back. The numbers that were committed
// are 1, 2, 3, … in the order of the commits.
func TestGapFreeNumbersHaveNoGaps(t *testing.T) {
	onEachWithTransactions(t, func(t *testing.T, p place, s opened) {
		seq := sequence.New(s, "position", sequence.Plan{First: 1, Last: 1 << 40}, sequence.WithGapFree())
		invoices := sequence.NewNumbering(s, "invoices", "{2006}-{0+}", sequence.WithGapFree())
		changed := errors.New("changed their mind")
		var mu sync.Mutex
		var positions []int64
		var texts []string
		var wg sync.WaitGroup
		const writers, each = 8, 15
		for range writers {
			wg.Go(func() {
				for done := 0; done < each; {
					var got []int64
					var text string
					err := s.inTx(t.Context(), func(tx sequence.Store, _ func(string) error) error {
						b, err := seq.TakeIn(t.Context(), tx, 1+rand.Int64N(3))
						if err != nil {
							return err
						}
						got = got[:0]
						for _, n := range b {
							got = append(got, n.Serial)
						}
						if text, err = invoices.NextIn(t.Context(), tx); err != nil {
							return err
						}
						if rand.IntN(3) == 0 {
							return changed
						}
						return nil
					})
					switch {
					case err == nil:
						mu.Lock()
						positions, texts = append(positions, got...), append(texts, text)
						mu.Unlock()
						done++
					case err != changed:
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		slices.Sort(positions)
		for i, n := range positions {
			if n != int64(i)+1 {
				t.Fatalf("position %d is %d: a gap or a repeat", i+1, n)
			}
		}
		slices.SortFunc(texts, func(a, b string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		})
		for i, text := range texts {
			if _, number, _ := strings.Cut(text, "-"); number != fmt.Sprint(i+1) {
				t.Fatalf("invoice %d is %s: a gap or a repeat", i+1, text)
			}
		}
		if len(texts) != writers*each {
			t.Errorf("%d invoices, want %d", len(texts), writers*each)
		}
	})
}

// TestFirstNumbersOfAKeyAreDrawnByManyTransactions draws from keys that nobody has made.
func TestFirstNumbersOfAKeyAreDrawnByManyTransactions(t *testing.T) {
	onEachWithTransactions(t, func(t *testing.T, p place, s opened) {
		for round := range 10 {
			drawn := newNumbers()
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					seq := sequence.New(s, fmt.Sprint("k", round), cycling(99), sequence.WithGapFree())
					var n sequence.Number
					err := s.inTx(t.Context(), func(tx sequence.Store, _ func(string) error) (err error) {
						n, err = seq.NextIn(t.Context(), tx)
						return err
					})
					if err != nil {
						t.Error(err)
						return
					}
					drawn.add(t, n)
				})
			}
			wg.Wait()
			if len(drawn.ordinals) != 8 || !drawn.ordinals[1] || !drawn.ordinals[8] {
				t.Errorf("drew %v, want 1 to 8", drawn.ordinals)
			}
		}
	})
}

// TestEmptiedTableIsNew empties the table: new programs begin anew, and one that has drawn
// refuses.
func TestEmptiedTableIsNew(t *testing.T) {
	onEach(t, func(t *testing.T, p place, s opened) {
		old := sequence.New(s, "k", cycling(99))
		if _, err := old.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.empty(t)
		if err := s.migrate(t.Context()); err != nil {
			t.Errorf("Migrate of an emptied table: %v", err)
		}
		if n, err := old.Next(t.Context()); !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("a program that has drawn: %v, %v, want ErrNotFound", n, err)
		}
		if n, err := sequence.New(s, "k", cycling(99), sequence.WithExisting()).Next(t.Context()); !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("WithExisting: %v, %v, want ErrNotFound", n, err)
		}
		if n, err := sequence.New(s, "k", cycling(99)).Next(t.Context()); n.Ordinal != 1 || err != nil {
			t.Errorf("a new program: %v, %v, want ordinal 1", n, err)
		}
		if n, err := old.Next(t.Context()); !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("a program that has drawn from another life of the key: %v, %v, want ErrNotFound", n, err)
		}
	})
}

// TestStoresOfPostgreSQLShareATable has each store make a table that both then draw from.
func TestStoresOfPostgreSQLShareATable(t *testing.T) {
	t.Parallel()
	for _, maker := range []string{"postgres", "sql postgres"} {
		t.Run(maker, func(t *testing.T) {
			t.Parallel()
			p := shared["postgres"](t)
			pg, sql := p.store(t), place{Kind: "sql postgres", URI: p.URI}.store(t)
			stores := map[string]opened{"postgres": pg, "sql postgres": sql}
			if err := stores[maker].migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			for kind, s := range stores {
				if err := s.migrate(t.Context()); err != nil {
					t.Errorf("Migrate of %s on the table of %s: %v", kind, maker, err)
				}
				key := "made by " + kind
				ordinal := int64(0)
				for range 3 {
					for _, drawing := range stores {
						ordinal++
						n, err := sequence.New(drawing, key, cycling(9)).Next(t.Context())
						if n.Ordinal != ordinal || err != nil {
							t.Errorf("Next() = %v, %v, want ordinal %d", n, err, ordinal)
						}
					}
				}
				stamps := sequence.NewStamper(s, "stamps "+kind)
				if _, err := stamps.Next(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
