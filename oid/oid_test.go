package oid_test

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

const text = "65b3f7a1c2d3e4f5a6b7c8d9"

var (
	sample = oid.ID{0x65, 0xb3, 0xf7, 0xa1, 0xc2, 0xd3, 0xe4, 0xf5, 0xa6, 0xb7, 0xc8, 0xd9}
	maxID  = oid.MustParse("ffffffffffffffffffffffff")
)

// randomID returns any 12 bytes.
func randomID() (id oid.ID) {
	for i := range id {
		id[i] = byte(rand.Uint32())
	}
	return id
}

// unchanged runs decode on a sample ID and reports an error that is missing, that
// does not read as wantErr, that is no ErrSyntax, or that has changed the ID.
func unchanged(t *testing.T, wantErr string, decode func(*oid.ID) error) {
	t.Helper()
	id := sample
	err := decode(&id)
	switch {
	case err == nil:
		t.Errorf("no error, want %s", wantErr)
	case err.Error() != wantErr:
		t.Errorf("error %s\n want %s", err, wantErr)
	case !errors.Is(err, oid.ErrSyntax):
		t.Errorf("error %v is not ErrSyntax", err)
	}
	if id != sample {
		t.Errorf("after the error the id is %v, not what it was", id)
	}
}

func TestParse(t *testing.T) {
	for _, in := range []string{text, strings.ToUpper(text), "65B3f7a1C2d3E4f5a6B7c8D9"} {
		got, err := oid.Parse(in)
		if err != nil || got != sample {
			t.Errorf("Parse(%q) = %v, %v", in, got, err)
		}
	}
	if got := oid.MustParse(text); got != sample {
		t.Errorf("MustParse = %v", got)
	}
}

