package guard

import (
	"testing"

	"example.com/tiny/lib"
	"example.com/tiny/untested"
)

func TestGuarded(t *testing.T) {
	for i := range 4 {
		a, b := i&1 != 0, i&2 != 0
		if got := lib.Guarded(a, b); got != (i == 3) {
			t.Errorf("Guarded(%v, %v) = %v", a, b, got)
		}
	}
	t.Run("server", func(t *testing.T) { t.Error("doesn't count") })
}

func TestNothing(t *testing.T) {}

func TestSame(t *testing.T) {
	if !untested.Same(1, 1) || untested.Same(1, 2) {
		t.Error("Same")
	}
}
