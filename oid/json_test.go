package oid_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

var (
	_ json.Marshaler   = oid.ID{}
	_ json.Unmarshaler = (*oid.ID)(nil)
)

func TestMarshalJSON(t *testing.T) {
	type doc struct {
		ID    oid.ID
		Ref   *oid.ID
		Nil   *oid.ID
		List  []oid.ID
		Unset oid.ID `json:",omitzero"`
	}
	got, err := json.Marshal(doc{ID: sample, Ref: &sample, List: []oid.ID{{}, sample}})
	const want = `{"ID":"` + text + `","Ref":"` + text + `","Nil":null,` +
		`"List":["000000000000000000000000","` + text + `"]}`
	if err != nil || string(got) != want {
		t.Errorf("json.Marshal = %s, %v, want %s", got, err, want)
	}
}

func TestUnmarshalJSON(t *testing.T) {
	preset := maxID
	for _, test := range []struct {
		in   string
		want oid.ID
	}{
		{`"` + text + `"`, sample},
		{`"` + strings.ToUpper(text) + `"`, sample},
		{`"\u00365b3f7a1c2d3e4f5a6b7c8d\u0039"`, sample},
		{`""`, oid.ID{}},
		{`null`, preset},
		{`{"$oid":"` + text + `"}`, sample},
		{`{"$oid":"\u0036` + text[1:] + `"}`, sample},
		{`{"\u0024oid":"` + text + `"}`, sample},
		{"{ \t\r\n\"$oid\" : \"" + strings.ToUpper(text) + "\" }", sample},
	} {
		id := preset
		if err := id.UnmarshalJSON([]byte(test.in)); err != nil || id != test.want {
			t.Errorf("UnmarshalJSON(%s) = %v, %v, want %v", test.in, id, err, test.want)
		}
		id = preset
		if err := json.Unmarshal([]byte(test.in), &id); err != nil || id != test.want {
			t.Errorf("json.Unmarshal(%s) = %v, %v, want %v", test.in, id, err, test.want)
		}
	}
}

