package document

import (
	"encoding/binary"
	"strconv"

	"github.com/oidkit/oidkit/oid"
)

// Array returns ids as the bytes of a BSON array.
func Array(ids []oid.ID) []byte {
	// An element is the type, the index as text, its NUL, and the id.
	size := 4 + 1
	for i, digits, next := 0, 1, 10; i < len(ids); i, digits, next = next, digits+1, next*10 {
		size += (min(next, len(ids)) - i) * (1 + digits + 1 + len(oid.ID{}))
	}
	b := make([]byte, 4, size)
	binary.LittleEndian.PutUint32(b, uint32(size))
	for i := range ids {
		b = append(b, 0x07)
		b = strconv.AppendInt(b, int64(i), 10)
		b = append(b, 0)
		b = append(b, ids[i][:]...)
	}
	return append(b, 0)
}
