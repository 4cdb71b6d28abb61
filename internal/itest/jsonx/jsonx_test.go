package jsonx_test

import (
	"encoding/json"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
)

// FuzzExtendedJSON reads any text as an ID with jsonx and with the driver: what we
// take, the driver takes for the same ID, and so we are never laxer than it is.
func FuzzExtendedJSON(f *testing.F) {
	for _, text := range []string{
		`{"$oid":"65b3f7edd9bfca00daa6e3b1"}`, ` { "$oid" : "65B3F7EDD9BFCA00DAA6E3B1" } `, `{"\u0024oid":"65b3f7edd9bfca00daa6e3b1"}`,
		`{"$oid":"\u00365b3f7edd9bfca00daa6e3b1"}`, `"65b3f7edd9bfca00daa6e3b1"`, `null`, `""`, `"twelve bytes"`, `123456789012`, `{}`, `[]`, `true`,
		`{"$oid":""}`, `{"$oid":null}`, `{"$oid":42}`, `{"$OID":"65b3f7edd9bfca00daa6e3b1"}`, `{"$oid":"65b3f7edd9bfca00daa6e3b1","x":1}`,
		`{"x":1,"$oid":"65b3f7edd9bfca00daa6e3b1"}`, `{"$oid":"65b3f7edd9bfca00daa6e3b1","$oid":"65b3f7edd9bfca00daa6e3b1"}`,
		`{"$oid":"twelve bytes"}`, `{"$uuid":"65b3f7ed-d9bf-ca00-daa6-e3b165b3f7ed"}`, `{"$symbol":"65b3f7edd9bfca00daa6e3b1"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		doc := []byte(`{"a":` + text + `}`)
		var ours struct{ A jsonx.Extended }
		if err := json.Unmarshal(doc, &ours); err != nil {
			if ours.A != (jsonx.Extended{}) {
				t.Errorf("%s: %v in spite of %v", doc, ours.A, err)
			}
			return
		}
		var native struct{ A bson.ObjectID }
		if err := bson.UnmarshalExtJSON(doc, false, &native); err != nil || oid.ID(native.A) != oid.ID(ours.A) {
			t.Errorf("%s: %v, but the driver: %v, %v", doc, ours.A, native.A, err)
		}
	})
}

// The driver takes a string of 12 bytes, which is not an ID. We don't.
func TestExtendedJSONThatWeRefuse(t *testing.T) {
	const doc = `{"a":"twelve bytes"}`
	var native struct{ A bson.ObjectID }
	if err := bson.UnmarshalExtJSON([]byte(doc), false, &native); err != nil || string(native.A[:]) != "twelve bytes" {
		t.Errorf("the driver refuses it too: %v, %v", native.A, err)
	}
	var ours struct{ A jsonx.Extended }
	if err := json.Unmarshal([]byte(doc), &ours); err == nil {
		t.Errorf("%v", ours.A)
	}
}
