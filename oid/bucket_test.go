package oid_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

func TestBucketIsBelowN(t *testing.T) {
	for _, n := range []int{1, 2, 3, 16, 1000, math.MaxInt32, math.MaxInt} {
		for range 200 {
			if got := oid.Bucket(oid.New(), n); got < 0 || got >= n {
				t.Fatalf("Bucket(id, %d) = %d", n, got)
			}
		}
	}
	for _, n := range []int{0, -1, math.MinInt} {
		if got := oid.Bucket(oid.New(), n); got != 0 {
			t.Errorf("Bucket(id, %d) = %d, want 0", n, got)
		}
	}
}

// The IDs of a table spread evenly however many IDs the program makes for each of its
// rows. Their last bits don't.
func TestBucketsAreEvenAtEveryStride(t *testing.T) {
	const rows, n = 16_000, 16
	g := &oid.Generator{Rand: rand.NewChaCha8([32]byte{7}), Now: func() time.Time { return time.Unix(1_750_000_000, 0) }}
	for _, stride := range []int{1, 2, 3, 4, 8, 16, 256} {
		var buckets, bits [n]int
		ids := make([]oid.ID, stride)
		for range rows {
			g.Fill(ids)
			id := ids[stride-1]
			buckets[oid.Bucket(id, n)]++
			bits[id[11]%n]++
		}
		used := 0
		for b := range n {
			if got := buckets[b]; got < rows/n*8/10 || got > rows/n*12/10 {
				t.Errorf("stride %d: bucket %d has %d of %d IDs, want about %d", stride, b, got, rows, rows/n)
			}
			if bits[b] > 0 {
				used++
			}
		}
		if stride%8 == 0 && used > 2 {
			t.Errorf("stride %d: the last four bits have %d values, want at most 2: the trap in the comment of Bucket is gone", stride, used)
		}
	}
}

// A table with the primary key (bucket, id) has no hot last range.
func ExampleBucket() {
	id := oid.MustParse("65b3f7a1c2d3e4f5a6b7c8d9")
	fmt.Println(oid.Bucket(id, 16), id)
	// Output: 11 65b3f7a1c2d3e4f5a6b7c8d9
}
