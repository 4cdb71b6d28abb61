package sequence_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

var errBack = errors.New("rolled back")

// drawIn draws a number in a transaction of m, which ends as told.
func drawIn(t *testing.T, m *sequence.Memory, n *sequence.Numbering, commit bool) (text string, err error) {
	t.Helper()
	txErr := m.InTx(t.Context(), func(tx *sequence.Memory) error {
		if text, err = n.NextIn(t.Context(), m.Tx(tx)); err == nil && !commit {
			return errBack
		}
		return err
	})
	if err == nil && !commit && txErr != errBack {
		t.Error(txErr)
	}
	return text, err
}

func TestTransactionOfAnotherStoreIsRefused(t *testing.T) {
	a, b := new(sequence.Memory), new(sequence.Memory)
	n := sequence.NewNumbering(a, "n", "{0+}", sequence.WithGapFree())
	err := b.InTx(t.Context(), func(tx *sequence.Memory) error {
		_, err := n.NextIn(t.Context(), b.Tx(tx))
		return err
	})
	for _, m := range []*sequence.Memory{a, b} {
		if name := m.Driver().Place().Name; err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("NextIn in a transaction of another store = %v, want an error that names %s", err, name)
		}
		if all, err := sequence.List(t.Context(), m); err != nil || len(all) != 0 {
			t.Errorf("a store has %v, %v, want no key", all, err)
		}
	}
}

func TestGapFreeKeyThatWasMadeAgainIsNotFound(t *testing.T) {
	for name, opts := range map[string][]sequence.Option{"": nil, "WithExisting": {sequence.WithExisting()}} {
		t.Run(name, func(t *testing.T) {
			m := new(sequence.Memory)
			n := sequence.NewNumbering(m, "n", "{0+}", append(opts, sequence.WithGapFree())...)
			if err := n.AdvanceTo(t.Context(), "0"); err != nil {
				t.Fatal(err)
			}
			fresh := sequence.NewNumbering(m, "n", "{0+}", append(opts, sequence.WithGapFree())...)
			for _, n := range []*sequence.Numbering{fresh, n} {
				if _, err := drawIn(t, m, n, true); err != nil {
					t.Fatal(err)
				}
			}
			sequence.Forget(m, "n")
			for _, n := range []*sequence.Numbering{n, fresh} {
				if text, err := drawIn(t, m, n, true); !errors.Is(err, sequence.ErrNotFound) {
					t.Errorf("the key was deleted: NextIn = %s, %v", text, err)
				}
			}
			other := sequence.NewNumbering(m, "n", "{0+}", sequence.WithGapFree())
			if text, err := drawIn(t, m, other, true); text != "1" || err != nil {
				t.Fatal(text, err)
			}
			for _, n := range []*sequence.Numbering{n, fresh} {
				if text, err := drawIn(t, m, n, true); !errors.Is(err, sequence.ErrNotFound) {
					t.Errorf("another program made the key again: NextIn = %s, %v", text, err)
				}
			}
		})
	}
}

// A key that a transaction made and took back was never there. So it is made again.
func TestGapFreeKeyThatWasNeverCommittedIsMadeAgain(t *testing.T) {
	m := new(sequence.Memory)
	n := sequence.NewNumbering(m, "n", "{0+}", sequence.WithGapFree())
	for range 3 {
		if text, err := drawIn(t, m, n, false); text != "1" || err != nil {
			t.Errorf("after a rollback of the first draw: %s, %v, want 1", text, err)
		}
	}
	if text, err := drawIn(t, m, n, true); text != "1" || err != nil {
		t.Errorf("%s, %v, want 1", text, err)
	}
}

func TestScopesAreMadeWhileTheNumberingExists(t *testing.T) {
	m := new(sequence.Memory)
	n := sequence.NewNumbering(m, "n", "{0+}", sequence.WithExisting(), sequence.WithGapFree())
	open := sequence.NewNumbering(m, "open", "{2006}-{0+}", sequence.WithExisting())
	for name, draw := range map[string]func() (string, error){
		"NextIn": func() (string, error) { return drawIn(t, m, n.For("a"), true) },
		"Next":   func() (string, error) { return open.For("a").For("b").Next(t.Context()) },
	} {
		if text, err := draw(); !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("%s of a scope whose numbering doesn't exist: %s, %v", name, text, err)
		}
	}
	year := time.Now().UTC().Format("2006")
	if err := errors.Join(n.AdvanceTo(t.Context(), "0"), open.AdvanceTo(t.Context(), year+"-0")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if text, err := drawIn(t, m, n.For("new"), false); text != "1" || err != nil {
			t.Errorf("NextIn of a new scope: %s, %v", text, err)
		}
	}
	if text, err := open.For("a").For("b").Next(t.Context()); text != year+"-1" || err != nil {
		t.Errorf("Next of a new scope: %s, %v", text, err)
	}
	if text, err := open.Next(t.Context()); text != year+"-1" || err != nil {
		t.Errorf("Next after AdvanceTo with the number 0: %s, %v", text, err)
	}
	s := sequence.New(m, "open/x", sequence.Plan{Last: 9}, sequence.WithExisting())
	if _, err := s.Next(t.Context()); !errors.Is(err, sequence.ErrNotFound) {
		t.Errorf("a Sequence whose key has a / is no scope: %v", err)
	}
	if err := s.AdvanceTo(t.Context(), 3); err != nil {
		t.Errorf("AdvanceTo of a missing key: %v", err)
	}
}

