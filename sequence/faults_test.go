package sequence_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

// TestMaxLeadServesWhatFits has more callers at once than the lead allows stamps.
func TestMaxLeadServesWhatFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow()
		now := time.Now()
		store.Driver = clocked{store.Driver, func() time.Time { return now }}
		s := sequence.NewStamper(storeOf{store}, "k", sequence.WithMaxLead(2*time.Microsecond))
		var mu sync.Mutex
		stamps, refused := map[sequence.Stamp]bool{}, 0
		var wg sync.WaitGroup
		for range 350 {
			wg.Go(func() {
				stamp, err := s.Next(t.Context())
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					stamps[stamp] = true
				case errors.Is(err, sequence.ErrClockLead):
					refused++
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(stamps) != 300 || refused != 50 { // 100 in each of three microseconds
			t.Errorf("%d stamps, %d callers refused, want 300 and 50", len(stamps), refused)
		}
	})
}

// TestLeadOfCenturies has a clock that was ahead by more than a Duration holds.
func TestLeadOfCenturies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC)
		store := storeOf{clocked{new(sequence.Memory).Driver(), func() time.Time { return now }}}
		var leads []time.Duration
		s := sequence.NewStamper(store, "k", sequence.WithObserver(func(t sequence.Trip) { leads = append(leads, t.Lead) }))
		for _, now = range []time.Time{now, time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)} {
			if _, err := s.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if len(leads) != 2 || leads[0] != 0 || leads[1] != math.MaxInt64 {
			t.Errorf("leads %v, want 0 and the greatest Duration", leads)
		}
		limited := sequence.NewStamper(store, "k", sequence.WithMaxLead(time.Hour))
		if st, err := limited.Next(t.Context()); !errors.Is(err, sequence.ErrClockLead) || strings.Contains(err.Error(), " -") {
			t.Errorf("420 years ahead: %v, %v", st, err)
		}
	})
}

// crowded is a driver in a transaction whose rows are locked by others for a while. It shows
// its clock as it was before that.
type crowded struct {
	driver.Driver
	refuse *int // so many draws
}

func (c crowded) InTx() bool { return true }

func (c crowded) Read(ctx context.Context, key string) (driver.Row, bool, error) {
	now := time.Now()
	time.Sleep(time.Minute)
	row, ok, err := c.Driver.Read(ctx, key)
	row.Now = now
	return row, ok, err
}

func (c crowded) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	if *c.refuse--; *c.refuse >= 0 {
		return driver.Step{}, false, nil
	}
	return c.Driver.Draw(ctx, d)
}

// TestLongWaitForARowIsNoClockLead draws from a row that others lock for longer than a
// clock may be ahead.
func TestLongWaitForARowIsNoClockLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(sequence.Memory)
		n := sequence.NewNumbering(m, "n", "{2006}-{0}", sequence.WithGapFree())
		refuse := 2
		text, err := n.NextIn(t.Context(), storeOf{crowded{m.Driver(), &refuse}})
		if err != nil || !strings.HasSuffix(text, "-1") {
			t.Errorf("NextIn() = %q, %v", text, err)
		}
	})
}

// TestMemoryEndsDeadlocks has two transactions that draw from two keys in opposite orders.
func TestMemoryEndsDeadlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(sequence.Memory)
		keys := [2]*sequence.Sequence{}
		for i, key := range []string{"a", "b"} {
			keys[i] = sequence.New(m, key, cycling(99), sequence.WithGapFree())
		}
		var mu sync.Mutex
		runs, deadlocks := 0, 0
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				err := m.InTx(t.Context(), func(tx *sequence.Memory) error {
					mu.Lock()
					runs++
					mu.Unlock()
					if _, err := keys[i].NextIn(t.Context(), m.Tx(tx)); err != nil {
						return err
					}
					time.Sleep(time.Second)
					_, err := keys[1-i].NextIn(t.Context(), m.Tx(tx))
					if sequence.IsTransient(err) {
						mu.Lock()
						deadlocks++
						mu.Unlock()
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if runs != 3 || deadlocks != 1 {
			t.Errorf("%d runs of two transactions, %d deadlocks, want 3 and 1", runs, deadlocks)
		}
		for _, s := range keys {
			if st, err := s.State(t.Context()); err != nil || st.Last.Serial != 2 {
				t.Errorf("State() = %+v, %v, want two numbers drawn", st, err)
			}
		}
	})
}