func TestUnmarshalJSONRefusesWhatIsNotAnID(t *testing.T) {
	const want = `want a string of 24 hex digits or {"$oid": "24 hex digits"}`
	for _, test := range []struct{ in, shown, problem string }{
		// Tokens of 12 bytes, which the driver's own type takes for raw IDs.
		{`123456789012`, `"123456789012"`, want},
		{`-12345.67e10`, `"-12345.67e10"`, want},
		{`[1,2,3,4,56]`, `"[1,2,3,4,56]"`, want},
		{`{"a":123456}`, "`{\"a\":123456}`", want},
		{`{"$oid": ""}`, "`{\"$oid\": \"\"}`", "length 0, want 24 hex digits"},
		{`{"$oid":123}`, "`{\"$oid\":123}`", want},
		{`"0123456789"`, "`\"0123456789\"`", "length 10, want 24 hex digits"},
		{`"012345678901"`, "`\"012345678901\"`", "length 12, want 24 hex digits"},
		// Other types.
		{`true`, `"true"`, want},
		{`0`, `"0"`, want},
		{`[]`, `"[]"`, want},
		{`{}`, `"{}"`, want},
		{`{"$oid":null}`, "`{\"$oid\":null}`", want},
		{`{"$OID":"` + text + `"}`, "`{\"$OID\":\"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{`{"$oid":"` + text + `","x":1}`, "`{\"$oid\":\"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{`{"x":1,"$oid":"` + text + `"}`, "`{\"x\":1,\"$oid\":\"65b3f7a1c2d3e4f5a`…", want},
		{`{"$oid":"` + text + `","$oid":"` + text + `"}`, "`{\"$oid\":\"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{`{"$oid":{"$oid":"` + text + `"}}`, "`{\"$oid\":{\"$oid\":\"65b3f7a1c2d3e4f`…", want},
		// Strings.
		{`"null"`, "`\"null\"`", "length 4, want 24 hex digits"},
		{`"` + text[:23] + `"`, "`\"65b3f7a1c2d3e4f5a6b7c8d\"`", "length 23, want 24 hex digits"},
		{`"` + text + `0"`, "`\"65b3f7a1c2d3e4f5a6b7c8d90\"`", "length 25, want 24 hex digits"},
		{`"65b3f7a1-c2d3-4e4f-85a6-b7c8d9000000"`, "`\"65b3f7a1-c2d3-4e4f-85a6-b7c8d90`…", "a UUID, want 24 hex digits"},
		{`{"$oid":"65b3f7a1-c2d3-4e4f-85a6-b7c8d9000000"}`, "`{\"$oid\":\"65b3f7a1-c2d3-4e4f-85a6`…", "a UUID, want 24 hex digits"},
		{`"cpifdgd2rfi9f9ntp340"`, "`\"cpifdgd2rfi9f9ntp340\"`", "an xid, want 24 hex digits"},
		{`"ObjectId(\"` + text + `\")"`, "`\"ObjectId(\\\"65b3f7a1c2d3e4f5a6b7`…", "ObjectId(…) around the ID, want only its 24 hex digits"},
		{`"ObjectId('` + text + `')"`, "`\"ObjectId('65b3f7a1c2d3e4f5a6b7c`…", "ObjectId(…) around the ID, want only its 24 hex digits"},
		{`"\"` + text[1:] + `"`, "`\"\\\"5b3f7a1c2d3e4f5a6b7c8d9\"`", `invalid byte '"' at index 0 of the string`},
		{`"` + strings.Repeat("0", 64) + `"`, "`\"" + strings.Repeat("0", 31) + "`…", "length 64, want 24 hex digits"},
		{`"` + strings.Repeat("0", 65) + `"`, "`\"" + strings.Repeat("0", 31) + "`…", "string of more than 64 bytes, want 24 hex digits"},
		{`"` + text[:23] + `z"`, "`\"65b3f7a1c2d3e4f5a6b7c8dz\"`", "invalid byte 'z' at index 23 of the string"},
		{`"` + text[:22] + `é"`, "`\"65b3f7a1c2d3e4f5a6b7c8é\"`", `invalid byte '\xc3' at index 22 of the string`},
		{`"` + text[:23] + `\n"`, "`\"65b3f7a1c2d3e4f5a6b7c8d\\n\"`", want},
		{`"` + text[:23] + `\u00e9"`, "`\"65b3f7a1c2d3e4f5a6b7c8d\\u00e9\"`", want},
		{`"` + text[:23] + `\u0000"`, "`\"65b3f7a1c2d3e4f5a6b7c8d\\u0000\"`", `invalid byte '\x00' at index 23 of the string`},
		{`"` + strings.Repeat("0", 1<<20) + `"`, "`\"" + strings.Repeat("0", 31) + "`…", "string of more than 64 bytes, want 24 hex digits"},
	} {
		wantErr := "oid.ID.UnmarshalJSON(" + test.shown + "): " + test.problem
		unchanged(t, wantErr, func(id *oid.ID) error { return json.Unmarshal([]byte(test.in), id) })
		unchanged(t, wantErr, func(id *oid.ID) error { return id.UnmarshalJSON([]byte(test.in)) })
	}
}

// Called directly, UnmarshalJSON can see what is no JSON at all.
func TestUnmarshalJSONRefusesWhatIsNotJSON(t *testing.T) {
	const want = `want a string of 24 hex digits or {"$oid": "24 hex digits"}`
	for _, test := range []struct{ in, shown, problem string }{
		{``, `""`, want},
		{`"`, "`\"`", "unterminated JSON string"},
		{`"` + text, "`\"65b3f7a1c2d3e4f5a6b7c8d9`", "unterminated JSON string"},
		{`"` + text + `x`, "`\"65b3f7a1c2d3e4f5a6b7c8d9x`", "unterminated JSON string"},
		{`"\"`, "`\"\\\"`", "unterminated JSON string"},
		{`"\`, "`\"\\`", want},
		{`"` + strings.Repeat("0", 65), "`\"" + strings.Repeat("0", 31) + "`…", "string of more than 64 bytes, want 24 hex digits"},
		{`"` + text + `"x`, "`\"65b3f7a1c2d3e4f5a6b7c8d9\"x`", "data after the JSON value"},
		{`"` + text + `" `, "`\"65b3f7a1c2d3e4f5a6b7c8d9\" `", "data after the JSON value"},
		{`"" `, "`\"\" `", "data after the JSON value"},
		{`""""`, "`\"\"\"\"`", "data after the JSON value"},
		{`x` + text + `"`, "`x65b3f7a1c2d3e4f5a6b7c8d9\"`", want},
		{` "` + text + `"`, "` \"65b3f7a1c2d3e4f5a6b7c8d9\"`", want},
		{"\"" + text[:23] + "\n\"", `"\"65b3f7a1c2d3e4f5a6b7c8d\n\""`, "control character in the JSON string"},
		{`"\u`, "`\"\\u`", want},
		{`"\u+030` + text[1:] + `"`, "`\"\\u+0305b3f7a1c2d3e4f5a6b7c8d9\"`", want},
		{`{`, `"{"`, want},
		{`{"$oid"`, "`{\"$oid\"`", want},
		{`{"$oid":`, "`{\"$oid\":`", want},
		{`{"$oid":"` + text, "`{\"$oid\":\"65b3f7a1c2d3e4f5a6b7c8d`…", "unterminated JSON string"},
		{`{"$oid":"` + text + `"`, "`{\"$oid\":\"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{`{"$oid":"` + text + `"}}`, "`{\"$oid\":\"65b3f7a1c2d3e4f5a6b7c8d`…", "data after the JSON value"},
		{`{"$oid","` + text + `"}`, "`{\"$oid\",\"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{`{"$oid"="` + text + `"}`, "`{\"$oid\"=\"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{`{"$oid" "` + text + `"}`, "`{\"$oid\" \"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{`{"$oid"::"` + text + `"}`, "`{\"$oid\"::\"65b3f7a1c2d3e4f5a6b7c8`…", want},
		{`{"$oid":"` + text + `"]`, "`{\"$oid\":\"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{`{"$oid":"` + text + `"` + "\v}", "`{\"$oid\":\"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{`{,"$oid":"` + text + `"}`, "`{,\"$oid\":\"65b3f7a1c2d3e4f5a6b7c8`…", want},
		{`["$oid":"` + text + `"}`, "`[\"$oid\":\"65b3f7a1c2d3e4f5a6b7c8d`…", want},
		{"\"" + text[:23] + "\x1f\"", `"\"65b3f7a1c2d3e4f5a6b7c8d\x1f\""`, "control character in the JSON string"},
		{`"` + text[:23] + ` "`, "`\"65b3f7a1c2d3e4f5a6b7c8d \"`", "invalid byte ' ' at index 23 of the string"},
		{`"` + text[:23] + `\u007f"`, "`\"65b3f7a1c2d3e4f5a6b7c8d\\u007f\"`", `invalid byte '\x7f' at index 23 of the string`},
		{`"` + text[:23] + `\u0080"`, "`\"65b3f7a1c2d3e4f5a6b7c8d\\u0080\"`", want},
		{`"` + text[:23] + `\u003`, "`\"65b3f7a1c2d3e4f5a6b7c8d\\u003`", want},
		{`"` + text[:23] + `\u0039`, "`\"65b3f7a1c2d3e4f5a6b7c8d\\u0039`", "unterminated JSON string"},
		{text, `"` + text + `"`, want},
		{string(sample[:]), `"e\xb3\xf7\xa1\xc2\xd3\xe4\xf5\xa6\xb7\xc8\xd9"`, want},
	} {
		unchanged(t, "oid.ID.UnmarshalJSON("+test.shown+"): "+test.problem, func(id *oid.ID) error {
			return id.UnmarshalJSON([]byte(test.in))
		})
	}
}

// Only \u is followed by the digits of a character. JSON has no escape \x or \U.
func TestUnmarshalJSONRefusesOtherEscapes(t *testing.T) {
	for b := range 256 {
		if b == 'u' {
			continue
		}
		for _, in := range []string{
			`"\` + string([]byte{byte(b)}) + `0036` + text[1:] + `"`,
			`"` + text[:23] + `\` + string([]byte{byte(b)}) + `0039"`,
			`{"\` + string([]byte{byte(b)}) + `0024oid":"` + text + `"}`,
			`{"$oid":"\` + string([]byte{byte(b)}) + `0036` + text[1:] + `"}`,
		} {
			id := maxID
			if err := id.UnmarshalJSON([]byte(in)); !errors.Is(err, oid.ErrSyntax) || id != maxID {
				t.Errorf("UnmarshalJSON(%q) = %v, %v, want an error", in, id, err)
			}
		}
	}
}
