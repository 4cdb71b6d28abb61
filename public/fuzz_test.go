package public_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
)

// fuzzForms are forms, and what each writes for an ID, by the documentation.
var fuzzForms = []struct {
	f     *public.Form
	texts func(t testing.TB, id oid.ID) []string
}{
	{prefixed(""), func(t testing.TB, id oid.ID) []string { return []string{slowPrefixed("", id)} }},
	{prefixed("ord"), func(t testing.TB, id oid.ID) []string { return []string{slowPrefixed("ord", id)} }},
	{sealed("ord", key(1)), func(t testing.TB, id oid.ID) []string { return slowTexts(t, "ord", [][]byte{key(1)}, id) }},
	{sealed("ord", key(1), key(2)), func(t testing.TB, id oid.ID) []string {
		return slowTexts(t, "ord", [][]byte{key(1), key(2)}, id)
	}},
}

func FuzzText(f *testing.F) {
	for _, id := range append(random(4), sample, oid.ID{}, oid.ID{11: 1}, oid.MustParse("ffffffffffffffffffffffff")) {
		f.Add(id[:])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) != len(oid.ID{}) {
			return
		}
		id := oid.ID(data)
		for _, form := range fuzzForms {
			text := form.f.Text(id)
			if id.IsZero() {
				if text != "" {
					t.Fatalf("Text of the zero ID = %q", text)
				}
				continue
			}
			if want := form.texts(t, id)[0]; text != want {
				t.Fatalf("Text(%v) = %s, want %s", id, text, want)
			}
			for _, text := range form.texts(t, id) {
				if got, err := form.f.Parse(text); got != id || err != nil {
					t.Fatalf("Parse(%s) = %v, %v, want %v", text, got, err, id)
				}
			}
		}
	})
}

// What Parse reads is what a key of the form writes, and nothing else.
func FuzzParse(f *testing.F) {
	for _, form := range fuzzForms {
		f.Add(form.f.Text(sample))
	}
	f.Add("")
	f.Add("ord_")
	f.Add("ord_8zzzzzzzzzzzzzzzzzzzzzzzzz")
	f.Add(sample.Hex())
	f.Add(slowSeal(f, "ord", key(1), [16]byte{}))
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range fuzzForms {
			id, err := form.f.Parse(text)
			if err != nil {
				if !id.IsZero() || len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\n\x00") {
					t.Fatalf("Parse(%q) = %v, %q", text, id, err)
				}
				problem(t, err)
				continue
			}
			written := false
			for _, other := range form.texts(t, id) {
				written = written || text == other
			}
			if !written || id.IsZero() {
				t.Fatalf("Parse(%q) = %v, which no key writes so", text, id)
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, data := range []string{`"` + orderText + `"`, `""`, `null`, `17`, `{"$oid":"65b3f7a2c1d4e5f6a7b8c9d0"}`, `"\u006frd_6gj58nyjar56vf5y205p9xf0ej"`, orderText} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		id := OrderID{1}
		err := id.UnmarshalJSON(data)
		var text *string
		if json.Unmarshal(data, &text) != nil {
			if err == nil || id != (OrderID{1}) {
				t.Fatalf("UnmarshalJSON(%q) = %v, %v", data, id, err)
			}
			return
		}
		want, wantErr := oid.ID{1}, error(nil)
		if text != nil {
			want = oid.ID{}
			if *text != "" {
				want, wantErr = orderForm.Parse(*text)
			}
		}
		if (err == nil) != (wantErr == nil) || err == nil && oid.ID(id) != want {
			t.Fatalf("UnmarshalJSON(%q) = %v, %v, want %v, %v", data, id, err, want, wantErr)
		}
		if err != nil && id != (OrderID{1}) {
			t.Fatalf("UnmarshalJSON(%q) changed the ID before it failed", data)
		}
	})
}
