package sequence_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

// TestStampsMayBeAheadByTheLimitAndNoFurther draws one stamp at a time, with ten per
// second, until the limit of 5 seconds refuses one.
func TestStampsMayBeAheadByTheLimitAndNoFurther(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		d := sequence.StampDraw{N: 1, Width: 10, Tick: time.Second, MaxLead: time.Hour, MaxStampLead: 5 * time.Second}
		count := func(key string) (n int) {
			t.Helper()
			if err := s.Create(t.Context(), key, upTo9); err != nil {
				t.Fatal(err)
			}
			d.Now = time.Now()
			for {
				stamps, err := s.TakeStamps(t.Context(), key, d)
				if errors.Is(err, sequence.ErrClockLead) {
					state, err := s.State(t.Context(), key)
					if now := (sequence.Stamp{Tick: d.Now.UTC().Truncate(time.Second).Add(5 * time.Second), Serial: 9}); err != nil || state.Stamp != now && !ownClock(s) {
						t.Errorf("%+v, %v after %d stamps, want %v", state, err, n, now)
					}
					return n
				}
				if err != nil || n > 100 {
					t.Fatalf("stamp %d: %v", n+1, err)
				}
				if want := time.Duration(n/10) * time.Second; stamps.Lead != want && !ownClock(s) {
					t.Errorf("stamp %d is ahead by %v, want %v", n+1, stamps.Lead, want)
				}
				n++
			}
		}
		const want = 60 // in the second of the clock, and five after it
		got := count("k")
		for i := 0; ownClock(s) && got != want && i < 20; i++ { // the second was over
			got = count(time.Now().String())
		}
		if got != want {
			t.Errorf("%d stamps, want %d", got, want)
		}
	})
}

// ownClock reports whether the stamps of s are of the server's clock.
func ownClock(s store) bool {
	_, ok := s.(*pgsequence.Store)
	return ok
}

// TestMoreStampsThanMayBeAheadAreRefusedUnchanged draws the stamps of 6 seconds at once.
func TestMoreStampsThanMayBeAheadAreRefusedUnchanged(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 9)
		d := sequence.StampDraw{N: 61, Width: 10, Tick: time.Second, Now: time.Now(), MaxLead: time.Hour, MaxStampLead: 5 * time.Second}
		if stamps, err := s.TakeStamps(t.Context(), "k", d); !errors.Is(err, sequence.ErrClockLead) {
			t.Errorf("61 stamps: %+v, %v", stamps, err)
		}
		if state, err := s.State(t.Context(), "k"); err != nil || state.Stamp != (sequence.Stamp{}) {
			t.Errorf("%+v, %v afterwards", state, err)
		}
		d.N = 60
		stamps, err := s.TakeStamps(t.Context(), "k", d)
		if err != nil || stamps.Lead <= 0 || stamps.Lead > 5*time.Second {
			t.Errorf("60 stamps: %+v, %v", stamps, err)
		}
	})
}

