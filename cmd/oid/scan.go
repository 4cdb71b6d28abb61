package main

import (
	"io"

	"github.com/oidkit/oidkit/oid"
)

// idDigits is the length of an id's hex form.
const idDigits = 24

// scanner finds ids in any text, in constant memory however long its lines are: 24
// hex digits with neither a letter nor a digit beside them. So it reads bare ids,
// ObjectId("…"), {"$oid":"…"}, CSV, log lines and SQL, with \x or 0x before the
// digits too, and passes over hashes and UUIDs.
type scanner struct {
	word   [idDigits]byte // the run of letters and digits that is being read
	length int            // of the run, also past the end of word
	hex    bool           // all of it are hex digits
	last   byte           // the last byte
}

// scan calls found for each id in the text of r, and tick every 64 KiB.
func scan(r io.Reader, found func(oid.ID), tick func()) error {
	s := scanner{hex: true}
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		for _, b := range buf[:n] {
			s.next(b, found)
		}
		tick()
		if err == io.EOF {
			s.end(found)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// next goes on with one byte.
func (s *scanner) next(b byte, found func(oid.ID)) {
	switch kind := kinds[b]; {
	case kind == other:
		s.end(found)
	case kind == letter && s.isPrefix(b):
		s.length = 0
		s.hex = true
	default:
		if s.length < idDigits {
			s.word[s.length] = b
		}
		s.length++
		s.hex = s.hex && kind == digit
	}
	s.last = b
}

// isPrefix reports whether b belongs to what stands before a word, not to the
// word: the letter of \x or \n, or the x of 0x.
func (s *scanner) isPrefix(b byte) bool {
	return s.length == 0 && s.last == '\\' || s.length == 1 && s.last == '0' && b == 'x'
}

// end ends a word.
func (s *scanner) end(found func(oid.ID)) {
	if s.hex && s.length == idDigits {
		if id, err := oid.Parse(string(s.word[:])); err == nil {
			found(id)
		}
	}
	s.length = 0
	s.hex = true
}

// The kinds of bytes. Bytes of letters outside ASCII are letters.
const (
	other = iota
	letter
	digit // a hex digit
)

var kinds = func() (k [256]byte) {
	for b := range k {
		c := byte(b)
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
			k[b] = digit
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c >= 0x80:
			k[b] = letter
		}
	}
	return k
}()
