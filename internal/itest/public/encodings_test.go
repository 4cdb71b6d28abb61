//go:build nightly

package public_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/bytedance/sonic"
	"github.com/davecgh/go-spew/spew"
	"github.com/fxamacker/cbor/v2"
	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
	gojson "github.com/goccy/go-json"
	goyaml "github.com/goccy/go-yaml"
	jsoniter "github.com/json-iterator/go"
	"github.com/vmihailenco/msgpack/v5"
	"gopkg.in/yaml.v3"
)

var _ binding.BindUnmarshaler = (*OrderID)(nil)

// Each library writes the form, and reads it back.
func TestEncodersShowTheForm(t *testing.T) {
	order := Order{OrderID(sample), ShopID(sample), "x"}
	for name, library := range map[string]struct {
		marshal   func(any) ([]byte, error)
		unmarshal func([]byte, any) error
	}{
		"bytedance/sonic":     {sonic.Marshal, sonic.Unmarshal},
		"goccy/go-json":       {gojson.Marshal, gojson.Unmarshal},
		"json-iterator":       {jsoniter.ConfigCompatibleWithStandardLibrary.Marshal, jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal},
		"yaml.v3":             {yaml.Marshal, yaml.Unmarshal},
		"goccy/go-yaml":       {goyaml.Marshal, func(b []byte, v any) error { return goyaml.Unmarshal(b, v) }},
		"fxamacker/cbor":      {cbor.Marshal, cbor.Unmarshal},
		"vmihailenco/msgpack": {msgpack.Marshal, msgpack.Unmarshal},
	} {
		data, err := library.marshal(map[string]any{"order": order, "list": []OrderID{order.ID}, "map": map[string]*OrderID{"a": &order.ID}})
		if n := bytes.Count(data, []byte(order.ID.String())); err != nil || n != 3 || bytes.Contains(data, sample[:4]) || bytes.Contains(data, []byte("65b3f7a2")) {
			t.Errorf("%s: %q, %v: the form is there %d times, want 3", name, data, err, n)
		}
		data, err = library.marshal(order)
		if err != nil {
			t.Fatal(err)
		}
		var got Order
		if err := library.unmarshal(data, &got); err != nil || got != order {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		bad := bytes.ReplaceAll(data, []byte(order.ID.String()), []byte(order.ShopID.String()[:len(order.ID.String())]))
		if err := library.unmarshal(bad, new(Order)); err == nil && len(bad) == len(data) {
			t.Errorf("%s reads a text of another form", name)
		}
	}
}

// A printer of test libraries walks private fields.
func TestSpewShowsNoKey(t *testing.T) {
	got := spew.Sdump(orderForm, *orderForm)
	if !strings.Contains(got, "ord_") || strings.Contains(got, "01 02 03") || strings.Contains(got, "(uint8)") || strings.Contains(got, "len=32") {
		t.Errorf("spew shows %s", got)
	}
}

func TestGin(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	g.GET("/orders/:id", func(c *gin.Context) {
		var p params
		err := c.ShouldBindUri(&p)
		if err == nil {
			err = c.ShouldBindQuery(&p)
		}
		if err != nil {
			c.String(http.StatusNotFound, "no such order")
			return
		}
		c.JSON(http.StatusOK, Order{ID: p.ID})
	})
	serves(t, g)
}
