package sequence_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

func parseStamp(text string) (sequence.Stamp, error) {
	return sequence.NewStamper(new(sequence.Memory), "k").Parse(text)
}

var lastMicro = time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC).UnixMicro()

func TestStampTextIsTwentyTwoDigits(t *testing.T) {
	st := sequence.Stamp{Tick: time.Date(2026, 11, 20, 9, 31, 15, 123456000, time.UTC), Serial: 7}
	const text = "2026112009311512345607"
	if st.String() != text {
		t.Errorf("got %s, want %s", st, text)
	}
	back, err := parseStamp(text)
	if err != nil || back != st {
		t.Errorf("read back as %v, %v", back, err)
	}
	zoned := sequence.Stamp{Tick: st.Tick.In(time.FixedZone("", 7200)), Serial: 7}
	if zoned.String() != text {
		t.Errorf("in another zone: %s", zoned)
	}
	b, err := json.Marshal(map[string]sequence.Stamp{"no": st})
	if want := `{"no":"` + text + `"}`; err != nil || string(b) != want {
		t.Errorf("JSON %s, %v", b, err)
	}
	var m map[string]sequence.Stamp
	if err := json.Unmarshal(b, &m); err != nil || m["no"] != st {
		t.Errorf("from JSON: %v, %v", m, err)
	}
}

func TestStampTextsSortAsStamps(t *testing.T) {
	stamps := make([]sequence.Stamp, 5000)
	for i := range stamps {
		stamps[i] = sequence.Stamp{
			Tick:   time.UnixMicro(rand.Int64N(lastMicro >> (4 * rand.IntN(10)))).UTC(),
			Serial: rand.IntN(100),
		}
	}
	slices.SortFunc(stamps, sequence.Stamp.Compare)
	for i := range stamps[1:] {
		if a, b := stamps[i], stamps[i+1]; a.Compare(b) < 0 != (a.String() < b.String()) {
			t.Fatalf("%v and %v", a, b)
		}
	}
}

func FuzzStamp(f *testing.F) {
	for _, s := range []string{"2026112009311512345607", "", "2026022909311512345607", "2026112009311512345a07", "9999123123595999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		st, err := parseStamp(s)
		if err != nil {
			if st != (sequence.Stamp{}) {
				t.Fatalf("Parse(%q) returned %v with an error", s, st)
			}
			return
		}
		if st.String() != s {
			t.Fatalf("Parse(%q) prints as %q", s, st.String())
		}
	})
}

func TestParseRefusesWhatIsNotAStamp(t *testing.T) {
	for in, want := range map[string]string{
		"":                        `sequence.Stamper.Parse(""): 0 bytes, want 22`,
		"202611200931151234560":   `sequence.Stamper.Parse("202611200931151234560"): 21 bytes, want 22`,
		"20261120093115123456078": `sequence.Stamper.Parse("20261120093115123456078"): 23 bytes, want 22`,
		"2026132009311512345607":  `sequence.Stamper.Parse("2026132009311512345607"): want a time of 20 digits, such as 20261120093115123456, and a serial of 2 digits`,
		"2026022909311512345607":  `sequence.Stamper.Parse("2026022909311512345607"): want a time of 20 digits, such as 20261120093115123456, and a serial of 2 digits`,
		"2026112009316012345607":  `sequence.Stamper.Parse("2026112009316012345607"): want a time of 20 digits, such as 20261120093115123456, and a serial of 2 digits`,
		"20261120093115.2345607":  `sequence.Stamper.Parse("20261120093115.2345607"): want a time of 20 digits, such as 20261120093115123456, and a serial of 2 digits`,
		"202611200931151234560+":  `sequence.Stamper.Parse("202611200931151234560+"): want a time of 20 digits, such as 20261120093115123456, and a serial of 2 digits`,
		"202611200931151234560/":  `sequence.Stamper.Parse("202611200931151234560/"): want a time of 20 digits, such as 20261120093115123456, and a serial of 2 digits`,
		"202611200931151234560:":  `sequence.Stamper.Parse("202611200931151234560:"): want a time of 20 digits, such as 20261120093115123456, and a serial of 2 digits`,
		"２０２６１１20093":             `sequence.Stamper.Parse("２０２６１１20093"): 23 bytes, want 22`,
	} {
		st, err := parseStamp(in)
		if err == nil || err.Error() != want || st != (sequence.Stamp{}) {
			t.Errorf("Parse(%q): %v, %v, want %s", in, st, err, want)
		}
		keep := sequence.Stamp{Serial: 5}
		if err := keep.UnmarshalText([]byte(in)); err == nil || keep != (sequence.Stamp{Serial: 5}) {
			t.Errorf("UnmarshalText(%q): %v, %v", in, keep, err)
		}
	}
}

