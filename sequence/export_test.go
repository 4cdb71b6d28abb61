package sequence

// Scopes returns how many scopes n holds in memory.
func (n *Numbering) Scopes() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.scopes)
}
