package ids

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/oid"
)

// A Scanner finds IDs of one form in any text. It needs constant memory, however long
// the lines are. An ID is a run of its form's characters, of the right length, without a
// letter or digit next to it. So it finds bare IDs, ObjectId("…"), {"$oid":"…"}, and IDs
// in CSV, log lines and SQL. \x, 0x, or an escape of a URL such as %3D may be before the
// digits. It skips hashes and most UUIDs.
type Scanner struct {
	Form *Form

	// Found gets each ID, with the offset of its end in the text of the last call of
	// Write.
	Found func(id oid.ID, end int)

	// Crowded says that a line held several IDs.
	Crowded bool

	// Passed counts the texts that would be IDs without the letters next to them.
	Passed int64

	word   [40]byte // the run that is being read
	before byte     // what is before it
	length int      // of the run, also past the end of word
	last   byte     // the last byte
	inLine int      // IDs in this line
}

// Write scans the next part of the text. It never fails.
func (s *Scanner) Write(text []byte) (int, error) {
	kinds, size := s.Form.kinds, s.Form.Size
	length, last := s.length, s.last
	for i, b := range text {
		switch class := kinds[b]; {
		case class == other:
			if length >= size {
				s.end(i, length)
			}
			if length = 0; b == '\n' {
				s.inLine = 0
			}
		case class == letter && (last == '\\' || length == 1 && last == '0' && b == 'x'):
			length = 0 // the letter of \x or \n, or the x of 0x, is a prefix of the word after it
		default:
			if length == 0 {
				s.before = last
			}
			if length < len(s.word) {
				s.word[length] = b
			}
			length++
		}
		last = b
	}
	s.length, s.last = length, last
	return len(text), nil
}

// End ends the text, of which the last part had n bytes.
func (s *Scanner) End(n int) {
	if s.length >= s.Form.Size {
		s.end(n, s.length)
	}
	s.length, s.last = 0, 0
}

// end ends a word at the offset i that is as long as an ID or longer.
func (s *Scanner) end(i, length int) {
	size := s.Form.Size
	word := s.word[:min(length, len(s.word))]
	switch extra := length - size; {
	case extra == 0:
	case s.before == '%' && (extra == 2 || extra == 4 && string(word[:2]) == "25") && isHex(word[extra-2:extra]): // %3D, or %253D
		word = word[extra:]
	default:
		if length <= len(s.word) { // longer words hold no ID between other letters
			for _, run := range bytes.FieldsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf || s.Form.kinds[r] != digit }) {
				if len(run) == size {
					s.Passed++
				}
			}
		}
		return
	}
	if id, err := s.Form.parse(string(word)); err == nil { // or it has other letters too
		s.inLine++
		s.Crowded = s.Crowded || s.inLine > 1
		s.Found(id, i)
	}
}

// Find returns the only ID in s, in the form f. If f is nil, the ID may have any form
// that is certain.
func Find(s string, f *Form) (oid.ID, error) {
	if f != nil {
		id, err := f.parse(s)
		if err != nil {
			return oid.ID{}, fmt.Errorf("%s is not an ID: %w", format.Quote(s), err)
		}
		return id, nil
	}
	id, problem := parseHex(s)
	if problem == nil {
		return id, nil
	}
	var found []oid.ID
	scanner := Scanner{Form: Hex, Found: func(id oid.ID, _ int) { found = append(found, id) }}
	scanner.Write([]byte(s))
	scanner.End(len(s))
	switch n := len(found); {
	case n > 1:
		return oid.ID{}, fmt.Errorf("%s holds %d IDs, want one: pass one ID per argument or line; for a file with several per line, use --scan or --column NAME", format.Quote(s), n)
	case n == 1:
		return found[0], nil
	}
	if id, err := parseXID(s); err == nil && strings.ContainsAny(s, "ghijklmnopqrstuv") { // no ID with missing hex digits
		return id, nil
	}
	if isUUID(s) {
		return Find(s, Named("uuid"))
	}
	if spreadsheetNumber.MatchString(s) {
		problem = errors.New("a spreadsheet turned an ID into a number, and most of its digits are lost: export the column as text")
	}
	if _, err := parseBase64(s); err == nil {
		problem = fmt.Errorf("%w (--input base64 reads base64)", problem)
	}
	return oid.ID{}, fmt.Errorf("%s is not an ID: %w", format.Quote(s), problem)
}

// spreadsheetNumber matches a number as spreadsheets write long ones: 6.5B3 isn't one, 6.5E+23 is.
var spreadsheetNumber = regexp.MustCompile(`^\d([.,]\d+)?[eE]\+\d{1,3}$`)

// A kind says what a byte means in a form.
type kind byte

const (
	other  kind = iota
	letter      // of a word that isn't an ID; so are bytes outside ASCII
	digit       // a character of the form
)

const (
	hexDigits    = "0123456789abcdefABCDEF"
	xidDigits    = "0123456789abcdefghijklmnopqrstuv"
	base64Digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/-_"
)

// kindsOf returns the kinds of all bytes for a form with these characters.
func kindsOf(characters string) *[256]kind {
	var k [256]kind
	for b := range k {
		switch c := byte(b); {
		case strings.IndexByte(characters, c) >= 0:
			k[b] = digit
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c >= 0x80:
			k[b] = letter
		}
	}
	return &k
}

// isHex reports whether text has only hex digits.
func isHex(text []byte) bool {
	return len(bytes.Trim(text, "0123456789abcdefABCDEF")) == 0
}
