package oid_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

// These are the interfaces of the drivers and frameworks that package oid serves
// without importing them. The tests of module internal/itest hold the methods
// against the real ones.
var (
	_ interface {
		MarshalBSONValue() (typ byte, data []byte, err error)
		BytesValue() ([]byte, error)
		ProxyBSON() (any, error)
	} = oid.ID{}
	_ interface {
		UnmarshalBSONValue(typ byte, data []byte) error
		ScanBytes([]byte) error
		UnmarshalParam(param string) error
	} = (*oid.ID)(nil)
)

// bsonText returns s as the value of a BSON string.
func bsonText(s string) []byte {
	n := len(s) + 1
	b := append([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}, s...)
	return append(b, 0)
}

func TestMarshalBSONValue(t *testing.T) {
	for _, id := range []oid.ID{sample, {}, maxID} {
		typ, data, err := id.MarshalBSONValue()
		if typ != 0x07 || !bytes.Equal(data, id[:]) || err != nil {
			t.Errorf("%v.MarshalBSONValue() = %#x, %x, %v", id, typ, data, err)
		}
		data[0]++
		if _, again, _ := id.MarshalBSONValue(); !bytes.Equal(again, id[:]) {
			t.Error("two values share their memory")
		}
	}
}

func TestUnmarshalBSONValue(t *testing.T) {
	for _, test := range []struct {
		typ  byte
		data []byte
		want oid.ID
	}{
		{0x07, sample[:], sample},
		{0x07, make([]byte, 12), oid.ID{}},
		{0x02, bsonText(text), sample},
		{0x02, bsonText(strings.ToUpper(text)), sample},
		{0x0a, nil, oid.ID{}},
		{0x06, nil, oid.ID{}},
		{0x0a, []byte{}, oid.ID{}},
	} {
		id := maxID
		data := bytes.Clone(test.data)
		if err := id.UnmarshalBSONValue(test.typ, data); err != nil || id != test.want {
			t.Errorf("UnmarshalBSONValue(%#x, %x) = %v, %v", test.typ, test.data, id, err)
		}
		clear(data)
		if id != test.want {
			t.Error("the id shares the driver's memory")
		}
	}
}

func TestUnmarshalBSONValueRefusesWhatIsNotAnID(t *testing.T) {
	lying := bsonText(text)
	lying[0]++
	unterminated := bsonText(text)
	unterminated[len(unterminated)-1] = 'x'
	for _, test := range []struct {
		typ  byte
		data []byte
	}{
		{0x07, nil},
		{0x07, sample[:11]},
		{0x07, append(sample[:], 0)},
		{0x07, []byte(text)},
		{0x02, nil},
		{0x02, []byte(text)},
		{0x02, lying},
		{0x02, unterminated},
		{0x0a, []byte{0}},
		{0x06, []byte{0}},
		{0x00, nil},
		{0x80, sample[:]},
	} {
		want := fmt.Sprintf("oid.ID.UnmarshalBSONValue(type 0x%02x, %d bytes): "+
			"want an ObjectId of 12 bytes, a string of 24 hex digits, or null", test.typ, len(test.data))
		unchanged(t, want, func(id *oid.ID) error { return id.UnmarshalBSONValue(test.typ, test.data) })
	}
}

// The error for a string says what Parse would say.
func TestUnmarshalBSONValueSaysWhatIsWrongWithAString(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "length 0, want 24 hex digits",
		"hello world!":                         "length 12, want 24 hex digits",
		text[:23]:                              "length 23, want 24 hex digits",
		text + "0":                             "length 25, want 24 hex digits",
		text[:23] + "z":                        "invalid byte 'z' at index 23",
		text[:23] + "\x00":                     "invalid byte '\\x00' at index 23",
		text[:22] + "\xc3\xa9":                 "invalid byte '\\xc3' at index 22",
		`ObjectId("` + text + `")`:             "ObjectId(…) around the ID, want only its 24 hex digits",
		`{"$oid": "` + text + `"}`:             `{"$oid": …} around the ID, want only its 24 hex digits`,
		"0190163d-8694-739b-aea5-966c26f8ad91": "a UUID, want 24 hex digits",
		"9m4e2mr0ui3e8a215n4g":                 "an xid, want 24 hex digits",
		strings.Repeat("0", 1<<20):             "length 1048576, want 24 hex digits",
	} {
		data := bsonText(in)
		unchanged(t, fmt.Sprintf("oid.ID.UnmarshalBSONValue(type 0x02, %d bytes): a string: %s", len(data), want),
			func(id *oid.ID) error { return id.UnmarshalBSONValue(0x02, data) })
	}
}

