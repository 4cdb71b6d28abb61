package document_test

import (
	"reflect"
	"testing"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

func TestIsID(t *testing.T) {
	type (
		local   struct{}
		defined oid.ID
		typed   oid.For[int]
		wrapper struct{ oid.ID }
	)
	for _, t1 := range []reflect.Type{reflect.TypeFor[oid.ID](), reflect.TypeFor[oid.For[int]](), reflect.TypeFor[oid.For[local]](), reflect.TypeFor[oid.For[oid.For[local]]]()} {
		if !document.IsID(t1) {
			t.Errorf("IsID(%v) = false, want true", t1)
		}
	}
	for _, t1 := range []reflect.Type{reflect.TypeFor[defined](), reflect.TypeFor[typed](), reflect.TypeFor[wrapper](), reflect.TypeFor[[12]byte](), reflect.TypeFor[*oid.ID](),
		reflect.TypeFor[[]oid.ID](), reflect.TypeFor[[1]oid.ID](), reflect.TypeFor[string](), reflect.TypeFor[oid.Generator](), reflect.TypeFor[any]()} {
		if document.IsID(t1) {
			t.Errorf("IsID(%v) = true, want false", t1)
		}
	}
}
