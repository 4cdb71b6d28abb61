//go:build nightly

package encodings

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"reflect"
	"strings"
	"testing"

	"github.com/bytedance/sonic"
	"github.com/fxamacker/cbor/v2"
	gojson "github.com/goccy/go-json"
	goyaml "github.com/goccy/go-yaml"
	jsoniter "github.com/json-iterator/go"
	"github.com/oidkit/oidkit/oid"
	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"gopkg.in/yaml.v3"
)

// A codec is a library that turns structs into bytes and back.
type codec struct {
	name, module string // module is empty for the standard library
	encode       func(any) ([]byte, error)
	decode       func([]byte, any) error
	omit         string // the tag that leaves zero values out
	add          string // what a user adds where it isn't right by itself
}

var codecs = []codec{
	{"encoding/json", "", json.Marshal, json.Unmarshal, "omitzero", ""},
	{"goccy/go-json", "github.com/goccy/go-json", gojson.Marshal, gojson.Unmarshal, "omitzero", ""},
	{"bytedance/sonic", "github.com/bytedance/sonic", sonic.Marshal, sonic.Unmarshal, "omitzero", ""},
	{"json-iterator", "github.com/json-iterator/go", jsoniter.Marshal, jsoniter.Unmarshal, "omitzero", ""},
	{"yaml.v3", "gopkg.in/yaml.v3", yaml.Marshal, yaml.Unmarshal, "omitempty", "[`YAMLID`](../internal/itest/oid/encodings/yaml.go)"},
	{"goccy/go-yaml", "github.com/goccy/go-yaml", goyaml.Marshal, unmarshalGoYAML, "omitempty", ""},
	{"encoding/xml", "", xml.Marshal, xml.Unmarshal, "omitempty", ""},
	{"fxamacker/cbor", "github.com/fxamacker/cbor/v2", cbor.Marshal, cbor.Unmarshal, "omitzero", "[`CBORID`](../internal/itest/oid/encodings/cbor.go)"},
	{"vmihailenco/msgpack", "github.com/vmihailenco/msgpack/v5", msgpack.Marshal, msgpack.Unmarshal, "omitempty", "[`MsgpackID`](../internal/itest/oid/encodings/msgpack.go)"},
	{"encoding/gob", "", marshalGob, unmarshalGob, "", ""},
}

func unmarshalGoYAML(data []byte, v any) error { return goyaml.Unmarshal(data, v) }

func marshalGob(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func unmarshalGob(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

var (
	sample = oid.MustParse("65b3f7a0c1d2e3f405060708")
	preset = oid.MustParse("ffffffffffffffffffffffff") // what a destination holds before a decode
)

// tags gives a field the name v in every format.
func tags(option string) reflect.StructTag {
	var tag strings.Builder
	for _, format := range []string{"json", "yaml", "xml", "cbor", "msgpack"} {
		tag.WriteString(format + `:"v` + option + `" `)
	}
	return reflect.StructTag(tag.String())
}

// box returns a struct whose field v, with the option in its tags, holds value.
func box(value any, option string) any {
	fields := []reflect.StructField{{
		Name: "XMLName",
		Type: reflect.TypeFor[xml.Name](),
		Tag:  `json:"-" yaml:"-" xml:"box" cbor:"-" msgpack:"-"`,
	}, {
		Name: "V",
		Type: reflect.TypeOf(value),
		Tag:  tags(option),
	}}
	s := reflect.New(reflect.StructOf(fields)).Elem()
	s.Field(1).Set(reflect.ValueOf(value))
	return s.Interface()
}

// unbox decodes data, an encoded box, over a field that holds value. It returns
// what the field holds then.
func unbox[T any](c codec, data []byte, value T) (T, error) {
	p := reflect.New(reflect.TypeOf(box(value, "")))
	p.Elem().Field(1).Set(reflect.ValueOf(value))
	err := c.decode(data, p.Interface())
	return p.Elem().Field(1).Interface().(T), err
}

// roundTrip returns what comes back when value is written and read.
func roundTrip[T any](c codec, value T) (back T, err error) {
	data, err := c.encode(box(value, ""))
	if err != nil {
		return back, err
	}
	return unbox(c, data, back)
}

type order struct{}

// TestRoundTrips shows that what a codec writes of IDs, in every form that a
// struct field has, it reads again.
func TestRoundTrips(t *testing.T) {
	ids := []oid.ID{
		sample,
		{},
		preset,
		oid.New(),
		oid.MustParse("123456789012345678901234"), // YAML could take these for numbers
		oid.MustParse("12345678901234567890e123"),
		oid.MustParse("0e1234567890123456789012"),
	}
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) {
			for _, id := range ids {
				comesBack(t, c, id)
				comesBack(t, c, &id)
				comesBack(t, c, oid.For[order](id))
			}
			comesBack(t, c, ids)
			comesBack(t, c, []*oid.ID{&ids[0], &ids[3]})
			if c.name != "encoding/xml" { // which has no maps
				comesBack(t, c, map[oid.ID]int{sample: 1, preset: 2})
				comesBack(t, c, map[oid.For[order]]oid.ID{oid.For[order](sample): preset})
			}
		})
	}
}

