package pgsequence

import "sync"

// expectedFor is how many draws expect others after others drew.
const expectedFor = 16

// mostKeys is how many keys a store remembers.
const mostKeys = 10000

// others knows from which keys other programs draw too.
type others struct {
	mu   sync.Mutex
	keys map[string]seen
}

// seen is what a store saw of a key.
type seen struct {
	draws    int64 // the row's count of draws after our last one
	expected int   // for how many more draws others are expected
}

// expected reports whether others will probably draw from the key meanwhile.
func (o *others) expected(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.keys[key].expected > 0
}

// learn keeps the row's count of draws after one of ours. If it grew by more than one,
// others draw too.
func (o *others) learn(key string, draws int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.keys[key]
	if k.draws != 0 && draws != k.draws+1 {
		k.expected = expectedFor
	} else {
		k.expected = max(k.expected-1, 0)
	}
	k.draws = draws
	if o.keys == nil || len(o.keys) >= mostKeys {
		o.keys = map[string]seen{} // later draws find out again
	}
	o.keys[key] = k
}
