// Package frameworks_test shows IDs in web frameworks that need many modules.
package frameworks_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"testing"

	"github.com/gofiber/fiber/v2"
	gorilla "github.com/gorilla/schema"
	irisschema "github.com/iris-contrib/schema"
	"github.com/kataras/iris/v12"

	"github.com/oidkit/oidkit/oid"
)

var (
	sample = oid.MustParse("65b3f7a0c1d2e3f405060708")
	other  = oid.MustParse("65b3f7a1c1d2e3f405060709")
)

// page names the document that an error of this package is about.
const page = ": change docs/libraries.md"

// One has single IDs, and many has a list.
type (
	one struct {
		ID  oid.ID  `schema:"id" query:"id" params:"id" form:"id" url:"id" param:"id"`
		Ptr *oid.ID `schema:"ptr" query:"ptr" params:"ptr" form:"ptr" url:"ptr" param:"ptr"`
	}
	many struct {
		In []oid.ID `schema:"in" query:"in" form:"in" url:"in" param:"in"`
	}
)

var (
	single = url.Values{"id": {sample.Hex()}, "ptr": {other.Hex()}}
	list   = url.Values{"in": {sample.Hex(), other.Hex()}}
	bad    = []string{"abcdefghijkl", sample.Hex()[1:], sample.Hex() + "0", "7"}
)

func (o one) isRead() bool  { return o.ID == sample && o.Ptr != nil && *o.Ptr == other }
func (m many) isRead() bool { return slices.Equal(m.In, []oid.ID{sample, other}) }

// convert reads an ID for gorilla/schema and for those that are like it.
func convert(text string) reflect.Value {
	id, err := oid.Parse(text)
	if err != nil {
		return reflect.Value{}
	}
	return reflect.ValueOf(id)
}

// wantReads tests a library that reads a single ID, and a list only with convert.
func wantReads(t *testing.T, read func(url.Values, any) error, register func()) {
	t.Helper()
	var o one
	if err := read(single, &o); err != nil || !o.isRead() {
		t.Errorf("read %+v, %v%s", o, err, page)
	}
	var m many
	if err := read(list, &m); err == nil && m.isRead() {
		t.Error("reads a list without a converter" + page)
	}
	wantRefuses(t, read)
	register()
	m = many{}
	if err := read(list, &m); err != nil || !m.isRead() {
		t.Errorf("with a converter: read %v, %v", m, err)
	}
	o = one{}
	if err := read(single, &o); err != nil || !o.isRead() {
		t.Errorf("with a converter: read %+v, %v", o, err)
	}
	wantRefuses(t, read)
}

func wantRefuses(t *testing.T, read func(url.Values, any) error) {
	t.Helper()
	for _, text := range bad {
		var o one
		if err := read(url.Values{"id": {text}}, &o); err == nil || !o.ID.IsZero() {
			t.Errorf("%q is read as %v, %v", text, o.ID, err)
		}
	}
}

func TestGorillaSchemaReadsListsWithAConverter(t *testing.T) {
	d := gorilla.NewDecoder()
	wantReads(t, func(v url.Values, out any) error { return d.Decode(out, v) }, func() { d.RegisterConverter(oid.ID{}, convert) })
}

func TestFiberReadsListsWithAConverter(t *testing.T) {
	read := func(v url.Values, out any) (err error) {
		app := fiber.New()
		app.Get("/", func(c *fiber.Ctx) error {
			err = c.QueryParser(out)
			return nil
		})
		if _, failed := app.Test(httptest.NewRequest("GET", "/?"+v.Encode(), nil), -1); failed != nil {
			return failed
		}
		return err
	}
	wantReads(t, read, func() {
		fiber.SetParserDecoder(fiber.ParserConfig{IgnoreUnknownKeys: true, ZeroEmpty: true, ParserType: []fiber.ParserType{{Customtype: oid.ID{}, Converter: convert}}})
	})
	var o one
	app := fiber.New()
	app.Get("/:id/:ptr", func(c *fiber.Ctx) error { return c.ParamsParser(&o) })
	if res, err := app.Test(httptest.NewRequest("GET", "/"+sample.Hex()+"/"+other.Hex(), nil), -1); err != nil || res.StatusCode != http.StatusOK || !o.isRead() {
		t.Errorf("ParamsParser: %+v, %v", o, err)
	}
}

func TestIrisReadsListsWithAConverter(t *testing.T) {
	read := func(v url.Values, out any) (err error) {
		app := iris.New()
		app.Get("/", func(c iris.Context) { err = c.ReadQuery(out) })
		if failed := app.Build(); failed != nil {
			return failed
		}
		app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/?"+v.Encode(), nil))
		return err
	}
	wantReads(t, read, func() { irisschema.Query.RegisterConverter(oid.ID{}, convert) })
}