// TestStampsWithoutALimitEndAt2To63 has limits that nobody can reach, and the last stamps
// of all.
func TestStampsWithoutALimitEndAt2To63(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		for key, d := range map[string]sequence.StampDraw{
			"longest limit":            {N: 1, Width: 1000, Tick: time.Microsecond, MaxStampLead: math.MaxInt64},
			"longest limit of seconds": {N: 1, Width: 1 << 31, Tick: time.Second, MaxStampLead: math.MaxInt64},
			"no limit":                 {N: 1, Width: 1000, Tick: time.Microsecond},
		} {
			d.Now, d.MaxLead = time.Now(), time.Hour
			if err := s.Create(t.Context(), key, upTo9); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if stamps, err := s.TakeStamps(t.Context(), key, d); err != nil || stamps.Lead != 0 {
					t.Errorf("%s: %+v, %v", key, stamps, err)
				}
			}
			state, err := s.State(t.Context(), key)
			if err != nil || state.Stamp.Serial != 1 && !ownClock(s) || state.Stamp.Tick.Sub(d.Now).Abs() > time.Minute {
				t.Errorf("%s: %+v, %v", key, state, err)
			}
		}
		create(t, s, 1, 9)
		d := sequence.StampDraw{N: math.MaxInt64, Width: 1000, Tick: time.Microsecond, Now: time.Now(), MaxLead: time.Hour}
		if _, err := s.TakeStamps(t.Context(), "k", d); !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("%d stamps: %v", d.N, err)
		}
		if state, err := s.State(t.Context(), "k"); err != nil || state.Stamp != (sequence.Stamp{}) {
			t.Errorf("%+v, %v afterwards", state, err)
		}
		if ownClock(s) {
			return
		}
		late := d
		late.N, late.Now, late.MaxLead = 1, time.Date(300_000, 1, 1, 0, 0, 0, 0, time.UTC), math.MaxInt64
		if stamps, err := s.TakeStamps(t.Context(), "k", late); !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("in the year 300000: %+v, %v", stamps, err)
		}
		// All that are left, and not one more.
		for key, most := range map[string]time.Duration{"no lead": 0, "the longest lead": math.MaxInt64} {
			if err := s.Create(t.Context(), key, upTo9); err != nil {
				t.Fatal(err)
			}
			start, err := d.Start()
			if err != nil {
				t.Fatal(err)
			}
			d.N, d.MaxStampLead = math.MaxInt64-start, most
			stamps, err := s.TakeStamps(t.Context(), key, d)
			if err != nil || stamps.Last != math.MaxInt64-1 {
				t.Errorf("%s: %d stamps: %+v, %v", key, d.N, stamps, err)
			}
			d.N = 1
			if stamps, err := s.TakeStamps(t.Context(), key, d); err != nil || stamps.Last != math.MaxInt64 {
				t.Errorf("%s: the last stamp: %+v, %v", key, stamps, err)
			}
			if _, err := s.TakeStamps(t.Context(), key, d); !errors.Is(err, sequence.ErrExhausted) {
				t.Errorf("%s: one more: %v", key, err)
			}
		}
	})
}

// TestClockMayBeAheadByTheLimit has clocks just below and above it, for the first draw of
// a key and a later one.
func TestClockMayBeAheadByTheLimit(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 9)
		for range 2 {
			for ahead, refused := range map[time.Duration]bool{-time.Hour: false, 30 * time.Second: false, 90 * time.Second: true, 1e6 * time.Hour: true} {
				now := time.Now().Add(ahead)
				_, err := s.TakeStamps(t.Context(), "k", sequence.StampDraw{N: 1, Width: 100, Tick: time.Microsecond, Now: now, MaxLead: time.Minute})
				if errors.Is(err, sequence.ErrClockLead) != (refused && !ownClock(s)) || err != nil && !refused {
					t.Errorf("stamps, %v ahead: %v", ahead, err)
				}
				_, err = s.TakeNumbers(t.Context(), "n", sequence.NumberDraw{N: 1, Kind: "never", Now: now, MaxLead: time.Minute})
				if errors.Is(err, sequence.ErrClockLead) != refused || err != nil && !refused {
					t.Errorf("numbers, %v ahead: %v", ahead, err)
				}
			}
		}
		// A limit of 1<<62 or more, which callers without a limit have.
		for _, most := range []time.Duration{1 << 62, math.MaxInt64} {
			now := time.Now().AddDate(100, 0, 0)
			if _, err := s.TakeNumbers(t.Context(), "n", sequence.NumberDraw{N: 1, Kind: "never", Now: now, MaxLead: most}); err != nil {
				t.Errorf("numbers, 100 years ahead of a limit of %v: %v", most, err)
			}
			if _, err := s.TakeStamps(t.Context(), "k", sequence.StampDraw{N: 1, Width: 100, Tick: time.Microsecond, Now: now, MaxLead: most}); err != nil {
				t.Errorf("stamps, 100 years ahead of a limit of %v: %v", most, err)
			}
		}
	})
}

// TestStampLimitOfANanosecondIsALimit draws stamps of whole seconds. All but the first of
// a second are ahead of the clock.
func TestStampLimitOfANanosecondIsALimit(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		if err := s.Create(t.Context(), "k", upTo9); err != nil {
			t.Fatal(err)
		}
		d := sequence.StampDraw{N: 1, Width: 1, Tick: time.Second, Now: time.Now(), MaxLead: time.Hour, MaxStampLead: 1}
		refused := 0
		for range 10 {
			switch _, err := s.TakeStamps(t.Context(), "k", d); {
			case errors.Is(err, sequence.ErrClockLead):
				refused++
			case err != nil:
				t.Error(err)
			}
		}
		if refused == 0 || refused != 9 && !ownClock(s) {
			t.Errorf("%d of 10 draws in one second are refused", refused)
		}
	})
}
