package bsoncodec_test

import (
	"bytes"
	"strings"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	bsoncodecv1 "go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
	"go.mongodb.org/mongo-driver/bson/mgocompat"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
)

// A codec is a driver with a registry. Each one is used with the same options only, as
// registries remember types in the shape that the first ones gave them.
type codec struct {
	driver    string // "v1" or "v2"
	marshal   func(doc any, option string) ([]byte, error)
	unmarshal func(data []byte, doc any, option string) error
	toJSON    func(doc any, canonical bool) ([]byte, error)
	fromJSON  func(text string, doc any) error

	// Documents and lists in the driver's own types.
	d func(key string, value any) any
	m func(key string, value any) any
	a func(values ...any) any
}

// A pairing is a registry for the driver's own ObjectID and one for oid.ID.
type pairing struct {
	name         string
	native, ours func() codec
}

// pairings holds all ways to set a driver up.
var pairings = []pairing{
	{"v2 default", v2(bson.NewRegistry), v2(bson.NewRegistry)},
	{"v2 ours", v2(bson.NewRegistry), v2(bsoncodec.NewRegistry)},
	{"v2 mgo", v2(bson.NewMgoRegistry), v2(bson.NewMgoRegistry)},
	{"v2 mgo ours", v2(bson.NewMgoRegistry), v2(registered(bson.NewMgoRegistry))},
	{"v2 mgo nil ours", v2(bson.NewRespectNilValuesMgoRegistry), v2(registered(bson.NewRespectNilValuesMgoRegistry))},
	{"v1 ours", v1(bsonv1.NewRegistry), v1(mongov1.NewRegistry)},
	{"v1 mgo ours", v1(newMgo), v1(func() *bsoncodecv1.Registry {
		reg := newMgo()
		mongov1.Register(reg)
		return reg
	})},
}

// registered returns a constructor of registries that have our codecs too.
func registered(construct func() *bson.Registry) func() *bson.Registry {
	return func() *bson.Registry {
		reg := construct()
		bsoncodec.Register(reg)
		return reg
	}
}

func newMgo() *bsoncodecv1.Registry {
	return mgocompat.NewRegistryBuilder().Build() //lint:ignore SA1019 the only way to one of our own
}

// The options that bear on IDs, or on what holds them.
var (
	encodeOptions = []string{"", "NilSliceAsEmpty", "NilMapAsEmpty", "OmitZeroStruct", "OmitEmpty", "StringifyMapKeysWithFmt",
		"UseJSONStructTags", "IntMinSize", "ErrorOnInlineDuplicates"}
	decodeOptions = []string{"", "ZeroStructs", "ZeroMaps", "UseJSONStructTags", "BinaryAsSlice", "DefaultDocumentM"}
)

// options returns the single options to try with p, and with the registries that
// users make also every combination of them, such as "OmitEmpty,IntMinSize".
func (p pairing) options(single []string) []string {
	if p.name != "v2 ours" && p.name != "v2 mgo ours" && p.name != "v1 ours" {
		return single
	}
	all := []string{""}
	for _, option := range single {
		for _, before := range all {
			if option != "" {
				all = append(all, strings.TrimPrefix(before+","+option, ","))
			}
		}
	}
	return all
}

func v2(construct func() *bson.Registry) func() codec {
	return func() codec { return newV2(construct()) }
}

