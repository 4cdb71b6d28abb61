package bsoncodec

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// A list of IDs is read in one piece if all of its bytes are in memory. The driver's
// reader has a method for that, but it allocates the length that the list claims before
// it looks for the bytes: a document of 30 bytes makes it allocate 2 GiB. How many bytes
// are in memory is in private fields of the reader. This file reads them. Its rules are:
//
//   - It writes to no private field, and calls no private method.
//   - It doesn't import package unsafe. The type of each field is compared before the
//     field is read, so a reader with other fields can't be misread as memory of another type.
//   - It finds fields by their types, and trusts them only after a test: viewOf decodes a
//     known document once, and compares what it sees with the bytes of the lists in it.
//   - If anything differs, such as in another version of the driver, nothing is read ahead.
//     Lists are then read ID by ID, with the same results in more time.
//     TestListsAreTheSameWithoutReadingAhead compares the two ways.
//   - What is read ahead is only believed if it is a whole, valid array of ObjectIds. All
//     else is left to the driver.
//
// TestListsInMemoryAreReadInOnePiece fails with a driver whose reader has changed.

// ahead returns the array that vr reads next, if it is in memory. It doesn't advance vr.
// If the array is in memory in several pieces, it returns nil and true.
func ahead(vr bson.ValueReader) (array []byte, inMemory bool) {
	if view := viewOf(); view.reader == reflect.TypeOf(vr) {
		return view.array(vr)
	}
	return nil, false
}

// viewOf returns the view of the driver's reader, or an empty one if that is different.
var viewOf = sync.OnceValue(func() *readerView {
	view := new(readerView)
	seen := 0
	array := document.AppendArray(nil, []oid.ID{{1}, {2}})
	reg := bson.NewRegistry()
	reg.RegisterTypeDecoder(reflect.TypeFor[probe](), bson.ValueDecoderFunc(func(_ bson.DecodeContext, vr bson.ValueReader, _ reflect.Value) error {
		if view.learn(vr) {
			if got, _ := view.array(vr); bytes.Equal(got, array) {
				seen++
			}
		}
		return vr.Skip()
	}))
	inner := bson.D{{Key: "before", Value: "it"}, {Key: "list", Value: bson.RawValue{Type: bson.TypeArray, Value: array}}}
	data, err := bson.Marshal(bson.D{inner[0], inner[1], {Key: "inner", Value: inner}})
	var doc struct {
		List  probe
		Inner struct{ List probe }
	}
	stream := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
	stream.SetRegistry(reg)
	memory := bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}
	if errors.Join(err, stream.Decode(&doc), memory.UnmarshalWithRegistry(reg, &doc)) != nil || seen != 4 { // two lists, read twice
		return new(readerView)
	}
	return view
})

// probe is decoded by viewOf.
type probe struct{}

// A readerView knows where the driver's reader of BSON has its bytes.
type readerView struct {
	reader reflect.Type // a pointer to the struct
	source int          // the field of it that holds a pointer to one of the two below

	stream   reflect.Type // reads from an io.Reader
	buffer   int          // the field of it that is a *bufio.Reader
	below    int          // the field of a bufio.Reader that is an io.Reader
	memory   reflect.Type // reads from a []byte
	data     int          // the field of it that is the []byte
	position int          // the field of it that is the number of bytes read
}

// learn looks at the types of vr and its source. It reports false if they are not as
// expected.
func (v *readerView) learn(vr bson.ValueReader) (ok bool) {
	v.reader = reflect.TypeOf(vr)
	if v.source, ok = only(v.reader, func(t reflect.Type) bool { return t.Kind() == reflect.Interface }); !ok {
		return false
	}
	field := reflect.ValueOf(vr).Elem().Field(v.source)
	if field.IsNil() {
		return false
	}
	source := field.Elem().Type()
	if v.buffer, ok = only(source, is[*bufio.Reader]); ok {
		v.stream = source
		v.below, ok = only(reflect.TypeFor[*bufio.Reader](), is[io.Reader])
		return ok
	}
	v.memory = source
	if v.data, ok = only(source, is[[]byte]); !ok {
		return false
	}
	v.position, ok = only(source, is[int64])
	return ok
}

// only returns the index of the field that is wanted, in the struct that the type
// pointer points to. It reports false if not exactly one is.
func only(pointer reflect.Type, wanted func(reflect.Type) bool) (index int, ok bool) {
	if pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		return 0, false
	}
	n := 0
	for i := range pointer.Elem().NumField() {
		if wanted(pointer.Elem().Field(i).Type) {
			index, n = i, n+1
		}
	}
	return index, n == 1
}

func is[T any](t reflect.Type) bool { return t == reflect.TypeFor[T]() }

// array does the work of ahead.
func (v *readerView) array(vr bson.ValueReader) (array []byte, inMemory bool) {
	source := reflect.ValueOf(vr).Elem().Field(v.source).Elem()
	switch source.Type() {
	case v.memory:
		source = source.Elem()
		data, position := source.Field(v.data).Bytes(), source.Field(v.position).Int()
		data = data[min(max(position, 0), int64(len(data))):]
		if size := lengthOf(data); size <= len(data) {
			return data[:size], true
		}
	case v.stream:
		r := private[bufio.Reader](source.Elem().Field(v.buffer))
		head, err := r.Peek(4)
		if err != nil {
			return nil, false
		}
		size := lengthOf(head)
		if size <= r.Size() {
			array, err = r.Peek(size)
			return array, err == nil
		}
		return nil, size <= r.Buffered()+v.left(r)
	}
	return nil, false
}

// left returns how many bytes are in memory below r.
func (v *readerView) left(r *bufio.Reader) int {
	switch below := reflect.ValueOf(r).Elem().Field(v.below).Elem(); below.Type() {
	case reflect.TypeFor[*bytes.Reader](): // a client decodes its results from these
		return private[bytes.Reader](below).Len()
	case reflect.TypeFor[*bytes.Buffer]():
		return private[bytes.Buffer](below).Len()
	}
	return 0
}

// private returns p, a pointer to a T in a private field.
func private[T any](p reflect.Value) *T {
	pointer, _ := reflect.TypeAssert[*T](reflect.NewAt(reflect.TypeFor[T](), p.UnsafePointer()))
	return pointer
}

// lengthOf returns the length that the array at the start of data says. If it says none,
// the result is greater than the length of any slice that holds an array.
func lengthOf(data []byte) int {
	if len(data) < 4 {
		return math.MaxInt32
	}
	return int(min(binary.LittleEndian.Uint32(data), math.MaxInt32))
}
