package oid

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// Split cuts the range [lo, hi) of IDs into n adjacent ranges. Use it for n workers that
// scan a table in parallel, or for a scan that can stop and continue.
//
//	for from, to := range oid.Split(lo, hi, 16) {
//		// SELECT … WHERE id >= from AND id < to ORDER BY id
//	}
//
// The first range begins at lo, the last range ends at hi, and each ID of [lo, hi) is in
// exactly one range. Each range covers the same length of time, so the ranges hold similar
// numbers of rows only if the program added rows at a constant rate. IDs hold whole
// seconds, so ranges shorter than a second can be empty even then. The page docs/ranges.md
// in the repository shows how to cut a table by rows instead.
//
// If [lo, hi) has fewer than n IDs, Split returns one range for each ID. If lo is equal to
// hi or greater, Split returns no range. An n below 1 counts as 1.
func Split(lo, hi ID, n int) iter.Seq2[ID, ID] {
	return func(yield func(from, to ID) bool) {
		if lo.Compare(hi) >= 0 {
			return
		}
		parts := uint64(max(n, 1))
		// hi - lo, of 96 bits, is parts*length + rest.
		low, borrow := bits.Sub64(lowWord(hi), lowWord(lo), 0)
		high := highWord(hi) - highWord(lo) - borrow
		lengthHigh := high / parts
		lengthLow, rest := bits.Div64(high%parts, low, parts)
		if lengthHigh == 0 && lengthLow == 0 { // one ID each
			lengthLow, parts, rest = 1, rest, 0
		}

		from, over := lo, uint64(0)
		for range parts {
			// A range is one longer whenever the shares of rest add up to one.
			longer := uint64(0)
			if over += rest; over >= parts {
				over, longer = over-parts, 1
			}
			low, carry := bits.Add64(lowWord(from), lengthLow, longer)
			var to ID
			binary.BigEndian.PutUint32(to[:], uint32(highWord(from)+lengthHigh+carry))
			binary.BigEndian.PutUint64(to[4:], low)
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// highWord and lowWord are the first 4 and the last 8 bytes of id as numbers.
func highWord(id ID) uint64 { return uint64(binary.BigEndian.Uint32(id[:])) }
func lowWord(id ID) uint64  { return binary.BigEndian.Uint64(id[4:]) }
