//go:build go1.27 && goexperiment.jsonv2

package oid

import "encoding/json/jsontext"

// MarshalJSONTo writes the 24 hex digits of id as a JSON string. Package encoding/json/v2
// calls MarshalJSONTo instead of MarshalJSON. MarshalJSONTo allocates nothing, and takes
// less time than MarshalJSON (BenchmarkJSONv2). ID has no method UnmarshalJSONFrom,
// because such a method took more time than UnmarshalJSON.
func (id ID) MarshalJSONTo(enc *jsontext.Encoder) error {
	var b [textSize + 2]byte
	b[0], b[textSize+1] = '"', '"'
	encodeHex((*[textSize]byte)(b[1:]), &id)
	return enc.WriteValue(b[:])
}

// MarshalJSONTo writes the 24 hex digits of id as a JSON string.
func (id For[T]) MarshalJSONTo(enc *jsontext.Encoder) error { return ID(id).MarshalJSONTo(enc) }
