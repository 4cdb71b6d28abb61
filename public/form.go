// Package public says how an ID looks outside your program: in URLs, in JSON and in logs.
// An ID column of the database holds the same 12 bytes as for an [oid.ID].
//
// A plain ID shows when its row was created, and anyone who has seen one ID can guess
// others. This package has two other forms. [Prefixed] adds a prefix for the kind of ID,
// in the form of a TypeID. [Sealed] also hides the ID, by encryption:
//
//	plain      65b3f7a2c1d4e5f6a7b8c9d0
//	prefixed   ord_01hn3fym6gfges75ytkvhjegrx   shows the kind and the time, keeps the order
//	sealed     ord_6gj58nyjar56vf5y205p9xf0ej   shows the kind
//
// The method IDForm of a model returns the form of its IDs. The primary key of the model
// is an [ID]:
//
//	type Order struct {
//		ID    public.ID[Order] `json:"id"`
//		Cents int64            `json:"cents"`
//	}
//
//	func (Order) IDForm() *public.Form { return orderForm }
//
// # What a sealed text shows
//
// In one form, an ID always has the same text, so anyone can see that two texts are of
// the same ID. Apart from this and the prefix, a text shows nothing about its ID: not the
// time, not the order, not the process. Without a key of the form, nobody can compute the
// text of an ID, or the ID of a text.
//
// A text that Parse accepts doesn't prove that your program made it. For each key, Parse
// accepts one in 2^32 invented texts as a random ID. Look for the row, and check
// that the client may see it. Answer "not found" both if the row is missing and if Parse
// returns an error.
//
// # The sealed form
//
// This form will not change in any version. Another program that has the key can reverse
// these steps to decode a text:
//
//	label   "oidkit public v1 " and the prefix, such as "oidkit public v1 ord"
//	key     HKDF with SHA-256 of a key of the form, with no salt and with the label as info: 32 bytes
//	block   the 12 bytes of the ID, and 4 zero bytes
//	sealed  the block, encrypted once with AES-256
//	text    the prefix, "_", and the 128 bits of sealed as 26 digits of base 32, the first from 0 to 7
//
// The digits are 0123456789abcdefghjkmnpqrstvwxyz, as in a TypeID. A text has only one
// spelling. In all versions, Parse returns an error for upper-case letters, and for a first
// digit of 8 or more.
//
// Package crypto/aes uses the AES instructions of amd64, arm64, ppc64, ppc64le and s390x.
// Without them, it uses lookup tables, and the time of a call depends on the key. An attacker
// who can measure this time may learn something about the key.
package public

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A Form says how the IDs of one kind look outside. [Prefixed] and [Sealed] make Forms. A
// Form doesn't change, so many goroutines can use it at once. A copy of a Form is the same
// form.
//
// The zero Form and a nil *Form are invalid: AppendText and Parse return an error, and
// Text returns "".
type Form struct {
	prefix string // with its underscore
	// Functions hold the keys, because printers that use reflection can't look into them.
	encode func(oid.ID) [16]byte
	decode func([16]byte) (oid.ID, error)
}

// Prefixed returns a form whose texts begin with a prefix. A text is a TypeID, version 0.3,
// whose UUID is the UUIDv7 of [sqltype.UUID]. Texts of one form sort in the order of their
// IDs, and show when an ID was created.
//
// The prefix has at most 63 lower-case letters and underscores, with a letter at each end.
// The prefix can also be empty, so that a text is only 26 digits.
//
// Parse returns an error for TypeIDs that were not made from IDs, except for about one in a
// million: see [sqltype.FromUUID].
func Prefixed(prefix string) (*Form, error) {
	if err := checkPrefix("Prefixed", prefix); err != nil {
		return nil, err
	}
	return &Form{strings.TrimPrefix(prefix+"_", "_"), func(id oid.ID) [16]byte { return sqltype.UUID(id).Bytes() }, sqltype.FromUUID}, nil
}

// checkPrefix returns an error if prefix isn't one of the specification of TypeIDs.
func checkPrefix(fn, prefix string) error {
	if ok, _ := regexp.MatchString("^([a-z]([a-z_]{0,61}[a-z])?)?$", prefix); ok {
		return nil
	}
	return fmt.Errorf("public.%s(%.32q): want a prefix of at most 63 lower-case letters and underscores, with a letter at each end", fn, prefix)
}

