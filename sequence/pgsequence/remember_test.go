package pgsequence

import (
	"fmt"
	"testing"
)

// TestMemoryForKeysIsBounded has a store see more keys than it remembers.
func TestMemoryForKeysIsBounded(t *testing.T) {
	s := new(Store)
	for i := range 3*mostKeys + 1 {
		s.remember(fmt.Sprint(i), 1)
		if n := len(s.others); n != i%mostKeys+1 {
			t.Fatalf("after %d keys, the store remembers %d", i+1, n)
		}
	}
}
