package sqlsequence

import (
	"fmt"
	"testing"
)

// TestMemoryForKeysIsBounded has a store see more keys than it remembers.
func TestMemoryForKeysIsBounded(t *testing.T) {
	s := &Store{plans: map[string]wheel{}}
	for i := range 3*mostKeys + 1 {
		s.remember(fmt.Sprint(i), wheel{})
		if n := len(s.plans); n != i%mostKeys+1 {
			t.Fatalf("after %d keys, the store remembers %d", i+1, n)
		}
	}
}
