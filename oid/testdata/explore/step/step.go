// Package step stands in for sync, sync/atomic and the clock of package time. Each
// call on it is one step, before which [Explore] may run another goroutine. It
// runs every interleaving of the goroutines, and every clock reading in each.
package step

import (
	"fmt"
	"iter"
	"strings"
	"time"
	"unsafe"
)

// A choice is one of n ways to go on.
type choice struct{ taken, n int }

// A thread is a goroutine of a scenario.
type thread struct {
	resume  func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	steps   uint64
	seen    uint64 // a hash of its steps and of what they returned: its local state
	waits   *Mutex
	started func() // to be called before the next step
	done    bool
}

// abort unwinds a thread whose run is given up.
type abort struct{}

// What follows is the state of one run.
var (
	threads  []*thread
	current  *thread // nil outside of Explore
	aborting bool
	memory   uint64 // the sum of the hashes of all words
	mono     int64  // the monotonic clock
	pointees []pointee
	trace    []event
	setups   uint64 // steps of the setup
	failure  string
	path     []choice // the choices of this run; those from next on are new
	next     int
	visited  map[uint64]bool
)

type pointee struct {
	at   unsafe.Pointer
	name uint64
}

// An event is a step that was taken, for the report.
type event struct {
	thread int
	name   string
	saw    uint64
}

func (e event) String() string { return fmt.Sprintf("goroutine %d: %s, %#x", e.thread, e.name, e.saw) }

// Explore runs bodies as goroutines in every order of their steps. The function
// setup returns them anew for each run. Explore returns the number of states that
// it has seen, and the failure of the first run that called [Fail].
//
// It goes depth first and leaves a run where it reaches a state that it has seen.
// A state is the words, the clock, and what each goroutine has read. It is known
// by a hash of 64 bits.
func Explore(setup func() []func()) (states int, failed string) {
	path, visited = nil, map[uint64]bool{}
	for {
		run(setup)
		if failure != "" {
			var report strings.Builder
			for _, e := range trace {
				fmt.Fprintln(&report, e)
			}
			return len(visited), failure + "\n" + report.String()
		}
		for len(path) > 0 && path[len(path)-1].taken+1 == path[len(path)-1].n {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return len(visited), ""
		}
		path[len(path)-1].taken++
	}
}

// Fail ends the exploration.
func Fail(format string, args ...any) {
	if failure == "" {
		failure = fmt.Sprintf(format, args...)
	}
}

// Begin has f called right before the goroutine's next step.
func Begin(f func()) {
	if current == nil {
		f()
		return
	}
	current.started = f
}

// Note adds to what the goroutine has read.
func Note(n uint64) {
	if current != nil {
		current.seen = mix(current.seen, n)
	}
}

// Shared adds n, less old, to what is shared by all goroutines.
func Shared(old, n uint64) { memory += mix(7, n) - mix(7, old) }

// Thread returns the number of the goroutine that runs.
func Thread() int {
	for i, t := range threads {
		if t == current {
			return i
		}
	}
	return -1
}

// run is one run along path and then along first choices.
func run(setup func() []func()) {
	threads, pointees, trace = nil, nil, trace[:0]
	memory, mono, setups, next, failure, aborting = 0, 0, 0, 0, "", false
	for _, body := range setup() {
		t := &thread{}
		t.resume, t.stop = iter.Pull(func(yield func(struct{}) bool) {
			defer func() {
				if r := recover(); r != nil && r != (abort{}) {
					Fail("panic: %v", r)
				}
			}()
			t.yield = yield
			body()
		})
		threads = append(threads, t)
	}
	for _, t := range threads {
		advance(t) // to its first step
	}
	for failure == "" {
		var ready []*thread
		alive := false
		state := mix(memory, uint64(mono))
		for _, t := range threads {
			alive = alive || !t.done
			if !t.done && (t.waits == nil || !t.waits.held) {
				ready = append(ready, t)
			}
			state = mix(state, t.seen)
		}
		if len(ready) == 0 {
			if alive {
				Fail("deadlock")
			}
			break
		}
		if next >= len(path) {
			if visited[state] {
				break
			}
			visited[state] = true
		}
		advance(ready[choose(len(ready))])
	}
	aborting = true
	for _, t := range threads {
		t.stop()
	}
	current = nil
}

// advance lets t take its step and go on to the next one.
func advance(t *thread) {
	current = t
	if _, more := t.resume(); !more {
		t.done = true
	}
}

// choose returns one of 0 to n-1.
func choose(n int) int {
	if next == len(path) {
		path = append(path, choice{0, n})
	}
	next++
	return path[next-1].taken
}