// badText holds inputs that are not an ID in any text form, and what is wrong.
var badText = []struct{ in, shown, problem string }{
	{"x", `"x"`, "length 1, want 24 hex digits"},
	{text[:23], `"65b3f7a1c2d3e4f5a6b7c8d"`, "length 23, want 24 hex digits"},
	{text + "0", `"65b3f7a1c2d3e4f5a6b7c8d90"`, "length 25, want 24 hex digits"},
	{string(sample[:]), `"e\xb3\xf7\xa1\xc2\xd3\xe4\xf5\xa6\xb7\xc8\xd9"`, "length 12, want 24 hex digits"},
	{"hello world!", `"hello world!"`, "length 12, want 24 hex digits"},
	{text[:22] + "zz", `"65b3f7a1c2d3e4f5a6b7c8zz"`, "invalid byte 'z' at index 22"},
	{"g" + text[1:], `"g5b3f7a1c2d3e4f5a6b7c8d9"`, "invalid byte 'g' at index 0"},
	{text[:23] + "/", `"65b3f7a1c2d3e4f5a6b7c8d/"`, "invalid byte '/' at index 23"},
	{text[:23] + "\x00", `"65b3f7a1c2d3e4f5a6b7c8d\x00"`, `invalid byte '\x00' at index 23`},
	{text[:10] + "\x15" + text[11:], `"65b3f7a1c2\x153e4f5a6b7c8d9"`, `invalid byte '\x15' at index 10`},
	{text[:22] + "\xc3\xa9", `"65b3f7a1c2d3e4f5a6b7c8é"`, `invalid byte '\xc3' at index 22`},
	{text[:23] + "\x7f", `"65b3f7a1c2d3e4f5a6b7c8d\x7f"`, `invalid byte '\x7f' at index 23`},
	{text[:23] + "\x80", `"65b3f7a1c2d3e4f5a6b7c8d\x80"`, `invalid byte '\x80' at index 23`},
	{text[:23] + "\xff", `"65b3f7a1c2d3e4f5a6b7c8d\xff"`, `invalid byte '\xff' at index 23`},
	{" " + text, `" 65b3f7a1c2d3e4f5a6b7c8d9"`, "other characters around the ID, want only its 24 hex digits"},
	{`ObjectID("` + text + `")`, "`ObjectID(\"65b3f7a1c2d3e4f5a6b7c8`…", "ObjectId(…) around the ID, want only its 24 hex digits"},
	{`ObjectId('` + strings.ToUpper(text) + `')`, `"ObjectId('65B3F7A1C2D3E4F5A6B7C8"…`, "ObjectId(…) around the ID, want only its 24 hex digits"},
	{`objectid ` + text, `"objectid 65b3f7a1c2d3e4f5a6b7c8d"…`, "other characters around the ID, want only its 24 hex digits"},
	{`"` + text + `"`, "`\"65b3f7a1c2d3e4f5a6b7c8d9\"`", "other characters around the ID, want only its 24 hex digits"},
	{"0x" + text, `"0x65b3f7a1c2d3e4f5a6b7c8d9"`, "other characters around the ID, want only its 24 hex digits"},
	{text + "\n", `"65b3f7a1c2d3e4f5a6b7c8d9\n"`, "other characters around the ID, want only its 24 hex digits"},
	{"/" + text + "/" + text + "0", `"/65b3f7a1c2d3e4f5a6b7c8d9/65b3f7"…`, "other characters around the ID, want only its 24 hex digits"},
	{"x" + text + "0", `"x65b3f7a1c2d3e4f5a6b7c8d90"`, "length 26, want 24 hex digits"},
	{text[:12] + "-" + text[12:], `"65b3f7a1c2d3-e4f5a6b7c8d9"`, "length 25, want 24 hex digits"},
	{strings.Repeat(" ", 40) + text, `"` + strings.Repeat(" ", 32) + `"…`, "other characters around the ID, want only its 24 hex digits"},
	{strings.Repeat(" ", 41) + text, `"` + strings.Repeat(" ", 32) + `"…`, "length 65, want 24 hex digits"},
	{"cpifdgd2rfi9f9ntp340", `"cpifdgd2rfi9f9ntp340"`, "an xid, want 24 hex digits"},
	{"cpifdgd2rfi9f9ntp34g", `"cpifdgd2rfi9f9ntp34g"`, "an xid, want 24 hex digits"},
	{"cpifdgd2rfi9f9ntp341", `"cpifdgd2rfi9f9ntp341"`, "length 20, want 24 hex digits"},
	{"cpifdgd2rfi9f9ntp3-0", `"cpifdgd2rfi9f9ntp3-0"`, "length 20, want 24 hex digits"},
	{"CPIFDGD2RFI9F9NTP340", `"CPIFDGD2RFI9F9NTP340"`, "length 20, want 24 hex digits"},
	{"65b3f7a1c2d3e4f5a6b0", `"65b3f7a1c2d3e4f5a6b0"`, "length 20, want 24 hex digits"},
	{strings.Repeat("é", 1<<19), `"` + strings.Repeat("é", 16) + `"…`, "length 1048576, want 24 hex digits"},
	{strings.Repeat("0", 32), `"` + strings.Repeat("0", 32) + `"`, "length 32, want 24 hex digits"},
	{strings.Repeat("0", 33), `"` + strings.Repeat("0", 32) + `"…`, "length 33, want 24 hex digits"},
	{strings.Repeat("\x00", 1<<20), `"` + strings.Repeat(`\x00`, 32) + `"…`, "length 1048576, want 24 hex digits"},
}

func TestParseRefusesWhatIsNotAnID(t *testing.T) {
	for _, test := range slices.Concat(badText, []struct{ in, shown, problem string }{
		{"", `""`, "length 0, want 24 hex digits"},
	}) {
		want := "oid.Parse(" + test.shown + "): " + test.problem
		id, err := oid.Parse(test.in)
		if err == nil || err.Error() != want || !errors.Is(err, oid.ErrSyntax) || !id.IsZero() {
			t.Errorf("Parse = %v, %v\nwant %s", id, err, want)
		}
	}
}

func TestOnlyAUUIDIsCalledOne(t *testing.T) {
	const uuid = "65b3f7a1-c2d3-4e4f-85a6-b7c8d9000000"
	for i := range uuid {
		want := `oid.Parse("65b3f7a1-c2d3-4e4f-85a6-b7c8d900"…): a UUID, want 24 hex digits`
		in := []byte(uuid)
		if in[i] == '-' {
			in[i] = '0'
			want = "length 36, want 24 hex digits"
		} else if i < 32 {
			continue
		}
		if _, err := oid.Parse(string(in)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Parse(%q): error %v, want %s", in, err, want)
		}
	}
}

