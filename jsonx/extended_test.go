package jsonx_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
)

var (
	id1 = oid.MustParse("65b3f7edd9bfca00daa6e3b1")
	id2 = oid.MustParse("00112233445566778899aabb")
)

// good holds texts for id1.
var good = []string{
	`{"$oid":"65b3f7edd9bfca00daa6e3b1"}`,
	` { "$oid" : "65B3F7EDD9BFCA00DAA6E3B1" } `,
	`{"$oid":"\u00365b3f7edd9bfca00daa6e3b1"}`,
	`{"\u0024oid":"65b3f7edd9bfca00daa6e3b1"}`,
	`"65b3f7edd9bfca00daa6e3b1"`,
}

// bad holds texts that are not IDs.
var bad = []string{
	`""`, `"65b3f7edd9bfca00daa6e3b"`, `"65b3f7edd9bfca00daa6e3b1a"`, `"65b3f7edd9bfca00daa6e3bx"`, `"twelve bytes"`, `"null"`,
	`123456789012`, `1`, `true`, `[]`, `{}`, `[1,2,3,4,56]`, `{"a":123456}`,
	`{"$oid":""}`, `{"$oid":null}`, `{"$oid":42}`, `{"$oid":["65b3f7edd9bfca00daa6e3b1"]}`, `{"$OID":"65b3f7edd9bfca00daa6e3b1"}`,
	`{"oid":"65b3f7edd9bfca00daa6e3b1"}`, `{"$oid":"65b3f7edd9bfca00daa6e3b1","x":1}`, `{"x":1,"$oid":"65b3f7edd9bfca00daa6e3b1"}`,
	`{"$oid":"65b3f7edd9bfca00daa6e3b1","$oid":"65b3f7edd9bfca00daa6e3b1"}`, `{"$oid":{"$oid":"65b3f7edd9bfca00daa6e3b1"}}`,
	`{"$oid":"twelve bytes"}`, `{"$date":"65b3f7edd9bfca00daa6e3b1"}`,
}

type extendedDoc struct {
	ID   jsonx.Extended            `json:"_id"`
	Ptr  *jsonx.Extended           `json:"ptr"`
	List []jsonx.Extended          `json:"list"`
	ByID map[jsonx.Extended]string `json:"byID"`
	Zero jsonx.Extended            `json:"zero,omitzero"`
}

