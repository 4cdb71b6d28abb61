package bsoncodec

import (
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// binaryAccepted marks the registries of AcceptBinary, and stringsRefused those of
// RefuseStrings.
type (
	binaryAccepted struct{ bson.ValueDecoder }
	stringsRefused struct{ bson.ValueDecoder }
)

// mark marks reg: it makes a T the decoder of its own type. Nobody else can name the
// type, and so nothing is decoded to it.
func mark[T bson.ValueDecoder](reg *bson.Registry) {
	var t T
	reg.RegisterTypeDecoder(reflect.TypeFor[T](), t)
}

// marked reports whether mark has marked the registry.
func marked[T bson.ValueDecoder](dc bson.DecodeContext) bool {
	decoder, _ := dc.LookupDecoder(reflect.TypeFor[T]())
	_, ok := decoder.(T)
	return ok
}
