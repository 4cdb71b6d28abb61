package bsoncodec

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// A list of IDs can be read in one piece if the driver's reader reads from memory, and a
// Binary can be read to name it in an error. From a stream, the driver would allocate the
// length that the value claims, before it looks for the bytes. A reader doesn't say where
// it reads from. But a bson.RawValue is in memory, so each reader that the driver makes
// for one reads from memory. UnmarshalWith decodes a bson.RawValue, and this file
// remembers its reader until the document is decoded.

// inMemory holds the addresses of readers that read from memory, each at an index that depends
// on the address. If this index is taken, the reader isn't remembered.
var inMemory [64]atomic.Uintptr

// place returns the address of vr, and its place. The address is 0 if vr is not a pointer.
func place(vr bson.ValueReader) (address uintptr, place *atomic.Uintptr) {
	if v := reflect.ValueOf(vr); v.Kind() == reflect.Pointer {
		address = v.Pointer()
	}
	return address, &inMemory[uint64(address)*0x9e3779b97f4a7c15>>58]
}

// isInMemory reports whether vr is known to read from memory.
func isInMemory(dc bson.DecodeContext, vr bson.ValueReader) bool {
	if marked[alwaysInMemory](dc) {
		return true
	}
	address, place := place(vr)
	return address != 0 && place.Load() == address
}

// decodeInMemory decodes raw, a document or an array, into the value that p points to.
func decodeInMemory(reg *bson.Registry, raw bson.RawValue, p any) error {
	var err error
	if reg == defaultRegistry() {
		err = raw.UnmarshalWithRegistry(memoryRegistry(), p)
	} else {
		t := targets.Get().(*target)
		t.reg, t.p = reg, p
		err = raw.UnmarshalWithRegistry(targetRegistry(), t)
		*t = target{}
		targets.Put(t)
	}
	if errors.Is(err, errBrokenList) {
		return raw.UnmarshalWithRegistry(reg, p)
	}
	return err
}

// memoryRegistry returns a copy of the registry of Unmarshal. The copy is used only for values
// in memory, so inMemory need not hold the address of the reader.
var memoryRegistry = sync.OnceValue(func() *bson.Registry {
	reg := NewRegistry()
	mark[alwaysInMemory](reg)
	return reg
})

// alwaysInMemory marks the registry that decodes only values in memory.
type alwaysInMemory struct{ bson.ValueDecoder }

// errBrokenList stops the decoding of a document that ends within a list. The document is
// then decoded again, ID by ID, so that the error names the index, as the driver's error does.
var errBrokenList = errors.New("bsoncodec: a list is longer than its document")

// A target is what a document is decoded into. Its decoder learns which reader the
// driver has made.
type target struct {
	reg *bson.Registry
	p   any
}

var targets = sync.Pool{New: func() any { return new(target) }}

// targetRegistry returns the registry that decodes a target.
var targetRegistry = sync.OnceValue(func() *bson.Registry {
	reg := bson.NewRegistry()
	reg.RegisterTypeDecoder(reflect.TypeFor[target](), bson.ValueDecoderFunc(decodeTarget))
	return reg
})

func decodeTarget(_ bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	t := val.Addr().Interface().(*target)
	into := reflect.ValueOf(t.p).Elem()
	decoder, err := t.reg.LookupDecoder(into.Type())
	if err != nil {
		return err
	}
	if address, place := place(vr); place.CompareAndSwap(0, address) {
		defer place.Store(0)
	}
	return decoder.DecodeValue(bson.DecodeContext{Registry: t.reg}, vr, into)
}
