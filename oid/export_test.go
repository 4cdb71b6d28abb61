package oid

import "time"

// ClockAge returns how long g goes on from its last reading of the clock.
func (g *Generator) ClockAge() time.Duration {
	s := g.current()
	return time.Duration(s.until.Load() - s.since.Load())
}

// TrustClock makes g go on from its last reading of the clock for d more.
func (g *Generator) TrustClock(d time.Duration) {
	g.current().until.Add(int64(d))
}

// MaxQuoted is how much of bad input an error shows.
const MaxQuoted = maxQuoted

// HostHash lets a test stand in for os.Hostname.
var HostHash = hostHash

// SetLast makes g go on from seconds and counter, as after an ID with those.
func (g *Generator) SetLast(t time.Time, counter uint32) {
	g.current().last.Store(uint64(t.Unix())<<24 | uint64(counter))
}

// SetLastAt makes g.NewAt go on from a process value and a counter.
func (g *Generator) SetLastAt(process uint64, counter uint32) {
	g.current().lastAt.Store(process<<24 | uint64(counter))
}

// ProcessNumber returns the process value in use as a number.
func (g *Generator) ProcessNumber() uint64 {
	return g.current().process
}

// Copy returns a copy of g's state, as a snapshot of the process has it.
func (g *Generator) Copy() *Generator {
	from := g.current()
	s := &state{process: from.process}
	s.last.Store(from.last.Load())
	s.lastAt.Store(from.lastAt.Load())
	c := &Generator{Process: g.Process, Now: g.Now, Rand: g.Rand}
	c.state.Store(s)
	return c
}
