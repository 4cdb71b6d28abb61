// Package entschema is the schema that the test of ent generates a client from: IDs
// as primary key, foreign key, optional and nillable fields.
package entschema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// columns are the types of a column with an ID.
var columns = map[string]string{
	dialect.Postgres: "bytea",
	dialect.MySQL:    "binary(12)",
	dialect.SQLite:   "blob",
}

// Person has a parent.
type Person struct{ ent.Schema }

// Fields returns the columns of a Person.
func (Person) Fields() []ent.Field {
	return []ent.Field{
		field.Bytes("id").GoType(oid.ID{}).SchemaType(columns).DefaultFunc(oid.New),
		field.Bytes("parent_id").GoType(oid.ID{}).SchemaType(columns).Optional().Nillable(),
		field.Bytes("mentor_id").GoType(sqltype.ZeroNull{}).SchemaType(columns).Optional(),
		field.String("ref").GoType(sqltype.Hex{}).Optional().Nillable(),
		field.String("name"),
	}
}

// Edges returns the relations of a Person.
func (Person) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("children", Person.Type).From("parent").Field("parent_id").Unique(),
	}
}
