package bsoncodec

import (
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// decodeArray decodes the bytes of an array into the slice val.
func decodeArray(dc bson.DecodeContext, array []byte, val reflect.Value) error {
	n, ok := document.Count(array)
	if !ok {
		// The array is broken, or has elements that are not ObjectIds. The driver
		// decodes its elements one by one.
		var ids []element
		if err := (bson.RawValue{Type: bson.TypeArray, Value: array}).UnmarshalWithRegistry(dc.Registry, &ids); err != nil {
			return err
		}
		copy(sized(val, len(ids)), document.IDs(reflect.ValueOf(ids)))
		return nil
	}
	document.CopyArray(sized(val, n), array)
	return nil
}

// element is an ID in a list that has no codec of its own.
type element [12]byte

// sized makes the slice val n elements long, and returns its elements. It keeps val's
// memory if that is large enough.
func sized(val reflect.Value, n int) []oid.ID {
	if val.IsNil() || val.Cap() < n {
		val.Set(reflect.MakeSlice(val.Type(), n, n))
	}
	val.SetLen(n)
	return document.IDs(val)
}

// arrays holds buffers for encoded arrays. Writers and decoders copy the bytes, so a
// buffer can be used again.
var arrays = sync.Pool{New: func() any { return new([]byte) }}

// keep puts a buffer back into its pool, unless it is large.
func keep[T any](pool *sync.Pool, buf *[]T) {
	if cap(*buf) <= maxKept {
		pool.Put(buf)
	}
}

const maxKept = 64 << 10