// Must returns f, and panics if err isn't nil. Use it for the forms in package variables:
//
//	var orderForm = public.Must(public.Prefixed("ord"))
func Must(f *Form, err error) *Form {
	if err != nil {
		panic(err)
	}
	return f
}

// is reports whether f is a form, and not a nil one or the zero one.
func (f *Form) is() bool { return f != nil && f.encode != nil }

var errNoForm = fmt.Errorf("public.Form: the form is nil or zero: make it with public.Sealed or public.Prefixed")

// Text returns the text of id in the form f. It returns "" for the zero ID, and if f is
// invalid.
func (f *Form) Text(id oid.ID) string {
	text, _ := f.AppendText(make([]byte, 0, 96), id) // a prefix of 63 letters, and the digits
	return string(text)
}

// AppendText appends the text of id in the form f to b. It appends nothing for the zero
// ID. It returns an error only if f is invalid.
func (f *Form) AppendText(b []byte, id oid.ID) ([]byte, error) {
	if !f.is() {
		return b, errNoForm
	}
	if id.IsZero() {
		return b, nil
	}
	return appendDigits(append(b, f.prefix...), f.encode(id)), nil
}

// Parse returns the ID that text holds in the form f. For a text that holds no ID, even "",
// the error is an [*oid.SyntaxError]. If f is invalid, the error has another type.
//
// The field Problem of a SyntaxError tells the client which prefix or which length is
// wanted. If the prefix and the length are right, Problem is always "no such ID".
func (f *Form) Parse(text string) (oid.ID, error) {
	if !f.is() {
		return oid.ID{}, errNoForm
	}
	digits, ok := strings.CutPrefix(text, f.prefix)
	if !ok {
		return oid.ID{}, badText("Form.Parse", text, "want an ID that starts with "+f.prefix)
	}
	if len(digits) != textSize {
		return oid.ID{}, badText("Form.Parse", text, fmt.Sprintf("length %d, want %d", len(text), len(f.prefix)+textSize))
	}
	if block, ok := parseDigits(digits); ok {
		if id, err := f.decode(block); err == nil && !id.IsZero() {
			return id, nil
		}
	}
	return oid.ID{}, badText("Form.Parse", text, "no such ID")
}

// Pattern returns a regular expression for the texts of f, for JSON Schema and OpenAPI.
// If f is invalid, the expression matches only "".
func (f *Form) Pattern() string {
	if !f.is() {
		return "^$"
	}
	return "^" + f.prefix + "[0-7][0-9a-hjkmnp-tv-z]{25}$"
}

// badText returns a function's error, with at most 32 bytes of the text.
func badText(fn, text, problem string) error {
	more := ""
	if len(text) > 32 {
		text, more = text[:32], "…"
	}
	return &oid.SyntaxError{Call: fmt.Sprintf("public.%s(%q%s)", fn, text, more), Problem: problem}
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// textSize is the number of digits that hold 16 bytes.
const textSize = 26

// digitValues has the value of each digit, and 32 for every other byte.
var digitValues = func() (values [256]byte) {
	for c := range values {
		values[c] = byte((strings.IndexByte(alphabet, byte(c)) + 33) % 33)
	}
	return values
}()

// appendDigits appends the 128 bits of block to b, as digits of 5 bits. The first digit has
// only 3 bits.
func appendDigits(b []byte, block [16]byte) []byte {
	hi, lo := binary.BigEndian.Uint64(block[:]), binary.BigEndian.Uint64(block[8:])
	var digits [textSize]byte
	for i := range 12 { // hi has digits 0 to 12 and a bit of 13, and lo has the others
		digits[25-i], digits[12-i] = alphabet[lo>>(5*i)&31], alphabet[hi>>(5*i+1)&31]
	}
	digits[0], digits[13] = alphabet[hi>>61], alphabet[hi<<4&31|lo>>60]
	return append(b, digits[:]...)
}

// parseDigits is the inverse of appendDigits. The text has textSize bytes.
func parseDigits(text string) (block [16]byte, ok bool) {
	hi, lo, all := uint64(0), uint64(0), byte(0)
	for i := range textSize {
		value := digitValues[text[i]]
		hi, lo, all = hi<<5|lo>>59, lo<<5|uint64(value), all|value
	}
	first := binary.BigEndian.AppendUint64(make([]byte, 0, len(block)), hi)
	return [16]byte(binary.BigEndian.AppendUint64(first, lo)), all < 32 && digitValues[text[0]] < 8
}
