//go:build goexperiment.jsonv2

package jsonx_test

import (
	"testing"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
)

// With Unmarshalers, every ID in a document is read as an Extended is, and with
// Marshalers it is written as one.
func FuzzUnmarshalers(f *testing.F) {
	type doc[T, F comparable] struct {
		ID    T
		P     *T
		List  []T
		Array [1]T
		M     map[string]T
		ByID  map[T]T
		For   F
		Fors  []F
		ByFor map[F]int
	}
	type (
		typed    = oid.For[jsonx.Extended]
		plain    = doc[oid.ID, typed]
		extended = doc[jsonx.Extended, jsonx.Extended]
	)
	addJSON(f)
	for _, name := range []string{"ID", "P", "For"} {
		f.Add([]byte(`{"` + name + `":{"$oid":"` + text + `"}}`))
		f.Add([]byte(`{"` + name + `":null}`))
	}
	f.Add([]byte(`{"List":[{"$oid":"` + text + `"},"` + text + `"],"M":{"k":{"$oid":"` + text + `"}},"ByID":{"` + text + `":{"$oid":"` + text + `"}},"ByFor":{"` + text + `":7}}`))
	f.Add([]byte(`{"Fors":[{"$oid":"` + text + `"}],"Array":["` + text + `"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var want extended
		var got plain
		wantErr := readJSON(data, &want, false)
		err := readJSON(data, &got, true)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, as jsonx.Extended %v", data, err, wantErr)
		}
		if err != nil {
			return
		}
		wantBytes, wantErr := writeJSON(want, false)
		gotBytes, err := writeJSON(got, true)
		if err != nil || wantErr != nil || string(gotBytes) != string(wantBytes) {
			t.Fatalf("%q: written as %s, %v, want %s, %v", data, gotBytes, err, wantBytes, wantErr)
		}
		var again plain
		if err := readJSON(gotBytes, &again, true); err != nil || oneForm(again) != string(gotBytes) {
			t.Fatalf("%q: read again as %v, %v, want %v", data, again, err, got)
		}
	})
}

// oneForm returns doc as Extended JSON.
func oneForm(doc any) string {
	b, err := writeJSON(doc, true)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
