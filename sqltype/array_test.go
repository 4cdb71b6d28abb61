package sqltype_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
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
		{`{"65b3f7a40c1b2d3e4f506172"}`, sqltype.Array{sample}},
		{make([]byte, 12), sqltype.Array{}},
		{binaryArray(), sqltype.Array{}},
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

func TestArrayRefusesWhatIsNotAnArrayOfIDs(t *testing.T) {
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

func TestArrayScanSaysWhatIsWrong(t *testing.T) {
	const digits = "65b3f7a40c1b2d3e4f506172"
	const want = "12 bytes, 24 hex digits, or \\x and 24 hex digits"
	noDimension := binaryArray()
	noDimension[3] = 0
	for _, tt := range []struct {
		in   any
		want string
	}{
		{`{"}`, "element 0: length 1, want 24 hex digits"},
		{`{""}`, "element 0: length 0, want 24 hex digits"},
		{`{"` + digits + `}`, "element 0: length 25, want " + want},
		{`{` + digits + `"}`, "element 0: length 25, want " + want},
		{`{` + digits + `,"` + digits[1:] + `"}`, "element 1: length 23, want 24 hex digits"},
		{`{"\\x` + digits[:22] + `\\"}`, `element 0: length 26, but no hex digit at index 24`},
		{binaryArray(sample[:], nil), "element 1: length 0, want " + want},
		{noDimension, "not an array of one dimension"},
	} {
		err := new(sqltype.Array).Scan(tt.in)
		if want := fmt.Sprintf("sqltype.Array.Scan(%T): %s", tt.in, tt.want); err == nil || err.Error() != want {
			t.Errorf("Scan(%q) = %v, want %s", tt.in, err, want)
		}
	}
}

func TestArrayRefusesACutBinaryArray(t *testing.T) {
	full := binaryArray(sample[:], other[:])
	for n := range full {
		got := sqltype.Array{other}
		if err := got.Scan(full[:n]); !errors.Is(err, oid.ErrSyntax) || !slices.Equal(got, sqltype.Array{other}) {
			t.Errorf("Scan of the first %d bytes = %v, destination %v", n, err, got)
		}
	}
}

// An array that claims more elements than it can hold gets no memory for them.
func TestArrayAllocatesNothingForElementsThatAreMissing(t *testing.T) {
	lying := binaryArray(slices.Repeat([][]byte{sample[:]}, 1000)...)
	elements := (len(lying) - 20) / 4 // as many empty ones would fit
	const errorsOnly = 1024           // bytes
	for _, claimed := range []int{elements + 1, elements * 5 / 4, elements * 4, elements * 16, 1 << 30} {
		binary.BigEndian.PutUint32(lying[12:], uint32(claimed))
		n := allocated(func() {
			if err := new(sqltype.Array).Scan(lying); err == nil {
				t.Errorf("an array of 1000 elements that claims %d is accepted", claimed)
			}
		})
		if n > errorsOnly {
			t.Errorf("%d elements claimed: Scan allocates %d bytes, want at most %d", claimed, n, errorsOnly)
		}
	}
}

// Scan reads what the slow reference reads, and reads back what Value writes. An error
// doesn't change the destination. No length in the input makes room for more than the
// input holds.
func FuzzArrayScan(f *testing.F) {
	f.Add([]byte(`{"\\x65b3f7a40c1b2d3e4f506172"}`))
	f.Add([]byte(`{65b3f7a40c1b2d3e4f506172,65b3f7a40c1b2d3e4f506173}`))
	f.Add([]byte(`{"65b3f7a40c1b2d3e4f506172`))
	f.Add(binaryArray(sample[:], other[:]))
	f.Add(binaryArray([]byte(sample.Hex())))
	huge := binaryArray()
	copy(huge[12:], "\x7f\xff\xff\xff")
	f.Add(huge)
	many := binaryArray(slices.Repeat([][]byte{sample[:]}, 40)...)
	binary.BigEndian.PutUint32(many[12:], uint32(4*len(many)-100))
	f.Add(many)
	f.Add(append(binaryArray(sample[:]), 0))
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		a, again := sqltype.Array{other}, sqltype.Array{}
		err := a.Scan(in)
		if n := allocated(func() { new(sqltype.Array).Scan(in) }); n > uint64(16*len(in)+2048) {
			t.Fatalf("Scan(%q) allocates %d bytes", in, n)
		}
		want, ok := slowArray(before)
		if (err == nil) != ok {
			t.Fatalf("Scan(%q): %v, want success %v", in, err, ok)
		}
		if err != nil {
			if !slices.Equal(a, sqltype.Array{other}) || !errors.Is(err, oid.ErrSyntax) || len(err.Error()) > 300 {
				t.Fatalf("Scan(%q) = %v, destination %v", in, err, a)
			}
		} else if !slices.Equal(a, want) || cap(a) > len(in) {
			t.Fatalf("Scan(%q) = %v with room for %d, want %v", in, a, cap(a), want)
		}
		if viaString := (sqltype.Array{other}); (viaString.Scan(string(in)) == nil) != ok || !slices.Equal(viaString, a) {
			t.Fatalf("Scan of the string %q = %v, of the bytes %v", in, viaString, a)
		}
		v, err := a.Value()
		if err != nil || again.Scan(v) != nil || !slices.Equal(a, again) {
			t.Errorf("%q: %v, then %v", in, a, again)
		}
		if !bytes.Equal(in, before) {
			t.Errorf("Scan changed its input")
		}
		clear(in)
		if !slices.Equal(a, again) {
			t.Errorf("%q: the array changed with its input", before)
		}
	})
}

// allocated returns how many bytes f allocates: the least of some runs, since others
// allocate too.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// slowArray reads an array in the plainest way.
func slowArray(in []byte) (ids sqltype.Array, ok bool) {
	element := func(text string) bool {
		id, err := oid.Parse(strings.TrimPrefix(text, `\x`))
		ids = append(ids, id)
		return err == nil
	}
	if text := string(in); strings.HasPrefix(text, "{") {
		if !strings.HasSuffix(text, "}") || text == "{" {
			return nil, false
		}
		if text == "{}" {
			return nil, true
		}
		for _, e := range strings.Split(text[1:len(text)-1], ",") {
			if len(e) > 1 && strings.HasPrefix(e, `"`) && strings.HasSuffix(e, `"`) {
				e = strings.Replace(e[1:len(e)-1], `\\`, `\`, 1)
			}
			if !element(e) {
				return nil, false
			}
		}
		return ids, true
	}
	r := bytes.NewReader(in)
	var dimensions, nulls, typ, n, first, size int32
	number := func(to ...*int32) bool {
		for _, to := range to {
			if binary.Read(r, binary.BigEndian, to) != nil {
				return false
			}
		}
		return true
	}
	if !number(&dimensions, &nulls, &typ) {
		return nil, false
	}
	if dimensions == 0 {
		return nil, r.Len() == 0
	}
	if dimensions != 1 || !number(&n, &first) || n < 0 {
		return nil, false
	}
	for range n {
		if !number(&size) || size < 0 || int(size) > r.Len() {
			return nil, false
		}
		e := make([]byte, size)
		r.Read(e)
		if len(e) == len(oid.ID{}) {
			ids = append(ids, oid.ID(e))
		} else if !element(string(e)) {
			return nil, false
		}
	}
	return ids, r.Len() == 0
}
