package oid_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// newAt is g.NewAt for times that an ID can hold.
func newAt(t testing.TB, g *oid.Generator, at time.Time) oid.ID {
	t.Helper()
	id, err := g.NewAt(at)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// at returns a clock that stands still.
func at(sec int64) func() time.Time {
	return func() time.Time { return time.Unix(sec, 999_999_999) }
}

// many is the number that a test has with OIDKIT_LONG, as every night. Otherwise it has few.
func many(few, many int) int {
	if os.Getenv("OIDKIT_LONG") != "" {
		return many
	}
	return few
}

func TestIDsStrictlyIncreaseInOneGoroutine(t *testing.T) {
	n := many(1_000_000, 40_000_000)
	var g oid.Generator
	g.SetLast(time.Now(), uint32(1<<24-n%(1<<24)/2)) // the counter wraps
	for name, next := range map[string]func() oid.ID{"New": oid.New, "Generator.New": g.New} {
		prev := next()
		for range n {
			id := next()
			if bytes.Compare(prev[:], id[:]) >= 0 {
				t.Fatalf("%s() = %v after %v", name, id, prev)
			}
			prev = id
		}
	}
}

// distinct fails the test if an ID is in lists twice. Each list must increase.
func distinct(t *testing.T, lists [][]oid.ID) {
	t.Helper()
	var last oid.ID
	for first := true; ; first = false {
		least := -1
		for i, list := range lists {
			if len(list) > 0 && (least < 0 || list[0].Compare(lists[least][0]) < 0) {
				least = i
			}
		}
		if least < 0 {
			return
		}
		id := lists[least][0]
		if !first && id.Compare(last) <= 0 {
			t.Fatalf("%v comes after %v: an id twice, or a goroutine's out of order", id, last)
		}
		last, lists[least] = id, lists[least][1:]
	}
}

// together runs f in that many goroutines, which all begin at once.
func together(goroutines int, f func(i int)) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

// An ID that is asked for after another goroutine's ID was seen must be greater.
func TestIDsIncreaseAcrossGoroutinesWhileTheClockJumps(t *testing.T) {
	const goroutines = 8
	rounds := many(100_000, 1_000_000)
	var readings atomic.Int64
	g := &oid.Generator{Now: func() time.Time {
		// A second a reading, and back and forth by up to four: nearly every ID
		// moves the seconds up, against others that do the same.
		return time.Unix(1_800_000_000+readings.Add(1)+rand.Int64N(8)-4, 0)
	}}

	var seen atomic.Pointer[oid.ID] // some ID that New has returned
	first := g.New()
	seen.Store(&first)
	all := make([][]oid.ID, goroutines)
	together(goroutines, func(i int) {
		ids := make([]oid.ID, 3)
		for n := range rounds {
			before := *seen.Load()
			if n%8 == 0 {
				g.Fill(ids)
				all[i] = append(all[i], ids...)
			} else {
				all[i] = append(all[i], g.New())
			}
			id := all[i][len(all[i])-1]
			if id.Compare(before) <= 0 {
				t.Errorf("New() = %v, but %v was there before", id, before)
				return
			}
			seen.Store(&id)
		}
	})
	distinct(t, all)
}

// The same holds with the system clock, where most IDs don't read it.
func TestIDsIncreaseAcrossGoroutines(t *testing.T) {
	const goroutines = 8
	ids := many(100_000, 1_000_000)
	var seen atomic.Pointer[oid.ID]
	first := oid.New()
	seen.Store(&first)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range ids {
				before := *seen.Load()
				id := oid.New()
				if id.Compare(before) <= 0 {
					t.Errorf("New() = %v, but %v was there before", id, before)
					return
				}
				seen.Store(&id)
			}
		})
	}
	wg.Wait()
}