func comesBack[T any](t *testing.T, c codec, value T) {
	t.Helper()
	back, err := roundTrip(c, value)
	if err != nil || !reflect.DeepEqual(back, value) {
		t.Errorf("%T %v came back as %v, %v", value, value, back, err)
	}
}

// TestTextStaysText shows that YAML's encoders write an ID so that a reader who
// doesn't know of IDs sees a string, also where the digits could be a number.
func TestTextStaysText(t *testing.T) {
	for _, c := range codecs {
		if c.module == "" || c.omit != "omitempty" || strings.Contains(c.name, "msgpack") {
			continue
		}
		for _, hex := range []string{"123456789012345678901234", "12345678901234567890e123", "0e1234567890123456789012"} {
			data, err := c.encode(map[string]any{"v": oid.MustParse(hex)})
			if err != nil {
				t.Fatal(err)
			}
			var back map[string]any
			if err := c.decode(data, &back); err != nil || back["v"] != hex {
				t.Errorf("%s: %s came back as %#v, %v", c.name, data, back["v"], err)
			}
		}
	}
}

func TestGobInAnAny(t *testing.T) {
	gob.Register(oid.ID{})
	data, err := marshalGob(map[string]any{"id": sample})
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := unmarshalGob(data, &back); err != nil || back["id"] != sample {
		t.Errorf("read %v, %v", back, err)
	}
}

// TestDataOfObjectID shows that a program that moves from bson.ObjectID can't read what it
// kept in these formats.
func TestDataOfObjectID(t *testing.T) {
	type before struct{ ID bson.ObjectID }
	type after struct{ ID oid.ID }
	for _, name := range []string{"encoding/gob", "vmihailenco/msgpack"} {
		c := byName(name)
		data, err := c.encode(before{bson.ObjectID(sample)})
		if err != nil {
			t.Fatal(err)
		}
		got := after{preset}
		if err := c.decode(data, &got); err == nil || got.ID != preset {
			t.Errorf("%s: %v, %v: change docs/libraries.md", name, got, err)
		}
	}
}

// TestXMLAttribute shows that an ID may be an attribute too, or be missing there.
func TestXMLAttribute(t *testing.T) {
	type element struct {
		ID  oid.ID  `xml:"id,attr"`
		Ref *oid.ID `xml:"ref,attr,omitempty"`
	}
	for want, e := range map[string]element{
		`<element id="` + hexText + `"></element>`:                            {ID: sample},
		`<element id="` + hexText + `" ref="` + preset.Hex() + `"></element>`: {ID: sample, Ref: &preset},
	} {
		data, err := xml.Marshal(e)
		if err != nil || string(data) != want {
			t.Errorf("wrote %s, %v, want %s", data, err, want)
		}
		var back element
		if err := xml.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("read %v, %v from %s", back, err, data)
		}
	}
	type required struct {
		Ref *oid.ID `xml:"ref,attr"`
	}
	defer func() {
		if recover() == nil {
			t.Error("encoding/xml writes a nil *oid.ID as an attribute: docs/libraries.md says that it panics")
		}
	}()
	_, _ = xml.Marshal(required{})
}

// TestOmitPointer shows that a nil *oid.ID is left out by every format that has
// omitempty.
func TestOmitPointer(t *testing.T) {
	for _, c := range codecs {
		if c.omit == "" {
			continue
		}
		data, err := c.encode(box((*oid.ID)(nil), ",omitempty"))
		if err != nil {
			t.Fatal(err)
		}
		empty, err := c.encode(box("", ",omitempty"))
		if err != nil || !bytes.Equal(data, empty) {
			t.Errorf("%s writes a nil *oid.ID with omitempty as %q", c.name, data)
		}
	}
}
