package bsoncodec_test

import (
	"reflect"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
)

type invoiceID string

// A registry in which every string would be an ID stores no string, and says why. The
// tests of how other types are stored are in internal/itest/bsoncodec.
func TestRegisterHexRefusesString(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterHex[string](reg)
	const want = "bsoncodec.RegisterHex[string]: not every string is an ID: define a string type for IDs, and register that type"
	if data, err := marshal(reg, bson.D{{Key: "a", Value: id1.Hex()}}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("marshal = %v, %v, want %s", bson.Raw(data), err, want)
	}
	doc := struct{ A string }{"kept"}
	if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "a", Value: id1}}), &doc); err == nil || !strings.Contains(err.Error(), want) || doc.A != "kept" {
		t.Errorf("unmarshal = %q, %v, want %s", doc.A, err, want)
	}
}

// With one type registered, all other strings stay as they are.
func TestRegisterHexLeavesOtherStringsAlone(t *testing.T) {
	type other string
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterHex[invoiceID](reg)
	type doc struct {
		ID    invoiceID
		Name  string
		Other other
		IDs   []invoiceID
		Names []string
	}
	hex := id1.Hex()
	d := doc{invoiceID(hex), hex, other(hex), []invoiceID{invoiceID(hex)}, []string{hex}}
	sameBytes(t, reg, d, bson.D{{Key: "id", Value: id1}, {Key: "name", Value: hex}, {Key: "other", Value: hex},
		{Key: "ids", Value: bson.A{id1}}, {Key: "names", Value: bson.A{hex}}})
	roundTrip(t, reg, d)
}

// Text that is not an ID is never stored. Null is read as the empty string.
func TestRegisterHexRefusesOtherTextAndReadsNull(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterHex[invoiceID](reg)
	for _, text := range []invoiceID{"", "7", "65b3f7edd9bfca00daa6e3bz"} {
		if data, err := marshal(reg, bson.D{{Key: "id", Value: text}}); err == nil || !strings.Contains(err.Error(), "bsoncodec.RegisterHex: can't store a bsoncodec_test.invoiceID as an ObjectId: ") {
			t.Errorf("marshal(%q) = %v, %v, want an error", text, bson.Raw(data), err)
		}
	}
	for _, none := range []any{nil, bson.Undefined{}} {
		doc := struct{ ID invoiceID }{"before"}
		if err := unmarshal(reg, mustMarshal(t, bson.D{{Key: "id", Value: none}}), &doc); err != nil || doc.ID != "" {
			t.Errorf("%T is read as %q, %v, want no text", none, doc.ID, err)
		}
	}
}

func TestAcceptBinaryIsForHexToo(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterHex[invoiceID](reg)
	data := mustMarshal(t, bson.D{{Key: "id", Value: bson.Binary{Data: id1[:]}}})
	var doc struct{ ID invoiceID }
	if err := unmarshal(reg, data, &doc); err == nil {
		t.Errorf("Binary was read without AcceptBinary: %v", doc)
	}
	bsoncodec.AcceptBinary(reg)
	if err := unmarshal(reg, data, &doc); err != nil || doc.ID != invoiceID(id1.Hex()) {
		t.Errorf("with AcceptBinary: %v, %v", doc, err)
	}
}

// memberID is a type that the program registers by itself, with the codec for a userID.
type memberID [12]byte

// codecOf passes values of other types to the codec for T.
type codecOf[T any] struct{}

func (codecOf[T]) EncodeValue(ec bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	encoder, err := ec.LookupEncoder(reflect.TypeFor[T]())
	if err != nil {
		return err
	}
	return encoder.EncodeValue(ec, vw, val)
}

func (codecOf[T]) DecodeValue(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	decoder, err := dc.LookupDecoder(reflect.TypeFor[T]())
	if err != nil {
		return err
	}
	return decoder.DecodeValue(dc, vr, val)
}

// The codec for an ID also takes another array of 12 bytes. The codec for a pointer to
// an ID passes other pointers on to the driver.
func TestCodecsServeTypesOfTheSameKind(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[userID](reg)
	reg.RegisterTypeEncoder(reflect.TypeFor[memberID](), codecOf[userID]{})
	reg.RegisterTypeDecoder(reflect.TypeFor[memberID](), codecOf[userID]{})
	reg.RegisterTypeEncoder(reflect.TypeFor[*string](), codecOf[*userID]{})
	reg.RegisterTypeDecoder(reflect.TypeFor[*string](), codecOf[*userID]{})
	type doc struct {
		Member memberID
		Name   *string
	}
	name := "Ada"
	sameBytes(t, reg, doc{memberID(id1), &name}, bson.D{{Key: "member", Value: bson.ObjectID(id1)}, {Key: "name", Value: name}})
	roundTrip(t, reg, doc{memberID(id1), &name})
}

// A codec that is called with a value of another type gives the driver's own error,
// and doesn't panic.
func TestCodecsRefuseOtherTypes(t *testing.T) {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterHex[invoiceID](reg)
	bsoncodec.RegisterFor[userID](reg)
	for _, of := range []reflect.Type{reflect.TypeFor[invoiceID](), reflect.TypeFor[userID](), reflect.TypeFor[[]userID](), reflect.TypeFor[[]ours]()} {
		encoder, err := reg.LookupEncoder(of)
		if err != nil {
			t.Fatal(err)
		}
		decoder, err := reg.LookupDecoder(of)
		if err != nil {
			t.Fatal(err)
		}
		type octet byte
		s, n, eleven := "text", 7, [11]byte{}
		for _, val := range []reflect.Value{{}, reflect.ValueOf(&s).Elem(), reflect.ValueOf(&n).Elem(), reflect.ValueOf(&eleven).Elem(),
			reflect.ValueOf(s), reflect.ValueOf([12]int{}), reflect.ValueOf([12]octet{}), reflect.ValueOf(ours{})} {
			if err := encoder.EncodeValue(bson.EncodeContext{Registry: reg}, nil, val); err == nil || !strings.Contains(err.Error(), "can only encode") {
				t.Errorf("the encoder of %v took a %v: %v", of, val.Kind(), err)
			}
			if err := decoder.DecodeValue(bson.DecodeContext{Registry: reg}, nil, val); err == nil || !strings.Contains(err.Error(), "can only decode") {
				t.Errorf("the decoder of %v took a %v: %v", of, val.Kind(), err)
			}
		}
		if err := decoder.DecodeValue(bson.DecodeContext{Registry: reg}, nil, reflect.Zero(of)); err == nil {
			t.Errorf("the decoder of %v took a value that can't be set", of)
		}
	}
}