func TestStampWithoutATextIsAnError(t *testing.T) {
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for want, st := range map[string]sequence.Stamp{
		"2026-11-20 00:00:00 +0000 UTC with serial 100":         {Tick: at, Serial: 100},
		"2026-11-20 00:00:00 +0000 UTC with serial -1":          {Tick: at, Serial: -1},
		"2026-11-20 00:00:00.000000001 +0000 UTC with serial 0": {Tick: at.Add(1)},
		"10000-11-20 00:00:00 +0000 UTC with serial 0":          {Tick: at.AddDate(7974, 0, 0)},
		"-0001-11-20 00:00:00 +0000 UTC with serial 0":          {Tick: at.AddDate(-2027, 0, 0)},
	} {
		b, err := st.AppendText([]byte("kept"))
		wantError(t, err, "sequence.Stamp.AppendText: "+want+" is not a stamp: want whole microseconds, a year of 4 digits, and a serial from 0 to 99")
		if string(b) != "kept" {
			t.Errorf("%q, want what was there", b)
		}
	}
}

// existingStamps makes the key k in s, so that the first draw of a test isn't refused.
func existingStamps(t *testing.T, s *slow) storeOf {
	t.Helper()
	long := sequence.WithClock(func() time.Time { return time.Unix(0, 0) })
	if _, err := sequence.NewStamper(storeOf{s.Driver}, "k", long).Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	return storeOf{s}
}

// TestStampsAreUniqueAndAscendForAnyClock draws from several stampers whose clocks
// differ by seconds and step back, and compares every stamp with all before.
func TestStampsAreUniqueAndAscendForAnyClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(sequence.Memory)
		var stampers [8]*sequence.Stamper
		for i := range stampers {
			stampers[i] = sequence.NewStamper(m, "k", sequence.WithClock(func() time.Time {
				return time.Now().Add(time.Duration(rand.N(10*time.Second)) - 5*time.Second)
			}))
		}
		var last sequence.Stamp
		var lastText string
		for range 20000 {
			st, err := stampers[rand.IntN(len(stampers))].Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if st.Compare(last) <= 0 || st.String() <= lastText {
				t.Fatalf("%v after %v", st, lastText)
			}
			last, lastText = st, st.String()
			time.Sleep(rand.N(time.Millisecond))
		}
	})
}

