//go:build nightly

package encodings

import (
	"slices"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

// byName returns the codec of that name.
func byName(name string) codec {
	return codecs[slices.IndexFunc(codecs, func(c codec) bool { return c.name == name })]
}

// testStrict shows that an adapter for a codec refuses every bad input, keeps its
// destination then, and writes and reads IDs as an oid.ID does.
func testStrict[T comparable](t *testing.T, codecName string, before T, unwrap func(T) oid.ID) {
	t.Helper()
	c := byName(codecName)
	if len(taken(t, c)) == 0 {
		t.Error("oid.ID refuses every bad input by itself")
	}
	for _, in := range badInputs {
		data, err := c.encode(box(in.value, ""))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unbox(c, data, before); err == nil || got != before {
			t.Errorf("%s: gives %v, %v", in.name, got, err)
		}
	}
	want, err := c.encode(box(preset, ""))
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.encode(box(before, ""))
	if err != nil || string(data) != string(want) {
		t.Errorf("writes %q, %v, want %q", data, err, want)
	}
	var zero T
	if got, err := unbox(c, data, zero); err != nil || unwrap(got) != preset {
		t.Errorf("reads %v, %v, want %v", got, err, preset)
	}
	type pointers = []*T
	if got, err := roundTrip(c, pointers{&before}); err != nil || len(got) != 1 || *got[0] != before {
		t.Errorf("reads %v, %v from a list of pointers", got, err)
	}
}