func TestAFrozenClockNeverRepeatsAnID(t *testing.T) {
	g := &oid.Generator{Now: at(1_700_000_000)}
	first := g.New()
	prev := first
	next := func(n int) {
		for range n {
			id := g.New()
			if id.Compare(prev) <= 0 {
				t.Fatalf("New() = %v after %v", id, prev)
			}
			prev = id
		}
	}
	for range 2 { // a turn of the counter: most of its IDs at once, the others one by one
		const single = 1 << 17
		next(single)
		ids := make([]oid.ID, 1<<24-2*single)
		g.Fill(ids)
		for _, id := range []oid.ID{ids[0], ids[len(ids)-1]} {
			if id.Compare(prev) <= 0 {
				t.Fatalf("Fill gave %v after %v", id, prev)
			}
			prev = id
		}
		next(single)
	}
	// Two full turns of the counter, each of which moved the seconds by one.
	want := first.Timestamp().Add(2 * time.Second)
	if got := prev.Timestamp(); !got.Equal(want) {
		t.Errorf("after 2^25 ids the time is %v, want %v", got, want)
	}
	if a, b := oid.Inspect(first).Counter, oid.Inspect(prev).Counter; a != b {
		t.Errorf("after 2^25 ids the counter is %#x, want %#x", b, a)
	}
}

func TestTheCounterCarriesIntoTheSeconds(t *testing.T) {
	start := time.Unix(1_700_000_000, 0).UTC()
	g := &oid.Generator{Now: func() time.Time { return start }}
	g.SetLast(start, 0xfffffe)
	for _, want := range []oid.Fields{
		{Time: start, Counter: 0xffffff},
		{Time: start.Add(time.Second), Counter: 0},
		{Time: start.Add(time.Second), Counter: 1},
	} {
		got := oid.Inspect(g.New())
		want.Process = got.Process
		if got != want {
			t.Errorf("Inspect(New()) = %+v, want %+v", got, want)
		}
	}
}

func TestTheCounterRisesByOne(t *testing.T) {
	var sec int64 = 1_700_000_000
	g := &oid.Generator{Now: func() time.Time { sec++; return time.Unix(sec, 0) }}
	prev := oid.Inspect(g.New())
	for range 1000 {
		f := oid.Inspect(g.New())
		if f.Counter != (prev.Counter+1)&0xffffff {
			t.Fatalf("counter %#x after %#x", f.Counter, prev.Counter)
		}
		if !f.Time.Equal(prev.Time.Add(time.Second)) {
			t.Fatalf("time %v after %v", f.Time, prev.Time)
		}
		prev = f
	}
}

func TestTheClockMayStepBack(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	g := &oid.Generator{Now: func() time.Time { return now }}
	before := g.New()
	now = now.Add(-time.Hour)
	after := g.New()
	if after != before.Next() {
		t.Errorf("after a step back New() = %v, want %v", after, before.Next())
	}
	now = now.Add(2 * time.Hour)
	if got := g.New().Timestamp(); !got.Equal(now) {
		t.Errorf("once the clock is ahead again the time is %v, want %v", got, now.UTC())
	}
}

func TestGeneratorAgreesWithTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var process [5]byte
		for i := range process {
			process[i] = byte(1 + rng.IntN(255))
		}
		start := time.Unix(rng.Int64N(1<<32-100_000), 0)
		counter := 0xffffff - uint32(rng.IntN(2000))
		var readings []time.Time
		for range 5000 {
			start = start.Add(time.Duration(rng.IntN(7)-3) * time.Second / 2)
			readings = append(readings, start)
		}
		clock := func() func() time.Time {
			i := 0
			return func() time.Time { i++; return readings[i-1] }
		}
		g := &oid.Generator{Process: process, Now: clock()}
		g.SetLast(readings[0], counter)
		slow := &slowGenerator{process: process, now: clock(), seconds: readings[0].Unix(), counter: int64(counter)}
		for i := range readings {
			if got, want := g.New(), slow.New(); got != want {
				t.Fatalf("id %d is %v, the reference makes %v", i, got, want)
			}
		}
	}
}

