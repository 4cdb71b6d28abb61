package sequence

import "math/rand/v2"

// A version has 32 random bits that name this life of a key, and 31 that each Put draws
// anew. A key that was deleted and made again has another life.

func life(version int64) int64 { return version >> 31 }

func newLife() int64 { return newVersion((1 + rand.Int64N(1<<32-1)) << 31) }

// newVersion returns another version of the same life.
func newVersion(was int64) int64 {
	return life(was)<<31 | (was+1+rand.Int64N(1<<31-1))&(1<<31-1)
}
