package document_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func TestIsID(t *testing.T) {
	type (
		local   struct{}
		defined oid.ID
		typed   oid.For[int]
		wrapper struct{ oid.ID }
	)
	for _, t1 := range []reflect.Type{reflect.TypeFor[oid.ID](), reflect.TypeFor[oid.For[int]](), reflect.TypeFor[oid.For[local]](), reflect.TypeFor[oid.For[oid.For[local]]](),
		reflect.TypeFor[jsonx.Extended](), reflect.TypeFor[sqltype.Hex](), reflect.TypeFor[sqltype.UUID](), reflect.TypeFor[sqltype.ZeroNull](), reflect.TypeFor[sqltype.ZeroNullFor[local]]()} {
		if !document.IsID(t1) {
			t.Errorf("IsID(%v) = false, want true", t1)
		}
	}
	for _, t1 := range []reflect.Type{reflect.TypeFor[defined](), reflect.TypeFor[typed](), reflect.TypeFor[wrapper](), reflect.TypeFor[[12]byte](), reflect.TypeFor[*oid.ID](),
		reflect.TypeFor[[]oid.ID](), reflect.TypeFor[[1]oid.ID](), reflect.TypeFor[string](), reflect.TypeFor[oid.Generator](), reflect.TypeFor[sqltype.Array[oid.ID]](), reflect.TypeFor[any]()} {
		if document.IsID(t1) {
			t.Errorf("IsID(%v) = true, want false", t1)
		}
	}
}

// These types have the methods of an ID in several ways.
type (
	count   int
	empty   struct{}
	flag    struct{ _ bool }
	wrapper struct{ oid.ID }
	several struct {
		oid.ID
		N int
	}
	own struct {
		oid.ID
		N int
	}
	half struct {
		oid.ID
		N int
	}
	stranger struct{}
	encoder  interface {
		MarshalBSONValue() (byte, []byte, error)
		UnmarshalBSONValue(byte, []byte) error
	}
)

func (own) MarshalBSONValue() (byte, []byte, error)      { return 0, nil, nil }
func (*own) UnmarshalBSONValue(byte, []byte) error       { return nil }
func (*half) UnmarshalBSONValue(byte, []byte) error      { return nil }
func (stranger) MarshalBSONValue() (byte, []byte, error) { return 0, nil, nil }
func (*stranger) UnmarshalBSONValue(byte, []byte) error  { return nil }

func TestShapes(t *testing.T) {
	shapes := document.Shapes{Methods: []document.Method{
		func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("MarshalBSONValue") },
		func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("UnmarshalBSONValue") },
	}}
	for _, tt := range []struct {
		of   reflect.Type
		want document.Shape
	}{
		{reflect.TypeFor[int](), document.Other},
		{reflect.TypeFor[oid.ID](), document.Other},
		{reflect.TypeFor[*wrapper](), document.Other},
		{reflect.TypeFor[empty](), document.Other},
		{reflect.TypeFor[struct{ ID oid.ID }](), document.Other},
		{reflect.TypeFor[own](), document.Other},
		{reflect.TypeFor[half](), document.Other},
		{reflect.TypeFor[struct {
			stranger
			N int
		}](), document.Other},
		{reflect.TypeFor[struct {
			encoder
			N int
		}](), document.Other},
		{reflect.TypeFor[struct { // it has no method: those of the two have the same names
			oid.ID
			oid.For[int]
		}](), document.Other},

		{reflect.TypeFor[wrapper](), document.Wrapper},
		{reflect.TypeFor[struct{ oid.For[int] }](), document.Wrapper},
		{reflect.TypeFor[struct{ wrapper }](), document.Wrapper},
		{reflect.TypeFor[struct{ sqltype.Hex }](), document.Wrapper},
		{reflect.TypeFor[struct {
			oid.ID
			n int
		}](), document.Wrapper},
		{reflect.TypeFor[struct {
			empty
			oid.ID
		}](), document.Wrapper},
		{reflect.TypeFor[struct {
			other oid.ID
			oid.ID
		}](), document.Wrapper},

		{reflect.TypeFor[several](), document.Document},
		{reflect.TypeFor[struct {
			N int
			oid.ID
		}](), document.Document},
		{reflect.TypeFor[struct{ *oid.ID }](), document.Document},
		{reflect.TypeFor[struct{ *wrapper }](), document.Document},
		{reflect.TypeFor[struct {
			oid.ID `json:"_id"`
		}](), document.Document},
		{reflect.TypeFor[struct {
			jsonx.Extended
			N int
		}](), document.Document},
		{reflect.TypeFor[struct {
			sqltype.ZeroNullFor[int]
			N int
		}](), document.Document},
		{reflect.TypeFor[struct {
			oid.ID `bson:"_id"`
		}](), document.Document},
		{reflect.TypeFor[struct{ several }](), document.Document},
		{reflect.TypeFor[struct {
			wrapper
			N int
		}](), document.Document},
		{reflect.TypeFor[struct {
			flag
			oid.ID
		}](), document.Document},
		{reflect.TypeFor[struct {
			count
			oid.ID
		}](), document.Document},
		{reflect.TypeFor[struct {
			time.Time
			oid.ID
		}](), document.Document},
	} {
		for range 2 { // found, and then remembered
			if got := shapes.Of(tt.of); got != tt.want {
				t.Errorf("Of(%v) = %d, want %d", tt.of, got, tt.want)
			}
		}
	}
}

// The drivers take a whole tag without a colon for theirs.
func TestTag(t *testing.T) {
	for _, tt := range []struct {
		tag  reflect.StructTag
		want string
		ok   bool
	}{
		{`bson:"_id,omitempty"`, "_id,omitempty", true},
		{`json:"id" bson:""`, "", true},
		{"_id,omitempty", "_id,omitempty", true},
		{`json:"_id"`, "", false},
		{"", "", false},
	} {
		if got, ok := document.Tag(reflect.StructField{Tag: tt.tag}); got != tt.want || ok != tt.ok {
			t.Errorf("Tag(%s) = %q, %v, want %q, %v", tt.tag, got, ok, tt.want, tt.ok)
		}
	}
}
