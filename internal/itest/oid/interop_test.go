// Package interop holds the methods of the IDs against the interfaces of the drivers
// and frameworks that call them, none of which the library imports for it.
package oid_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/labstack/echo/v4"
	bsonv1 "go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// encoders are what every form of an ID must be to be written.
type encoders interface {
	bson.ValueMarshaler
	bson.Zeroer
	bsonv1.Proxy
}

type typed = oid.For[struct{}]

var (
	_ = []encoders{oid.ID{}, typed{}, sqltype.Hex{}, sqltype.ZeroNull{}, jsonx.Extended{}}
	_ = []bson.ValueUnmarshaler{
		(*oid.ID)(nil), (*typed)(nil), (*sqltype.Hex)(nil), (*sqltype.ZeroNull)(nil), (*jsonx.Extended)(nil),
	}
	_ = []pgtype.BytesValuer{oid.ID{}, typed{}, sqltype.Hex{}, sqltype.ZeroNull{}}
	_ = []pgtype.BytesScanner{(*oid.ID)(nil), (*typed)(nil), (*sqltype.Hex)(nil), (*sqltype.ZeroNull)(nil)}
	_ = []echo.BindUnmarshaler{(*oid.ID)(nil), (*typed)(nil)}
)

// An ID must not be a document: with these, driver v2 would encode and decode every ID
// as one.
func TestAnIDIsNoDocument(t *testing.T) {
	for _, v := range []any{new(oid.ID), new(typed), new(sqltype.Hex), new(sqltype.ZeroNull), new(jsonx.Extended)} {
		if _, ok := v.(bson.Marshaler); ok {
			t.Errorf("%T has MarshalBSON", v)
		}
		if _, ok := v.(bson.Unmarshaler); ok {
			t.Errorf("%T has UnmarshalBSON", v)
		}
	}
}
