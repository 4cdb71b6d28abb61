package bsoncodec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
)

// registry returns the registry of Marshal and Unmarshal.
var registry = sync.OnceValue(NewRegistry)

// Marshal is bson.Marshal with the codecs of [Register]. For structs that embed an ID,
// Marshal returns the whole document, and bson.Marshal loses fields or returns an error.
// For other values, Marshal returns the same bytes as bson.Marshal, and returns an error
// where bson.Marshal does. If doc is not a document, the texts of the errors can differ.
// For documents with IDs, bson.Marshal takes several times as long as Marshal, because
// bson.Marshal calls the methods of the IDs.
//
// Marshal doesn't use the codecs that a program adds to its own registry with
// [RegisterFor], [RegisterHex] or [MapAny]. If your program calls one of these functions,
// call [MarshalWith] with this registry instead of Marshal.
func Marshal(doc any) ([]byte, error) { return MarshalWith(registry(), doc) }

// MarshalWith is [Marshal] with the codecs of reg, which is often the registry of the
// client. To encode a value that isn't a document, such as a value for explicit
// encryption, put the value into a document:
//
//	data, err := bsoncodec.MarshalWith(reg, bson.D{{Key: "v", Value: id}})
//	value := bson.Raw(data).Lookup("v") // a bson.RawValue
func MarshalWith(reg *bson.Registry, doc any) ([]byte, error) {
	if reg == nil {
		return nil, fmt.Errorf("bsoncodec.MarshalWith(nil, %T): %w", doc, bson.ErrNilRegistry)
	}
	e := encoders.Get().(*encoder)
	e.SetRegistry(reg)
	if err := e.Encode(doc); err != nil {
		return nil, err // e holds part of a document, so it isn't used again
	}
	data := e.out
	e.out = nil
	// An encoder keeps as much memory as its largest document took.
	e.largest = max(e.largest, len(data))
	if e.largest <= maxKept || e.largest/2 <= len(data) {
		encoders.Put(e)
	}
	return data, nil
}

// encoder is an encoder that has finished its last document.
type encoder struct {
	*bson.Encoder
	out     []byte // the document that it has written
	largest int    // the length of the largest one
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.Encoder = bson.NewEncoder(bson.NewDocumentWriter(e))
	return e
}}

func (e *encoder) Write(p []byte) (int, error) {
	e.out = append(e.out, p...)
	return len(p), nil
}

// Unmarshal is bson.Unmarshal with the codecs of [Register]. If doc holds IDs, Unmarshal
// takes less time than bson.Unmarshal. Both give the same values and errors, with two
// exceptions. Only Unmarshal reads a document into a struct that embeds an ID. Unmarshal
// sets a *oid.ID to nil for BSON undefined, and bson.Unmarshal sets it to a pointer to
// the zero ID.
//
// Unmarshal doesn't use the registry of your program. To use your registry, call
// [UnmarshalWith].
func Unmarshal(data []byte, doc any) error {
	if t := reflect.TypeOf(doc); t != nil && isWhole(data) && wantsCodecs(t) {
		if p := pointerTo(doc); p != nil {
			return unmarshalFields(registry(), data, p)
		}
	}
	return bson.Unmarshal(data, doc) // our codecs aren't needed
}

// wantsCodecs reports whether a document of type t, a pointer or a map, has fields that
// can hold IDs, and is decoded field by field.
func wantsCodecs(t reflect.Type) bool {
	if wants, ok := wanting.Load(t); ok {
		return wants.(bool)
	}
	wants := holdsIDs(t, map[reflect.Type]bool{}) && hasFields(registry(), t)
	wanting.Store(t, wants)
	return wants
}

var wanting sync.Map // reflect.Type to bool

// UnmarshalWith is [Unmarshal] with the codecs of reg, which is often the registry of the
// client.
func UnmarshalWith(reg *bson.Registry, data []byte, doc any) error {
	if reg == nil {
		return fmt.Errorf("bsoncodec.UnmarshalWith(nil, %d bytes, %T): %w", len(data), doc, bson.ErrNilRegistry)
	}
	if !isWhole(data) {
		return bson.Unmarshal(data, doc) // an error for every doc
	}
	if t := reflect.TypeOf(doc); t != nil && hasFields(reg, t) {
		if p := pointerTo(doc); p != nil {
			return unmarshalFields(reg, data, p)
		}
	}
	decoder := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
	decoder.SetRegistry(reg)
	return decoder.Decode(doc)
}

// isWhole reports whether data is as long as the document in it.
func isWhole(data []byte) bool {
	return len(data) >= 5 && int64(binary.LittleEndian.Uint32(data)) == int64(len(data))
}

// unmarshalFields decodes data as if it were a field. This takes less time than a
// Decoder, whose data need not be in memory.
func unmarshalFields(reg *bson.Registry, data []byte, p any) error {
	return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}.UnmarshalWithRegistry(reg, p)
}

// pointerTo returns doc, or a pointer to it if doc is a map. It returns nil if doc is nil.
func pointerTo(doc any) any {
	val := reflect.ValueOf(doc)
	switch {
	case val.IsNil():
		return nil
	case val.Kind() == reflect.Pointer:
		return doc
	}
	p := reflect.New(val.Type())
	p.Elem().Set(val)
	return p.Interface()
}

// hasFields reports whether reg decodes the fields of a document of type t, a pointer or
// a map, one by one. Another way to decode it may depend on whether it is a whole document
// or a field.
func hasFields(reg *bson.Registry, t reflect.Type) bool {
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Map {
		return false
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Map:
		return sameDecoder(reg, t, reflect.TypeFor[map[string]struct{}]())
	case reflect.Struct:
		if sameDecoder(reg, t, document.AnyStruct) {
			return true
		}
		return documents.Of(t) == document.Document && !reflect.PointerTo(t).Implements(reflect.TypeFor[bson.Unmarshaler]())
	}
	return t == reflect.TypeFor[bson.D]()
}

// documents knows the structs that embed an ID and are documents.
var documents = document.Shapes{Methods: methods}

// sameDecoder reports whether reg decodes both types in the same way.
func sameDecoder(reg *bson.Registry, a, b reflect.Type) bool {
	x, errX := reg.LookupDecoder(a)
	y, errY := reg.LookupDecoder(b)
	return errX == nil && errY == nil && reflect.TypeOf(x).Comparable() && x == y
}

// holdsIDs reports whether a value of type t can hold IDs. It looks at no type twice.
func holdsIDs(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true // it may hold a pointer to an ID
	case reflect.Array:
		return document.IsID(t) || holdsIDs(t.Elem(), seen)
	case reflect.Map:
		return holdsIDs(t.Key(), seen) || holdsIDs(t.Elem(), seen)
	case reflect.Pointer, reflect.Slice:
		return holdsIDs(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsIDs(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
