package jsonx_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
)

const text = "65b3f7edd9bfca00daa6e3b1"

// addJSON seeds f with JSON that is an ID, and with some that nearly is.
func addJSON(f *testing.F) {
	for _, s := range []string{
		`{"$oid":"` + text + `"}`, ` { "$oid" : "` + text + `" } `, `{"\u0024oid":"` + text + `"}`, `"` + text + `"`, `""`, `null`, `{}`, `[]`,
		`{"$oid":"` + text + `","x":1}`, `{"$oid":""}`, `{"$oid":null}`, `"\u0036` + text[1:] + `"`, `123456789012`, `{"$oid":"` + text + `","$oid":"` + text + `"}`,
	} {
		f.Add([]byte(s))
	}
}

// An Extended reads what an oid.ID reads, but for the empty string, and writes what it
// reads back. An error doesn't change it.
func FuzzExtended(f *testing.F) {
	addJSON(f)
	before := oid.MustParse("00112233445566778899aabb")
	f.Fuzz(func(t *testing.T, data []byte) {
		want, got := before, jsonx.Extended(before)
		wantErr, err := want.UnmarshalJSON(data), got.UnmarshalJSON(data)
		if empty := string(data) == `""`; (err == nil) != (wantErr == nil && !empty) {
			t.Fatalf("%q: %v, an oid.ID: %v", data, err, wantErr)
		}
		if err != nil {
			if got != jsonx.Extended(before) || !errors.Is(err, oid.ErrSyntax) {
				t.Fatalf("%q: %v after %v", data, got, err)
			}
			return
		}
		if oid.ID(got) != want {
			t.Fatalf("%q: %v, an oid.ID: %v", data, got, want)
		}
		written, err := json.Marshal(got)
		var again jsonx.Extended
		if err != nil || string(written) != `{"$oid":"`+want.Hex()+`"}` || json.Unmarshal(written, &again) != nil || again != got {
			t.Fatalf("%q: %v, written as %s, %v, read again as %v", data, got, written, err, again)
		}
	})
}
