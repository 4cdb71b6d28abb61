package oid

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// std is the generator of the package functions.
var std Generator

// epoch is the zero of the monotonic clock readings in this file.
var epoch = time.Now()

// maxClockAge is how long new IDs rely at most on one reading of the system clock.
const maxClockAge = 5 * time.Millisecond

// New returns a new ID. Until 2106, and unless [Reseed] comes between, the ID is greater
// than every earlier ID of New and [Fill], in any goroutine of the process. New never
// fails.
func New() ID { return std.New() }

// Fill sets each element of ids to a new ID. Fill reserves all these IDs in one step, so
// they are consecutive: without [Reseed], [New] and other calls of Fill never make an ID
// that lies between two of them.
func Fill(ids []ID) { std.Fill(ids) }

// NewAt returns a new ID whose creation time is t, rounded down to a whole second. Use
// NewAt to give IDs to rows created in the past. If the rounded t is before 1970 or after
// 2106-02-07T06:28:15Z, NewAt returns an error that matches [ErrTime].
//
// In one process without a call of [Reseed], NewAt never returns an ID twice, even if you ask
// for many IDs of the same instant. The IDs of the same second then increase in the order of
// the calls. Until 2106, and without Reseed, NewAt uses other process values than [New] and
// [Fill], so NewAt never returns an ID that they return. Calls of NewAt don't change the IDs
// that New and Fill make.
func NewAt(t time.Time) (ID, error) { return std.NewAt(t) }

// Reseed draws a new process value and a new counter for [New] and [Fill], and others for
// [NewAt]. The next IDs of New and Fill take their time from the clock, even if earlier IDs
// were ahead of the clock.
//
// Call Reseed after a virtual machine, a container or a process was restored from a
// snapshot. All machines that are restored from one snapshot have the same process value
// and counter in memory, and can make the same IDs. Also call Reseed if the clock was
// far ahead and has been corrected. Without Reseed, new IDs of New and Fill keep the wrong
// time until the clock catches up.
//
// Calls of New, Fill and NewAt that begin after Reseed has returned use the new values.
// The new IDs can be less than IDs made before Reseed, and very probably differ from them.
func Reseed() { std.Reseed() }

// A Generator makes IDs. The zero Generator is ready to use. A Generator is safe for
// concurrent use. The function in its field Now must be safe for concurrent use too. After
// first use, a Generator must not be copied, and its fields must not be changed.
//
// Most programs don't have to make a Generator, because the functions [New], [Fill] and
// [NewAt] share one. Make a Generator if a test needs the same IDs in every run, or if a
// program needs a fixed process value ([HostProcess]) or another clock.
type Generator struct {
	// Process is the process value of New and Fill: bytes 4 to 8 of each of their IDs. If
	// Process is zero, the generator reads a process value from Rand at first use. Two
	// generators with the same process value can make the same IDs, even in different
	// programs. Reseed replaces the process value, even if Process is not zero.
	Process [5]byte

	// Now returns the current time. It must be safe for concurrent use. If Now is
	// nil, the generator uses the system clock.
	//
	// IDs of New and Fill hold the second that the clock shows, or a later second after
	// the counter has wrapped or the clock has stepped back. A time before 1970 counts as
	// 1970-01-01T00:00:00Z, the first second that an ID can hold. A time after
	// 2106-02-07T06:28:15Z, the last second that an ID can hold, counts as this last
	// second.
	Now func() time.Time

	// Rand is the source of the random bytes for the process values and first counters of
	// New, Fill and NewAt. If Rand is nil, the generator uses crypto/rand. With a seeded
	// source, such as rand.NewChaCha8 of math/rand/v2, and a clock that a test controls, a
	// generator makes the same IDs for the same calls in every run. Two generators with
	// equal seeds, clocks and Process also make the same IDs for the same calls.
	//
	// A generator reads 16 bytes from Rand at first use, and 16 bytes in each call of
	// Reseed. The generator panics if Rand returns an error.
	Rand io.Reader

	drawing sync.Mutex // held while bits are drawn
	state   atomic.Pointer[state]
}