func TestTimestampsCoverAll32Bits(t *testing.T) {
	for _, sec := range []int64{0, 0x7fffffff, 0x80000000, 0xffffffff} {
		want := time.Unix(sec, 0).UTC()
		g := &oid.Generator{Now: at(sec)}
		if got := g.New().Timestamp(); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("New() at %v is dated %v", want, got)
		}
		if got := newAt(t, g, want).Timestamp(); !got.Equal(want) {
			t.Errorf("NewAt(%v) is dated %v", want, got)
		}
	}
}

func TestIDsIncreasePastTheEndOfTime(t *testing.T) {
	for _, year := range []int{2107, 2300} {
		g := &oid.Generator{
			Process: [5]byte{1, 2, 3, 4, 0xff},
			Now:     func() time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) },
		}
		prev := g.New()
		g.SetLast(prev.Timestamp(), 0xffffff-100)
		prev = g.New()
		for range 1000 {
			id := g.New()
			if id.Compare(prev) <= 0 {
				t.Fatalf("New() = %v after %v", id, prev)
			}
			prev = id
		}
		want := oid.Fields{Time: time.Unix(0xffffffff, 0).UTC(), Process: [5]byte{1, 2, 3, 5, 0}, Counter: 1000 - 100}
		if got := oid.Inspect(prev); got != want {
			t.Errorf("Inspect = %+v, want %+v", got, want)
		}
	}
}

func TestAClockBefore1970CountsAs1970(t *testing.T) {
	g := &oid.Generator{Now: at(-1_000_000)}
	a, b := g.New(), g.New()
	if !a.Timestamp().Equal(time.Unix(0, 0)) || b.Compare(a) <= 0 {
		t.Errorf("ids are %v, %v", a, b)
	}
}

func TestFillReservesConsecutiveIDs(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	g := &oid.Generator{Now: func() time.Time { return start }}
	g.SetLast(start, 0xffffff-5)
	before := g.New()
	ids := make([]oid.ID, 20) // across a wrap of the counter
	g.Fill(ids)
	after := g.New()

	slow := &slowGenerator{
		process: oid.Inspect(before).Process, now: at(start.Unix()),
		seconds: start.Unix(), counter: int64(oid.Inspect(before).Counter),
	}
	for i, id := range append(ids, after) {
		if want := slow.New(); id != want {
			t.Errorf("id %d is %v, want %v", i, id, want)
		}
	}
}

// Fill writes runs of IDs at once. Each must be what New makes: the first and the last
// hundred are compared, and every 997th of the others.
func TestFillAgreesWithNew(t *testing.T) {
	for _, tt := range []struct {
		name    string
		process [5]byte
		sec     int64
		counter uint32
		n       int
	}{
		{"no wrap", [5]byte{1, 2, 3, 4, 5}, 1_700_000_000, 100, 1000},
		{"a wrap before the first", [5]byte{1, 2, 3, 4, 5}, 1_700_000_000, 0xffffff, 10},
		{"a wrap after the first", [5]byte{1, 2, 3, 4, 5}, 1_700_000_000, 0xfffffe, 10},
		{"a wrap before the last", [5]byte{1, 2, 3, 4, 5}, 1_700_000_000, 0xfffff6, 10},
		{"a full process value", [5]byte{0xff, 0xff, 0xff, 0xff, 0xff}, 1_700_000_000, 0xfffff0, 100},
		{"two turns of the counter", [5]byte{1, 2, 3, 4, 0xff}, 1_700_000_000, 0xfffff0, 1<<24 + 100},
		{"the end of time", [5]byte{1, 2, 3, 4, 0xff}, 0xffffffff, 0xfffff0, 100},
	} {
		g := &oid.Generator{Process: tt.process, Now: at(tt.sec)}
		g.SetLast(time.Unix(tt.sec, 0), tt.counter)
		one := g.Copy()
		ids := make([]oid.ID, tt.n)
		g.Fill(ids)
		before := tt.sec<<24 | int64(tt.counter)
		for i, id := range ids {
			if i >= 100 && i < tt.n-100 && i%997 > 0 {
				continue
			}
			before := before + int64(i)
			one.SetLast(time.Unix(before>>24, 0), uint32(before&0xffffff))
			if want := one.New(); id != want {
				t.Fatalf("%s: ID %d of Fill is %v, New makes %v", tt.name, i, id, want)
			}
		}
	}
}

