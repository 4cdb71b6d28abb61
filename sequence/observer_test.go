package sequence_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

// violent is a driver whose first calls panic or end their goroutine.
type violent struct {
	driver.Driver
	calls *atomic.Int32
}

func (v violent) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	switch v.calls.Add(1) {
	case 1:
		panic("out of cheese")
	case 2:
		runtime.Goexit()
	}
	return v.Driver.Draw(ctx, d)
}

func TestStoreThatPanicsFailsThatTripOnly(t *testing.T) {
	s := sequence.New(storeOf{violent{new(sequence.Memory).Driver(), new(atomic.Int32)}}, "k", cycling(99))
	if _, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "the store panicked: out of cheese") {
		t.Errorf("after a panic: %v", err)
	}
	if _, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "the store called runtime.Goexit") {
		t.Errorf("after a Goexit: %v", err)
	}
	wantNext(t, s, sequence.Number{Serial: 1, Ordinal: 1})
}

// TestObserverHurtsNobody has an observer that panics, ends its goroutine, draws, and
// hangs.
func TestObserverHurtsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *sequence.Sequence
		hang := make(chan struct{})
		var calls atomic.Int32
		s = sequence.New(new(sequence.Memory), "k", cycling(99), sequence.WithObserver(func(sequence.Trip) {
			switch calls.Add(1) {
			case 1:
				panic("out of cheese")
			case 2:
				runtime.Goexit()
			case 3:
				if _, err := s.Next(t.Context()); err != nil {
					t.Error(err)
				}
				if _, err := s.Take(t.Context(), 2); err != nil {
					t.Error(err)
				}
			case 4:
				<-hang
			}
		}))
		for range 3 {
			if _, err := s.Next(t.Context()); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		for range 10 {
			if _, err := s.Next(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if n := calls.Load(); n != 4 {
			t.Errorf("%d calls of an observer that hangs in the fourth", n)
		}
		close(hang)
		synctest.Wait()
		if n := calls.Load(); n != 3+2+10 {
			t.Errorf("%d calls in the end, want %d", n, 3+2+10)
		}
	})
}

// TestCallersAreServedBeforeTheObserver has an observer that waits for the caller.
func TestCallersAreServedBeforeTheObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := make(chan struct{})
		s := sequence.New(new(sequence.Memory), "k", cycling(99), sequence.WithObserver(func(sequence.Trip) { <-served }))
		if _, err := s.Next(t.Context()); err != nil {
			t.Error(err)
		}
		close(served)
	})
}

// TestObserverHearsOfAWait has a store that doesn't answer for ten seconds.
func TestObserverHearsOfAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow()
		var mu sync.Mutex
		var trips []sequence.Trip
		s := sequence.New(existing(t, store, cycling(99)), "k", cycling(99), sequence.WithObserver(func(t sequence.Trip) {
			mu.Lock()
			defer mu.Unlock()
			trips = append(trips, t)
		}))
		store.trip = func(int) time.Duration { return 10 * time.Second }
		for range 2 {
			go s.Next(t.Context())
			synctest.Wait()
		}
		time.Sleep(9500 * time.Millisecond)
		synctest.Wait()
		mu.Lock()
		if len(trips) != 3 || trips[0].Waiting != 1 || trips[0].Took != 3*time.Second || trips[2].Took != 9*time.Second {
			t.Errorf("the observer was told of %+v", trips)
		}
		mu.Unlock()
		time.Sleep(time.Hour)
	})
}

// expired is a driver whose own limits end.
type expired struct{ driver.Driver }

func (expired) Draw(context.Context, driver.Draw) (driver.Step, bool, error) {
	return driver.Step{}, false, context.DeadlineExceeded
}
func (expired) Transient(error) bool { return true }

// failureOf returns the first failure of a draw that is tried again and again.
func failureOf(t *testing.T, store sequence.Store) (failure error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := sequence.New(store, "k", cycling(99), sequence.WithObserver(func(t sequence.Trip) {
			if failure == nil {
				failure = t.Err
			}
			cancel()
		}))
		if _, err := s.Take(ctx, 1); err == nil {
			t.Error("no failure")
		}
		synctest.Wait()
	})
	return failure
}

// TestLimitOfTheStoreIsNotTheCallers has a store whose connect timeout ends.
func TestLimitOfTheStoreIsNotTheCallers(t *testing.T) {
	err := failureOf(t, storeOf{expired{new(sequence.Memory).Driver()}})
	if err == nil || errors.Is(err, context.DeadlineExceeded) || !sequence.IsTransient(err) {
		t.Errorf("a caller without a deadline gets %v", err)
	}
}

func TestIsTransientKnowsWhatTheStoreSaid(t *testing.T) {
	store := newSlow()
	refused := errors.New("refused")
	for _, tt := range []struct {
		fail error
		want bool
	}{{errLost, true}, {refused, false}} {
		store.fail = func(int) (before, after error) { return tt.fail, nil }
		err := failureOf(t, existing(t, store, cycling(99)))
		if !errors.Is(err, tt.fail) || sequence.IsTransient(err) != tt.want {
			t.Errorf("%v: IsTransient = %v, want %v", err, !tt.want, tt.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	store.trip = func(int) time.Duration { return time.Millisecond }
	store.fail = func(draw int) (before, after error) {
		cancel()
		return errLost, nil
	}
	if _, err := sequence.New(existing(t, store, cycling(99)), "k", cycling(99)).Next(ended); err == nil || sequence.IsTransient(err) {
		t.Errorf("the caller has gone: %v is transient", err)
	}
	if sequence.IsTransient(nil) || sequence.IsTransient(context.Canceled) {
		t.Error("nil or the end of a context is transient")
	}
}
