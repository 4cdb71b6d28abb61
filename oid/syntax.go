package oid

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrSyntax is the error for any input that is not an ID: text, binary data, JSON, BSON
// or a value of an SQL column. Check for ErrSyntax with errors.Is.
var ErrSyntax = errors.New("oid: not an ObjectId")

// maxQuoted bounds how many bytes of bad input an error shows.
const maxQuoted = 32

// A SyntaxError is the error for input that is not an ID. The text of the error names the
// Go function that returned the error. The field Problem doesn't name a Go function, so a
// server can send Problem to a client:
//
//	var bad *oid.SyntaxError
//	if errors.As(err, &bad) {
//		http.Error(w, "invalid ID: "+bad.Problem, http.StatusBadRequest)
//	}
type SyntaxError struct {
	Call    string // the call, such as oid.Parse("65b3") or oid.ID.Scan([]byte)
	Problem string // what is wrong with the input, such as: length 4, want 24 hex digits

	hint string // what a Go programmer can do about it
}

// Error returns the text of the error: Call, Problem and, for some errors, a hint about
// what to do.
func (e *SyntaxError) Error() string { return e.Call + ": " + e.Problem + e.hint }

// Unwrap returns [ErrSyntax].
func (e *SyntaxError) Unwrap() error { return ErrSyntax }

// badInput returns the error of fn(input). It shows input cut at maxQuoted bytes.
func badInput[T string | []byte](fn string, input T, problem string) error {
	if len(input) > maxQuoted {
		return &SyntaxError{Call: fn + "(" + quote(string(input[:maxQuoted])) + "…)", Problem: problem}
	}
	return &SyntaxError{Call: fn + "(" + quote(string(input)) + ")", Problem: problem}
}

// quote returns s as a Go string literal. JSON goes between backquotes, so that
// its own quotes need no backslashes.
func quote(s string) string {
	if strings.Contains(s, `"`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// maxForeign is the length of the longest text in which textProblem looks for another
// form of an ID.
const maxForeign = 64

// textProblem says why s is not 24 hex digits.
func textProblem[T string | []byte](s T) string {
	if len(s) == textSize {
		i := badDigit(s)
		return fmt.Sprintf("invalid byte %s at index %d", quoteByte(s[i]), i)
	}
	if problem := foreignForm(string(s[:min(len(s), maxForeign+1)])); problem != "" {
		return problem
	}
	return fmt.Sprintf("length %d, want 24 hex digits", len(s))
}

// foreignForm says why s is not 24 hex digits, if it has a form that people pass instead:
// a UUID, an xid, or an ID with something around it. It shows nothing of s.
func foreignForm(s string) string {
	switch {
	case len(s) > maxForeign:
	case isUUID(strings.Trim(s, "{}")):
		return "a UUID, want 24 hex digits"
	case isXID(s):
		return "an xid, want 24 hex digits"
	case len(s) == textSize || !holdsID(s):
	case strings.EqualFold(s[:9], "ObjectId("):
		return "ObjectId(…) around the ID, want only its 24 hex digits"
	case strings.Contains(s, `"$oid"`):
		return `{"$oid": …} around the ID, want only its 24 hex digits`
	default:
		return "other characters around the ID, want only its 24 hex digits"
	}
	return ""
}

// isUUID reports whether s has the length and the dashes of a UUID.
func isUUID[T string | []byte](s T) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-'
}

// isXID reports whether s is the text of an ID of github.com/rs/xid: 20 digits of
// base32hex, of which the last one holds a single bit. An ID whose end is missing can
// look the same, so one of the digits must not be a hex digit.
func isXID(s string) bool {
	return len(s) == 20 && strings.Trim(s, "0123456789abcdefghijklmnopqrstuv") == "" &&
		strings.ContainsAny(s, "ghijklmnopqrstuv") && (s[19] == '0' || s[19] == 'g')
}

// holdsID reports whether s holds 24 hex digits in a row, and no more than those.
func holdsID(s string) bool {
	digits := 0
	for i := range len(s) {
		if hexValue[s[i]] != noDigit {
			digits++
		} else if digits == textSize {
			return true
		} else {
			digits = 0
		}
	}
	return digits == textSize
}

// badDigit returns the index of the first byte of s that is not a hex digit. There must
// be one.
func badDigit[T string | []byte](s T) int {
	i := 0
	for hexValue[s[i]] != noDigit {
		i++
	}
	return i
}

// quoteByte returns b as a Go character literal, '\x..' outside ASCII.
func quoteByte(b byte) string {
	if b < 0x80 {
		return strconv.QuoteRune(rune(b))
	}
	return fmt.Sprintf(`'\x%02x'`, b)
}