// One byte that is not a hex digit makes any text an error that names its place,
// wherever it is.
func TestABadDigitIsRefusedAtEveryPosition(t *testing.T) {
	for i := range text {
		for _, bad := range []byte("/:@G`g \x00\x1f\x7f\x80\xff") {
			in := text[:i] + string([]byte{bad}) + text[i+1:]
			check := func(call string, err error, id oid.ID) {
				t.Helper()
				if !errors.Is(err, oid.ErrSyntax) || !id.IsZero() {
					t.Errorf("%s(%q) = %v, %v, want an error", call, in, id, err)
				}
			}
			id, err := oid.Parse(in)
			check("Parse", err, id)
			if want := fmt.Sprintf(" at index %d", i); err != nil && !strings.HasSuffix(err.Error(), want) {
				t.Errorf("Parse(%q) = %v, want the end%s", in, err, want)
			}
			check("UnmarshalText", id.UnmarshalText([]byte(in)), id)
			check("UnmarshalParam", id.UnmarshalParam(in), id)
			check("UnmarshalJSON", id.UnmarshalJSON([]byte(`"`+in+`"`)), id)
			check("UnmarshalBSONValue", id.UnmarshalBSONValue(0x02, []byte("\x19\x00\x00\x00"+in+"\x00")), id)
			for _, prefix := range []string{"", `\x`} {
				err := id.Scan(prefix + in)
				check("Scan", err, id)
				if want := fmt.Sprintf(" at index %d", len(prefix)+i); err != nil && !strings.HasSuffix(err.Error(), want) {
					t.Errorf("Scan(%q) = %v, want the end%s", prefix+in, err, want)
				}
				check("Scan", id.Scan([]byte(prefix+in)), id)
				check("ScanBytes", id.ScanBytes([]byte(prefix+in)), id)
			}
		}
	}
}

func TestMustParsePanicsWithTheError(t *testing.T) {
	defer func() {
		const want = `oid.MustParse("nonsense"): length 8, want 24 hex digits`
		if got := recover(); got != want {
			t.Errorf("panic %v, want %s", got, want)
		}
	}()
	oid.MustParse("nonsense")
}

func TestUnmarshalText(t *testing.T) {
	for _, test := range badText {
		unchanged(t, "oid.ID.UnmarshalText("+test.shown+"): "+test.problem, func(id *oid.ID) error {
			return id.UnmarshalText([]byte(test.in))
		})
	}
	id := sample
	if err := id.UnmarshalText(nil); err != nil || !id.IsZero() {
		t.Errorf("UnmarshalText(nil) gives %v, %v, want the zero id", id, err)
	}
	if err := id.UnmarshalText([]byte(strings.ToUpper(text))); err != nil || id != sample {
		t.Errorf("UnmarshalText = %v, %v", id, err)
	}
}

func TestUnmarshalBinary(t *testing.T) {
	for _, test := range []struct{ in, wantErr string }{
		{"", `oid.ID.UnmarshalBinary(""): length 0, want 12 bytes`},
		{"11 bytes...", `oid.ID.UnmarshalBinary("11 bytes..."): length 11, want 12 bytes`},
		{"13 bytes.....", `oid.ID.UnmarshalBinary("13 bytes....."): length 13, want 12 bytes`},
		{text, `oid.ID.UnmarshalBinary("65b3f7a1c2d3e4f5a6b7c8d9"): length 24, want 12 bytes`},
		{strings.Repeat("x", 1<<20), `oid.ID.UnmarshalBinary("` + strings.Repeat("x", 32) + `"…): length 1048576, want 12 bytes`},
	} {
		unchanged(t, test.wantErr, func(id *oid.ID) error { return id.UnmarshalBinary([]byte(test.in)) })
	}
	data := slices.Clone(sample[:])
	var id oid.ID
	if err := id.UnmarshalBinary(data); err != nil || id != sample {
		t.Errorf("UnmarshalBinary = %v, %v", id, err)
	}
	data[0]++
	if id != sample {
		t.Error("the id shares the memory that it was read from")
	}
}

