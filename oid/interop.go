package oid

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
)

// Drivers and frameworks look for the methods in this file. The signatures have
// built-in types only, so this package imports no driver.

// The BSON types that an ID is read from, and Binary. Binary is an error in this package,
// but package bsoncodec can accept it.
const (
	bsonString    = 0x02
	bsonBinary    = 0x05
	bsonUndefined = 0x06
	bsonObjectID  = 0x07
	bsonNull      = 0x0a
)

// MarshalBSONValue returns id as a BSON ObjectId, type 0x07. The zero ID is written as an
// ObjectId of zero bytes, not as null. MarshalBSONValue implements bson.ValueMarshaler of
// MongoDB's Go driver v2. The error is always nil.
func (id ID) MarshalBSONValue() (typ byte, data []byte, err error) {
	return bsonObjectID, id[:], nil
}

// UnmarshalBSONValue reads a BSON ObjectId or a string of 24 hex digits. BSON null and
// undefined decode to the zero ID. UnmarshalBSONValue implements bson.ValueUnmarshaler of
// MongoDB's Go driver v2.
func (id *ID) UnmarshalBSONValue(typ byte, data []byte) error {
	var parsed ID
	ok := false
	switch typ {
	case bsonObjectID:
		if ok = len(data) == size; ok {
			parsed = ID(data)
		}
	case bsonNull, bsonUndefined:
		ok = len(data) == 0
	case bsonString:
		if text, whole := bsonText(data); whole && len(text) == textSize {
			parsed, ok = decodeHex(text)
		}
	}
	if !ok {
		return errBSON(typ, data)
	}
	*id = parsed
	return nil
}

// bsonText returns the text of a BSON string. The length before it includes the NUL after
// it.
func bsonText(data []byte) (text []byte, ok bool) {
	if len(data) < 4+1 || int64(binary.LittleEndian.Uint32(data)) != int64(len(data)-4) || data[len(data)-1] != 0 {
		return nil, false
	}
	return data[4 : len(data)-1], true
}

// errBSON returns the error for a value that UnmarshalBSONValue doesn't read.
func errBSON(typ byte, data []byte) error {
	err := &SyntaxError{
		Call:    fmt.Sprintf("oid.ID.UnmarshalBSONValue(type 0x%02x, %d bytes)", typ, len(data)),
		Problem: "want an ObjectId of 12 bytes, a string of 24 hex digits, or null",
	}
	text, whole := bsonText(data)
	switch name := bsonName(typ); {
	case typ == bsonString && whole:
		err.Problem = "a string: " + textProblem(text)
	case typ == bsonBinary && len(data) == 4+1+size && data[4] == 0: // the length and the subtype are first
		err.Problem = "a Binary of 12 bytes, " + err.Problem
		return fmt.Errorf("%w; to read it, use a registry of bsoncodec.NewRegistry and call bsoncodec.AcceptBinary", err)
	case typ == bsonBinary && len(data) == 4+1+16 && (data[4] == 3 || data[4] == 4):
		err.Problem = "a UUID of 16 bytes, " + err.Problem
	case name != "":
		err.Problem = name + ", " + err.Problem
	}
	return err
}

// bsonName names a BSON type from which no ID is read. Other types have no name.
func bsonName(typ byte) string {
	switch typ {
	case 0x01:
		return "a double"
	case 0x03:
		return "a document"
	case 0x04:
		return "an array"
	case bsonBinary:
		return "a Binary"
	case 0x08:
		return "a boolean"
	case 0x09:
		return "a date"
	case 0x0b:
		return "a regular expression"
	case 0x0c:
		return "a DBPointer"
	case 0x0d, 0x0f:
		return "JavaScript"
	case 0x0e:
		return "a symbol"
	case 0x10:
		return "a 32-bit integer"
	case 0x11:
		return "a timestamp"
	case 0x12:
		return "a 64-bit integer"
	case 0x13:
		return "a Decimal128"
	case 0x7f:
		return "MaxKey"
	case 0xff:
		return "MinKey"
	}
	return ""
}

// proxyBSON converts an ID for driver v1. It is nil unless mongov1 is linked.
var proxyBSON atomic.Pointer[func([12]byte) any]

// ProxyBSON returns a value that MongoDB's Go driver v1 writes as an ObjectId, if the
// program imports github.com/oidkit/oidkit/bsoncodec/mongov1. Without this import,
// ProxyBSON returns an error that says to import mongov1. Without the method ProxyBSON,
// driver v1 would store an ID as Binary, and return no error. ID has no method that
// encodes an ID for driver v1 directly, because the signature of such a method needs
// types of driver v1.
func (id ID) ProxyBSON() (any, error) {
	if convert := proxyBSON.Load(); convert != nil {
		return (*convert)([12]byte(id)), nil
	}
	return nil, errors.New(`oid.ID.ProxyBSON: MongoDB's Go driver v1 would store the ID as Binary: ` +
		`add import _ "github.com/oidkit/oidkit/bsoncodec/mongov1"`)
}

// SetProxyBSON is only for package mongov1, which calls it at import. Don't call
// SetProxyBSON in a program. SetProxyBSON makes [ID.ProxyBSON] return convert(id), a
// value that MongoDB's Go driver v1 writes as an ObjectId.
//
// The signature of SetProxyBSON has only built-in types, and will not change. Each
// release of mongov1 therefore works with every later release of package oid.
func SetProxyBSON(convert func(id [12]byte) any) { proxyBSON.Store(&convert) }

// BytesValue returns the 12 bytes of id. BytesValue implements pgtype.BytesValuer of pgx
// v5, so pgx can write IDs to bytea columns even if the program doesn't use package
// pgxoid. The error is always nil.
func (id ID) BytesValue() ([]byte, error) { return id[:], nil }

// ScanBytes reads an ID from src, in the forms that [ID.Scan] accepts. ScanBytes copies
// src, because pgx reuses src. ScanBytes implements pgtype.BytesScanner of pgx v5, with
// which pgx reads bytea, text and character columns. NULL, which pgx passes as nil, is
// an error.
func (id *ID) ScanBytes(src []byte) error {
	if src == nil {
		return errNull("oid.ID.ScanBytes(nil)")
	}
	return id.scan("oid.ID.ScanBytes", src)
}

// UnmarshalParam reads 24 hex digits, as [Parse] does. Gin and echo bind path, query and
// form values with UnmarshalParam.
func (id *ID) UnmarshalParam(param string) error {
	parsed, err := parseText("oid.ID.UnmarshalParam", param)
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}
