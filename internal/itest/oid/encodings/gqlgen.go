//go:build nightly

package encodings

import (
	"fmt"
	"io"

	"github.com/99designs/gqlgen/graphql"
	"github.com/oidkit/oidkit/oid"
)

// With these two in a package of yours, and in gqlgen.yml
//
//	models:
//	  ObjectID:
//	    model: example.com/you/scalar.ObjectID
//
// a schema's scalar ObjectID is an oid.ID in Go.

func MarshalObjectID(id oid.ID) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { fmt.Fprintf(w, "%q", id) })
}

func UnmarshalObjectID(v any) (oid.ID, error) {
	s, ok := v.(string)
	if !ok {
		return oid.ID{}, fmt.Errorf("%T is not an ObjectID, want a string of 24 hex digits", v)
	}
	return oid.Parse(s)
}
