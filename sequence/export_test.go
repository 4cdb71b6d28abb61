package sequence

// Scopes returns how many scopes of n are kept.
func (n *Numbering) Scopes() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.parts)
}

// NumbersOf returns n numbers of p, which counts from base.
var NumbersOf = numbersOf

// ParsePlan reads the plan of a Meaning, and returns the Meaning of what it read.
func ParsePlan(meaning string) (p Plan, again string, ok bool) {
	m, ok := parsePlanned(meaning)
	return m.plan, m.String(), ok
}

// Forget deletes a key.
func Forget(m *Memory, key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.rows, key)
}
