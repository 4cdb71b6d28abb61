package oid

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// std is the generator of the package functions.
var std Generator

// New returns the next id of the process: greater than every id that New or
// [Fill] returned before, in any goroutine. It never fails and never repeats.
func New() ID { return std.New() }

// Fill sets ids to len(ids) consecutive new ids, as so many calls of [New] would,
// but reserves them in one step. No other id of the process lies between them.
func Fill(ids []ID) { std.Fill(ids) }

// NewAt returns a fresh id dated t, for rows that already exist. It returns an
// error for which errors.Is(err, [ErrTime]) holds if an id cannot hold t.
//
// However many ids are asked for one instant, none comes twice, and those of one
// second increase in the order of the calls. They use process values of their
// own, so that they differ from all ids of [New], and don't disturb its order.
func NewAt(t time.Time) (ID, error) { return std.NewAt(t) }

// A Generator makes ids. The zero value is ready to use. A Generator is safe for
// concurrent use and must not be copied after first use. Its fields must not
// change after first use.
//
// Most programs need none: [New], [Fill] and [NewAt] share one. A Generator of
// one's own serves where ids need a fixed process value ([HostProcess]) or a
// clock of their own, as in tests.
type Generator struct {
	// Process is the process value of the ids. The zero value stands for
	// one drawn from crypto/rand at first use, which is what tells the ids of
	// different processes and generators apart: two generators with the same
	// value, in one process or in two, make the same ids sooner or later.
	Process [5]byte

	// Now is the clock. Nil stands for the system clock.
	//
	// Ids take the seconds of Now() while these rise. Where they stay or go
	// back, ids go on from the last one. Times outside 1970–2106 count as the
	// first and the last second that an id can hold.
	Now func() time.Time

	setup   sync.Mutex
	ready   atomic.Bool // set once process, last and lastAt are
	process uint64      // the low 40 bits hold the process value in use
	clock   clock

	// last is what makes ids strictly increase. It holds the last id given
	// out, without its process value, as one number:
	//
	//	seconds<<24 | counter
	//
	// Each call replaces it by a greater number, in one atomic step, and makes
	// its id of the number that it put there. Numbers that only grow, and ids
	// that sort as these numbers do, are the whole of the order:
	//
	//   - The counter rises by one an id. Past 0xffffff it is 0 again and the
	//     carry goes into the seconds, so that the number has still grown.
	//   - A clock ahead of the seconds moves them up and leaves the counter
	//     where it is. A clock behind them is ignored: the seconds stay until it
	//     has caught up.
	//   - A call that returned before another began put its number there
	//     first, whichever goroutines they run in.
	//
	// The seconds end with the 32 bits that an id has for them, but the word has
	// 40: past 2106 the id keeps the last second, and what is over goes into its
	// process value, so that ids go on increasing.
	last atomic.Uint64

	// lastAt is the same for NewAt, which takes its seconds from the caller: the
	// last process value and counter given out, as one number that grows by one
	// an id. No pair of them comes twice before 2^63 ids.
	lastAt atomic.Uint64
}

// New returns the next id of g: greater than every id that New or Fill of g
// returned before.
func (g *Generator) New() ID {
	return g.id(g.reserve(1))
}

// Fill sets ids to len(ids) consecutive new ids of g, reserved in one step.
func (g *Generator) Fill(ids []ID) {
	if len(ids) == 0 {
		return
	}
	first := g.reserve(uint64(len(ids)))
	for i := range ids {
		ids[i] = g.id(first + uint64(i))
	}
}

// reserve returns the first of n numbers of g.last that nobody else gets.
func (g *Generator) reserve(n uint64) (first uint64) {
	if !g.ready.Load() {
		g.init()
	}
	now := g.seconds()
	for {
		last := g.last.Load()
		first = last + 1
		if first>>24 < now {
			first = now<<24 | first&0xffffff
		}
		if g.last.CompareAndSwap(last, first+n-1) {
			return first
		}
	}
}

// id returns the id of a number of g.last.
func (g *Generator) id(n uint64) ID {
	seconds, process := n>>24, g.process
	if seconds > maxSeconds {
		process += seconds - maxSeconds
		seconds = maxSeconds
	}
	return fromParts(seconds, process, n)
}

// fromParts returns the id of seconds, the low 40 bits of process and the low 24
// bits of counter.
func fromParts(seconds, process, counter uint64) ID {
	return fromWords(seconds<<32|process<<24>>32, uint32(process)<<24|uint32(counter)&0xffffff)
}

// seconds reads the clock of g.
func (g *Generator) seconds() uint64 {
	if g.Now != nil {
		return clampSeconds(g.Now().Unix())
	}
	return clampSeconds(g.clock.seconds())
}

// NewAt returns a fresh id dated t. See the function [NewAt].
func (g *Generator) NewAt(t time.Time) (ID, error) {
	sec := t.Unix()
	if sec < 0 || sec > maxSeconds {
		return ID{}, fmt.Errorf("oid.NewAt(%s): %w", t.UTC().Format(time.RFC3339), ErrTime)
	}
	if !g.ready.Load() {
		g.init()
	}
	for {
		last := g.lastAt.Load()
		n := last + 1
		if n>>24 == g.process {
			n += 1 << 24 // the process value of New is not for us
		}
		if g.lastAt.CompareAndSwap(last, n) {
			return fromParts(uint64(sec), n>>24, n), nil
		}
	}
}

// init draws what g starts from.
func (g *Generator) init() {
	g.setup.Lock()
	defer g.setup.Unlock()
	if g.ready.Load() {
		return
	}
	g.process = fromProcess(g.Process)
	for g.process == 0 {
		g.process = random64() >> 24
	}
	g.last.Store(random64() >> 40)  // second 0, a random counter
	g.lastAt.Store(random64() >> 1) // far from the end of the numbers
	g.clock.start = time.Now()
	g.clock.read()
	g.ready.Store(true)
}

// fromProcess returns the number that p is in big endian.
func fromProcess(p [5]byte) uint64 {
	return uint64(p[0])<<32 | uint64(binary.BigEndian.Uint32(p[1:]))
}

// random64 returns 64 random bits.
func random64() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return binary.BigEndian.Uint64(b[:])
}

// maxClockAge is how long a clock goes on from one reading of the system clock.
const maxClockAge = 5 * time.Millisecond

// A clock tells the seconds of the system clock for half of what time.Now costs.
// It reads the monotonic clock, and every few milliseconds also how far the
// system clock is ahead of that, which changes only when the system clock is set
// or the machine has slept.
type clock struct {
	start time.Time    // the zero of the monotonic readings below
	taken atomic.Int64 // when ahead was taken, in ns of the monotonic clock
	ahead atomic.Int64 // system clock minus monotonic clock, in ns
}

// seconds returns the Unix time in seconds.
func (c *clock) seconds() int64 {
	now := int64(time.Since(c.start))
	// In a synctest bubble the monotonic clock is another one, and now can lie
	// before taken: as an unsigned number that is very old.
	if uint64(now-c.taken.Load()) > uint64(maxClockAge) {
		now = c.read()
	}
	return (c.ahead.Load() + now) / int64(time.Second)
}

// read reads both clocks. It returns the reading of the monotonic one.
func (c *clock) read() int64 {
	t := time.Now()
	now := int64(t.Sub(c.start))
	// Within the seconds of an id, nanoseconds since 1970 fit an int64.
	unix := int64(clampSeconds(t.Unix()))*int64(time.Second) + int64(t.Nanosecond())
	c.ahead.Store(unix - now)
	c.taken.Store(now)
	return now
}
