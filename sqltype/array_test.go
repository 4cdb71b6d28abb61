package sqltype_test

import (
	"bytes"
	"database/sql/driver"
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

type idArray = sqltype.Array[oid.ID]

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

// ofType is PostgreSQL's binary format of an array of another type.
func ofType(typeOID uint32, elements ...[]byte) []byte {
	b := binaryArray(elements...)
	binary.BigEndian.PutUint32(b[8:], typeOID)
	return b
}

func TestArrayReadsTextAndBinary(t *testing.T) {
	both := idArray{sample, other}
	for _, test := range []struct {
		in   any
		want idArray
	}{
		{nil, nil},
		{"{}", idArray{}},
		{[]byte("{}"), idArray{}},
		{`{"\\x65b3f7a40c1b2d3e4f506172","\\x65b3f7a40c1b2d3e4f506173"}`, both},
		{[]byte(`{"\\x65B3F7A40C1B2D3E4F506172","\\x65b3f7a40c1b2d3e4f506173"}`), both},
		{`{65b3f7a40c1b2d3e4f506172,65b3f7a40c1b2d3e4f506173}`, both},
		{`{"65b3f7a40c1b2d3e4f506172"}`, idArray{sample}},
		{make([]byte, 12), idArray{}},
		{binaryArray(), idArray{}},
		{binaryArray(sample[:], other[:]), both},
		{binaryArray([]byte(sample.Hex()), other[:]), both},
	} {
		got := idArray{zero}
		if err := got.Scan(test.in); err != nil || !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("Scan(%T %q) = %v, %v, want %v", test.in, test.in, got, err, test.want)
		}
	}
}

func TestArrayValueIsPostgresText(t *testing.T) {
	for _, test := range []struct {
		array idArray
		want  any
	}{
		{nil, nil},
		{idArray{}, "{}"},
		{idArray{sample, other}, `{"\\x65b3f7a40c1b2d3e4f506172","\\x65b3f7a40c1b2d3e4f506173"}`},
	} {
		if got, err := test.array.Value(); got != test.want || err != nil {
			t.Errorf("%v: Value = %v, %v, want %v", test.array, got, err, test.want)
		}
	}
}

// testForm checks that an array of a form is written in the form of its elements, and
// read back from text, and from binary if it isn't nil.
func testForm[T interface {
	~[12]byte
	driver.Valuer
}](t *testing.T, ids []T, text string, binary []byte) {
	t.Helper()
	if got, err := sqltype.Array[T](ids).Value(); got != text || err != nil {
		t.Errorf("%T.Value() = %v, %v, want %s", ids, got, err, text)
	}
	for _, in := range []any{text, []byte(text), binary} {
		if in, ok := in.([]byte); ok && in == nil {
			continue
		}
		got := sqltype.Array[T]{{1}}
		if err := got.Scan(in); err != nil || fmt.Sprint(got) != fmt.Sprint(ids) {
			t.Errorf("Array[%T].Scan(%T %q) = %v, %v, want %v", *new(T), in, in, got, err, ids)
		}
	}
	var null sqltype.Array[T]
	if v, err := null.Value(); v != nil || err != nil {
		t.Errorf("nil %T.Value() = %v, %v, want NULL", null, v, err)
	}
}

func TestArrayHasTheFormOfItsElements(t *testing.T) {
	const (
		a, b = "65b3f7a40c1b2d3e4f506172", "65b3f7a40c1b2d3e4f506173"
		u, v = "018d46ff-58a0-70c1-acb4-f93d4185cb1d", "018d46ff-58a0-70c1-acb4-f93d4185cf1d"
	)
	raw := binaryArray(sample[:], other[:])
	testForm(t, []oid.ID{sample, other}, `{"\\x`+a+`","\\x`+b+`"}`, raw)
	testForm(t, []userID{userID(sample), userID(other)}, `{"\\x`+a+`","\\x`+b+`"}`, raw)
	testForm(t, []sqltype.Hex{sqltype.Hex(sample), sqltype.Hex(other)}, `{"`+a+`","`+b+`"}`, ofType(25, []byte(a), []byte(b)))
	u1, u2 := sqltype.UUID(sample).Bytes(), sqltype.UUID(other).Bytes()
	testForm(t, []sqltype.UUID{sqltype.UUID(sample), sqltype.UUID(other)}, `{"`+u+`","`+v+`"}`, ofType(2950, u1[:], u2[:]))
	testForm(t, []sqltype.ZeroNull{sqltype.ZeroNull(sample), {}}, `{"\\x`+a+`",NULL}`, nil)
	testForm(t, []optionalUser{{}, optionalUser(sample)}, `{NULL,"\\x`+a+`"}`, nil)

	var uuids sqltype.Array[sqltype.UUID]
	if err := uuids.Scan(`{018d46ff-58a0-40c1-acb4-f93d4185cb1d}`); !errors.Is(err, oid.ErrSyntax) || uuids != nil {
		t.Errorf("a UUID that is not an ID: %v, %v, want oid.ErrSyntax", uuids, err)
	}
}

// ownForm is a type of a user. Its Value is whatever a test needs.
type ownForm [12]byte

var ownValue driver.Value

func (ownForm) Value() (driver.Value, error) {
	if err, ok := ownValue.(error); ok {
		return nil, err
	}
	return ownValue, nil
}

