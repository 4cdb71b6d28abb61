// Package web_test shows IDs in libraries that read and write queries and forms.
package web_test

import (
	"net/url"
	"testing"

	"github.com/go-playground/form/v4"
	"github.com/google/go-querystring/query"

	"github.com/oidkit/oidkit/oid"
)

var (
	sample = oid.MustParse("65b3f7a0c1d2e3f405060708")
	other  = oid.MustParse("65b3f7a1c1d2e3f405060709")
)

// page names the document that an error of this package is about.
const page = ": change docs/libraries.md"

type params struct {
	ID  oid.ID  `form:"id" url:"id"`
	Ptr *oid.ID `form:"ptr" url:"ptr"`
}

func TestQuerystringWritesTwelveNumbers(t *testing.T) {
	v, err := query.Values(params{ID: sample})
	if err != nil || len(v["id"]) != 12 {
		t.Errorf("%q, %v%s", v, err, page)
	}
	v, err = query.Values(struct {
		ID string `url:"id"`
	}{sample.Hex()})
	if err != nil || v.Get("id") != sample.Hex() {
		t.Errorf("%q, %v", v, err)
	}
}

func TestFormNeedsCustomTypes(t *testing.T) {
	single := url.Values{"id": {sample.Hex()}, "ptr": {other.Hex()}}
	d, e := form.NewDecoder(), form.NewEncoder()
	var o params
	if err := d.Decode(&o, single); err == nil {
		t.Error("the decoder needs no function" + page)
	}
	if v, err := e.Encode(params{ID: sample}); err == nil && v.Get("id") == sample.Hex() {
		t.Error("the encoder needs no function" + page)
	}
	d.RegisterCustomTypeFunc(func(texts []string) (any, error) { return oid.Parse(texts[0]) }, oid.ID{})
	e.RegisterCustomTypeFunc(func(id any) ([]string, error) { return []string{id.(oid.ID).Hex()}, nil }, oid.ID{})
	o = params{}
	if err := d.Decode(&o, single); err != nil || o.ID != sample || *o.Ptr != other {
		t.Errorf("read %+v, %v", o, err)
	}
	for _, bad := range []string{"abcdefghijkl", sample.Hex()[1:], "7"} {
		var o params
		if err := d.Decode(&o, url.Values{"id": {bad}}); err == nil || !o.ID.IsZero() {
			t.Errorf("%q is read as %v, %v", bad, o.ID, err)
		}
	}
	if v, err := e.Encode(o); err != nil || v.Encode() != single.Encode() {
		t.Errorf("wrote %s, %v", v.Encode(), err)
	}
}
