package document

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/oidkit/oidkit/oid"
)

// AppendArray appends a BSON array of ids to dst.
func AppendArray[T ~[12]byte](dst []byte, ids []T) []byte {
	start, size := len(dst), ArraySize(len(ids))
	dst = slices.Grow(dst, size)[:start+size]
	binary.LittleEndian.PutUint32(dst[start:], uint32(size))
	rest := dst[start+4:]
	i := 0
	for n, next := 3, 10; n <= 5; n, next = n+1, next*10 {
		last := min(len(ids), next)
		rest = putElements(rest, ids[i:last], heads[i:], n)
		i = last
	}
	for ; i < len(ids); i++ {
		key := append(strconv.AppendInt(append(rest[:0], 0x07), int64(i), 10), 0)
		*(*[12]byte)(rest[len(key):]) = ids[i]
		rest = rest[len(key)+12:]
	}
	rest[0] = 0
	return dst
}

// putElements writes elements with heads of n bytes, and returns the rest.
func putElements[T ~[12]byte](rest []byte, ids []T, heads []uint32, n int) []byte {
	heads = heads[:len(ids)]
	for i := range ids {
		element := rest[:n+12]
		binary.LittleEndian.PutUint32(element, heads[i])
		element[4] = 0 // the ID is written over what is too much
		*(*[12]byte)(element[n:]) = ids[i]
		rest = rest[n+12:]
	}
	return rest
}

// heads holds the first four bytes of the elements of an array: the type, and the index
// as text. Text of less than three bytes ends with its NUL. The first byte is the lowest.
var heads = func() (heads [1000]uint32) {
	for i := range heads {
		var b [4]byte
		strconv.AppendInt(append(b[:0], 0x07), int64(i), 10)
		heads[i] = binary.LittleEndian.Uint32(b[:])
	}
	return heads
}()

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
func Count(array []byte) (n int, ok bool) { return read(nil, array) }

// CopyArray copies the IDs of a BSON array to ids, whose length is what [Count] returns
// for the array.
func CopyArray(ids []oid.ID, array []byte) { read(ids, array) }

// read does the work of Count, and of CopyArray if ids isn't nil.
func read(ids []oid.ID, array []byte) (n int, ok bool) {
	if len(array) < 5 || binary.LittleEndian.Uint32(array) != uint32(len(array)) {
		return 0, false
	}
	rest := array[4:]
	// The keys are nearly always the indexes.
	for head, next := 3, 10; head <= 5; head, next = head+1, next*10 {
		for n < next && len(rest) > head+12 && isHead(rest, n, head) {
			if ids != nil {
				ids[n] = oid.ID(rest[head:])
			}
			rest = rest[head+12:]
			n++
		}
		if n < next {
			break
		}
	}
	for rest[0] == 0x07 {
		head := 1 + bytes.IndexByte(rest[1:], 0) + 1
		if len(rest) <= head+12 { // a key without an end leaves no end of the array either
			return 0, false
		}
		if ids != nil {
			ids[n] = oid.ID(rest[head:])
		}
		rest = rest[head+12:]
		n++
	}
	return n, len(rest) == 1 && rest[0] == 0
}

// isHead reports whether rest begins with heads[i], which has n bytes.
func isHead(rest []byte, i, n int) bool {
	got := binary.LittleEndian.Uint32(rest)
	if n == 3 {
		got &= 0xffffff // the fourth byte is of the ID
	}
	return got == heads[i] && rest[n-1] == 0
}