func TestStampsOfManyCallersNeverComeTwice(t *testing.T) {
	m := new(sequence.Memory)
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 4 { // 4 stampers, with 10 callers each
		s := sequence.NewStamper(m, "k")
		for range 10 {
			wg.Go(func() {
				var last sequence.Stamp
				for range 500 {
					st, err := s.Next(context.Background())
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if seen[st.String()] || st.Compare(last) <= 0 {
						t.Errorf("%v after %v", st, last)
					}
					seen[st.String()], last = true, st
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
}

func TestStampIsTheClocksTimeAndThenRunsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock stands still here
		m := new(sequence.Memory)
		s := sequence.NewStamper(m, "k")
		begin := time.Now().UTC()
		for i := range 250 {
			st, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := sequence.Stamp{Tick: begin.Add(time.Duration(i/100) * time.Microsecond), Serial: i % 100}
			if st != want {
				t.Fatalf("stamp %d is %v, want %v", i, st, want)
			}
		}
		time.Sleep(time.Second)
		st, err := s.Next(t.Context())
		if err != nil || st != (sequence.Stamp{Tick: begin.Add(time.Second)}) {
			t.Errorf("a second later: %v, %v", st, err)
		}
	})
}

// TestStampIsDrawnAfterTheCallBegan has a caller leave a number in a draw. Nobody gets
// it, because another machine may have drawn a greater one since.
func TestStampIsDrawnAfterTheCallBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow()
		var dropped []int64
		s := sequence.NewStamper(existingStamps(t, store), "k", sequence.WithObserver(func(trip sequence.Trip) {
			dropped = append(dropped, trip.Dropped)
		}))
		brief, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Next(brief); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		begin := time.Now()
		st, err := s.Next(t.Context())
		if err != nil || st.Tick.Before(begin) {
			t.Errorf("%v is from before %v, %v", st, begin, err)
		}
		synctest.Wait() // the observer is told after the caller is served
		if !slices.Equal(dropped, []int64{1, 0}) {
			t.Errorf("told of %d dropped, want the stamp that the caller left", dropped)
		}
		wantDraws(t, store, 1, 1)
	})
}

// TestStampsFarAheadAreRefused limits the lead.
func TestStampsFarAheadAreRefused(t *testing.T) {
	server := time.Date(2026, 11, 20, 9, 31, 15, 0, time.UTC)
	now := server.Add(time.Minute)
	store := storeOf{clocked{new(sequence.Memory).Driver(), func() time.Time { return now }}}
	clock := sequence.WithClock(func() time.Time { return now })
	free, limited := sequence.NewStamper(store, "k", clock), sequence.NewStamper(store, "k", clock, sequence.WithMaxLead(time.Second))
	if _, err := limited.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	now = server // the server's clock stepped back
	_, err := limited.Next(t.Context())
	wantError(t, err, `sequence.Stamper.Next("k"): clocks disagree: the stamps are 1m0s ahead of the store's clock: wait, or allow more with WithMaxLead`)
	if !errors.Is(err, sequence.ErrClockLead) {
		t.Errorf("%v is not ErrClockLead", err)
	}
	if st, err := free.Next(t.Context()); err != nil || st.Tick.Before(server.Add(time.Minute)) {
		t.Errorf("without a limit: %v, %v", st, err)
	}
}

// TestStampsAreDatedByTheClockOfTheStore has a program whose own clock is wrong by years.
func TestStampsAreDatedByTheClockOfTheStore(t *testing.T) {
	server := time.Date(2026, 11, 20, 9, 31, 15, 0, time.UTC)
	store := storeOf{clocked{new(sequence.Memory).Driver(), func() time.Time { return server }}}
	for _, wrong := range []time.Duration{0, 1000 * 24 * time.Hour, -1000 * 24 * time.Hour} {
		s := sequence.NewStamper(store, "k", sequence.WithClock(func() time.Time { return server.Add(wrong) }))
		if st, err := s.Next(t.Context()); err != nil || !st.Tick.Equal(server) {
			t.Errorf("a clock %v ahead: %v, %v, want %v", wrong, st, err, server)
		}
	}
}

func TestStampsNeverOverflow(t *testing.T) {
	for _, now := range []time.Time{time.Date(4893, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<62, 0)} {
		s := sequence.NewStamper(new(sequence.Memory), "k", sequence.WithClock(func() time.Time { return now }))
		if st, err := s.Next(t.Context()); err == nil && st.Tick.Before(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("at %v: stamp %v", now, st)
		}
	}
	s := sequence.NewStamper(new(sequence.Memory), "k", sequence.WithClock(func() time.Time { return time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC) }))
	if st, err := s.Next(t.Context()); err != nil || st.Tick.Year() != 1970 {
		t.Errorf("before 1970: %v, %v", st, err)
	}
}
