package document

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
)

// AppendArray appends ids to dst as a BSON array.
func AppendArray[T ~[12]byte](dst []byte, ids []T) []byte {
	// An element is the type, the index as text, its NUL, and the id.
	size := 4 + 1
	for i, digits, next := 0, 1, 10; i < len(ids); i, digits, next = next, digits+1, next*10 {
		size += (min(next, len(ids)) - i) * (1 + digits + 1 + 12)
	}
	dst = slices.Grow(dst, size)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(size))
	for i := range ids {
		switch { // short indexes at once: most lists have no others
		case i < 10:
			dst = append(dst, 0x07, '0'+byte(i), 0)
		case i < 100:
			dst = append(dst, 0x07, '0'+byte(i/10), '0'+byte(i%10), 0)
		case i < 1000:
			dst = append(dst, 0x07, '0'+byte(i/100), '0'+byte(i/10%10), '0'+byte(i%10), 0)
		default:
			dst = append(strconv.AppendInt(append(dst, 0x07), int64(i), 10), 0)
		}
		dst = append(dst, ids[i][:]...)
	}
	return append(dst, 0)
}

// ParseArray appends to ids those of a BSON array. It reports false if the array
// isn't one of ObjectIds only, from its first byte to its last.
func ParseArray[T ~[12]byte](ids []T, array []byte) ([]T, bool) {
	n, ok := count(array)
	if !ok {
		return ids, false
	}
	ids = slices.Grow(ids, n)
	rest := array[4:]
	for range n {
		rest = rest[2+bytes.IndexByte(rest[1:], 0):]
		ids = append(ids, T(rest[:12]))
		rest = rest[12:]
	}
	return ids, true
}

// count returns how many ObjectIds a BSON array of nothing else has.
func count(array []byte) (n int, ok bool) {
	if len(array) < 5 || binary.LittleEndian.Uint32(array) != uint32(len(array)) {
		return 0, false
	}
	rest := array[4:]
	for rest[0] == 0x07 {
		key := bytes.IndexByte(rest[1:], 0)
		if key < 0 || len(rest) < 1+key+1+12+1 {
			return 0, false
		}
		rest = rest[1+key+1+12:]
		n++
	}
	return n, len(rest) == 1 && rest[0] == 0
}
