package main

import (
	"io"

	"github.com/oidkit/oidkit/oid"
)

// A scanner finds IDs of one form in any text. It needs constant memory, however long
// the lines are. An ID is a run of its form's characters, of the right length, without a
// letter or digit next to it. So it finds bare IDs, ObjectId("…"), {"$oid":"…"}, and IDs
// in CSV, log lines and SQL. \x or 0x may be before the digits. It skips hashes and other
// UUIDs.
type scanner struct {
	form   *form
	word   [36]byte // the run that is being read
	length int      // of the run, also past the end of word
	last   byte     // the last byte
}

// scan calls found for each ID in the text of r, and tick every 64 KiB.
func scan(r io.Reader, f *form, found func(oid.ID) error, tick func()) error {
	if f.raw() {
		return readRaw(r, found, tick)
	}
	s := scanner{form: f}
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if err := s.write(buf[:n], found); err != nil {
			return err
		}
		tick()
		if err == io.EOF {
			return s.end(found)
		}
		if err != nil {
			return err
		}
	}
}

// write scans the next part of the text.
func (s *scanner) write(text []byte, found func(oid.ID) error) error {
	for _, b := range text {
		switch class := s.form.kinds[b]; {
		case class == other:
			if err := s.end(found); err != nil {
				return err
			}
		case class == letter && s.isPrefix(b):
			s.length = 0
		default:
			if s.length < len(s.word) {
				s.word[s.length] = b
			}
			s.length++
		}
		s.last = b
	}
	return nil
}

// isPrefix reports whether b is part of a prefix, not of the word after it. It is the
// letter of \x or \n, or the x of 0x.
func (s *scanner) isPrefix(b byte) bool {
	return s.last == '\\' || s.length == 1 && s.last == '0' && b == 'x'
}

// end ends a word.
func (s *scanner) end(found func(oid.ID) error) error {
	length := s.length
	s.length = 0
	if length != s.form.size {
		return nil
	}
	id, err := s.form.parse(string(s.word[:length]))
	if err != nil { // it has other letters too
		return nil
	}
	return found(id)
}

// A kind says what a byte means in a form.
type kind byte

const (
	other  kind = iota
	letter      // of a word that isn't an ID; so are bytes outside ASCII
	digit       // a character of the form
)

var (
	hexKinds    = kindsOf("0123456789abcdefABCDEF")
	xidKinds    = kindsOf("0123456789abcdefghijklmnopqrstuv")
	uuidKinds   = kindsOf("0123456789abcdefABCDEF-")
	base64Kinds = kindsOf("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/-_")
)

// kindsOf returns the kinds of all bytes for a form with these characters.
func kindsOf(characters string) *[256]kind {
	var k [256]kind
	for b := range k {
		switch c := byte(b); {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c >= 0x80:
			k[b] = letter
		}
	}
	for _, c := range []byte(characters) {
		k[c] = digit
	}
	return &k
}
