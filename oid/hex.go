package oid

import "encoding/binary"

// encodeHex writes the 24 lower-case hex digits of id into dst.
func encodeHex(dst *[textSize]byte, id ID) {
	binary.BigEndian.PutUint64(dst[0:], hex8(binary.BigEndian.Uint32(id[0:])))
	binary.BigEndian.PutUint64(dst[8:], hex8(binary.BigEndian.Uint32(id[4:])))
	binary.BigEndian.PutUint64(dst[16:], hex8(binary.BigEndian.Uint32(id[8:])))
}

// hex8 returns the eight hex digits of x as ASCII, the first in the highest byte.
// It works on all digits at once, a byte each: about half the time of a table
// lookup per digit (BenchmarkHex, BenchmarkAppendText).
func hex8(x uint32) uint64 {
	const ones = 0x0101010101010101

	// Spread the eight nibbles of x over the eight bytes of n.
	n := uint64(x)
	n = (n | n<<16) & 0x0000ffff0000ffff
	n = (n | n<<8) & 0x00ff00ff00ff00ff
	n = (n | n<<4) & 0x0f0f0f0f0f0f0f0f

	// letter has a 1 in each byte whose nibble is 10 or more: adding 6 to it
	// carries into bit 4. Those digits lie 'a'-('0'+10) = 39 further up.
	letter := (n + 6*ones) >> 4 & ones
	return n + '0'*ones + letter*('a'-'0'-10)
}

// hexValue holds the value of each hex digit, and 0xff for every other byte.
var hexValue = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
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

// decodeHex returns the id that the 24 hex digits of s stand for; ok is false if
// a byte of s is not a hex digit. The caller has checked the length.
func decodeHex[T string | []byte](s T) (id ID, ok bool) {
	_ = s[textSize-1]
	var bad byte
	for i := range id {
		hi, lo := hexValue[s[2*i]], hexValue[s[2*i+1]]
		bad |= hi | lo
		id[i] = hi<<4 | lo
	}
	return id, bad <= 15
}
