package oid

import "time"

// ClockAge returns how long g goes on from its last reading of the clock.
func (g *Generator) ClockAge() time.Duration {
	return time.Duration(g.until.Load() - g.since.Load())
}

// MaxQuoted is how much of bad input an error shows.
const MaxQuoted = maxQuoted

// HostHash lets a test stand in for os.Hostname.
var HostHash = hostHash

// SetLast makes g go on from seconds and counter, as after an id with those.
func (g *Generator) SetLast(t time.Time, counter uint32) {
	g.once.Do(g.init)
	g.last.Store(uint64(t.Unix())<<24 | uint64(counter))
}

// SetLastAt makes g.NewAt go on from a process value and a counter.
func (g *Generator) SetLastAt(process uint64, counter uint32) {
	g.once.Do(g.init)
	g.lastAt.Store(process<<24 | uint64(counter))
}

// ProcessNumber returns the process value in use as a number.
func (g *Generator) ProcessNumber() uint64 {
	g.once.Do(g.init)
	return g.process
}