// The error for a value of another type names that type, and the remedy if there is one.
func TestUnmarshalBSONValueNamesOtherTypes(t *testing.T) {
	const want = ", want an ObjectId of 12 bytes, a string of 24 hex digits, or null"
	for _, tt := range []struct {
		typ     byte
		data    []byte
		problem string
	}{
		{0x05, append([]byte{12, 0, 0, 0, 0}, sample[:]...), "a Binary of 12 bytes, want an ObjectId of 12 bytes, a string of 24 hex digits, or null; to read it, use a registry of bsoncodec.NewRegistry and call bsoncodec.AcceptBinary"},
		{0x05, append([]byte{16, 0, 0, 0, 4}, make([]byte, 16)...), "a UUID of 16 bytes" + want},
		{0x05, append([]byte{16, 0, 0, 0, 3}, make([]byte, 16)...), "a UUID of 16 bytes" + want},
		{0x05, append([]byte{16, 0, 0, 0, 0}, make([]byte, 16)...), "a Binary" + want},
		{0x05, append([]byte{12, 0, 0, 0, 5}, sample[:]...), "a Binary" + want},
		{0x01, make([]byte, 8), "a double" + want},
		{0x03, []byte{5, 0, 0, 0, 0}, "a document" + want},
		{0x04, []byte{5, 0, 0, 0, 0}, "an array" + want},
		{0x08, []byte{1}, "a boolean" + want},
		{0x09, make([]byte, 8), "a date" + want},
		{0x0b, []byte{0, 0}, "a regular expression" + want},
		{0x0c, nil, "a DBPointer" + want},
		{0x0d, bsonText(text), "JavaScript" + want},
		{0x0e, bsonText(text), "a symbol" + want},
		{0x0f, nil, "JavaScript" + want},
		{0x10, []byte{7, 0, 0, 0}, "a 32-bit integer" + want},
		{0x11, make([]byte, 8), "a timestamp" + want},
		{0x12, make([]byte, 8), "a 64-bit integer" + want},
		{0x13, make([]byte, 16), "a Decimal128" + want},
		{0x7f, nil, "MaxKey" + want},
		{0xff, sample[:], "MinKey" + want},
	} {
		text := fmt.Sprintf("oid.ID.UnmarshalBSONValue(type 0x%02x, %d bytes): %s", tt.typ, len(tt.data), tt.problem)
		unchanged(t, text, func(id *oid.ID) error { return id.UnmarshalBSONValue(tt.typ, tt.data) })
	}
}

func TestBytesValueIsTwelveFreshBytes(t *testing.T) {
	for _, id := range []oid.ID{sample, {}} {
		b, err := id.BytesValue()
		if err != nil || !bytes.Equal(b, id[:]) {
			t.Errorf("%v.BytesValue() = %x, %v", id, b, err)
		}
		b[0]++
		if again, _ := id.BytesValue(); !bytes.Equal(again, id[:]) {
			t.Error("two values share their memory")
		}
	}
}

func TestUnmarshalParam(t *testing.T) {
	var id oid.ID
	if err := id.UnmarshalParam(strings.ToUpper(text)); err != nil || id != sample {
		t.Errorf("UnmarshalParam = %v, %v", id, err)
	}
	for _, test := range badText {
		unchanged(t, "oid.ID.UnmarshalParam("+test.shown+"): "+test.problem,
			func(id *oid.ID) error { return id.UnmarshalParam(test.in) })
	}
	unchanged(t, `oid.ID.UnmarshalParam(""): length 0, want 24 hex digits`,
		func(id *oid.ID) error { return id.UnmarshalParam("") })
}

// Without mongov1, driver v1 must fail instead of storing something else. With it, the
// ID is what mongov1 makes of it. The hook can't be removed, so the second half runs
// in a process of its own.
func TestProxyBSONNamesTheMissingImport(t *testing.T) {
	const env = "OID_TEST_SET_PROXY"
	if os.Getenv(env) != "" {
		oid.SetProxyBSON(func(id [12]byte) any { return "v1:" + oid.ID(id).Hex() })
		v, err := sample.ProxyBSON()
		fmt.Println(v, err)
		return
	}
	v, err := sample.ProxyBSON()
	if v != nil || err == nil || !strings.Contains(err.Error(), `import _ "github.com/oidkit/oidkit/bsoncodec/mongov1"`) {
		t.Errorf("ProxyBSON() = %v, %v", v, err)
	}
	if out := runChild(t, env+"=1"); !strings.HasPrefix(out, "v1:"+text+" <nil>\n") {
		t.Errorf("with the hook: %s", out)
	}
}
