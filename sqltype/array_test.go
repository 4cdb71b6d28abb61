package sqltype_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// binaryArray is PostgreSQL's binary format of a bytea[].
func binaryArray(elements ...[]byte) []byte {
	b := []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 17}
	b = binary.BigEndian.AppendUint32(b, uint32(len(elements)))
	b = append(b, 0, 0, 0, 1)
	for _, e := range elements {
		b = binary.BigEndian.AppendUint32(b, uint32(len(e)))
		b = append(b, e...)
	}
	return b
}

func TestArrayReadsTextAndBinary(t *testing.T) {
	both := sqltype.Array{sample, other}
	for _, test := range []struct {
		in   any
		want sqltype.Array
	}{
		{nil, nil},
		{"{}", sqltype.Array{}},
		{[]byte("{}"), sqltype.Array{}},
		{`{"\\x65b3f7a40c1b2d3e4f506172","\\x65b3f7a40c1b2d3e4f506173"}`, both},
		{[]byte(`{"\\x65B3F7A40C1B2D3E4F506172","\\x65b3f7a40c1b2d3e4f506173"}`), both},
		{`{65b3f7a40c1b2d3e4f506172,65b3f7a40c1b2d3e4f506173}`, both},
		{make([]byte, 12), sqltype.Array{}},
		{binaryArray(sample[:], other[:]), both},
		{binaryArray([]byte(sample.Hex()), other[:]), both},
	} {
		got := sqltype.Array{zero}
		if err := got.Scan(test.in); err != nil || !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("Scan(%T %q) = %v, %v, want %v", test.in, test.in, got, err, test.want)
		}
	}
}

func TestArrayValueIsPostgresText(t *testing.T) {
	for _, test := range []struct {
		array sqltype.Array
		want  any
	}{
		{nil, nil},
		{sqltype.Array{}, "{}"},
		{sqltype.Array{sample, other}, `{"\\x65b3f7a40c1b2d3e4f506172","\\x65b3f7a40c1b2d3e4f506173"}`},
	} {
		if got, err := test.array.Value(); got != test.want || err != nil {
			t.Errorf("%v: Value = %v, %v, want %v", test.array, got, err, test.want)
		}
	}
}

func TestArrayRefusesWhatIsNoArrayOfIDs(t *testing.T) {
	withNull := binaryArray(sample[:])
	withNull = append(withNull[:20], 0xff, 0xff, 0xff, 0xff)
	withLength := binaryArray(sample[:])
	copy(withLength[20:], "\xff\xff\xff\xfe") // below that of NULL
	twoDimensions := binaryArray(sample[:])
	twoDimensions[3] = 2
	huge := binaryArray()
	copy(huge[12:], "\x7f\xff\xff\xff")
	full := binaryArray(sample[:], other[:])
	for _, in := range []any{
		"", []byte{}, "{", "}", "{,}", "{NULL}", `{"hello world!"}`, "{hello world!}", "{{65b3f7a40c1b2d3e4f506172}}",
		"{65b3f7a40c1b2d3e4f506172,}", `{"\\x65b3"}`, `{"e\\263\\367\\244"}`, "[0:0]={65b3f7a40c1b2d3e4f506172}", 1, true,
		sample.Hex(), sample[:], make([]byte, 13), withNull, withLength, twoDimensions, huge, full[:len(full)-1], full[:21], append(slices.Clone(full), 0),
		binaryArray(sample[:11]),
	} {
		got := sqltype.Array{other}
		err := got.Scan(in)
		if err == nil || !slices.Equal(got, sqltype.Array{other}) {
			t.Errorf("Scan(%T %q) = %v, destination %v", in, in, err, got)
			continue
		}
		if !errors.Is(err, oid.ErrSyntax) || !strings.HasPrefix(err.Error(), "sqltype.Array.Scan(") {
			t.Errorf("Scan(%T %q) = %v", in, in, err)
		}
	}
	if err := new(sqltype.Array).Scan(withNull); err == nil || !strings.Contains(err.Error(), "element 0 is NULL") {
		t.Errorf("NULL among the elements: %v", err)
	}
	var a sqltype.Array
	const want = "sqltype.Array.Scan(string): element 1: length 25, want 12 bytes, 24 hex digits, or \\x and 24 hex digits"
	if err := a.Scan("{65b3f7a40c1b2d3e4f506172,65b3f7a40c1b2d3e4f5061721}"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Scan reads back what Value writes for any value that Scan accepts. Nothing panics.
func FuzzArrayScan(f *testing.F) {
	f.Add([]byte(`{"\\x65b3f7a40c1b2d3e4f506172"}`))
	f.Add([]byte(`{65b3f7a40c1b2d3e4f506172,65b3f7a40c1b2d3e4f506173}`))
	f.Add(binaryArray(sample[:], other[:]))
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		var a, again sqltype.Array
		if a.Scan(in) != nil {
			return
		}
		v, err := a.Value()
		if err != nil || again.Scan(v) != nil || !slices.Equal(a, again) {
			t.Errorf("%q: %v, then %v", in, a, again)
		}
		if !bytes.Equal(in, before) {
			t.Errorf("Scan changed its input")
		}
	})
}