// A state is what a generator counts with. A call makes its IDs of one state, so
// that no ID has the process value of one state and the number of another. Reseed
// replaces the pointer to the state.
type state struct {
	process uint64 // the low 40 bits hold the process value

	// [since, until) is an interval of the monotonic clock, in ns after epoch.
	// Within it, the seconds of last count as not behind the system clock.
	since, until atomic.Int64

	_ [64]byte // last changes with every ID: nothing else shares its cache line

	// last is what makes IDs strictly increase. It holds the last ID given
	// out, without its process value, as one number:
	//
	//	seconds<<24 | counter
	//
	// Each call replaces it by a greater number, in one atomic step, and makes
	// its ID of the number that it put there. The numbers only grow, and the IDs
	// sort as the numbers do:
	//
	//   - The counter rises by one with each ID. Past 0xffffff it is 0 again and
	//     the carry goes into the seconds, so that the number has still grown.
	//   - A clock ahead of the seconds moves them up, and the counter goes on.
	//     A clock behind them is ignored until it has caught up.
	//   - A call that returned before another began put its number there
	//     first, whichever goroutines they run in.
	//
	// This holds for calls that load the same state: all those between two calls
	// of Reseed. A call that overlaps Reseed uses the state before it or after it.
	//
	// An ID has 32 bits for the seconds, and the word has 40. Past 2106 the ID
	// keeps the last second, and the seconds beyond it are added to its process
	// value. IDs therefore go on increasing until the process value is full.
	last atomic.Uint64

	_ [64]byte

	// lastAt is the same for NewAt, which takes its seconds from the caller: the
	// last process value and counter given out, as one number that grows with
	// each ID. No pair of them comes twice before 2^63 IDs.
	lastAt atomic.Uint64
}

// New returns a new ID of g. Without g.Reseed, the IDs strictly increase: see the function
// [New].
func (g *Generator) New() (id ID) {
	s, n := g.reserve(1)
	put(&id, s.process, n)
	return id
}

// Fill sets each element of ids to a new ID of g. The IDs are consecutive: see the
// function [Fill].
func (g *Generator) Fill(ids []ID) {
	s, n := g.reserve(uint64(len(ids)))
	for len(ids) > 0 {
		put(&ids[0], s.process, n)
		same := min(uint64(len(ids)), 1<<24-n&0xffffff) // IDs up to the counter's wrap
		head, tail := binary.BigEndian.Uint64(ids[0][:]), binary.BigEndian.Uint32(ids[0][8:])
		for i := range ids[:same] {
			binary.BigEndian.PutUint64(ids[i][:], head)
			binary.BigEndian.PutUint32(ids[i][8:], tail+uint32(i))
		}
		ids, n = ids[same:], n+same
	}
}

// reserve returns the state in use, and the first of n numbers of its last that
// nobody else gets.
func (g *Generator) reserve(n uint64) (*state, uint64) {
	if s := g.state.Load(); s != nil && g.Now == nil {
		now := int64(time.Since(epoch))
		if s.since.Load() <= now && now < s.until.Load() {
			return s, s.last.Add(n) - n + 1
		}
	}
	return g.reserveByClock(n)
}

// reserveByClock is reserve with a reading of the clock.
func (g *Generator) reserveByClock(n uint64) (*state, uint64) {
	s := g.current()
	if g.Now != nil {
		return s, s.reserveAt(clampSeconds(g.Now().Unix()), n)
	}
	t := time.Now()
	first := s.reserveAt(clampSeconds(t.Unix()), n)

	// time.Since costs half of time.Now. For a while, let the monotonic clock say
	// that this second isn't over: not for longer, because the system
	// clock may be set, and the monotonic clock stands still while the machine
	// sleeps. (In a synctest bubble it is another one, hence since.)
	since := int64(t.Sub(epoch))
	left := int64(time.Second) - int64(t.Nanosecond())
	s.since.Store(since)
	s.until.Store(since + min(left, int64(maxClockAge)))
	return s, first
}