// Every encoding comes back as the ID that it was made of, and agrees with the
// reference.
func TestEncodingsRoundTrip(t *testing.T) {
	ids := []oid.ID{{}, sample, maxID, oid.New()}
	for range 2000 {
		ids = append(ids, randomID())
	}
	for _, id := range ids {
		roundTrips(t, id)
	}
}

// roundTrips checks the laws of text and binary form that hold for every ID.
func roundTrips(t *testing.T, id oid.ID) {
	t.Helper()
	want := slowHex(id)
	marshaled, err := id.MarshalText()
	if err != nil || string(marshaled) != want {
		t.Errorf("MarshalText = %q, %v, want %q", marshaled, err, want)
	}
	if id.Hex() != want || id.String() != want {
		t.Errorf("Hex, String = %q, %q, want %q", id.Hex(), id.String(), want)
	}
	prefix := []byte("id=")
	if appended, err := id.AppendText(prefix); err != nil || string(appended) != "id="+want {
		t.Errorf("AppendText = %q, %v", appended, err)
	}
	var fromText, fromUpper, fromBinary oid.ID
	if err := fromText.UnmarshalText(marshaled); err != nil || fromText != id {
		t.Errorf("UnmarshalText(%q) = %v, %v", marshaled, fromText, err)
	}
	if err := fromUpper.UnmarshalText(bytes.ToUpper(marshaled)); err != nil || fromUpper != id {
		t.Errorf("UnmarshalText of upper case = %v, %v", fromUpper, err)
	}
	binary, err := id.MarshalBinary()
	if err != nil || !bytes.Equal(binary, id[:]) {
		t.Errorf("MarshalBinary = %x, %v", binary, err)
	}
	if err := fromBinary.UnmarshalBinary(binary); err != nil || fromBinary != id {
		t.Errorf("UnmarshalBinary = %v, %v", fromBinary, err)
	}
}

func TestAppendTextKeepsWhatFollows(t *testing.T) {
	buf := []byte("0123456789012345678901234567890123456789")
	if _, err := sample.AppendText(buf[:3]); err != nil {
		t.Fatal(err)
	}
	if got, want := string(buf), "012"+text+"7890123456789"; got != want {
		t.Errorf("the buffer holds %q, want %q", got, want)
	}
}

func TestOrderOfTextIsOrderOfBytesIsOrderOfCompare(t *testing.T) {
	for range 5000 {
		a, b := randomID(), randomID()
		copy(b[:], a[:rand.IntN(13)]) // the same beginning
		sameOrder(t, a, b)
	}
	sameOrder(t, sample, sample)
	sameOrder(t, oid.ID{}, maxID)
}

func sameOrder(t *testing.T, a, b oid.ID) {
	t.Helper()
	want := bytes.Compare(a[:], b[:])
	if got := a.Compare(b); got != want {
		t.Errorf("%v.Compare(%v) = %d, want %d", a, b, got, want)
	}
	if got := cmp.Compare(a.Hex(), b.Hex()); got != want {
		t.Errorf("as text %v and %v compare as %d, want %d", a, b, got, want)
	}
	if got := b.Compare(a); got != -want {
		t.Errorf("%v.Compare(%v) = %d, want %d", b, a, got, -want)
	}
	if (a == b) != (want == 0) {
		t.Errorf("%v == %v is %v", a, b, a == b)
	}
}

