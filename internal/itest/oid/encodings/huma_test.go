//go:build nightly

package encodings

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/oidkit/oidkit/oid"
)

type humaInput struct {
	ID    oid.ID `path:"id"`
	After oid.ID `query:"after"`
	In    IDList `query:"in"`
}

type humaOutput struct {
	Body struct {
		ID    oid.ID            `json:"id"`
		Next  *oid.ID           `json:"next,omitempty"`
		List  []oid.ID          `json:"list"`
		Typed oid.For[order]    `json:"typed"`
		Map   map[string]oid.ID `json:"map"`
	}
}

// newHuma returns an API that has one operation, with an oid.ID in every place.
func newHuma(describe bool, got *humaInput) (http.Handler, huma.API) {
	mux := http.NewServeMux()
	api := humago.New(mux, huma.DefaultConfig("Test", "1"))
	if describe {
		DescribeIDs(api, reflect.TypeFor[oid.For[order]]())
	}
	huma.Get(api, "/orders/{id}", func(_ context.Context, in *humaInput) (*humaOutput, error) {
		*got = *in
		out := new(humaOutput)
		out.Body.ID = in.ID
		return out, nil
	})
	return mux, api
}

// schemas returns the schemas of all IDs in the OpenAPI document, by their place.
func schemas(t *testing.T, api huma.API) map[string]*huma.Schema {
	t.Helper()
	found := map[string]*huma.Schema{}
	for _, p := range api.OpenAPI().Paths["/orders/{id}"].Get.Parameters {
		found[p.In+" "+p.Name] = p.Schema
	}
	body := api.OpenAPI().Components.Schemas.Map()["HumaOutputBody"].Properties
	found["body id"] = body["id"]
	found["body next"] = body["next"]
	found["body typed"] = body["typed"]
	found["body list"] = body["list"].Items
	if s, ok := body["map"].AdditionalProperties.(*huma.Schema); ok {
		found["body map"] = s
	}
	if len(found) != 8 {
		t.Errorf("found %d schemas, want 8", len(found))
	}
	return found
}

// TestHuma shows that an ID is a string in an OpenAPI document by itself, and
// that DescribeIDs says which.
func TestHuma(t *testing.T) {
	var got humaInput
	_, api := newHuma(false, &got)
	for place, s := range schemas(t, api) {
		if s == nil || s.Type != huma.TypeString || s.Pattern != "" && place != "query in" {
			t.Errorf("%s is %+v, want a string", place, s)
		}
	}
	handler, api := newHuma(true, &got)
	for place, s := range schemas(t, api) {
		if s == nil || s.Type != huma.TypeString || !strings.HasPrefix(s.Pattern, "^[0-9a-f]{24}") {
			t.Errorf("%s is %+v, want a string of 24 digits", place, s)
		}
	}
	for _, tt := range []struct {
		url    string
		status int
		place  string // that the answer names
	}{
		{"/orders/" + hexText + "?after=" + hexText + "&in=" + hexText + "," + hexText, 200, ""},
		{"/orders/" + hexText, 200, ""},
		{"/orders/" + hexText[1:], 422, "path.id"},
		{"/orders/" + hexText[1:] + "g", 422, "path.id"},
		{"/orders/" + hexText + "?after=abc", 422, "query.after"},
		{"/orders/" + hexText + "?in=" + hexText + ",abc", 422, "query.in"},
	} {
		got = humaInput{}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", tt.url, nil))
		if w.Code != tt.status || !json.Valid(w.Body.Bytes()) || !strings.Contains(w.Body.String(), tt.place) {
			t.Errorf("%s: %d %s", tt.url, w.Code, w.Body)
		}
		if strings.Contains(tt.url, "in=") && tt.status == 200 && !reflect.DeepEqual(got, humaInput{sample, sample, IDList{sample, sample}}) {
			t.Errorf("%s gave %v", tt.url, got)
		}
	}
}
