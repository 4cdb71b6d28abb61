//go:build goexperiment.jsonv2 && !go1.27

package jsonx_test

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
)

// plainDoc holds IDs as a program without Extended JSON does.
type plainDoc struct {
	ID      oid.ID                          `json:"_id"`
	Ptr     *oid.ID                         `json:"ptr"`
	Nil     *oid.ID                         `json:"nil"`
	List    []oid.ID                        `json:"list"`
	Array   [1]oid.ID                       `json:"array"`
	Values  map[string]oid.ID               `json:"values"`
	ByID    map[oid.ID]oid.ID               `json:"byID"`
	ByFor   map[oid.For[plainDoc]]int       `json:"byFor"`
	For     oid.For[plainDoc]               `json:"for"`
	ForPtr  *oid.For[plainDoc]              `json:"forPtr"`
	Fors    []oid.For[plainDoc]             `json:"fors"`
	Any     any                             `json:"any"`
	Nested  struct{ Deep []map[string]any } `json:"nested"`
	Zero    oid.ID                          `json:"zero,omitzero"`
	ZeroFor oid.For[plainDoc]               `json:"zeroFor,omitzero"`
	Own     jsonx.Extended                  `json:"own"`
}

const (
	e1 = `{"$oid":"65b3f7edd9bfca00daa6e3b1"}`
	e2 = `{"$oid":"00112233445566778899aabb"}`

	plainJSON = `{"_id":` + e1 + `,"ptr":` + e2 + `,"nil":null,"list":[` + e1 + `,` + e2 + `],"array":[` + e1 + `],"values":{"k":` + e1 + `},` +
		`"byID":{"65b3f7edd9bfca00daa6e3b1":` + e2 + `},"byFor":{"00112233445566778899aabb":7},"for":` + e1 + `,"forPtr":` + e2 + `,"fors":[` + e1 + `],` +
		`"any":` + e1 + `,"nested":{"Deep":[{"a":` + e2 + `}]},"own":` + e1 + `}`
)

func newPlain() plainDoc {
	f1, f2 := oid.For[plainDoc](id1), oid.For[plainDoc](id2)
	doc := plainDoc{ID: id1, Ptr: &id2, List: []oid.ID{id1, id2}, Array: [1]oid.ID{id1}, Values: map[string]oid.ID{"k": id1},
		ByID: map[oid.ID]oid.ID{id1: id2}, ByFor: map[oid.For[plainDoc]]int{f2: 7}, For: f1, ForPtr: &f2, Fors: []oid.For[plainDoc]{f1},
		Any: id1, Own: jsonx.Extended(id1)}
	doc.Nested.Deep = []map[string]any{{"a": id2}}
	return doc
}

func TestMarshalers(t *testing.T) {
	for _, doc := range []any{newPlain(), func() any { d := newPlain(); return &d }()} {
		data, err := json.Marshal(doc, json.WithMarshalers(jsonx.Marshalers()))
		if err != nil || string(data) != plainJSON {
			t.Errorf("got  %s, %v\nwant %s", data, err, plainJSON)
		}
	}
	data, err := json.Marshal(map[string]oid.ID{"a": id1}, json.WithMarshalers(jsonx.Marshalers()), jsontext.WithIndent(" "))
	if want := "{\n \"a\": {\n  \"$oid\": \"65b3f7edd9bfca00daa6e3b1\"\n }\n}"; err != nil || string(data) != want {
		t.Errorf("indented: %s, %v", data, err)
	}
}

type (
	embedsFor struct{ oid.For[plainDoc] }
	base      struct{ oid.ID }
	embeds    struct{ base }
)

// A struct whose only field is an embedded ID is an ID too, at any depth.
func TestMarshalersOfStructsThatEmbedAnID(t *testing.T) {
	type doc struct {
		A embedsFor
		B embeds
	}
	in := doc{embedsFor{oid.For[plainDoc](id1)}, embeds{base{id2}}}
	data, err := json.Marshal(in, json.WithMarshalers(jsonx.Marshalers()))
	if want := `{"A":` + e1 + `,"B":` + e2 + `}`; err != nil || string(data) != want {
		t.Errorf("got  %s, %v\nwant %s", data, err, want)
	}
	var out doc
	if err := json.Unmarshal([]byte(`{"A":`+e1+`,"B":`+e2+`}`), &out, json.WithUnmarshalers(jsonx.Unmarshalers())); err != nil || out != in {
		t.Errorf("%v, %v", out, err)
	}
}

