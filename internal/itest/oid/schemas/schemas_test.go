//go:build nightly

// Package schemas shows how generators of JSON Schema and OpenAPI describe an
// oid.ID as a string. Without the code here they call it an array of 12 integers.
package schemas

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3gen"
	"github.com/google/jsonschema-go/jsonschema"
	invopop "github.com/invopop/jsonschema"
	"github.com/oidkit/oidkit/oid"
)

type customer struct{}

// An order has an ID in every place.
type order struct {
	ID       oid.ID            `json:"id"`
	Parent   *oid.ID           `json:"parent,omitempty"`
	Lines    []oid.ID          `json:"lines"`
	Customer oid.For[customer] `json:"customer"`
}

var customerID = reflect.TypeFor[oid.For[customer]]()

// generators return the JSON of a schema of order, as they are and with our option.
var generators = map[string]func(described bool) (any, error){
	"google/jsonschema-go": func(described bool) (any, error) {
		if !described {
			return jsonschema.For[order](nil)
		}
		return jsonschema.For[order](IDSchemas(customerID))
	},
	"invopop/jsonschema": func(described bool) (any, error) {
		r := &invopop.Reflector{DoNotReference: true}
		if described {
			r.Mapper = MapIDs(customerID)
		}
		return r.Reflect(&order{}), nil
	},
	"kin-openapi": func(described bool) (any, error) {
		var options []openapi3gen.Option
		if described {
			options = append(options, CustomizeIDs(customerID))
		}
		ref, err := openapi3gen.NewSchemaRefForValue(&order{}, nil, options...)
		if err != nil {
			return nil, err
		}
		return ref.Value, nil
	},
}

func TestGeneratorsSayString(t *testing.T) {
	for name, generate := range generators {
		t.Run(name, func(t *testing.T) {
			for _, described := range []bool{false, true} {
				schema, err := generate(described)
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(schema)
				if err != nil {
					t.Fatal(err)
				}
				for place, p := range places(t, text) {
					if p.isString() != described || described && p.Pattern != oid.Pattern {
						t.Errorf("described %t: %s is %+v", described, place, p)
					}
				}
			}
		})
	}
}

// A property is the schema of one ID.
type property struct {
	Type    any
	Pattern string
	Items   *property
}

// isString reports whether the type is string, or string and null.
func (p property) isString() bool {
	if list, ok := p.Type.([]any); ok {
		return slices.Contains(list, any("string"))
	}
	return p.Type == "string"
}

// places returns the schemas of the IDs of an order.
func places(t *testing.T, schema []byte) map[string]property {
	t.Helper()
	var s struct{ Properties map[string]property }
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	found := map[string]property{}
	for _, name := range []string{"id", "parent", "lines", "customer"} {
		p, ok := s.Properties[name]
		if name == "lines" && p.Items != nil {
			p = *p.Items
		}
		if !ok {
			t.Errorf("no property %s in %s", name, schema)
		}
		found[name] = p
	}
	return found
}
