package sequence

import "time"

// Probes returns the times with which layouts are tried.
func Probes() []time.Time { return probes() }

// Scopes returns how many scopes n holds in memory.
func (n *Numbering) Scopes() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.scopes)
}

// Forget does what the collector has done after nobody used a scope any more.
func (n *Numbering) Forget(scope string) { n.forget(scope) }

// Observing returns how many calls of the observer run, and what s keeps of them.
func (s *Sequence) Observing() (calls, kept int) {
	o := s.c.draws.observe
	o.ids.Range(func(any, any) bool { kept++; return true })
	return int(o.calls.Load()), kept
}
