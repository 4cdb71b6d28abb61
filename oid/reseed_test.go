package oid_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// seeded returns a source that is the same in every run.
func seeded(seed byte) io.Reader { return rand.NewChaCha8([32]byte{seed}) }

// These IDs are in the golden files of others: they must stay what they are.
func TestASeededGeneratorMakesTheSameIDsInEveryRun(t *testing.T) {
	for _, tt := range []struct {
		name string
		g    *oid.Generator
		want []string
	}{
		{
			"drawn process value",
			&oid.Generator{Rand: seeded(1), Now: at(1_772_366_400)},
			[]string{
				"69a42a406ae6783f4fbde91c", "69a42a406ae6783f4fbde91d", "69a42a406ae6783f4fbde91e",
				"5e5a6600375c45b9d2476924", "69a42a40dbe5882e25796835",
			},
		},
		{
			"fixed process value",
			&oid.Generator{Rand: seeded(1), Now: at(1_772_366_400), Process: [5]byte{1, 2, 3, 4, 5}},
			[]string{
				"69a42a400102030405bde91c", "69a42a400102030405bde91d", "69a42a400102030405bde91e",
				"5e5a6600375c45b9d2476924", "69a42a40dbe5882e25796835",
			},
		},
	} {
		filled := make([]oid.ID, 2)
		got := []oid.ID{tt.g.New()}
		tt.g.Fill(filled)
		got = append(got, filled...)
		got = append(got, newAt(t, tt.g, time.Unix(1_582_982_656, 0)))
		tt.g.Reseed()
		got = append(got, tt.g.New())
		for i, id := range got {
			if id.Hex() != tt.want[i] {
				t.Errorf("%s: ID %d = %v, want %s", tt.name, i, id, tt.want[i])
			}
		}
	}
}

// The first 5 bytes are the process value and the next 3 the counter before the first
// ID, however few bytes the source returns at a time. Half the last 8 bytes is the
// number of NewAt before its first ID.
func TestTheBytesOfRandAreTheProcessValueAndTheCounter(t *testing.T) {
	source := bytes.NewReader([]byte("\x01\x02\x03\x04\x05\x06\x07\x08abcdefgh" + "\x11\x12\x13\x14\x15\x16\x17\x18ABCDEFGH"))
	g := &oid.Generator{Rand: iotest.OneByteReader(source), Now: at(0x65b3f7a1)}
	if got, want := g.New(), oid.MustParse("65b3f7a10102030405060709"); got != want {
		t.Errorf("New() = %v, want %v", got, want)
	}
	for _, want := range []string{"0000000130b131b232b333b5", "0000000130b131b232b333b6"} {
		if got := newAt(t, g, time.Unix(1, 0)); got != oid.MustParse(want) {
			t.Errorf("NewAt(1) = %v, want %v", got, want)
		}
	}
	if source.Len() != 16 {
		t.Errorf("the first use reads %d bytes, want 16", 32-source.Len())
	}
	g.Reseed()
	if got, want := g.New(), oid.MustParse("65b3f7a11112131415161719"); got != want {
		t.Errorf("after Reseed, New() = %v, want %v", got, want)
	}
	if source.Len() != 0 {
		t.Errorf("Reseed leaves %d of 16 bytes", source.Len())
	}
}

// constant is a source of one byte only.
type constant byte

func (c constant) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(c)
	}
	return len(b), nil
}

// gate is a source of zeros that calls first while it is read for the first time.
type gate struct {
	reads atomic.Int32
	first func()
}

func (r *gate) Read(b []byte) (int, error) {
	if r.reads.Add(1) == 1 {
		r.first()
	}
	return constant(0).Read(b)
}

// A goroutine that calls New while another draws the first bits waits for them.
func TestTheFirstUseDrawsOnce(t *testing.T) {
	for range 100 {
		var wg sync.WaitGroup
		var g oid.Generator
		var second oid.ID
		source := &gate{first: func() {
			var begun atomic.Bool
			wg.Go(func() {
				begun.Store(true)
				second = g.New()
			})
			for !begun.Load() {
				runtime.Gosched()
			}
			time.Sleep(time.Microsecond)
		}}
		g.Rand = source
		first := g.New()
		wg.Wait()
		if n := source.reads.Load(); n != 1 || first == second {
			t.Fatalf("New() = %v and %v, with %d reads of Rand, want 1", first, second, n)
		}
	}
}

func TestASourceOfZerosDoesNotHang(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		g := &oid.Generator{Rand: constant(0)}
		var before [5]byte
		for range 4 {
			process := oid.Inspect(g.New()).Process
			if process == before || process == [5]byte{} {
				t.Errorf("process value %x after %x", process, before)
			}
			before = process
			g.Reseed()
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("New hangs")
	}
}

