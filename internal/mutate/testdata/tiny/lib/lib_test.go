package lib

import (
	"os"
	"testing"
)

func TestSmall(t *testing.T) {
	if !Small(9) || Small(11) {
		t.Error("Small")
	}
}

func TestSum(t *testing.T) {
	if got := Sum(4); got != 10 {
		t.Errorf("Sum(4) = %d", got)
	}
}

func TestHalf(t *testing.T) {
	if got := Half(); got != 2e9 {
		t.Errorf("Half() = %d", got)
	}
}

func TestJoin(t *testing.T) {
	if got := Join("a", "b"); got != "ab" {
		t.Errorf("Join = %q", got)
	}
}

// TestDepth fails in the instrumented copy, in which there are more functions.
func TestDepth(t *testing.T) {
	if got := Depth(); got != 2*4 {
		t.Errorf("Depth() = %d", got)
	}
	if Small(10) {
		t.Error("Small(10)")
	}
}

func TestClear(t *testing.T) {
	m := map[string]int{"a": 1}
	if n := Clear(m); n == nil || len(m) != 0 {
		t.Errorf("Clear = %v, %v", n, m)
	}
}

func TestIsFirst(t *testing.T) {
	if !IsFirst(3) || IsFirst(4) {
		t.Error("IsFirst")
	}
}

func TestForgotten(t *testing.T) {
	if _, err := os.Stat("../testdata/remember"); err != nil {
		return
	}
	if !Forgotten() {
		t.Error("Forgotten")
	}
}

// TestBroken fails in every copy.
func TestBroken(t *testing.T) { t.Error("always", Sum(4)) }

func TestOther(t *testing.T) { t.Error("doesn't count") }