// As documented: past 2106 the process value counts on, and starts again at its end.
func TestTheOrderEndsAfterTheGreatestProcessValue(t *testing.T) {
	g := &oid.Generator{Process: [5]byte{0xff, 0xff, 0xff, 0xff, 0xff}, Now: at(1 << 33)}
	g.SetLast(time.Unix(0xffffffff, 0), 0xfffffe)
	if got, want := g.New(), oid.MustParse("ffffffffffffffffffffffff"); got != want {
		t.Errorf("New() = %v, want %v", got, want)
	}
	if got, want := g.New(), oid.MustParse("ffffffff0000000000000000"); got != want {
		t.Errorf("New() = %v, want %v", got, want)
	}
}

func TestFillOfNothingTakesNothing(t *testing.T) {
	g := &oid.Generator{Now: at(1_700_000_000)}
	a := g.New()
	g.Fill(nil)
	g.Fill([]oid.ID{})
	if b := g.New(); b != a.Next() {
		t.Errorf("New() = %v, want %v", b, a.Next())
	}
	// Nor in a new second.
	for _, counter := range []uint32{7, 0xfffffe, 0xffffff} {
		g.SetLast(time.Unix(1_699_999_999, 0), counter)
		g.Fill(nil)
		if got, want := g.New(), slowID(1_700_000_000, oid.Inspect(a).Process, (int64(counter)+1)&0xffffff); got != want {
			t.Errorf("New() = %v, want %v", got, want)
		}
	}
}

func TestFillCarriesIntoTheSeconds(t *testing.T) {
	g := &oid.Generator{Process: [5]byte{1, 2, 3, 4, 5}, Now: at(1_700_000_000)}
	g.SetLast(time.Unix(1_700_000_000, 0), 0xfffffb)
	number := int64(0xfffffb)
	for _, n := range []int{1, 2, 5, 1} {
		ids := make([]oid.ID, n)
		g.Fill(ids)
		for i, id := range ids {
			number++
			if want := slowID(1_700_000_000+number>>24, g.Process, number&0xffffff); id != want {
				t.Errorf("Fill(%d)[%d] = %v, want %v", n, i, id, want)
			}
		}
	}
}

func TestFillsOfManyGoroutinesDontOverlap(t *testing.T) {
	const goroutines, batches, size = 8, 200, 257
	got := make([][]oid.ID, goroutines)
	together(goroutines, func(i int) {
		for range batches {
			ids := make([]oid.ID, size)
			oid.Fill(ids)
			got[i] = append(append(got[i], ids...), oid.New())
		}
	})
	distinct(t, got)
}

func TestBackfillNeverRepeatsAtOneInstant(t *testing.T) {
	n := many(1<<20, 1<<24+1)
	instant := time.Date(2020, 2, 29, 12, 0, 0, 1, time.UTC)
	var g oid.Generator
	g.SetLastAt(g.ProcessNumber()/2, uint32(1<<24-n/2)) // the counter wraps
	for name, next := range map[string]func(time.Time) (oid.ID, error){"NewAt": oid.NewAt, "Generator.NewAt": g.NewAt} {
		var prev oid.ID
		for i := range n {
			id, err := next(instant)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && id.Compare(prev) <= 0 { // so that none can come twice
				t.Fatalf("%s = %v after %v", name, id, prev)
			}
			if !id.Timestamp().Equal(instant.Truncate(time.Second)) {
				t.Fatalf("%s(%v) is dated %v", name, instant, id.Timestamp())
			}
			prev = id
		}
	}
}

func TestBackfillNeverMeetsNew(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	g := &oid.Generator{Now: func() time.Time { return now }}
	own := g.ProcessNumber()
	g.SetLastAt(own-1, 0xfffffe)
	a := newAt(t, g, now) // the last of its process value; then comes that of New
	b := newAt(t, g, now)
	for _, id := range []oid.ID{a, b} {
		if oid.Inspect(id).Process == oid.Inspect(g.New()).Process {
			t.Errorf("NewAt = %v has the process value of New", id)
		}
	}
	if b.Compare(a) <= 0 {
		t.Errorf("NewAt = %v after %v", b, a)
	}
}

