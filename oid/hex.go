package oid

import (
	"encoding/binary"
	"slices"
)

// appendHex appends the 24 lower-case hex digits of id to b.
func appendHex(b []byte, id *ID) []byte {
	n := len(b)
	b = slices.Grow(b, textSize)[:n+textSize]
	encodeHex((*[textSize]byte)(b[n:]), id)
	return b
}

// encodeHex writes the 24 lower-case hex digits of id into dst.
func encodeHex(dst *[textSize]byte, id *ID) {
	binary.LittleEndian.PutUint64(dst[0:], hex8(id[0], id[1], id[2], id[3]))
	binary.LittleEndian.PutUint64(dst[8:], hex8(id[4], id[5], id[6], id[7]))
	binary.LittleEndian.PutUint64(dst[16:], hex8(id[8], id[9], id[10], id[11]))
}

// hex8 returns the eight hex digits of four bytes in little endian. One write of
// eight digits is faster than eight writes, and faster than arithmetic on all
// digits at once (BenchmarkAppendText).
func hex8(a, b, c, d byte) uint64 {
	return uint64(hexPair[a]) | uint64(hexPair[b])<<16 | uint64(hexPair[c])<<32 | uint64(hexPair[d])<<48
}

// hexPair holds the two hex digits of each byte in little endian.
var hexPair = func() (t [256]uint16) {
	const digits = "0123456789abcdef"
	for i := range t {
		t[i] = uint16(digits[i>>4]) | uint16(digits[i&15])<<8
	}
	return t
}()

// noDigit stands for bytes that are not hex digits. All bits are 1.
const noDigit = 0xff

// hexValue holds the value of each hex digit, and noDigit for every other byte.
var hexValue = func() (t [256]byte) {
	for i := range t {
		t[i] = noDigit
	}
	for i := range 10 {
		t['0'+i] = byte(i)
	}
	for i := range 6 {
		t['a'+i] = byte(10 + i)
		t['A'+i] = byte(10 + i)
	}
	return t
}()

// decodeHex reads the ID at the start of s. ok is false if one of its 24 bytes is
// not a hex digit. The caller has checked the length.
func decodeHex[T string | []byte](s T) (id ID, ok bool) {
	_ = s[textSize-1]
	a, badA := unhex4(s, 0)
	b, badB := unhex4(s, 4)
	c, badC := unhex4(s, 8)
	d, badD := unhex4(s, 12)
	e, badE := unhex4(s, 16)
	f, badF := unhex4(s, 20)
	return fromWords(a<<48|b<<32|c<<16|d, uint32(e<<16|f)), badA|badB|badC|badD|badE|badF != noDigit
}

// unhex4 returns the number with the four hex digits that start at s[i]. bad is
// noDigit if one of them is not a hex digit. Four at a time are faster than one at
// a time (BenchmarkParse), and the function is still inlined.
func unhex4[T string | []byte](s T, i int) (v uint64, bad byte) {
	a, b, c, d := hexValue[s[i]], hexValue[s[i+1]], hexValue[s[i+2]], hexValue[s[i+3]]
	return uint64(a)<<12 | uint64(b)<<8 | uint64(c)<<4 | uint64(d), a | b | c | d
}