func TestNextAndPrevAreNeighbours(t *testing.T) {
	for _, test := range []struct{ id, next string }{
		{"000000000000000000000000", "000000000000000000000001"},
		{"65b3f7a1c2d3e4f5a6b7c8d9", "65b3f7a1c2d3e4f5a6b7c8da"},
		{"65b3f7a1c2d3e4f5a6ffffff", "65b3f7a1c2d3e4f5a7000000"},
		{"65b3f7a1c2d3e4f5ffffffff", "65b3f7a1c2d3e4f600000000"},
		{"00000000ffffffffffffffff", "000000010000000000000000"},
		{"fffffffffffffffffffffffe", "ffffffffffffffffffffffff"},
	} {
		id, next := oid.MustParse(test.id), oid.MustParse(test.next)
		if got := id.Next(); got != next {
			t.Errorf("%v.Next() = %v, want %v", id, got, next)
		}
		if got := next.Prev(); got != id {
			t.Errorf("%v.Prev() = %v, want %v", next, got, id)
		}
	}
	if got := maxID.Next(); !got.IsZero() {
		t.Errorf("Next past the end = %v, want zero", got)
	}
	if got := (oid.ID{}).Prev(); !got.IsZero() {
		t.Errorf("Prev before the beginning = %v, want zero", got)
	}
	for range 1000 {
		id := randomID()
		if next := id.Next(); next.Compare(id) <= 0 || next.Prev() != id {
			t.Errorf("%v.Next() = %v, whose Prev() = %v", id, next, next.Prev())
		}
	}
}

func TestIsZero(t *testing.T) {
	if !(oid.ID{}).IsZero() || sample.IsZero() || (oid.ID{11: 1}).IsZero() {
		t.Error("IsZero is wrong")
	}
}

func TestFormat(t *testing.T) {
	for _, test := range []struct{ format, want string }{
		{"%v", text},
		{"%s", text},
		{"%+v", text},
		{"%q", `"` + text + `"`},
		{"%#q", "`" + text + "`"},
		{"%30s|", "      " + text + "|"},
		{"%-30v|", text + "      |"},
		{"%.8s", text[:8]},
	} {
		if got := fmt.Sprintf(test.format, sample); got != test.want {
			t.Errorf("Sprintf(%q) = %s, want %s", test.format, got, test.want)
		}
		if got := fmt.Sprintf(test.format, &sample); got != test.want {
			t.Errorf("Sprintf(%q) of a pointer = %s, want %s", test.format, got, test.want)
		}
	}
	type row struct{ ID oid.ID }
	if got, want := fmt.Sprintf("%v %+v", row{sample}, row{sample}), "{"+text+"} {ID:"+text+"}"; got != want {
		t.Errorf("within a struct: %s, want %s", got, want)
	}
	if got := fmt.Sprintf("%x", sample[:]); got != text {
		t.Errorf("Sprintf(%%x) of the bytes = %s, want %s", got, text)
	}
	if _, err := parser.ParseExpr(fmt.Sprintf("%#v", []oid.ID{sample})); err != nil {
		t.Errorf("%%#v of a slice is no Go: %v", err)
	}
}

