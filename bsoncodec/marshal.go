package bsoncodec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
)

// defaultRegistry returns the registry of Marshal and Unmarshal.
var defaultRegistry = sync.OnceValue(NewRegistry)

// Marshal is bson.Marshal with the registry of [NewRegistry]. Marshal writes a struct that
// embeds an ID as a document, as [Register] explains. bson.Marshal writes only the ID of such
// a struct, or returns an error. For other values, Marshal returns the same bytes as
// bson.Marshal, and returns an error where bson.Marshal does. If doc is not a document, the
// texts of the errors can differ. For documents with IDs, Marshal takes less time than
// bson.Marshal, because bson.Marshal calls the methods of the IDs.
//
// Marshal doesn't use the codecs that a program adds to its own registry with
// [RegisterFor] or [RegisterHex]. If your program calls one of these functions, call
// [MarshalWith] with this registry instead of Marshal.
func Marshal(doc any) ([]byte, error) { return MarshalWith(defaultRegistry(), doc) }

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
	e := idle.Get().(*idleEncoder)
	e.SetRegistry(reg)
	if err := e.Encode(doc); err != nil {
		return nil, err // e holds part of a document, so it isn't used again
	}
	data := e.out
	e.out = nil
	// An encoder keeps as much memory as its largest document took.
	e.largest = max(e.largest, len(data))
	if e.largest <= maxKept || e.largest/2 <= len(data) {
		idle.Put(e)
	}
	return data, nil
}

// An idleEncoder has finished its last document.
type idleEncoder struct {
	*bson.Encoder
	out     []byte // the document that it has written
	largest int    // the length of the largest one
}

var idle = sync.Pool{New: func() any {
	e := new(idleEncoder)
	e.Encoder = bson.NewEncoder(bson.NewDocumentWriter(e))
	return e
}}

func (e *idleEncoder) Write(p []byte) (int, error) {
	e.out = append(e.out, p...)
	return len(p), nil
}

// Unmarshal is bson.Unmarshal with the registry of [NewRegistry]. If doc holds IDs,
// Unmarshal takes less time than bson.Unmarshal. Both accept the same data and give the
// same values, with three exceptions. Unmarshal decodes an ObjectId in an any to an
// oid.ID. Only Unmarshal reads a document into a struct that embeds an ID. For BSON
// undefined, Unmarshal sets a *oid.ID to nil. bson.Unmarshal makes it point to a zero ID.
//
// Unmarshal doesn't use the registry of your program. To use your registry, call
// [UnmarshalWith].
func Unmarshal(data []byte, doc any) error {
	t := reflect.TypeOf(doc)
	if t == nil || !contentsOf(t).ids {
		return bson.Unmarshal(data, doc) // our codecs aren't needed
	}
	return unmarshal(defaultRegistry(), data, doc, contentsOf(t).fields)
}

// UnmarshalWith is [Unmarshal] with the codecs of reg, which is often the registry of the
// client. UnmarshalWith ignores the client's BSONOptions. UnmarshalWith decodes a long list of
// IDs in a fraction of the time that cursor.Decode needs, because cursor.Decode reads the list
// from a stream. Pass the bytes of the document that the cursor holds:
//
//	err := bsoncodec.UnmarshalWith(reg, cursor.Current, &doc) // in place of cursor.Decode(&doc)
func UnmarshalWith(reg *bson.Registry, data []byte, doc any) error {
	if reg == nil {
		return fmt.Errorf("bsoncodec.UnmarshalWith(nil, %d bytes, %T): %w", len(data), doc, bson.ErrNilRegistry)
	}
	t := reflect.TypeOf(doc)
	return unmarshal(reg, data, doc, t != nil && hasFields(reg, t))
}

// unmarshal does the work of UnmarshalWith. The argument fields is the result of hasFields.
func unmarshal(reg *bson.Registry, data []byte, doc any, fields bool) error {
	if _, ok := doc.(bson.Unmarshaler); ok || !isWhole(data) {
		return bson.Unmarshal(data, doc) // it needs no registry, or is an error for every doc
	}
	if fields && !reflect.ValueOf(doc).IsNil() {
		return unmarshalFields(reg, data, pointerTo(doc), contentsOf(reflect.TypeOf(doc)).lists)
	}
	decoder := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
	decoder.SetRegistry(reg)
	return decoder.Decode(doc)
}

// unmarshalFields decodes data as if it were a field. This takes less time than a
// Decoder, whose data need not be in memory. It takes some time to tell the codecs that
// the data is in memory, so they learn it only where they gain by it.
func unmarshalFields(reg *bson.Registry, data []byte, p any, lists bool) error {
	raw := bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}
	if !lists {
		if err := raw.UnmarshalWithRegistry(reg, p); !errors.Is(err, errUnread) {
			return err
		}
	}
	return decodeInMemory(reg, raw, p)
}

// isWhole reports whether data is as long as the document in it.
func isWhole(data []byte) bool {
	return len(data) >= 5 && int64(binary.LittleEndian.Uint32(data)) == int64(len(data))
}

// pointerTo returns doc, or a pointer to it if doc is a map.
func pointerTo(doc any) any {
	val := reflect.ValueOf(doc)
	if val.Kind() == reflect.Pointer {
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

// contents says what a value of a type can hold, and what hasFields reports for the type
// and the registry of Unmarshal.
type contents struct{ ids, lists, fields bool }

// contentsOf returns the contents of type t.
func contentsOf(t reflect.Type) contents {
	if c, ok := known.Load(t); ok {
		return c.(contents)
	}
	var c contents
	c.add(t, map[reflect.Type]bool{})
	c.fields = hasFields(defaultRegistry(), t) || t == reflect.TypeFor[*any]() // becomes a bson.D
	known.Store(t, c)
	return c
}

var known sync.Map // reflect.Type to contents

// add adds the contents of type t. It looks at no type twice.
func (c *contents) add(t reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		c.ids = true // it may hold a pointer to an ID
	case reflect.Array:
		c.ids = c.ids || document.Is12Bytes(t)
		c.add(t.Elem(), seen)
	case reflect.Map:
		c.add(t.Key(), seen)
		c.add(t.Elem(), seen)
	case reflect.Slice:
		c.lists = c.lists || document.Is12Bytes(t.Elem())
		c.add(t.Elem(), seen)
	case reflect.Pointer:
		c.add(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			c.add(t.Field(i).Type, seen)
		}
	}
}