func TestBackfillSkipsOnlyTheProcessValueOfNew(t *testing.T) {
	g := &oid.Generator{Process: [5]byte{0, 0, 0, 0, 7}}
	g.SetLastAt(6, 0xfffffe)
	for _, want := range []string{"000000010000000006ffffff", "000000010000000008000000", "000000010000000008000001"} {
		if got := newAt(t, g, time.Unix(1, 0)); got != oid.MustParse(want) {
			t.Errorf("NewAt = %v, want %v", got, want)
		}
	}
}

func TestBackfillDoesNotDisturbNew(t *testing.T) {
	g := &oid.Generator{Now: at(1_700_000_000)}
	a := g.New()
	for _, year := range []int{1970, 2023, 2105} {
		newAt(t, g, time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC))
	}
	if b := g.New(); b != a.Next() {
		t.Errorf("New() = %v, want %v", b, a.Next())
	}
}

func TestBackfillIsConcurrent(t *testing.T) {
	const goroutines = 4
	ids := many(100_000, 400_000)
	instant := time.Unix(1_600_000_000, 0)
	var g oid.Generator
	all := make([][]oid.ID, goroutines)
	together(goroutines, func(i int) {
		for range ids {
			id, err := g.NewAt(instant)
			if err != nil {
				t.Error(err)
				return
			}
			all[i] = append(all[i], id)
		}
	})
	distinct(t, all)
}

func TestBackfillRefusesTimesThatAnIDCannotHold(t *testing.T) {
	for _, test := range []struct {
		in      time.Time
		wantErr string
	}{
		{time.Unix(0, 0), ""},
		{time.Unix(0xffffffff, 999_999_999), ""},
		{time.Unix(0, -1), "oid.NewAt(1969-12-31T23:59:59Z): time outside 1970-01-01T00:00:00Z to 2106-02-07T06:28:15Z"},
		{time.Unix(1<<32, 0), "oid.NewAt(2106-02-07T06:28:16Z): time outside 1970-01-01T00:00:00Z to 2106-02-07T06:28:15Z"},
		{time.Time{}, "oid.NewAt(time.Time{}): time outside 1970-01-01T00:00:00Z to 2106-02-07T06:28:15Z"},
	} {
		id, err := oid.NewAt(test.in)
		if test.wantErr == "" {
			if err != nil {
				t.Errorf("NewAt(%v): %v", test.in, err)
			}
			continue
		}
		if err == nil || err.Error() != test.wantErr || !errors.Is(err, oid.ErrTime) || !id.IsZero() {
			t.Errorf("NewAt(%v) = %v, %v, want %s", test.in, id, err, test.wantErr)
		}
	}
}

func TestProcessIsUsedAsGiven(t *testing.T) {
	g := &oid.Generator{Process: [5]byte{0, 1, 0xfe, 0xff, 0x80}}
	if got := oid.Inspect(g.New()).Process; got != g.Process {
		t.Errorf("process value %x, want %x", got, g.Process)
	}
	if got := oid.Inspect(newAt(t, g, time.Now())).Process; got == g.Process {
		t.Errorf("NewAt has the process value of New, %x", got)
	}
}

func TestGeneratorsDrawDifferentProcessValues(t *testing.T) {
	seen := map[[5]byte]bool{}
	for range 1000 {
		var g oid.Generator
		seen[oid.Inspect(g.New()).Process] = true
	}
	if len(seen) != 1000 {
		t.Errorf("1000 generators have %d process values", len(seen))
	}
}

func TestChildProcessesDrawDifferentProcessValues(t *testing.T) {
	const env = "OID_TEST_PRINT_ID"
	if os.Getenv(env) != "" {
		fmt.Printf("%v %v\n", oid.New(), newAt(t, new(oid.Generator), time.Now()))
		return
	}
	seen := map[[5]byte]bool{}
	for range 8 {
		for _, text := range strings.Fields(runChild(t, env+"=1"))[:2] {
			seen[oid.Inspect(oid.MustParse(text)).Process] = true
		}
	}
	if len(seen) != 16 { // each child's for New, and for NewAt
		t.Errorf("8 child processes have %d process values, want 16", len(seen))
	}
}