// reserveAt returns the first of n numbers of s.last that nobody else gets, and
// moves the seconds of s.last up to sec before if they are behind.
func (s *state) reserveAt(sec, n uint64) uint64 {
	for {
		last := s.last.Load()
		if last>>24 >= sec {
			return s.last.Add(n) - n + 1
		}
		first := sec<<24 | (last+1)&0xffffff
		if s.last.CompareAndSwap(last, first+n-1) {
			return first
		}
	}
}

// put sets id to the ID of a number of state.last.
func put(id *ID, process, n uint64) {
	seconds := n >> 24
	// Not "> maxSeconds": Go 1.25 to 1.27 drop that comparison on s390x.
	if seconds >= 1<<32 {
		process += seconds - maxSeconds
		seconds = maxSeconds
	}
	putParts(id, seconds, process, n)
}

// putParts sets id to the one of seconds, the low 40 bits of process and the low
// 24 bits of counter.
func putParts(id *ID, seconds, process, counter uint64) {
	binary.BigEndian.PutUint64(id[:], seconds<<32|process<<24>>32) // the low 40 bits of process, without the last 8
	binary.BigEndian.PutUint32(id[8:], uint32(process)<<24|uint32(counter)&0xffffff)
}

// NewAt returns a new ID of g whose creation time is t: see the function [NewAt].
func (g *Generator) NewAt(t time.Time) (id ID, err error) {
	sec := t.Unix()
	if sec < 0 || sec > maxSeconds {
		return ID{}, fmt.Errorf("oid.NewAt(%s): %w", showTime(t), ErrTime)
	}
	s := g.current()
	for {
		last := s.lastAt.Load()
		n := last + 1
		if n>>24 == s.process {
			n += 1 << 24 // the process value of New is not for us
		}
		if s.lastAt.CompareAndSwap(last, n) {
			putParts(&id, uint64(sec), n>>24, n)
			return id, nil
		}
	}
}

// Reseed gives g a new counter and a new process value, even if the field Process is set:
// see the function [Reseed].
func (g *Generator) Reseed() {
	g.drawing.Lock()
	defer g.drawing.Unlock()
	s := draw(g.Rand)
	old := uint64(0)
	if last := g.state.Load(); last != nil {
		old = last.process
	}
	for s.process == 0 || s.process == old || s.process == fromProcess(g.Process) {
		s.process = (s.process + 1) % (1 << 40)
	}
	g.state.Store(s)
}

// current returns the state in use. It draws one at first use.
func (g *Generator) current() *state {
	if s := g.state.Load(); s != nil {
		return s
	}
	g.drawing.Lock()
	defer g.drawing.Unlock()
	if s := g.state.Load(); s != nil {
		return s // drawn by another goroutine meanwhile
	}
	s := draw(g.Rand)
	if g.Process != [5]byte{} {
		s.process = fromProcess(g.Process)
	}
	s.process = max(s.process, 1) // 0 stands for none
	g.state.Store(s)
	return s
}

// draw returns a state of random bits, at second 0. Nil means crypto/rand.
func draw(random io.Reader) *state {
	var b [16]byte
	if random == nil {
		rand.Read(b[:]) // never fails: it ends the program instead
	} else if _, err := io.ReadFull(random, b[:]); err != nil {
		panic(fmt.Errorf("oid.Generator: reading 16 bytes from Rand: %w", err))
	}
	n := binary.BigEndian.Uint64(b[:])
	s := &state{process: n >> 24}
	s.last.Store(n & 0xffffff)
	s.lastAt.Store(binary.BigEndian.Uint64(b[8:]) >> 1) // far from the end of the numbers
	return s
}

// fromProcess returns the number that p is in big endian.
func fromProcess(p [5]byte) uint64 {
	return uint64(p[0])<<32 | uint64(binary.BigEndian.Uint32(p[1:]))
}