// An Extended needs no Marshalers. As the key of a map it is its digits here too.
func TestExtendedWithJSONV2(t *testing.T) {
	doc := extendedDoc{ID: jsonx.Extended(id1), List: []jsonx.Extended{}, ByID: map[jsonx.Extended]string{jsonx.Extended(id2): "x"}}
	const want = `{"_id":` + e1 + `,"ptr":null,"list":[],"byID":{"00112233445566778899aabb":"x"}}`
	data, err := json.Marshal(doc)
	if err != nil || string(data) != want {
		t.Fatalf("got %s, %v\nwant %s", data, err, want)
	}
	var back extendedDoc
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, doc) {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestUnmarshalers(t *testing.T) {
	var got plainDoc
	if err := json.Unmarshal([]byte(plainJSON), &got, json.WithUnmarshalers(jsonx.Unmarshalers())); err != nil {
		t.Fatal(err)
	}
	want := newPlain()
	want.Any, want.Nested.Deep = got.Any, got.Nested.Deep // of no type that says id
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestUnmarshalersAreStrict(t *testing.T) {
	type doc struct {
		ID  oid.ID
		For oid.For[plainDoc]
	}
	unmarshalers := json.WithUnmarshalers(jsonx.Unmarshalers())
	for _, text := range good {
		got := doc{}
		if err := json.Unmarshal([]byte(`{"ID":`+text+`,"For":`+text+`}`), &got, unmarshalers); err != nil || got.ID != id1 || got.For != oid.For[plainDoc](id1) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range bad {
		got := doc{id2, oid.For[plainDoc](id2)}
		if err := json.Unmarshal([]byte(`{"ID":`+text+`}`), &got, unmarshalers); err == nil || got.ID != id2 {
			t.Errorf("%s into an ID: %v, %v", text, got, err)
		}
		err := json.Unmarshal([]byte(`{"For":`+text+`}`), &got, unmarshalers)
		if err == nil || got.For != oid.For[plainDoc](id2) {
			t.Errorf("%s into a For: %v, %v", text, got, err)
		}
		var where *json.SemanticError
		if errors.As(err, &where) && where.JSONPointer != "/For" {
			t.Errorf("%s: error at %s: %v", text, where.JSONPointer, err)
		}
	}
	got := doc{id2, oid.For[plainDoc](id2)}
	if err := json.Unmarshal([]byte(`{"ID":null,"For":null}`), &got, unmarshalers); err != nil || got != (doc{}) {
		t.Errorf("null: %v, %v; want zero", got, err)
	}
	byID := map[oid.ID]int{}
	if err := json.Unmarshal([]byte(`{"65b3f7edd9bfca00daa6e3bx":1}`), &byID, unmarshalers); err == nil {
		t.Errorf("bad key: %v", byID)
	}
}

// Types that have the methods of an ID, but aren't one.
type (
	named struct{ ID oid.ID }
	pair  struct {
		oid.ID
		Name string
	}
	empty    struct{}
	bytes12  [12]byte
	label    string
	fields   struct{ oid.Fields }
	behindID struct{ *oid.ID }
)

func (named) ProxyBSON() (any, error)        { return nil, nil }
func (*named) UnmarshalParam(string) error   { return nil }
func (empty) ProxyBSON() (any, error)        { return nil, nil }
func (*empty) UnmarshalParam(string) error   { return nil }
func (bytes12) ProxyBSON() (any, error)      { return nil, nil }
func (*bytes12) UnmarshalParam(string) error { return nil }
func (label) ProxyBSON() (any, error)        { return nil, nil }
func (label) UnmarshalParam(string) error    { return nil }
func (fields) ProxyBSON() (any, error)       { return nil, nil }
func (*fields) UnmarshalParam(string) error  { return nil }

func TestMarshalersLeaveOtherTypesAlone(t *testing.T) {
	type doc struct {
		Named  named
		Pair   pair
		Empty  empty
		Bytes  bytes12
		Label  label
		Fields fields
		Nil    *oid.For[plainDoc]
		Behind behindID
	}
	in := doc{named{id1}, pair{id1, "Ada"}, empty{}, bytes12{1}, "a text", fields{oid.Inspect(id1)}, nil, behindID{&id2}}
	want, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want = bytes.Replace(want, []byte(`{"ID":"65b3f7edd9bfca00daa6e3b1"}`), []byte(`{"ID":`+e1+`}`), 1) // an ID in a field
	got, err := json.Marshal(in, json.WithMarshalers(jsonx.Marshalers()))
	if err != nil || string(got) != string(want) {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	wantBack, gotBack := doc{Behind: behindID{new(oid.ID)}}, doc{Behind: behindID{new(oid.ID)}}
	wantErr := json.Unmarshal(want, &wantBack)
	err = json.Unmarshal(want, &gotBack, json.WithUnmarshalers(jsonx.Unmarshalers()))
	if (err == nil) != (wantErr == nil) || !reflect.DeepEqual(gotBack, wantBack) {
		t.Errorf("got  %+v, %v\nwant %+v, %v", gotBack, err, wantBack, wantErr)
	}
}

// The keys of maps are hex digits, with and without Marshalers. The empty key is the
// zero ID.
func TestMarshalersLeaveKeysAlone(t *testing.T) {
	type doc struct {
		IDs map[oid.ID]int
		For map[oid.For[plainDoc]]oid.ID
	}
	in := doc{map[oid.ID]int{id2: 1, id1: 2, {}: 3}, map[oid.For[plainDoc]]oid.ID{oid.For[plainDoc](id2): id1, oid.For[plainDoc](id1): id2}}
	data, err := json.Marshal(in, json.WithMarshalers(jsonx.Marshalers()), json.Deterministic(true))
	const want = `{"IDs":{"000000000000000000000000":3,"00112233445566778899aabb":1,"65b3f7edd9bfca00daa6e3b1":2},` +
		`"For":{"00112233445566778899aabb":` + e1 + `,"65b3f7edd9bfca00daa6e3b1":` + e2 + `}}`
	if err != nil || string(data) != want {
		t.Errorf("got  %s, %v\nwant %s", data, err, want)
	}
	inAnyOrder, err := json.Marshal(in, json.WithMarshalers(jsonx.Marshalers()))
	if err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		want, string(inAnyOrder),
		strings.Replace(strings.Replace(want, `"000000000000000000000000":3,`, "", 1), `":2}`, `":2,"":3}`, 1),
	} {
		var out doc
		if err := json.Unmarshal([]byte(text), &out, json.WithUnmarshalers(jsonx.Unmarshalers())); err != nil || !reflect.DeepEqual(out, in) {
			t.Errorf("%s is read as %v, %v, want %v", text, out, err, in)
		}
	}
}

// The error of broken JSON is the decoder's.
func TestUnmarshalersReturnTheDecodersErrors(t *testing.T) {
	for _, text := range []string{``, `tru`, `"65b3f7ed`, `{"$oid":"65b3f7edd9bfca00daa6e3b1"`, `{"$oid" "65b3f7edd9bfca00daa6e3b1"}`} {
		for _, target := range []any{new(oid.ID), new(oid.For[plainDoc])} {
			err := json.Unmarshal([]byte(text), target, json.WithUnmarshalers(jsonx.Unmarshalers()))
			var broken *jsontext.SyntacticError
			if !errors.As(err, &broken) || errors.Is(err, oid.ErrSyntax) {
				t.Errorf("%s into %T: error %v, want a jsontext.SyntacticError", text, target, err)
			}
		}
	}
}

func TestMarshalersVectors(t *testing.T) {
	type doc struct {
		A oid.ID `json:"a"`
	}
	valid, invalid := vectors(t)
	for text, hex := range valid {
		var got doc
		if err := json.Unmarshal([]byte(text), &got, json.WithUnmarshalers(jsonx.Unmarshalers())); err != nil || got.A.Hex() != hex {
			t.Errorf("%s: %v, %v; want %s", text, got, err, hex)
		}
		if data, err := json.Marshal(got, json.WithMarshalers(jsonx.Marshalers())); err != nil || string(data) != strings.ReplaceAll(text, " ", "") {
			t.Errorf("written %s, %v; want %s", data, err, text)
		}
	}
	for _, text := range invalid {
		got := doc{id1}
		if err := json.Unmarshal([]byte(text), &got, json.WithUnmarshalers(jsonx.Unmarshalers())); err == nil || got.A != id1 {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// readJSON reads data with encoding/json/v2, and with Unmarshalers if extended. Files
// for more than one Go release can't name that package: go vet refuses it.
func readJSON(data []byte, v any, extended bool) error {
	if extended {
		return json.Unmarshal(data, v, json.WithUnmarshalers(jsonx.Unmarshalers()))
	}
	return json.Unmarshal(data, v)
}

// writeJSON writes v with encoding/json/v2, and with Marshalers if extended.
func writeJSON(v any, extended bool) ([]byte, error) {
	if extended {
		return json.Marshal(v, json.WithMarshalers(jsonx.Marshalers()), json.Deterministic(true))
	}
	return json.Marshal(v, json.Deterministic(true))
}