func TestArrayOfAnOwnForm(t *testing.T) {
	list := sqltype.Array[ownForm]{{1}}
	for _, tt := range []struct {
		value   driver.Value
		want    any
		wantErr string
	}{
		{`a,b"c\d{e}`, `{"a,b\"c\\d{e}"}`, ""},
		{[]byte{1, 0xab}, `{"\\x01ab"}`, ""},
		{nil, "{NULL}", ""},
		{int64(7), nil, "sqltype.Array.Value(): element 0: its method Value returned int64, want []byte or string"},
		{errors.New("locked"), nil, "sqltype.Array.Value(): element 0: locked"},
	} {
		ownValue = tt.value
		got, err := list.Value()
		if got != tt.want || (err == nil) != (tt.wantErr == "") || err != nil && err.Error() != tt.wantErr {
			t.Errorf("Value of %v = %v, %v, want %v, %s", tt.value, got, err, tt.want, tt.wantErr)
		}
	}
	const want = "sqltype.Array.Scan(string): *sqltype_test.ownForm has no method Scan: use an element type that has one, such as oid.ID"
	if err := list.Scan("{}"); err == nil || err.Error() != want || len(list) != 1 {
		t.Errorf("Scan = %v, %v, want %s", list, err, want)
	}
}

// lockedForm is a type of a user. Its Scan refuses everything.
type lockedForm [12]byte

func (lockedForm) Value() (driver.Value, error) { return nil, nil }
func (*lockedForm) Scan(any) error              { return errors.New("locked") }

func TestArrayScanTellsTheErrorOfAnElement(t *testing.T) {
	const want = "sqltype.Array.Scan(string): element 0: locked"
	if err := new(sqltype.Array[lockedForm]).Scan("{a}"); !errors.Is(err, oid.ErrSyntax) || err.Error() != want {
		t.Errorf("Scan = %v, want %s", err, want)
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
		got := idArray{other}
		err := got.Scan(in)
		if err == nil || !slices.Equal(got, idArray{other}) {
			t.Errorf("Scan(%T %q) = %v, destination %v", in, in, err, got)
			continue
		}
		if !errors.Is(err, oid.ErrSyntax) || !strings.HasPrefix(err.Error(), "sqltype.Array.Scan(") {
			t.Errorf("Scan(%T %q) = %v", in, in, err)
		}
	}
	if err := new(idArray).Scan(withNull); err == nil || !strings.Contains(err.Error(), "element 0 is NULL") {
		t.Errorf("NULL among the elements: %v", err)
	}
	var a idArray
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
		{`{"}`, "element 0: length 1, want " + want},
		{`{""}`, "element 0: length 0, want " + want},
		{`{"` + digits + `}`, "element 0: other characters around the ID, want only its 24 hex digits"},
		{`{` + digits + `"}`, "element 0: other characters around the ID, want only its 24 hex digits"},
		{`{` + digits + `,"` + digits[1:] + `"}`, "element 1: length 23, want " + want},
		{`{"\\x` + digits[:22] + `\\"}`, `element 0: length 26, but an invalid hex digit at index 24`},
		{`{"hello world!"}`, "element 0: length 12, want 24 hex digits"},
		{`{` + digits + `,NULL}`, "element 1 is NULL"},
		{ofType(25, []byte("hello world!")), "element 0: length 12, want 24 hex digits"},
		{binaryArray(sample[:], nil), "element 1: length 0, want " + want},
		{noDimension, "want an array of one dimension"},
	} {
		err := new(idArray).Scan(tt.in)
		if want := fmt.Sprintf("sqltype.Array.Scan(%T): %s", tt.in, tt.want); err == nil || err.Error() != want {
			t.Errorf("Scan(%q) = %v, want %s", tt.in, err, want)
		}
	}
}

func TestArrayRefusesACutBinaryArray(t *testing.T) {
	full := binaryArray(sample[:], other[:])
	for n := range full {
		got := idArray{other}
		if err := got.Scan(full[:n]); !errors.Is(err, oid.ErrSyntax) || !slices.Equal(got, idArray{other}) {
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
			if err := new(idArray).Scan(lying); err == nil {
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
	f.Add(ofType(25, []byte("hello world!")))
	f.Add(ofType(1042, []byte(sample.Hex())))
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		a, again := idArray{other}, idArray{}
		err := a.Scan(in)
		if n := allocated(func() { new(idArray).Scan(in) }); n > uint64(16*len(in)+2048) {
			t.Fatalf("Scan(%q) allocates %d bytes", in, n)
		}
		want, ok := slowArray(before)
		if (err == nil) != ok {
			t.Fatalf("Scan(%q): %v, want success %v", in, err, ok)
		}
		if err != nil {
			if !slices.Equal(a, idArray{other}) || !errors.Is(err, oid.ErrSyntax) || len(err.Error()) > 300 {
				t.Fatalf("Scan(%q) = %v, destination %v", in, err, a)
			}
		} else if !slices.Equal(a, want) || cap(a) > len(in) {
			t.Fatalf("Scan(%q) = %v with room for %d, want %v", in, a, cap(a), want)
		}
		if viaString := (idArray{other}); (viaString.Scan(string(in)) == nil) != ok || !slices.Equal(viaString, a) {
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
func slowArray(in []byte) (ids idArray, ok bool) {
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
		if isText := typ == 25 || typ == 1042 || typ == 1043; !isText && len(e) == len(oid.ID{}) {
			ids = append(ids, oid.ID(e))
		} else if !element(string(e)) {
			return nil, false
		}
	}
	return ids, r.Len() == 0
}