// TestMemoryWaitEndsWithTheContext draws from a key that another transaction has locked.
func TestMemoryWaitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(sequence.Memory)
		s := sequence.New(m, "k", cycling(9), sequence.WithGapFree())
		draw := func(ctx context.Context, then func()) error {
			return m.InTx(ctx, func(tx *sequence.Memory) error {
				_, err := s.NextIn(ctx, m.Tx(tx))
				then()
				return err
			})
		}
		err := draw(t.Context(), func() {
			short, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			begin := time.Now()
			if err := draw(short, func() {}); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
				t.Errorf("after %v: %v", time.Since(begin), err)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestNilOfAnyKindIsAnError passes nil pointers, stores without a driver, and a driver that
// panics.
func TestNilOfAnyKindIsAnError(t *testing.T) {
	var m *sequence.Memory
	ctx := t.Context()
	for _, store := range []sequence.Store{m, storeOf{nil}} {
		_, err := sequence.New(store, "k", cycling(9)).Next(ctx)
		wantError(t, err, `sequence.Sequence.Next("k"): the store is nil`)
		_, err = sequence.NewStamper(store, "k").Next(ctx)
		wantError(t, err, `sequence.Stamper.Next("k"): the store is nil`)
		_, err = sequence.NewNumbering(store, "k", "{0}").For("s").Next(ctx)
		wantError(t, err, `sequence.Numbering.Next("k/s"): the store is nil`)
		_, err = sequence.New(new(sequence.Memory), "k", cycling(9), sequence.WithGapFree()).NextIn(ctx, store)
		wantError(t, err, `sequence.Sequence.NextIn("k"): the store is nil`)
		_, err = sequence.List(ctx, store)
		wantError(t, err, `sequence.List(): the store is nil`)
	}
	wantError(t, m.InTx(ctx, nil), `sequence.Memory.InTx(): the store is nil`)
	s := sequence.New(new(sequence.Memory), "k", cycling(9), sequence.WithGapFree())
	if _, err := s.NextIn(ctx, storeOf{inTx{}}); err == nil || !strings.Contains(err.Error(), "the store panicked: ") {
		t.Errorf("a driver that panics in a transaction: %v", err)
	}
}

// inTx is a driver without one.
type inTx struct{ driver.Driver }

func (inTx) InTx() bool { return true }

// TestScopesAreRememberedWhenNobodyHoldsThem restores a backup after a scope was forgotten.
func TestScopesAreRememberedWhenNobodyHoldsThem(t *testing.T) {
	primary, replica := new(sequence.Memory).Driver(), new(sequence.Memory).Driver()
	d := &switching{primary}
	// The observer is instead of a log, which would write into that of the next test.
	n := sequence.NewNumbering(storeOf{d}, "n", "{0}", sequence.WithObserver(func(sequence.Trip) {}))
	for i := range 5 {
		if _, err := n.For("shop").Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			copyTo(t, primary, replica, "n/shop")
		}
	}
	for n.Scopes() > 0 { // if the test hangs here, the scope is kept
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	d.Driver = replica
	if text, err := n.For("shop").Next(t.Context()); err != nil || text != "6" {
		t.Errorf("after the store went back from 5 to 1: %q, %v, want 6", text, err)
	}
	d.Driver = new(sequence.Memory).Driver()
	if text, err := n.For("shop").Next(t.Context()); !errors.Is(err, sequence.ErrNotFound) {
		t.Errorf("after the table was emptied: %q, %v, want ErrNotFound", text, err)
	}
}

// TestWaitsAreLoggedWithoutAnObserver has a store that doesn't answer for ten seconds.
func TestWaitsAreLoggedWithoutAnObserver(t *testing.T) {
	had := slog.Default()
	defer slog.SetDefault(had)
	for _, call := range []string{"Next", "Take"} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
			store := newSlow()
			s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99))
			store.trip = func(int) time.Duration { return 10 * time.Second }
			var err error
			if call == "Next" {
				_, err = s.Next(t.Context())
			} else {
				_, err = s.Take(t.Context(), 3)
			}
			synctest.Wait()
			line := `level=WARN msg="sequence: callers wait for the store" key=k callers=1 for=9s`
			if err != nil || !strings.Contains(log.String(), line) || strings.Count(log.String(), "\n") != 3 {
				t.Errorf("%s: %v, logged\n%s", call, err, &log)
			}
		})
	}
}

// advised is a driver whose draws are slow for a reason.
type advised struct{ driver.Driver }

func (a advised) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	s, ok, err := a.Driver.Draw(ctx, d)
	s.Warning = "a right is missing"
	return s, ok, err
}

// TestLossAndSlownessAreLoggedWithoutAnObserver has a store that goes back and warns.
func TestLossAndSlownessAreLoggedWithoutAnObserver(t *testing.T) {
	had := slog.Default()
	defer slog.SetDefault(had)
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		primary, replica := new(sequence.Memory).Driver(), new(sequence.Memory).Driver()
		d := &switching{advised{primary}}
		s := sequence.New(storeOf{d}, "k", cycling(99))
		wantNext(t, s, sequence.Number{Serial: 1, Ordinal: 1})
		copyTo(t, primary, replica, "k")
		for i := range int64(3) {
			wantNext(t, s, sequence.Number{Serial: 2 + i, Ordinal: 2 + i})
		}
		d.Driver = replica
		wantNext(t, s, sequence.Number{Serial: 5, Ordinal: 5})
		synctest.Wait()
		for _, line := range []string{`"sequence: draws are slow" key=k reason="a right is missing"`, `that the store lost" key=k lost=3`} {
			if strings.Count(log.String(), line) != 1 {
				t.Errorf("logged\n%s\nwant one line with %s", &log, line)
			}
		}
	})
}

// busy is a driver of a row from which others draw at every second step, which is refused.
type busy struct {
	driver.Driver
	steps, refused int
}

func (b *busy) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	if b.steps++; b.steps > b.refused {
		return b.Driver.Draw(ctx, d)
	}
	if b.steps%2 == 0 {
		d.N = 1
		if _, ok, err := b.Driver.Draw(ctx, d); !ok || err != nil {
			return driver.Step{}, false, err
		}
	}
	return driver.Step{}, false, nil
}

// TestARowThatOthersChangeIsNoSwallowedStep draws while others are faster. The server doesn't
// swallow the step then, although the row is often the same.
func TestARowThatOthersChangeIsNoSwallowedStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{Driver: new(sequence.Memory).Driver(), refused: 50}
		n, err := sequence.New(storeOf{b}, "k", sequence.Plan{First: 1, Last: 1000}).Next(t.Context())
		if err != nil || n.Serial != 26 {
			t.Errorf("Next() = %+v, %v, want the number after the 25 of others", n, err)
		}
	})
}
