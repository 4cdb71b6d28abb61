package bsoncodec

import (
	"encoding/binary"
	"net/url"
	"reflect"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// registry returns the registry of Marshal and Unmarshal.
var registry = sync.OnceValue(NewRegistry)

// Marshal is bson.Marshal with the codecs of [Register]. It returns the same bytes, and
// an error where bson.Marshal does. An ID or a list of IDs is not a document. For these
// the text of the error differs. bson.Marshal can't use a registry, so it calls the
// methods of IDs, which takes several times as long.
func Marshal(doc any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	if err := e.Encode(doc); err != nil {
		return nil, err // e holds part of a document, so it isn't used again
	}
	data := e.out
	e.out = nil
	if len(data) <= maxKept {
		encoders.Put(e)
	}
	return data, nil
}

// encoder is an encoder that has finished its last document.
type encoder struct {
	*bson.Encoder
	out []byte // the document that it has written
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.Encoder = bson.NewEncoder(bson.NewDocumentWriter(e))
	e.SetRegistry(registry())
	return e
}}

func (e *encoder) Write(p []byte) (int, error) {
	e.out = append(e.out, p...)
	return len(p), nil
}

// Unmarshal is bson.Unmarshal with the codecs of [Register]. It gives the same values
// and errors, in less time.
func Unmarshal(data []byte, doc any) error {
	val := reflect.ValueOf(doc)
	if val.Kind() == reflect.Map && !val.IsNil() {
		p := reflect.New(val.Type())
		p.Elem().Set(val)
		doc, val = p.Interface(), p
	}
	_, own := doc.(bson.Unmarshaler)
	if own || val.Kind() != reflect.Pointer || val.IsNil() || !mayHoldIDs(val.Type().Elem()) ||
		len(data) < 5 || int64(binary.LittleEndian.Uint32(data)) != int64(len(data)) {
		return bson.Unmarshal(data, doc) // our codecs aren't needed
	}
	return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}.UnmarshalWithRegistry(registry(), doc)
}

// mayHoldIDs reports whether a value of type t can hold our IDs. It can if t is a map,
// or a struct for which the driver has no codec.
func mayHoldIDs(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return t != reflect.TypeFor[time.Time]() && t != reflect.TypeFor[url.URL]() && t.PkgPath() != reflect.TypeFor[bson.Regex]().PkgPath()
	}
	return t.Kind() == reflect.Map
}
