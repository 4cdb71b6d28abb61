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

// headSize returns the length of what stands before the ID in element i of an array: the
// type, the key and its NUL. The index is one in heads.
func headSize(i int) int {
	switch {
	case i < 10:
		return 3
	case i < 100:
		return 4
	}
	return 5
}

// head returns the same length for any element. The
// bytes of rest begin with the element, and hold more than that.
func head(rest []byte, i int) int {
	// The key is nearly always the index.
	if i < len(heads) && len(rest) > 4 {
		got := binary.LittleEndian.Uint32(rest)
		switch n := headSize(i); {
		case n == 3 && got&0xffffff == heads[i], n == 4 && got == heads[i], n == 5 && got == heads[i] && rest[4] == 0:
			return n
		}
	}
	return 1 + bytes.IndexByte(rest[1:], 0) + 1
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
		size := head(rest, n) + 12
		if len(rest) < size+1 { // a key without an end leaves no end of the array either
			return 0, false
		}
		rest = rest[size:]
		n++
	}
	return n, len(rest) == 1 && rest[0] == 0
}

// CopyArray copies the IDs of a BSON array to ids, whose length is what [Count] returns
// for the array.
func CopyArray(ids []oid.ID, array []byte) {
	rest := array[4:]
	for i := range ids {
		n := head(rest, i)
		ids[i] = oid.ID(rest[n:])
		rest = rest[n+12:]
	}
}