// swallows is a driver whose server makes no step, and counts what it is asked.
type swallows struct {
	driver.Driver
	put   bool // no row either
	asked atomic.Int64
}

func (s *swallows) Draw(context.Context, driver.Draw) (driver.Step, bool, error) {
	s.asked.Add(1)
	return driver.Step{}, false, nil
}

func (s *swallows) Put(ctx context.Context, r driver.Row, was int64) (bool, error) {
	s.asked.Add(1)
	if s.put || was != 0 {
		return false, nil
	}
	return s.Driver.Put(ctx, r, was)
}

func (s *swallows) Read(ctx context.Context, key string) (driver.Row, bool, error) {
	s.asked.Add(1)
	return s.Driver.Read(ctx, key)
}

func TestStepThatTheServerSwallowsIsAPermanentError(t *testing.T) {
	for name, call := range map[string]func(context.Context, *swallows) error{
		"Next": func(ctx context.Context, s *swallows) error {
			_, err := sequence.New(storeOf{s}, "k", cycling(9)).Next(ctx)
			return err
		},
		"AdvanceToOrdinal": func(ctx context.Context, s *swallows) error {
			return sequence.New(storeOf{s}, "k", cycling(9)).AdvanceToOrdinal(ctx, 5)
		},
		"Resize": func(ctx context.Context, s *swallows) error {
			return sequence.New(storeOf{s}, "k", cycling(99)).Resize(ctx, cycling(9))
		},
		"Next without a row": func(ctx context.Context, s *swallows) error {
			s.put = true
			_, err := sequence.New(storeOf{s}, "other", cycling(9)).Next(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := new(sequence.Memory)
				if _, err := sequence.New(m, "k", cycling(9)).Next(t.Context()); err != nil {
					t.Fatal(err)
				}
				s := &swallows{Driver: m.Driver()}
				begin := time.Now()
				err := call(t.Context(), s)
				if err == nil || sequence.IsTransient(err) || !strings.Contains(err.Error(), "row level security, a trigger or a rule") {
					t.Errorf("error %v", err)
				}
				if n := s.asked.Load(); n > 50 || time.Since(begin) > 2*time.Second {
					t.Errorf("%d statements in %v, want at most 50 in 2s", n, time.Since(begin))
				}
			})
		})
	}
}

// away is a driver whose server is away for the first calls.
type away struct {
	driver.Driver
	calls atomic.Int64
}

func (a *away) fail() error {
	if a.calls.Add(1) <= 5 {
		return errLost
	}
	return nil
}

func (a *away) Transient(err error) bool { return errors.Is(err, errLost) }

func (a *away) Read(ctx context.Context, key string) (driver.Row, bool, error) {
	if err := a.fail(); err != nil {
		return driver.Row{}, false, err
	}
	return a.Driver.Read(ctx, key)
}

func (a *away) List(ctx context.Context) ([]driver.Row, error) {
	if err := a.fail(); err != nil {
		return nil, err
	}
	return a.Driver.List(ctx)
}

func (a *away) Put(ctx context.Context, r driver.Row, was int64) (bool, error) {
	if err := a.fail(); err != nil {
		return false, err
	}
	return a.Driver.Put(ctx, r, was)
}

func TestStateListAndResizeWaitForTheServer(t *testing.T) {
	for name, call := range map[string]func(context.Context, sequence.Store) error{
		"State": func(ctx context.Context, store sequence.Store) error {
			_, err := sequence.New(store, "k", cycling(9)).State(ctx)
			return err
		},
		"List": func(ctx context.Context, store sequence.Store) error { _, err := sequence.List(ctx, store); return err },
		"Resize": func(ctx context.Context, store sequence.Store) error {
			return sequence.New(store, "k", cycling(99)).Resize(ctx, cycling(9))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := new(sequence.Memory)
				if _, err := sequence.New(m, "k", cycling(9)).Next(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := call(t.Context(), storeOf{&away{Driver: m.Driver()}}); err != nil {
					t.Errorf("the server came back: %v", err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				defer cancel()
				err := call(ctx, storeOf{&away{Driver: m.Driver()}})
				if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errLost) {
					t.Errorf("the server didn't come back in time: %v", err)
				}
			})
		})
	}
}

func TestObserverHearsOfNextIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(sequence.Memory)
		var trips []sequence.Trip
		n := sequence.NewNumbering(m, "n", "{0}", sequence.WithGapFree(), sequence.WithObserver(func(t sequence.Trip) { trips = append(trips, t) }))
		err := m.InTx(t.Context(), func(tx *sequence.Memory) error {
			if _, err := n.NextIn(t.Context(), m.Tx(tx)); err != nil {
				return err
			}
			go drawIn(t, m, n, true) // waits for this transaction
			time.Sleep(7 * time.Second)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for range 8 { // and then there are no more
			drawIn(t, m, n, true)
		}
		synctest.Wait()
		waiting, drew, failed := 0, 0, 0
		for _, trip := range trips {
			switch {
			case trip.Key != "n":
				t.Errorf("%+v", trip)
			case trip.Waiting == 1:
				waiting++
			case errors.Is(trip.Err, sequence.ErrExhausted):
				failed++
			case trip.Numbers == 1 && len(trip.Waits) == 1:
				drew++
			}
		}
		if waiting != 2 || drew != 9 || failed != 1 || len(trips) != 12 {
			t.Errorf("%d waits, %d draws and %d failures of %d, want 2, 9 and 1 of 12", waiting, drew, failed, len(trips))
		}
	})
}

func TestTripHasTheValuesOfItsFirstCaller(t *testing.T) {
	type tenant struct{}
	var got atomic.Value
	d := valued{new(sequence.Memory).Driver(), func(ctx context.Context) { got.Store(ctx.Value(tenant{})) }}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), tenant{}, "shop7"))
	defer cancel()
	if _, err := sequence.New(storeOf{d}, "k", cycling(9)).Next(ctx); err != nil || got.Load() != "shop7" {
		t.Errorf("the draw has the value %v, %v", got.Load(), err)
	}
}

type valued struct {
	driver.Driver
	draw func(context.Context)
}

func (v valued) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	v.draw(ctx)
	return v.Driver.Draw(ctx, d)
}

func TestStateOfANumberingHasItsLastText(t *testing.T) {
	m := new(sequence.Memory)
	zone := time.FixedZone("", 3600)
	n := sequence.NewNumbering(m, "n", "INV-{2006-01}-{000}", sequence.WithZone(zone), sequence.WithClock(at(2026, 11, 21)))
	for _, want := range []string{"INV-2026-11-001", "INV-2026-11-002"} {
		if text, err := n.Next(t.Context()); err != nil || text != want {
			t.Fatal(text, err)
		}
	}
	s, err := n.State(t.Context())
	if first := time.Date(2026, 11, 1, 0, 0, 0, 0, zone); err != nil || s.Text != "INV-2026-11-002" || s.Left != 997 || !s.Period.Equal(first) {
		t.Errorf("%+v, %v, want the text INV-2026-11-002, 997 left and %v", s, err, first)
	}
}

func TestBadScopeIsAnInvalidArgument(t *testing.T) {
	n := sequence.NewNumbering(new(sequence.Memory), "n", "{0+}")
	for _, scope := range []string{"", "a/b", "\xff", "a\x00", strings.Repeat("x", 254)} {
		if _, err := n.For(scope).Next(t.Context()); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("For(%q): %v", scope, err)
		}
	}
	if _, err := n.For("shop7").Next(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := sequence.NewNumbering(nil, "n", "{0+}").For("a/b").Next(t.Context()); err == nil || errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a store that is nil: %v", err)
	}
}

func TestZeroValuesAreErrors(t *testing.T) {
	var s sequence.Sequence
	var n sequence.Numbering
	var st sequence.Stamper
	_, next := s.Next(t.Context())
	_, take := s.Take(t.Context(), 2)
	_, in := s.NextIn(t.Context(), nil)
	_, state := s.State(t.Context())
	_, closed := s.Close(t.Context())
	_, number := n.Next(t.Context())
	_, scoped := n.For("a").Next(t.Context())
	_, _, parsed := n.Parse("1")
	_, stamp := st.Next(t.Context())
	for i, err := range []error{next, take, in, state, s.Resize(t.Context(), cycling(9)), s.AdvanceTo(t.Context(), 1), number, scoped, parsed, n.AdvanceTo(t.Context(), "1"), stamp} {
		if err == nil || !strings.Contains(err.Error(), "is invalid: call New") {
			t.Errorf("call %d of a zero value: %v", i, err)
		}
	}
	if closed != nil {
		t.Error(closed)
	}
}
