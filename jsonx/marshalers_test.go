//go:build goexperiment.jsonv2 && go1.27

package jsonx_test

import (
	"encoding/json/v2"
	"reflect"
	"testing"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
)

// The cases are in marshalers_go126_test.go, for Go 1.26: this shows that Go 1.27
// does the same.
func TestMarshalersOnGo127(t *testing.T) {
	type doc struct {
		ID   oid.ID
		Ref  *oid.ID
		Refs []oid.ID
		ByID map[oid.ID]int
		For  oid.For[int]
		Ext  map[jsonx.Extended]jsonx.Extended
	}
	id := oid.MustParse("65b3f7a1c2d3e4f5a6b7c8d9")
	in := doc{id, &id, []oid.ID{id, {}}, map[oid.ID]int{id: 7}, oid.For[int](id), map[jsonx.Extended]jsonx.Extended{jsonx.Extended(id): {}}}
	data, err := json.Marshal(in, json.WithMarshalers(jsonx.Marshalers()))
	const (
		hex  = `"65b3f7a1c2d3e4f5a6b7c8d9"`
		want = `{"ID":{"$oid":` + hex + `},"Ref":{"$oid":` + hex + `},"Refs":[{"$oid":` + hex + `},{"$oid":"000000000000000000000000"}],` +
			`"ByID":{` + hex + `:7},"For":{"$oid":` + hex + `},"Ext":{` + hex + `:{"$oid":"000000000000000000000000"}}}`
	)
	if err != nil || string(data) != want {
		t.Fatalf("json.Marshal = %s, %v\nwant %s", data, err, want)
	}
	var out doc
	if err := json.Unmarshal(data, &out, json.WithUnmarshalers(jsonx.Unmarshalers())); err != nil || !reflect.DeepEqual(out, in) {
		t.Errorf("json.Unmarshal = %+v, %v", out, err)
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
