package bsoncodec

import (
	"errors"
	"reflect"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// writeRaw writes an encoded value.
func writeRaw(ec bson.EncodeContext, vw bson.ValueWriter, raw bson.RawValue) error {
	encoder, err := ec.LookupEncoder(reflect.TypeOf(raw))
	if err != nil {
		return err
	}
	return encoder.EncodeValue(ec, vw, reflect.ValueOf(raw))
}

// readRaw reads a value without decoding it.
func readRaw(dc bson.DecodeContext, vr bson.ValueReader) (raw bson.RawValue, err error) {
	decoder, err := dc.LookupDecoder(reflect.TypeOf(raw))
	if err != nil {
		return raw, err
	}
	err = decoder.DecodeValue(dc, vr, reflect.ValueOf(&raw).Elem())
	return raw, err
}

// decode decodes an array into the slice val. It reads the array in one piece if the
// bytes are there, and otherwise ID by ID. If the array has elements that aren't
// ObjectIds, the driver decodes it.
func (c *sliceCodec) decode(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	array, inMemory := ahead(vr)
	switch {
	case !inMemory:
		ids := lists.Get().(*[]oid.ID)
		defer keep(&lists, ids)
		*ids = (*ids)[:0]
		return c.decodeStream(dc, vr, val, ids)
	case array == nil:
		buf := arrays.Get().(*[]byte)
		defer keep(&arrays, buf)
		var err error
		if *buf, err = readArray(dc, vr, (*buf)[:0]); err != nil {
			return err
		}
		return c.decodeArray(dc, *buf, val)
	}
	n, ok := document.Count(array)
	if !ok {
		return c.decodeElements(dc, vr, val)
	}
	document.CopyArray(sized(val, n), array)
	return vr.Skip()
}

// readArray appends the bytes of an array to buf.
func readArray(dc bson.DecodeContext, vr bson.ValueReader, buf bson.Raw) ([]byte, error) {
	decoder, err := dc.LookupDecoder(reflect.TypeOf(buf))
	if err != nil {
		return buf, err
	}
	err = decoder.DecodeValue(dc, vr, reflect.ValueOf(&buf).Elem())
	return buf, err
}

// lists holds buffers for IDs that were read one by one.
var lists = sync.Pool{New: func() any { return new([]oid.ID) }}

// decodeStream decodes an array into the slice val. It reads the IDs one by one, through
// ids. The driver can read an array in one piece, but it then allocates the length that
// the array says, before it knows that the stream has so many bytes.
func (c *sliceCodec) decodeStream(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value, ids *[]oid.ID) error {
	array, err := vr.ReadArray()
	if err != nil {
		return err
	}
	for {
		value, err := array.ReadValue()
		if errors.Is(err, bson.ErrEOA) {
			copy(sized(val, len(*ids)), *ids)
			return nil
		}
		if err != nil {
			return err
		}
		if value.Type() != bson.TypeObjectID {
			return c.decodeElements(dc, &replay{array: array, ids: *ids, next: value}, val)
		}
		id, err := value.ReadObjectID()
		if err != nil {
			return c.decodeElements(dc, &replay{array: array, ids: *ids, err: err}, val)
		}
		*ids = append(*ids, oid.ID(id))
	}
}

// decodeElements decodes an array into the slice val with the codec of the driver, which
// reads other types too, and makes errors that have the index of the element.
func (c *sliceCodec) decodeElements(dc bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	var ids []element
	if err := c.decoder.DecodeValue(dc, vr, reflect.ValueOf(&ids).Elem()); err != nil {
		return err
	}
	copy(sized(val, len(ids)), document.IDs(reflect.ValueOf(ids)))
	return nil
}

// replay is a reader of an array of which the first IDs were read before. It is also the
// reader of each of those IDs. An ID that can't be read comes after them, or next, or
// neither.
type replay struct {
	bson.ValueReader
	array bson.ArrayReader
	open  bool // the array has been entered
	ids   []oid.ID
	err   error            // from reading the ID after ids
	next  bson.ValueReader // the value after ids
}

func (r *replay) Type() bson.Type {
	if !r.open {
		return bson.TypeArray
	}
	return bson.TypeObjectID
}

func (r *replay) ReadArray() (bson.ArrayReader, error) {
	r.open = true
	return r, nil
}

func (r *replay) ReadValue() (bson.ValueReader, error) {
	if len(r.ids) > 0 || r.err != nil {
		return r, nil
	}
	if next := r.next; next != nil {
		r.next = nil
		return next, nil
	}
	return r.array.ReadValue()
}

func (r *replay) ReadObjectID() (bson.ObjectID, error) {
	if len(r.ids) == 0 {
		return bson.ObjectID{}, r.err
	}
	id := r.ids[0]
	r.ids = r.ids[1:]
	return bson.ObjectID(id), nil
}

// failure is a value that can't be encoded.
type failure struct{ err error }

func (f failure) MarshalBSONValue() (byte, []byte, error) { return 0, nil, f.err }
