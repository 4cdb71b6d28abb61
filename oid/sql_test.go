package oid_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

var _ sql.Scanner = (*oid.ID)(nil)

func TestValueIsTwelveFreshBytes(t *testing.T) {
	for _, id := range []oid.ID{sample, {}, maxID} {
		v, err := id.Value()
		b, ok := v.([]byte)
		if err != nil || !ok || !bytes.Equal(b, id[:]) {
			t.Errorf("%v.Value() = %v, %v", id, v, err)
		}
		if !driver.IsValue(v) {
			t.Errorf("%T is no driver.Value", v)
		}
		b[0]++
		if again, _ := id.Value(); !bytes.Equal(again.([]byte), id[:]) {
			t.Error("two values share their memory")
		}
	}
}

func TestScan(t *testing.T) {
	for _, src := range []any{
		sample[:],
		text, []byte(text),
		strings.ToUpper(text), []byte(strings.ToUpper(text)),
		`\x` + text, []byte(`\x` + text), `\x` + strings.ToUpper(text),
	} {
		var id oid.ID
		if err := id.Scan(src); err != nil || id != sample {
			t.Errorf("Scan(%T %q) = %v, %v", src, src, id, err)
		}
		if b, ok := src.([]byte); ok {
			id = oid.ID{}
			if err := id.ScanBytes(b); err != nil || id != sample {
				t.Errorf("ScanBytes(%q) = %v, %v", b, id, err)
			}
		}
	}
	for _, id := range []oid.ID{{}, maxID, oid.MustParse("68656c6c6f20776f726c6421")} { // "hello world!"
		var got oid.ID
		if err := got.Scan(id[:]); err != nil || got != id {
			t.Errorf("Scan(%x) = %v, %v", id[:], got, err)
		}
	}
}

func TestScanCopies(t *testing.T) {
	src := bytes.Clone(sample[:])
	var a, b oid.ID
	if err := a.Scan(src); err != nil {
		t.Fatal(err)
	}
	if err := b.ScanBytes(src); err != nil {
		t.Fatal(err)
	}
	clear(src) // as a driver does that reads the next row into the same buffer
	if a != sample || b != sample {
		t.Error("the id shares the driver's memory")
	}
}

func TestScanRefusesWhatIsNotAnID(t *testing.T) {
	const want = `, want 12 bytes, 24 hex digits, or \x and 24 hex digits`
	const around = "other characters around the ID, want only its 24 hex digits"
	const useUUID = "; for a column of UUIDs use sqltype.UUID"
	for _, test := range []struct{ src, problem string }{
		{"", "length 0" + want},
		{"hello world", "length 11" + want},
		{"13 characters", "length 13" + want},
		{"0123456789abcdef", "length 16" + want}, // text, such as base64
		{"\x01\x90\x16=\x86\x94s\x9b\xae\xa5\x96l&\xf8\xad\x91", "16 bytes, the size of a UUID, want 12 bytes or 24 hex digits" + useUUID},
		{`ObjectId("` + text + `")`, "ObjectId(…) around the ID, want only its 24 hex digits"},
		{`ObjectId(` + text + `)`, "ObjectId(…) around the ID, want only its 24 hex digits"},
		{`{"$oid":"` + text + `"}`, `{"$oid": …} around the ID, want only its 24 hex digits`},
		{"9m4e2mr0ui3e8a215n4g", "an xid, want 24 hex digits"},
		{text[:23], "length 23" + want},
		{text + "0", "length 25" + want},
		{text + "      ", around},
		{"secret" + text[6:], "length 24, but an invalid hex digit at index 0"},
		{text[:23] + "\x00", "length 24, but an invalid hex digit at index 23"},
		{`\x` + text[:23] + "z", "length 26, but an invalid hex digit at index 25"},
		{`\y` + text, around},
		{"0x" + text, around},
		{"x\\" + text, around},
		{"65b3f7a1-c2d3-e4f5-a6b7-c8d900000000", "a UUID, want 24 hex digits" + useUUID},
		{"65b3f7a1c2d3e4f5a6b7c8d9000000000000", "length 36" + want},
		{strings.Repeat("\xff", 1<<20), "length 1048576" + want},
	} {
		unchanged(t, "oid.ID.Scan(string): "+test.problem, func(id *oid.ID) error { return id.Scan(test.src) })
		unchanged(t, "oid.ID.Scan([]byte): "+test.problem, func(id *oid.ID) error { return id.Scan([]byte(test.src)) })
		unchanged(t, "oid.ID.ScanBytes: "+test.problem, func(id *oid.ID) error { return id.ScanBytes([]byte(test.src)) })
	}
	unchanged(t, "oid.ID.Scan(string): length 12, want 24 hex digits; raw bytes must be a []byte, not a string",
		func(id *oid.ID) error { return id.Scan("hello world!") })
}

func TestScanOfOtherTypesNamesTheType(t *testing.T) {
	for _, test := range []struct {
		src  any
		name string
	}{
		{int64(7), "int64"},
		{3.5, "float64"},
		{true, "bool"},
		{time.Time{}, "time.Time"},
		{[12]byte{}, "[12]uint8"},
		{sample, "oid.ID"},
		{&sample, "*oid.ID"},
		{struct{ A, B, C, D, E, F, G, H int }{}, "struct { A int; B int; C int; D int; E int; F int; G int; H int "},
	} {
		unchanged(t, "oid.ID.Scan("+test.name+"): want 12 bytes or 24 hex digits as []byte or string", func(id *oid.ID) error { return id.Scan(test.src) })
	}
}

func TestScanOfNULLIsAnError(t *testing.T) {
	const problem = "NULL is not an ID: use *oid.ID, sql.Null[oid.ID] or sqltype.ZeroNull for a nullable column"
	unchanged(t, "oid.ID.Scan(nil): "+problem, func(id *oid.ID) error { return id.Scan(nil) })
	unchanged(t, "oid.ID.ScanBytes(nil): "+problem, func(id *oid.ID) error { return id.ScanBytes(nil) })

	var null sql.Null[oid.ID]
	if err := null.Scan(nil); err != nil || null.Valid {
		t.Errorf("sql.Null: %v, %v", null, err)
	}
	if err := null.Scan(sample[:]); err != nil || !null.Valid || null.V != sample {
		t.Errorf("sql.Null: %v, %v", null, err)
	}
}
