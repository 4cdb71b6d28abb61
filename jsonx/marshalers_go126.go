//go:build goexperiment.jsonv2 && !go1.27

// Go 1.26 and before, with GOEXPERIMENT=jsonv2, has json.SkipFunc where Go 1.27 has
// errors.ErrUnsupported. Otherwise this file is the same as marshalers.go. One file
// can't serve both: a file may use new names of Go 1.27 only if it is only for Go 1.27.

package jsonx

import (
	"encoding/json/jsontext"
	"encoding/json/v2"

	"github.com/oidkit/oidkit/oid"
)

// Marshalers makes encoding/json/v2 write every [oid.ID] and every [oid.For] as
// Extended JSON:
//
//	json.Marshal(doc, json.WithMarshalers(jsonx.Marshalers()))
//
// This includes IDs behind pointers, and IDs in slices, arrays and map values. A map key is
// still written as 24 hex digits. A struct that embeds an ID next to other fields, or embeds
// a pointer to an ID, is also written as 24 hex digits. Its other fields are lost.
func Marshalers() *json.Marshalers {
	return json.JoinMarshalers(
		json.MarshalToFunc(func(enc *jsontext.Encoder, id oid.ID) error { return write(enc, id) }),
		json.MarshalToFunc(func(enc *jsontext.Encoder, v methods) error {
			id := idOf(v)
			if id == nil {
				return json.SkipFunc
			}
			return write(enc, *id)
		}),
	)
}

// Unmarshalers makes encoding/json/v2 read every [oid.ID] and [oid.For] from Extended JSON
// or from hex digits, as an [Extended] is read. Null is read as the zero ID, and for a
// pointer as nil.
//
//	json.Unmarshal(data, &doc, json.WithUnmarshalers(jsonx.Unmarshalers()))
func Unmarshalers() *json.Unmarshalers {
	return json.JoinUnmarshalers(
		json.UnmarshalFromFunc(read),
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v methods) error {
			id := idOf(v)
			if id == nil {
				return json.SkipFunc
			}
			return read(dec, id)
		}),
	)
}

func write(enc *jsontext.Encoder, id oid.ID) error {
	if isName(enc.StackIndex(enc.StackDepth())) {
		return json.SkipFunc
	}
	return enc.WriteValue(appendExtended(enc.AvailableBuffer(), id))
}

func read(dec *jsontext.Decoder, id *oid.ID) error {
	if isName(dec.StackIndex(dec.StackDepth())) {
		return json.SkipFunc
	}
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() == 'n' {
		*id = oid.ID{}
		return nil
	}
	return (*Extended)(id).UnmarshalJSON(value)
}

// isName reports whether the next token is the name of an object's member. It is if
// the object has as many names as values so far.
func isName(kind jsontext.Kind, n int64) bool { return kind == '{' && n%2 == 0 }

// MarshalJSONTo writes id as {"$oid":"…"}. If id is the key of a map, MarshalJSONTo
// writes its hex digits. Without this method, encoding/json/v2 would call MarshalJSON for
// the keys of maps.
func (id Extended) MarshalJSONTo(enc *jsontext.Encoder) error {
	if isName(enc.StackIndex(enc.StackDepth())) {
		return enc.WriteToken(jsontext.String(id.String()))
	}
	return enc.WriteValue(appendExtended(enc.AvailableBuffer(), oid.ID(id)))
}
