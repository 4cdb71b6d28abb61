//go:build nightly

package encodings

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

// An input is a value that the sender of a document may have put where an ID is
// read.
type input struct {
	name  string
	value any
}

var hexText = sample.Hex()

// goodInputs are values with a meaning: an ID, or none.
var goodInputs = []input{
	{"24 hex digits", hexText},
	{"upper case", strings.ToUpper(hexText)},
	{"empty string", ""},
	{"null", (*oid.ID)(nil)},
	{"`{\"$oid\": …}`", map[string]string{"$oid": hexText}},
	{"12 bytes", sample[:]},
}

// badInputs are values that are not IDs.
var badInputs = []input{
	{"23 digits", hexText[1:]},
	{"25 digits", hexText + "0"},
	{"23 digits and the letter g", hexText[:23] + "g"},
	{"a string of 12 letters", "abcdefghijkl"},
	{"22 digits between two spaces", " " + hexText[2:] + " "},
	{"the number 123456789012", 123456789012},
	{"the number 1.5", 1.5},
	{"`true`", true},
	{"11 bytes", sample[:11]},
	{"13 bytes", append(sample[:], 0)},
	{"a list of 11 numbers", numbers(11)},
	{"a list of 12 numbers", numbers(12)},
	{"a list of 12 numbers and a 0", numbers(13)},
	{"a list of 12 numbers with one number over 255", append(numbers(11), 256)},
	{"an empty object", map[string]string{}},
	{"an object with `$oid` and another key", map[string]string{"$oid": hexText, "x": ""}},
}

// numbers returns the first n of the bytes of an ID as numbers.
func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, int(append(sample[:], 0)[i]))
	}
	return list
}

// read returns what a destination holds after c read in over it, and whether it
// was changed by a decode that failed.
func read(t *testing.T, c codec, in input) (id oid.ID, err error) {
	t.Helper()
	data, err := c.encode(box(in.value, ""))
	if err != nil {
		return preset, err // the format can't say it: that counts as refused
	}
	return unbox(c, data, preset)
}

// outcome returns the word for the result of a read.
func outcome(id oid.ID, err error) string {
	switch {
	case err != nil && id != preset:
		return "**an error, but the destination is changed**"
	case err != nil:
		return "error"
	case id == preset:
		return "kept"
	case id.IsZero():
		return "zero"
	case id == sample:
		return "id"
	default:
		return "**an ID, although no ID was sent**"
	}
}

// taken returns which of badInputs c takes for an ID, or lets change one in spite
// of an error.
func taken(t *testing.T, c codec) (names []string) {
	for _, in := range badInputs {
		if got := outcome(read(t, c, in)); got != "error" {
			names = append(names, in.name+": "+got)
		}
	}
	return names
}

// TestBadInput shows that bad input is an error that leaves the destination as it
// was, but for the three formats that have an adapter for it here.
func TestBadInput(t *testing.T) {
	adapted := []string{"yaml.v3", "fxamacker/cbor", "vmihailenco/msgpack"}
	for _, c := range codecs {
		if names := taken(t, c); len(names) > 0 != slices.Contains(adapted, c.name) {
			t.Errorf("%s takes %q", c.name, names)
		}
	}
}

// isSyntax reports whether errors.Is finds oid.ErrSyntax in the error for a bad
// input, where c asks the ID at all.
func isSyntax(t *testing.T, c codec) bool {
	return slices.ContainsFunc(badInputs, func(in input) bool {
		_, err := read(t, c, in)
		return errors.Is(err, oid.ErrSyntax)
	})
}
