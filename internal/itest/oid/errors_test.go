package oid_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/v2/bson"

	bsoncodecv2 "github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

const digits = "65b3f7a1c2d3e4f5a6b7c8d9"

type hexID string

// readV2 reads a value from the field v of a document, from memory or from a stream.
func readV2[T any](reg *bson.Registry, value any, stream bool) error {
	data, err := bson.Marshal(bson.D{{Key: "v", Value: value}})
	if err != nil {
		return err
	}
	var doc struct{ V T }
	if !stream {
		return bsoncodecv2.UnmarshalWith(reg, data, &doc)
	}
	decoder := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
	decoder.SetRegistry(reg)
	return decoder.Decode(&doc)
}

// readV1 does the same with driver v1.
func readV1[T any](reg *bsoncodec.Registry, value any) error {
	data, err := bson.Marshal(bson.D{{Key: "v", Value: value}})
	if err != nil {
		return err
	}
	var doc struct{ V T }
	return bsonv1.UnmarshalWithRegistry(reg, data, &doc) //lint:ignore SA1019 as users have it
}

// Every reader says what it got, for the values that people have where an ID should be.
func TestEveryReaderSaysWhatItGot(t *testing.T) {
	v2, v1, methods := bsoncodecv2.NewRegistry(), mongov1.NewRegistry(), bson.NewRegistry()
	bsoncodecv2.RegisterHex[hexID](v2)
	mongov1.RegisterHex[hexID](v1)
	asJSON := func(text string) []byte {
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	texts := map[string]func(text string) error{
		"Parse":                         func(text string) error { _, err := oid.Parse(text); return err },
		"ID.UnmarshalText":              func(text string) error { return new(oid.ID).UnmarshalText([]byte(text)) },
		"ID.UnmarshalParam":             func(text string) error { return new(oid.ID).UnmarshalParam(text) },
		"ID.UnmarshalJSON":              func(text string) error { return json.Unmarshal(asJSON(text), new(oid.ID)) },
		"ID.Scan(string)":               func(text string) error { return new(oid.ID).Scan(text) },
		"ID.Scan([]byte)":               func(text string) error { return new(oid.ID).Scan([]byte(text)) },
		"For.UnmarshalText":             func(text string) error { return new(oid.For[int]).UnmarshalText([]byte(text)) },
		"For.UnmarshalJSON":             func(text string) error { return json.Unmarshal(asJSON(text), new(oid.For[int])) },
		"For.Scan(string)":              func(text string) error { return new(oid.For[int]).Scan(text) },
		"jsonx.Extended.UnmarshalJSON":  func(text string) error { return json.Unmarshal(asJSON(text), new(jsonx.Extended)) },
		"sqltype.Hex.Scan(string)":      func(text string) error { return new(sqltype.Hex).Scan(text) },
		"sqltype.ZeroNull.Scan(string)": func(text string) error { return new(sqltype.ZeroNull).Scan(text) },
		"BSON by methods":               func(text string) error { return readV2[oid.ID](methods, text, true) },
		"BSON from memory":              func(text string) error { return readV2[oid.ID](v2, text, false) },
		"BSON from a stream":            func(text string) error { return readV2[oid.ID](v2, text, true) },
		"BSON, oid.For":                 func(text string) error { return readV2[oid.For[int]](v2, text, false) },
		"BSON, a pointer":               func(text string) error { return readV2[*oid.ID](v2, text, false) },
		"BSON, a list from memory":      func(text string) error { return readV2[[]oid.ID](v2, bson.A{text}, false) },
		"BSON, a list from a stream":    func(text string) error { return readV2[[]oid.ID](v2, bson.A{text}, true) },
		"BSON, RegisterHex":             func(text string) error { return readV2[hexID](v2, text, false) },
		"BSON, sqltype.Hex":             func(text string) error { return readV2[sqltype.Hex](v2, text, false) },
		"BSON, jsonx.Extended":          func(text string) error { return readV2[jsonx.Extended](v2, text, false) },
		"BSON, driver v1":               func(text string) error { return readV1[oid.ID](v1, text) },
		"BSON, driver v1, a list":       func(text string) error { return readV1[[]oid.ID](v1, bson.A{text}) },
		"BSON, driver v1, RegisterHex":  func(text string) error { return readV1[hexID](v1, text) },
	}
	id := oid.MustParse(digits)
	for _, tt := range []struct{ text, says string }{
		{"0190163d-8694-739b-aea5-966c26f8ad91", "a UUID"},
		{"{0190163D-8694-739B-AEA5-966C26F8AD91}", "a UUID"},
		{`ObjectId("` + digits + `")`, "ObjectId(…) around the ID"},
		{`ObjectId('` + digits + `')`, "ObjectId(…) around the ID"},
		{`{"$oid": "` + digits + `"}`, `{"$oid": …} around the ID`},
		{`"` + digits + `"`, "other characters around the ID"},
		{"cpifdgd2rfi9f9ntp340", "an xid"},
		{"hello world!", "length 12"},
		{"123456789012", "length 12"},
		{base64.StdEncoding.EncodeToString(id[:]), "length 16"},
		{digits[:23], "length 23"},
		{digits + "0", "length 25"},
		{digits[:23] + "z", "index 23"},
		{"4711", "length 4"},
	} {
		for name, read := range texts {
			if strings.HasPrefix(name, "ID.Scan") && tt.text == "hello world!" || tt.text == "123456789012" && name == "ID.Scan([]byte)" {
				continue // TestScan… has 12 bytes
			}
			err := read(tt.text)
			if err == nil || !errors.Is(err, oid.ErrSyntax) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s(%q): %v\nwant an error that says %s", name, tt.text, err, tt.says)
			}
		}
	}

	for _, tt := range []struct {
		value any
		says  string
	}{
		{int32(7), "32-bit integer"},
		{int64(7), "64-bit integer"},
		{7.5, "double"},
		{true, "boolean"},
		{time.Unix(7, 0), "UTC datetime"},
		{bson.A{1}, "array"},
		{bson.D{{Key: "$oid", Value: digits}}, "embedded document"},
		{bson.Binary{Subtype: 4, Data: make([]byte, 16)}, "a UUID"},
		{bson.Binary{Subtype: 3, Data: make([]byte, 16)}, "a UUID"},
		{bson.Binary{Data: id[:]}, "AcceptBinary"},
	} {
		for name, read := range map[string]func() error{
			"from memory":            func() error { return readV2[oid.ID](v2, tt.value, false) },
			"from a stream":          func() error { return readV2[oid.ID](v2, tt.value, true) },
			"a list from memory":     func() error { return readV2[[]oid.ID](v2, bson.A{tt.value}, false) },
			"a list from a stream":   func() error { return readV2[[]oid.ID](v2, bson.A{tt.value}, true) },
			"RegisterHex":            func() error { return readV2[hexID](v2, tt.value, false) },
			"sqltype.Hex":            func() error { return readV2[sqltype.Hex](v2, tt.value, true) },
			"driver v1":              func() error { return readV1[oid.ID](v1, tt.value) },
			"driver v1, RegisterHex": func() error { return readV1[hexID](v1, tt.value) },
		} {
			err := read()
			if err == nil || !errors.Is(err, oid.ErrSyntax) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("BSON %s, %T: %v\nwant an error that says %s", name, tt.value, err, tt.says)
			}
			// A UUID that was read is never one that AcceptBinary could read.
			if b, ok := tt.value.(bson.Binary); ok && b.Subtype != 0 && strings.HasSuffix(name, "memory") && strings.Contains(err.Error(), "AcceptBinary") {
				t.Errorf("BSON %s, a UUID: %v", name, err)
			}
		}
	}

	for _, tt := range []struct {
		value any
		says  string
	}{
		{int64(7), "int64"}, {7.5, "float64"}, {true, "bool"}, {time.Unix(7, 0), "time.Time"}, {nil, "NULL"}, {bytes.Repeat([]byte{0xff}, 16), "a UUID"}, {[]byte("short"), "length 5"},
	} {
		for name, err := range map[string]error{"ID": new(oid.ID).Scan(tt.value), "For": new(oid.For[int]).Scan(tt.value), "Hex": new(sqltype.Hex).Scan(tt.value)} {
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s.Scan(%T): %v\nwant an error that says %s", name, tt.value, err, tt.says)
			}
		}
	}
	for _, value := range []string{"7", "true", "[1,2,3]", `{"a":1}`, "123456789012"} {
		for name, into := range map[string]any{"ID": new(oid.ID), "For": new(oid.For[int]), "Extended": new(jsonx.Extended)} {
			if err := json.Unmarshal([]byte(value), into); err == nil || !strings.Contains(err.Error(), value[:1]) || !errors.Is(err, oid.ErrSyntax) {
				t.Errorf("JSON %s into %s: %v\nwant an error that shows it", value, name, err)
			}
		}
	}
}
