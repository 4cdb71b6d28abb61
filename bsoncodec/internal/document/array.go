package document

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"
	"strconv"
)

// AppendArray appends a BSON array of n IDs to dst. The function at returns the 12
// bytes of each.
func AppendArray(dst []byte, n int, at func(i int) []byte) []byte {
	size := ArraySize(n)
	dst = slices.Grow(dst, size)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(size))
	for i := range n {
		switch { // short indexes are faster this way, and most lists have no others
		case i < 10:
			dst = append(dst, 0x07, '0'+byte(i), 0)
		case i < 100:
			dst = append(dst, 0x07, '0'+byte(i/10), '0'+byte(i%10), 0)
		case i < 1000:
			dst = append(dst, 0x07, '0'+byte(i/100), '0'+byte(i/10%10), '0'+byte(i%10), 0)
		default:
			dst = append(strconv.AppendInt(append(dst, 0x07), int64(i), 10), 0)
		}
		dst = append(dst, at(i)...)
	}
	return append(dst, 0)
}

// ArraySize returns the size of a BSON array of n IDs in bytes.
func ArraySize(n int) int {
	// An element is the type, the index as text, its NUL, and the ID.
	size := 4 + 1
	for i, digits, next := 0, 1, 10; i < n; i, digits, next = next, digits+1, next*10 {
		size += (min(next, n) - i) * (1 + digits + 1 + 12)
	}
	return size
}

// Count returns the number of IDs in a BSON array. It reports false if the array has
// an element that isn't an ObjectId, or if any part of it is broken.
func Count(array []byte) (n int, ok bool) {
	if len(array) < 5 || binary.LittleEndian.Uint32(array) != uint32(len(array)) {
		return 0, false
	}
	rest := array[4:]
	for rest[0] == 0x07 {
		key := bytes.IndexByte(rest[1:], 0)
		if len(rest) < 1+key+1+12+1 { // a key without an end leaves no end of the array either
			return 0, false
		}
		rest = rest[1+key+1+12:]
		n++
	}
	return n, len(rest) == 1 && rest[0] == 0
}

// All iterates over the IDs of a BSON array for which [Count] reports true.
func All(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		rest := array[4:]
		for i := 0; rest[0] != 0; i++ {
			rest = rest[2+bytes.IndexByte(rest[1:], 0):]
			if !yield(i, rest[:12]) {
				return
			}
			rest = rest[12:]
		}
	}
}