func TestAFailingSourcePanics(t *testing.T) {
	failure := errors.New("no entropy")
	for _, tt := range []struct {
		name   string
		source io.Reader
		is     error
		want   string
	}{
		{"error", iotest.ErrReader(failure), failure, "oid.Generator: reading 16 bytes from Rand: no entropy"},
		{"end", bytes.NewReader(make([]byte, 15)), io.ErrUnexpectedEOF, "oid.Generator: reading 16 bytes from Rand: unexpected EOF"},
	} {
		g := &oid.Generator{Rand: tt.source}
		for _, call := range []func(){
			func() { g.New() },
			func() { g.Fill(make([]oid.ID, 3)) },
			func() { g.NewAt(time.Unix(0, 0)) },
			func() { g.Reseed() },
		} {
			err, _ := recovered(call).(error)
			if tt.name == "end" && errors.Is(err, io.EOF) {
				continue // nothing was left for the second call
			}
			if err == nil || err.Error() != tt.want || !errors.Is(err, tt.is) {
				t.Errorf("%s: panic with %v, want %s", tt.name, err, tt.want)
			}
		}
	}
}

// A source that fails once must not leave a generator that counts with nothing.
func TestAGeneratorRecoversWithItsSource(t *testing.T) {
	g := &oid.Generator{Rand: iotest.TimeoutReader(iotest.OneByteReader(constant(7)))}
	if recovered(func() { g.New() }) == nil {
		t.Fatal("no panic")
	}
	if got, want := oid.Inspect(g.New()).Process, ([5]byte{7, 7, 7, 7, 7}); got != want {
		t.Errorf("process value %x, want %x", got, want)
	}
}

func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestReseedDrawsAnotherProcessValue(t *testing.T) {
	fixed := [5]byte{1, 2, 3, 4, 5}
	for name, g := range map[string]*oid.Generator{
		"drawn":            {},
		"fixed":            {Process: fixed},
		"same bytes again": {Rand: constant(9)},
		"fixed, and equal": {Process: [5]byte{9, 9, 9, 9, 9}, Rand: constant(9)},
		"greatest":         {Rand: constant(0xff)},
	} {
		before := oid.Inspect(g.New()).Process
		for range 5 {
			g.Reseed()
			process := oid.Inspect(g.New()).Process
			if process == before || process == g.Process || process == [5]byte{} {
				t.Errorf("%s: process value %x after %x", name, process, before)
			}
			if at := oid.Inspect(newAt(t, g, time.Now())).Process; at == process {
				t.Errorf("%s: NewAt has the process value of New, %x", name, at)
			}
			before = process
		}
	}
	// A value that isn't free gives way to the next one that is.
	for _, tt := range []struct {
		fixed, drawn, want uint64
		unused             bool
	}{
		{drawn: 0, want: 2},
		{drawn: 0, want: 1, unused: true},
		{drawn: 1, want: 1, unused: true},
		{drawn: 7, want: 8},
		{drawn: 1<<40 - 2, want: 1<<40 - 1},
		{drawn: 1<<40 - 1, want: 1},
		{fixed: 5, drawn: 0, want: 1},
		{fixed: 5, drawn: 4, want: 4},
		{fixed: 5, drawn: 5, want: 6},
		{fixed: 1<<40 - 1, drawn: 1<<40 - 1, want: 1},
	} {
		var draw [16]byte
		binary.BigEndian.PutUint64(draw[:], tt.drawn<<24)
		g := &oid.Generator{Rand: bytes.NewReader(append(draw[:], draw[:]...))}
		for i := range g.Process {
			g.Process[i] = byte(tt.fixed >> (8 * (4 - i)))
		}
		if !tt.unused {
			g.New()
		}
		if g.Reseed(); g.ProcessNumber() != tt.want {
			t.Errorf("fixed %#x, drawn %#x: process value %#x, want %#x", tt.fixed, tt.drawn, g.ProcessNumber(), tt.want)
		}
	}
	unused := &oid.Generator{Process: fixed}
	unused.Reseed()
	if got := oid.Inspect(unused.New()).Process; got == fixed {
		t.Error("Reseed before the first use keeps the fixed process value")
	}
}

func TestReseedDrawsAnotherCounter(t *testing.T) {
	counters := map[uint32]bool{}
	var g oid.Generator
	for range 100 {
		counters[oid.Inspect(g.New()).Counter] = true
		g.Reseed()
	}
	if len(counters) < 90 { // two of 100 are the same in one case of 3000
		t.Errorf("100 calls of Reseed draw %d counters", len(counters))
	}
}

