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

// epoch is the zero of the monotonic clock readings in this file.
var epoch = time.Now()

// maxClockAge is how long ids go on from one reading of the system clock.
const maxClockAge = 5 * time.Millisecond

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

	once    sync.Once
	process uint64 // the low 40 bits hold the process value in use

	// From since to before until, in ns of the monotonic clock after epoch,
	// the seconds of last are known to be those of the system clock.
	since, until atomic.Int64

	_ [64]byte // last changes with every id: nothing else shares its cache line

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
	// process value, so that ids go on increasing until that is used up too.
	last atomic.Uint64

	_ [64]byte

	// lastAt is the same for NewAt, which takes its seconds from the caller: the
	// last process value and counter given out, as one number that grows by one
	// an id. No pair of them comes twice before 2^63 ids.
	lastAt atomic.Uint64
}

// New returns the next id of g: greater than every id that New or Fill of g
// returned before.
func (g *Generator) New() (id ID) {
	n := g.reserve(1)
	put(&id, g.process, n)
	return id
}

// Fill sets ids to len(ids) consecutive new ids of g, reserved in one step.
func (g *Generator) Fill(ids []ID) {
	if len(ids) == 0 {
		return
	}
	first := g.reserve(uint64(len(ids)))
	process := g.process
	for i := range ids {
		put(&ids[i], process, first+uint64(i))
	}
}

// reserve returns the first of n numbers of g.last that nobody else gets.
func (g *Generator) reserve(n uint64) uint64 {
	if g.Now == nil {
		now := int64(time.Since(epoch))
		if g.since.Load() <= now && now < g.until.Load() {
			return g.last.Add(n) - n + 1
		}
	}
	return g.reserveByClock(n)
}

// reserveByClock is reserve with a reading of the clock.
func (g *Generator) reserveByClock(n uint64) uint64 {
	g.once.Do(g.init)
	if g.Now != nil {
		return g.reserveAt(clampSeconds(g.Now().Unix()), n)
	}
	t := time.Now()
	first := g.reserveAt(clampSeconds(t.Unix()), n)

	// time.Since costs half of time.Now. So let the monotonic clock say for
	// a while that this second isn't over: not for longer, because the system
	// clock may be set, and the monotonic clock stands still while the machine
	// sleeps. (In a synctest bubble it is another one, hence since.)
	since := int64(t.Sub(epoch))
	left := int64(time.Second) - int64(t.Nanosecond())
	g.since.Store(since)
	g.until.Store(since + min(left, int64(maxClockAge)))
	return first
}

// reserveAt returns the first of n numbers of g.last that nobody else gets, and
// moves the seconds of g.last up to sec before if they are behind.
func (g *Generator) reserveAt(sec, n uint64) uint64 {
	for {
		last := g.last.Load()
		if last>>24 >= sec {
			return g.last.Add(n) - n + 1
		}
		first := sec<<24 | (last+1)&0xffffff
		if g.last.CompareAndSwap(last, first+n-1) {
			return first
		}
	}
}

// put sets id to that of a number of Generator.last.
func put(id *ID, process, n uint64) {
	seconds := n >> 24
	if seconds > maxSeconds {
		process += seconds - maxSeconds
		seconds = maxSeconds
	}
	putParts(id, seconds, process, n)
}

// putParts sets id to the one of seconds, the low 40 bits of process and the low
// 24 bits of counter.
func putParts(id *ID, seconds, process, counter uint64) {
	binary.BigEndian.PutUint64(id[:8], seconds<<32|process<<24>>32) // the low 40 bits of process, without the last 8
	binary.BigEndian.PutUint32(id[8:], uint32(process)<<24|uint32(counter)&0xffffff)
}

// NewAt returns a fresh id dated t. See the function [NewAt].
func (g *Generator) NewAt(t time.Time) (id ID, err error) {
	sec := t.Unix()
	if sec < 0 || sec > maxSeconds {
		return ID{}, fmt.Errorf("oid.NewAt(%s): %w", t.UTC().Format(time.RFC3339), ErrTime)
	}
	g.once.Do(g.init)
	for {
		last := g.lastAt.Load()
		n := last + 1
		if n>>24 == g.process {
			n += 1 << 24 // the process value of New is not for us
		}
		if g.lastAt.CompareAndSwap(last, n) {
			putParts(&id, uint64(sec), n>>24, n)
			return id, nil
		}
	}
}

// init draws what g starts from.
func (g *Generator) init() {
	g.process = fromProcess(g.Process)
	for g.process == 0 {
		g.process = random64() >> 24
	}
	g.last.Store(random64() >> 40)  // second 0, a random counter
	g.lastAt.Store(random64() >> 1) // far from the end of the numbers
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