func newV2(reg *bson.Registry) codec {
	encode := func(vw bson.ValueWriter, doc any, option string) error {
		enc := bson.NewEncoder(vw)
		enc.SetRegistry(reg)
		for option := range strings.SplitSeq(option, ",") {
			switch option {
			case "NilSliceAsEmpty":
				enc.NilSliceAsEmpty()
			case "NilMapAsEmpty":
				enc.NilMapAsEmpty()
			case "OmitZeroStruct":
				enc.OmitZeroStruct()
			case "OmitEmpty":
				enc.OmitEmpty()
			case "StringifyMapKeysWithFmt":
				enc.StringifyMapKeysWithFmt()
			case "UseJSONStructTags":
				enc.UseJSONStructTags()
			case "IntMinSize":
				enc.IntMinSize()
			case "ErrorOnInlineDuplicates":
				enc.ErrorOnInlineDuplicates()
			}
		}
		return enc.Encode(doc)
	}
	decode := func(vr bson.ValueReader, doc any, option string) error {
		dec := bson.NewDecoder(vr)
		dec.SetRegistry(reg)
		for option := range strings.SplitSeq(option, ",") {
			switch option {
			case "ZeroStructs":
				dec.ZeroStructs()
			case "ZeroMaps":
				dec.ZeroMaps()
			case "UseJSONStructTags":
				dec.UseJSONStructTags()
			case "BinaryAsSlice":
				dec.BinaryAsSlice()
			case "DefaultDocumentM":
				dec.DefaultDocumentM()
			}
		}
		return dec.Decode(doc)
	}
	return codec{
		driver: "v2",
		marshal: func(doc any, option string) ([]byte, error) {
			var buf bytes.Buffer
			err := encode(bson.NewDocumentWriter(&buf), doc, option)
			return buf.Bytes(), err
		},
		unmarshal: func(data []byte, doc any, option string) error {
			return decode(bson.NewDocumentReader(bytes.NewReader(data)), doc, option)
		},
		toJSON: func(doc any, canonical bool) ([]byte, error) {
			var buf bytes.Buffer
			err := encode(bson.NewExtJSONValueWriter(&buf, canonical, false), doc, "")
			return buf.Bytes(), err
		},
		fromJSON: func(text string, doc any) error {
			vr, err := bson.NewExtJSONValueReader(bytes.NewReader([]byte(text)), false)
			if err != nil {
				return err
			}
			return decode(vr, doc, "")
		},
		d: func(key string, value any) any { return bson.D{{Key: key, Value: value}} },
		m: func(key string, value any) any { return bson.M{key: value} },
		a: func(values ...any) any { return bson.A(values) },
	}
}

func v1(construct func() *bsoncodecv1.Registry) func() codec {
	return func() codec { return newV1(construct()) }
}

func newV1(reg *bsoncodecv1.Registry) codec {
	encode := func(vw bsonrw.ValueWriter, doc any, option string) error {
		enc, err := bsonv1.NewEncoder(vw)
		if err != nil {
			return err
		}
		if err := enc.SetRegistry(reg); err != nil {
			return err
		}
		for option := range strings.SplitSeq(option, ",") {
			switch option {
			case "NilSliceAsEmpty":
				enc.NilSliceAsEmpty()
			case "NilMapAsEmpty":
				enc.NilMapAsEmpty()
			case "OmitZeroStruct":
				enc.OmitZeroStruct()
			case "StringifyMapKeysWithFmt":
				enc.StringifyMapKeysWithFmt()
			case "UseJSONStructTags":
				enc.UseJSONStructTags()
			case "IntMinSize":
				enc.IntMinSize()
			case "ErrorOnInlineDuplicates":
				enc.ErrorOnInlineDuplicates()
			}
		}
		return enc.Encode(doc)
	}
	return codec{
		driver: "v1",
		marshal: func(doc any, option string) ([]byte, error) {
			var buf bytes.Buffer
			vw, err := bsonrw.NewBSONValueWriter(&buf)
			if err != nil {
				return nil, err
			}
			err = encode(vw, doc, option)
			return buf.Bytes(), err
		},
		unmarshal: func(data []byte, doc any, option string) error {
			dec, err := bsonv1.NewDecoder(bsonrw.NewBSONDocumentReader(data))
			if err != nil {
				return err
			}
			if err := dec.SetRegistry(reg); err != nil {
				return err
			}
			for option := range strings.SplitSeq(option, ",") {
				switch option {
				case "ZeroStructs":
					dec.ZeroStructs()
				case "ZeroMaps":
					dec.ZeroMaps()
				case "UseJSONStructTags":
					dec.UseJSONStructTags()
				case "BinaryAsSlice":
					dec.BinaryAsSlice()
				case "DefaultDocumentM":
					dec.DefaultDocumentM()
				}
			}
			return dec.Decode(doc)
		},
		toJSON: func(doc any, canonical bool) ([]byte, error) {
			return bsonv1.MarshalExtJSONWithRegistry(reg, doc, canonical, false) //lint:ignore SA1019 as users have it
		},
		fromJSON: func(text string, doc any) error {
			return bsonv1.UnmarshalExtJSONWithRegistry(reg, []byte(text), false, doc) //lint:ignore SA1019 as users have it
		},
		d: func(key string, value any) any { return bsonv1.D{{Key: key, Value: value}} },
		m: func(key string, value any) any { return bsonv1.M{key: value} },
		a: func(values ...any) any { return bsonv1.A(values) },
	}
}