// A second passes between two bursts of IDs again and again: each ID must have the
// time of the system clock, though most IDs don't read it.
func TestIDsAreDatedByTheSystemClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g oid.Generator
		for range 5000 {
			if got, want := g.New().Timestamp(), time.Now().Truncate(time.Second); !got.Equal(want) {
				t.Fatalf("New() at %v is dated %v", time.Now(), got)
			}
			time.Sleep(time.Duration(rand.Int64N(int64(700 * time.Millisecond))))
			if rand.IntN(2) == 0 {
				time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // to the second
			}
		}
	})
}

// Reading the clock is most of what an ID costs: a reading serves for a while.
func TestAReadingOfTheClockServesForMoreThanOneID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g oid.Generator
		g.New()
		// It serves for 5 ms, but not beyond the end of its second.
		if age := g.ClockAge(); age != 5*time.Millisecond {
			t.Errorf("a reading of the clock serves for %v, want 5 ms", age)
		}
		time.Sleep(997 * time.Millisecond)
		first := g.New()
		if age := g.ClockAge(); age != 3*time.Millisecond {
			t.Errorf("3 ms before a second ends, a reading of the clock serves for %v", age)
		}
		g.TrustClock(time.Hour)
		time.Sleep(time.Minute)
		if second := g.New(); second != first.Next() {
			t.Errorf("New() = %v after %v: it has read the clock", second, first)
		}
	})
}

// The first ID of a second must not be dated by a reading of the second before.
func TestTheFirstIDOfASecondHasThatSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, before := range []time.Duration{time.Nanosecond, time.Millisecond, 4 * time.Millisecond} {
			var g oid.Generator
			time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second - before)))
			g.New()
			time.Sleep(before)
			if got, want := g.New().Timestamp(), time.Now(); !got.Equal(want) {
				t.Errorf("the first id of %v is dated %v", want, got)
			}
		}
	})
}

// On the real clock, an ID is dated within 10 ms of it. A test can't set the clock or
// put the machine to sleep. So for those cases it only checks that no reading of the
// clock serves for longer.
func TestIDsAreDatedWithin10Milliseconds(t *testing.T) {
	var g oid.Generator
	g.SetLast(time.Unix(0, 0), 0) // far from a wrap, which would date IDs ahead
	end := time.Now().Add(1500 * time.Millisecond)
	for range 1 << 23 {
		if time.Now().After(end) {
			break
		}
		before := time.Now()
		id := g.New()
		after := time.Now()
		earliest := before.Add(-10 * time.Millisecond).Truncate(time.Second)
		if got := id.Timestamp(); got.Before(earliest) || got.After(after) {
			t.Fatalf("an id made between %v and %v is dated %v", before, after, got)
		}
		if age := g.ClockAge(); age > 10*time.Millisecond {
			t.Fatalf("a reading of the clock serves for %v", age)
		}
	}
}

func TestTheCounterStartsAtRandom(t *testing.T) {
	starts := map[uint32]bool{}
	for range 100 {
		g := oid.Generator{Process: [5]byte{1}}
		starts[oid.Inspect(g.New()).Counter] = true
	}
	if len(starts) < 90 { // two of 100 are the same in one case of 3000
		t.Errorf("100 generators start with %d counters", len(starts))
	}
}

// The package's generator serves in synctest bubbles and outside of them in turn:
// their clocks are years apart.
func TestOneGeneratorInAndOutOfBubbles(t *testing.T) {
	var g oid.Generator
	for range 3 {
		synctest.Test(t, func(t *testing.T) { g.New() })
		if got := g.New().Timestamp(); time.Since(got) > time.Minute {
			t.Errorf("outside the bubble New() is dated %v", got)
		}
	}
}