func TestIDsAreMapKeysOfAnyEncoding(t *testing.T) {
	in := map[oid.ID]int{sample: 1, {}: 2, maxID: 3}
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"000000000000000000000000":2,"65b3f7a1c2d3e4f5a6b7c8d9":1,"ffffffffffffffffffffffff":3}`
	if string(data) != want {
		t.Errorf("json.Marshal = %s, want %s", data, want)
	}
	var out map[oid.ID]int
	if err := json.Unmarshal(data, &out); err != nil || len(out) != 3 || out[sample] != 1 {
		t.Errorf("json.Unmarshal = %v, %v", out, err)
	}
}

// corpus is MongoDB's file of test vectors for the BSON type ObjectId.
type corpus struct {
	Valid []struct {
		Description   string
		CanonicalBSON string `json:"canonical_bson"`
		ExtJSON       string `json:"canonical_extjson"`
	}
	DecodeErrors []struct{ Description, BSON string }
}

// TestBSONCorpus takes the values out of the corpus documents {a: ObjectId} by
// hand: 4 bytes of length, the type, "a\x00", then the value and a NUL.
func TestBSONCorpus(t *testing.T) {
	data, err := os.ReadFile("testdata/bson-corpus/oid.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors corpus
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Valid) != 3 || len(vectors.DecodeErrors) != 1 {
		t.Fatalf("%d and %d vectors", len(vectors.Valid), len(vectors.DecodeErrors))
	}
	value := func(doc string) (typ byte, value []byte) {
		b, err := hex.DecodeString(doc)
		if err != nil {
			t.Fatal(err)
		}
		return b[4], b[7:]
	}
	for _, v := range vectors.Valid {
		typ, raw := value(v.CanonicalBSON)
		raw = raw[:len(raw)-1]
		var id oid.ID
		if err := id.UnmarshalBSONValue(typ, raw); err != nil {
			t.Errorf("%s: %v", v.Description, err)
		}
		if gotType, got, err := id.MarshalBSONValue(); err != nil || gotType != typ || !bytes.Equal(got, raw) {
			t.Errorf("%s: MarshalBSONValue = %#x, %x, %v", v.Description, gotType, got, err)
		}
		var doc struct{ A oid.ID }
		if err := json.Unmarshal([]byte(v.ExtJSON), &doc); err != nil || doc.A != id {
			t.Errorf("%s: from JSON %v, %v", v.Description, doc.A, err)
		}
	}
	for _, v := range vectors.DecodeErrors {
		id := sample
		typ, raw := value(v.BSON)
		if err := id.UnmarshalBSONValue(typ, raw); !errors.Is(err, oid.ErrSyntax) || id != sample {
			t.Errorf("%s: %v, %v", v.Description, id, err)
		}
	}
}

// An error tells an API client what is wrong with the input, without Go names.
func TestSyntaxErrorIsFitForClients(t *testing.T) {
	var id oid.ID
	_, parse := oid.Parse("65b3")
	_, uuid := oid.Parse("018d4b2e-7a53-7c3e-9f2b-0123456789ab")
	_, xid := oid.Parse("cpifdgd2rfi9f9ntp340")
	_, dashes := oid.Parse("018d4b2e_7a53_7c3e_9f2b_0123456789ab")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{parse, "length 4, want 24 hex digits"},
		{uuid, "a UUID, want 24 hex digits"},
		{xid, "an xid, want 24 hex digits"},
		{dashes, "length 36, want 24 hex digits"},
		{id.UnmarshalText([]byte("65b3f7edd9bfca00daa6e3zz")), "invalid byte 'z' at index 22"},
		{id.UnmarshalParam(""), "length 0, want 24 hex digits"},
		{id.UnmarshalBinary(nil), "length 0, want 12 bytes"},
		{id.UnmarshalJSON([]byte("7")), `want a string of 24 hex digits or {"$oid": "24 hex digits"}`},
		{id.UnmarshalBSONValue(5, make([]byte, 17)), "a Binary of 12 bytes, want an ObjectId of 12 bytes, a string of 24 hex digits, or null"},
		{id.UnmarshalBSONValue(1, nil), "a double, want an ObjectId of 12 bytes, a string of 24 hex digits, or null"},
		{id.Scan(nil), "NULL is not an ID"},
		{id.ScanBytes(nil), "NULL is not an ID"},
		{id.Scan(7), "want 12 bytes or 24 hex digits"},
		{id.Scan("twelve bytes"), "length 12, want 24 hex digits"},
	} {
		var bad *oid.SyntaxError
		if !errors.As(fmt.Errorf("wrapped: %w", tt.err), &bad) || bad.Problem != tt.want || !errors.Is(bad, oid.ErrSyntax) {
			t.Errorf("errors.As(%v) = %+v, want the problem %q and ErrSyntax", tt.err, bad, tt.want)
		} else if want := bad.Call + ": " + bad.Problem; !strings.HasPrefix(bad.Error(), want) {
			t.Errorf("Error() = %s, want %s…", bad, want)
		}
	}
}

func TestPatternIsWhatHexReturns(t *testing.T) {
	pattern := regexp.MustCompile(oid.Pattern)
	for _, s := range []string{text, oid.ID{}.Hex(), maxID.Hex(), oid.New().Hex()} {
		if !pattern.MatchString(s) {
			t.Errorf("%q doesn't match Pattern", s)
		}
	}
	for _, s := range []string{"", text[1:], text + "0", strings.ToUpper(text), " " + text} {
		if pattern.MatchString(s) {
			t.Errorf("%q matches Pattern", s)
		}
	}
}