func TestExtendedRoundTrip(t *testing.T) {
	ptr := jsonx.Extended(id2)
	doc := extendedDoc{jsonx.Extended(id1), &ptr, []jsonx.Extended{{}, jsonx.Extended(id1)}, map[jsonx.Extended]string{ptr: "x"}, jsonx.Extended{}}
	const want = `{"_id":{"$oid":"65b3f7edd9bfca00daa6e3b1"},"ptr":{"$oid":"00112233445566778899aabb"},` +
		`"list":[{"$oid":"000000000000000000000000"},{"$oid":"65b3f7edd9bfca00daa6e3b1"}],"byID":{"00112233445566778899aabb":"x"}}`
	data, err := json.Marshal(doc)
	if err != nil || string(data) != want {
		t.Fatalf("got %s, %v\nwant %s", data, err, want)
	}
	var back extendedDoc
	if err := json.Unmarshal(data, &back); err != nil || back.ID != doc.ID || *back.Ptr != ptr || back.List[1] != doc.List[1] || back.ByID[ptr] != "x" {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestExtendedUnmarshal(t *testing.T) {
	for _, text := range good {
		got := jsonx.Extended(id2)
		if err := json.Unmarshal([]byte(text), &got); err != nil || oid.ID(got) != id1 {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range bad {
		got := jsonx.Extended(id2)
		if err := json.Unmarshal([]byte(text), &got); err == nil || oid.ID(got) != id2 {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	got := jsonx.Extended(id2)
	if err := got.UnmarshalJSON([]byte(`""`)); !errors.Is(err, oid.ErrSyntax) || err.Error() != `jsonx.Extended.UnmarshalJSON(""): want {"$oid": "24 hex digits"}` {
		t.Errorf(`UnmarshalJSON(""): error %v`, err)
	}
	for _, text := range append([]string{`""`}, bad...) {
		var bad *oid.SyntaxError
		var broken *json.SyntaxError
		if err := json.Unmarshal([]byte(text), &got); !errors.As(err, &bad) && !errors.As(err, &broken) {
			t.Errorf("%s: error %v, want an oid.SyntaxError", text, err)
		}
	}
	if err := json.Unmarshal([]byte("null"), &got); err != nil || oid.ID(got) != id2 {
		t.Errorf("null: %v, %v; want it unchanged", got, err)
	}
}

// Outside JSON, an Extended is stored like an oid.ID.
func TestExtendedIsAnIDElsewhere(t *testing.T) {
	e := jsonx.Extended(id1)
	if b, err := e.MarshalJSON(); string(b) != good[0] || err != nil { // encoding/json/v2 doesn't call it
		t.Errorf("MarshalJSON() = %s, %v, want %s", b, err, good[0])
	}
	if e.String() != id1.Hex() || e.IsZero() || !(jsonx.Extended{}).IsZero() {
		t.Errorf("String() = %s, IsZero() = %v", e, e.IsZero())
	}
	typ, data, err := e.MarshalBSONValue()
	if typ != 0x07 || string(data) != string(id1[:]) || err != nil {
		t.Errorf("MarshalBSONValue() = %#x, %x, %v", typ, data, err)
	}
	var back jsonx.Extended
	if err := back.UnmarshalBSONValue(typ, data); err != nil || back != e {
		t.Errorf("UnmarshalBSONValue: %v, %v", back, err)
	}
	value, err := e.Value()
	if b, ok := value.([]byte); !ok || string(b) != string(id1[:]) || err != nil {
		t.Errorf("Value() = %v, %v", value, err)
	}
	back = jsonx.Extended{}
	if err := back.Scan(value); err != nil || back != e {
		t.Errorf("Scan: %v, %v", back, err)
	}
	if _, err := e.ProxyBSON(); err == nil || !strings.Contains(err.Error(), "mongov1") {
		t.Errorf("ProxyBSON: %v", err)
	}
}

// vectors returns those of the specification that are about ObjectIds: texts with
// the ID that each holds, and texts that are errors.
func vectors(t *testing.T) (valid map[string]string, invalid []string) {
	t.Helper()
	var file struct {
		Valid []struct {
			BSON string `json:"canonical_bson"`
			JSON string `json:"canonical_extjson"`
		}
		ParseErrors []struct{ Description, String string }
	}
	valid = map[string]string{}
	for _, name := range []string{"oid.json", "top.json"} {
		data, err := os.ReadFile("../oid/testdata/bson-corpus/" + name)
		if err != nil {
			t.Fatal(err)
		}
		file.Valid, file.ParseErrors = nil, nil
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		if name == "oid.json" {
			for _, v := range file.Valid {
				valid[v.JSON] = strings.ToLower(v.BSON[14:38]) // behind the length, the type and the key
			}
		}
		for _, v := range file.ParseErrors {
			if strings.HasPrefix(v.Description, "Bad $oid") {
				invalid = append(invalid, v.String)
			}
		}
	}
	if len(valid) != 3 || len(invalid) != 2 {
		t.Fatalf("%d and %d vectors, want 3 and 2", len(valid), len(invalid))
	}
	return valid, invalid
}

func TestExtendedVectors(t *testing.T) {
	type doc struct {
		A jsonx.Extended `json:"a"`
	}
	valid, invalid := vectors(t)
	for text, hex := range valid {
		var got doc
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.A.String() != hex {
			t.Errorf("%s: %v, %v; want %s", text, got, err, hex)
		}
		if data, err := json.Marshal(got); err != nil || string(data) != strings.ReplaceAll(text, " ", "") {
			t.Errorf("written %s, %v; want %s", data, err, text)
		}
	}
	for _, text := range invalid {
		got := doc{jsonx.Extended(id1)}
		if err := json.Unmarshal([]byte(text), &got); err == nil || oid.ID(got.A) != id1 {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}
