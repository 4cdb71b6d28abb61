// Package lib has mutants of many kinds.
package lib

import "runtime"

// Small reports whether n is less than 10.
func Small(n int) bool {
	return n < 10
}

// Sum returns 0 + 1 + … + n.
func Sum(n int) (sum int) {
	i := 0
	for i <= n {
		sum += i
		i++
	}
	return sum
}

// Join has a mutant that doesn't compile: strings have no minus.
func Join[T ~int | ~string](a, b T) T { return a + b }

// Forgotten has no test.
func Forgotten() bool { return true }

// Guarded is tested by package guard alone.
func Guarded(a, b bool) bool { return a && b }

// Depth returns how many functions are around it, doubled.
func Depth() int { return 2 * runtime.Callers(1, make([]uintptr, 100)) }

// Clear empties m, which is made for as much.
func Clear(m map[string]int) map[string]int {
	clear(m)
	switch len(m) {
	case 0:
		return make(map[string]int, 8)
	default:
		panic("not empty")
	}
}

type kind int

const first kind = 3

// IsFirst has a variable with the name of a type, so there is no mutant of the constant.
func IsFirst(kind kind) bool { return kind == first }
