//go:build nightly

package encodings

import (
	"bytes"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/oidkit/oidkit/oid"
)

// DescribeIDs makes the OpenAPI document say what the string of an oid.ID holds,
// and that of your own types: DescribeIDs(api, reflect.TypeFor[oid.For[User]]()).
func DescribeIDs(api huma.API, typed ...reflect.Type) {
	for _, t := range append(typed, reflect.TypeFor[oid.ID]()) {
		api.OpenAPI().Components.Schemas.RegisterTypeAlias(t, reflect.TypeFor[idSchema]())
	}
}

type idSchema struct{}

func (idSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeString,
		Pattern:     oid.Pattern,
		Description: "12 bytes as hex digits, the first 8 the seconds since 1970",
		Examples:    []any{"65b3f7a0c1d2e3f405060708"},
	}
}

// IDList is a list of IDs in a query, ?in=65b3…,65b4…: at a []oid.ID there huma
// panics when the request comes.
type IDList []oid.ID

func (list *IDList) UnmarshalText(text []byte) error {
	var ids IDList
	for digits := range bytes.SplitSeq(text, []byte(",")) {
		id, err := oid.Parse(string(digits))
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	*list = ids
	return nil
}

func (IDList) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: "^[0-9a-f]{24}(,[0-9a-f]{24})*$"}
}