// step lets other goroutines run, and then begins a step of this one.
func step(name string, word *word) {
	if current == nil { // in the setup
		setups++
		word.touch(mix(100, setups))
		return
	}
	if aborting || !current.yield(struct{}{}) {
		panic(abort{})
	}
	if current.started != nil {
		current.started()
		current.started = nil
	}
	current.steps++
	// The same name in every run in which this goroutine has come here on the
	// same way.
	word.touch(mix(uint64(Thread()), current.steps))
	trace = append(trace, event{thread: Thread(), name: name})
}

// saw ends a step that has read n.
func saw(n uint64) uint64 {
	if current != nil {
		current.seen = mix(current.seen, n)
		trace[len(trace)-1].saw = n
	}
	return n
}

// A word is what one atomic step reads or writes.
type word struct{ name, value uint64 }

// touch gives w a name at its first step.
func (w *word) touch(name uint64) {
	if w != nil && w.name == 0 {
		w.name = name
		memory += mix(w.name, w.value)
	}
}

func (w *word) set(n uint64) {
	memory += mix(w.name, n) - mix(w.name, w.value)
	w.value = n
}

// mix returns a hash of a and b.
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Uint64 is atomic.Uint64.
type Uint64 struct{ w word }

func (u *Uint64) Load() uint64 {
	step("Load", &u.w)
	return saw(u.w.value)
}

func (u *Uint64) Store(n uint64) {
	step("Store", &u.w)
	u.w.set(n)
	saw(n)
}

func (u *Uint64) Add(n uint64) uint64 {
	step("Add", &u.w)
	u.w.set(u.w.value + n)
	return saw(u.w.value)
}

func (u *Uint64) CompareAndSwap(old, n uint64) bool {
	step("CompareAndSwap", &u.w)
	swapped := u.w.value == old
	if swapped {
		u.w.set(n)
	}
	if swapped {
		return saw(1) == 1
	}
	return saw(0) == 1
}

// Int64 is atomic.Int64.
type Int64 struct{ u Uint64 }

func (i *Int64) Load() int64   { return int64(i.u.Load()) }
func (i *Int64) Store(n int64) { i.u.Store(uint64(n)) }

// Pointer is atomic.Pointer.
type Pointer[T any] struct {
	w word
	p *T
}

func (p *Pointer[T]) Load() *T {
	step("Load of the pointer", &p.w)
	saw(p.w.value)
	return p.p
}

func (p *Pointer[T]) Store(to *T) {
	step("Store of the pointer", &p.w)
	name := uint64(0)
	for _, known := range pointees {
		if known.at == unsafe.Pointer(to) {
			name = known.name
		}
	}
	if name == 0 {
		name = mix(200, p.w.name) + setups
		if current != nil {
			name = mix(uint64(300+Thread()), current.steps)
		}
		pointees = append(pointees, pointee{unsafe.Pointer(to), name})
	}
	p.w.set(name)
	p.p = to
	saw(name)
}

// Mutex is sync.Mutex.
type Mutex struct {
	w    word
	held bool
}

func (m *Mutex) Lock() {
	if current != nil {
		current.waits = m
	}
	step("Lock", &m.w)
	if current != nil {
		current.waits = nil
	}
	m.held = true
	m.w.set(1)
	saw(1)
}

func (m *Mutex) Unlock() {
	if aborting {
		return
	}
	step("Unlock", &m.w)
	m.held = false
	m.w.set(0)
	saw(0)
}

// Time is time.Time.
type Time struct{ seconds, mono int64 }

func (t Time) Unix() int64              { return t.seconds }
func (t Time) Nanosecond() int          { return 0 }
func (t Time) Sub(u Time) time.Duration { return time.Duration(t.mono - u.mono) }

// Readings are what the system clock may show at each reading.
var Readings = []int64{101, 100}

// Clock returns the reading of a clock that steps both ways, in seconds.
func Clock() int64 {
	step("reading of the clock", nil)
	if current == nil {
		return Readings[0]
	}
	return int64(saw(uint64(Readings[choose(len(Readings))])))
}

// Now is time.Now.
func Now() Time { return Time{Clock(), mono} }

// Since is time.Since. The monotonic clock stands still, or moves by more than
// the time for which the generator goes on from one reading.
func Since(t Time) time.Duration {
	step("reading of the monotonic clock", nil)
	if current != nil {
		mono += int64(choose(2)) * int64(10*time.Millisecond)
	}
	saw(uint64(mono))
	return time.Duration(mono - t.mono)
}