// One wrong reading dates the IDs ahead until Reseed.
func TestReseedBelievesTheClockAgain(t *testing.T) {
	now := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	g := &oid.Generator{Now: func() time.Time { return now }}
	g.New()
	now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	if got := g.New().Timestamp(); got.Year() != 2106 {
		t.Fatalf("after a reading of 2200 New() is dated %v", got)
	}
	g.Reseed()
	if got := g.New().Timestamp(); !got.Equal(now) {
		t.Errorf("after Reseed New() is dated %v, want %v", got, now)
	}
}

// In a synctest bubble the time is 2000, before that of the program's start.
func TestReseedInABubbleReadsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g oid.Generator
		g.Reseed()
		if got, want := g.New().Timestamp(), time.Now().Truncate(time.Second); !got.Equal(want) {
			t.Errorf("the first ID is dated %v, want %v", got, want)
		}
	})
}

func TestThePackageReseeds(t *testing.T) {
	a := oid.New()
	oid.Reseed()
	if b := oid.New(); oid.Inspect(a).Process == oid.Inspect(b).Process {
		t.Errorf("oid.New() = %v, and %v after oid.Reseed()", a, b)
	}
}

// IDs of copies that make some each, with Reseed in one, in both or in none.
func TestCopiesAreDifferentAfterReseed(t *testing.T) {
	made := func(g *oid.Generator) map[oid.ID]bool {
		ids := map[oid.ID]bool{}
		for range 1000 {
			ids[g.New()] = true
			ids[newAt(t, g, time.Unix(1_500_000_000, 0))] = true
		}
		return ids
	}
	for _, tt := range []struct {
		name         string
		first, other bool // they call Reseed
		want         int
	}{
		{"neither", false, false, 2000},
		{"first", true, false, 0},
		{"other", false, true, 0},
		{"both", true, true, 0},
	} {
		for _, process := range [][5]byte{{}, {1, 2, 3, 4, 5}} {
			g := &oid.Generator{Now: at(1_772_366_400), Process: process}
			g.New()
			c := g.Copy()
			if tt.first {
				g.Reseed()
			}
			if tt.other {
				c.Reseed()
			}
			same, ids := 0, made(g)
			for id := range made(c) {
				if ids[id] {
					same++
				}
			}
			if same != tt.want {
				t.Errorf("Reseed in %s, process %x: %d of 2000 IDs are the same, want %d", tt.name, process, same, tt.want)
			}
		}
	}
}

// As documented: who seeds two generators equally, and reseeds them, has asked for it.
func TestSeededTwinsStayTwins(t *testing.T) {
	a, b := &oid.Generator{Rand: seeded(2), Now: at(1)}, &oid.Generator{Rand: seeded(2), Now: at(1)}
	for range 3 {
		if x, y := a.New(), b.New(); x != y {
			t.Errorf("%v and %v", x, y)
		}
		a.Reseed()
		b.Reseed()
	}
}

// Goroutines make IDs while another reseeds: none comes twice, those with one
// process value increase, and none has a process value that was replaced before.
func TestIDsIncreaseBetweenReseeds(t *testing.T) {
	const goroutines = 8
	rounds := many(50_000, 200_000)
	var g oid.Generator
	type ids struct{ seen, retired oid.ID }
	var now atomic.Pointer[ids]
	now.Store(&ids{seen: g.New()})

	stop := make(chan struct{})
	var reseeding sync.WaitGroup
	reseeds := 0
	reseeding.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			runtime.Gosched() // WebAssembly takes no processor away
			before := g.New() // nobody else reseeds
			g.Reseed()
			now.Store(&ids{g.New(), before})
			reseeds++
		}
	})
	process := func(id oid.ID) [5]byte { return oid.Inspect(id).Process }
	all := make([][]oid.ID, goroutines)
	together(goroutines, func(i int) {
		for n := range rounds {
			if n%1000 == 0 {
				runtime.Gosched()
			}
			before := now.Load()
			id := g.New()
			all[i] = append(all[i], id)
			if process(id) == process(before.seen) && id.Compare(before.seen) <= 0 {
				t.Errorf("New() = %v, but %v was there before", id, before.seen)
			}
			if process(id) == process(before.retired) {
				t.Errorf("New() = %v, but Reseed had replaced %v", id, before.retired)
			}
			if process(id) == process(before.seen) {
				now.CompareAndSwap(before, &ids{id, before.retired})
			}
		}
	})
	close(stop)
	reseeding.Wait()
	seen := map[oid.ID]bool{}
	for _, list := range all {
		for _, id := range list {
			if seen[id] {
				t.Fatalf("%v twice", id)
			}
			seen[id] = true
		}
	}
	if reseeds < 10 {
		t.Errorf("%d calls of Reseed meanwhile", reseeds)
	}
}
