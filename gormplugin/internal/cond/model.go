// Package cond says what a condition on ID columns becomes. It takes a schema and an
// expression of GORM, and returns the expression to build or an error. It doesn't change
// the expression, because the program may use it again.
//
// GORM takes an ID apart if it is the only argument:
//
//	db.First(&user, id)
//	db.Delete(&User{}, id)
//
// GORM asks for the driver.Value, sees a slice and writes one number per byte, as
// in id IN (106,0,28,…). This usually finds nothing or fails. MySQL compares keys with
// these as numbers, and a key that doesn't begin with a digit is 0. An ID with a zero
// byte can then delete all rows. So can the number 0.
package cond

import (
	"cmp"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A Model is what a condition is about.
type Model struct {
	Schema  *schema.Schema // nil if there is no model
	Table   string         // the name of its table in the statement
	Dialect string
	Changes bool // rows, unlike a query
	isNot   bool // its conditions are under NOT

	aliases map[string]string // of the relations that the statement joins
}

// ModelOf returns the model of stmt.
func ModelOf(stmt *gorm.Statement) Model {
	m := Model{Schema: stmt.Schema, Table: stmt.Table, Dialect: stmt.Dialector.Name()}
	m.Changes = slices.Contains(stmt.BuildClauses, "UPDATE") || slices.Contains(stmt.BuildClauses, "DELETE")
	if len(stmt.Joins) > 0 {
		m.aliases = map[string]string{}
	}
	for _, join := range stmt.Joins {
		m.aliases[join.Alias] = join.Name
	}
	return m
}

// Joined returns the model that stmt joins by a relation. Its condition has the model
// under the alias, or under the relation's name. It isn't ok if there is no such
// relation.
func (m Model) Joined(relation, alias string) (joined Model, ok bool) {
	found := relationOf(m.Schema, relation)
	if found == nil {
		return Model{}, false
	}
	m.Schema, m.Table = found.FieldSchema, cmp.Or(alias, strings.ReplaceAll(relation, ".", "__"))
	return m, true
}

// Field returns the field of column. It is nil if column is neither in the model
// nor in a table that a relation leads to. It also returns the column under its own name,
// because a join doesn't know the stand-in for the primary key.
func (m Model) Field(column any) (*schema.Field, clause.Column) {
	switch column := column.(type) {
	case string:
		return m.Named(clause.Column{Name: column})
	case clause.Column:
		return m.Named(column)
	}
	return nil, clause.Column{}
}

// Named is Field for a clause.Column. Plain names allocate nothing.
func (m Model) Named(named clause.Column) (*schema.Field, clause.Column) {
	named.Name = quotes.Replace(named.Name)
	if s := m.schemaOf(named.Table); s != nil {
		if field := LookUp(s, named.Name); field != nil {
			named.Name = field.DBName
			return field, named
		}
	}
	if dot := strings.LastIndex(named.Name, "."); dot >= 0 { // as the key of a map, or in SQL
		if field, column := m.Named(clause.Column{Table: named.Name[:dot], Name: named.Name[dot+1:]}); field != nil {
			named.Name = named.Name[:dot+1] + column.Name
			return field, named
		}
	}
	return nil, named
}

// LookUp returns the field of s that GORM takes name for, nil if there is none.
func LookUp(s *schema.Schema, name string) *schema.Field {
	switch {
	case name != clause.PrimaryKey:
		if field := s.LookUpField(name); field != nil {
			return field
		}
		for _, column := range s.DBNames { // SQL takes any case
			if strings.EqualFold(column, name) {
				return s.FieldsByDBName[column]
			}
		}
	case s.PrioritizedPrimaryField != nil:
		return s.PrioritizedPrimaryField
	case len(s.DBNames) > 0:
		return s.FieldsByDBName[s.DBNames[0]]
	}
	return nil
}

// schemaOf returns the schema of the table that a condition names. The table is
// that of the model, or a relation's name or table. SQL takes any case.
func (m Model) schemaOf(table string) *schema.Schema {
	if m.Schema == nil {
		return nil
	}
	bare := m.Schema.Table[strings.LastIndex(m.Schema.Table, ".")+1:] // without its database
	if table == "" || table == clause.CurrentTable || strings.EqualFold(table, m.Table) || strings.EqualFold(table, m.Schema.Table) || strings.EqualFold(table, bare) {
		return m.Schema
	}
	name := cmp.Or(m.aliases[table], strings.ReplaceAll(table, "__", "."))
	if relation := relationOf(m.Schema, name); relation != nil {
		return relation.FieldSchema
	}
	return related(m.Schema, table)
}

// relationOf returns the relation of s that has the name, which may be a path such
// as Manager.Company. It is nil if there is none.
func relationOf(s *schema.Schema, name string) *schema.Relationship {
	first, rest, nested := strings.Cut(name, ".")
	s.Relationships.Mux.RLock()
	relation := s.Relationships.Relations[first]
	s.Relationships.Mux.RUnlock()
	if relation == nil || !nested {
		return relation
	}
	return relationOf(relation.FieldSchema, rest)
}

// related returns the schema to which s is related that has the table, or nil.
func related(s *schema.Schema, table string) *schema.Schema {
	s.Relationships.Mux.RLock()
	defer s.Relationships.Mux.RUnlock()
	for _, relation := range s.Relationships.Relations {
		for _, other := range []*schema.Schema{relation.FieldSchema, relation.JoinTable} {
			if other != nil && strings.EqualFold(other.Table, table) {
				return other
			}
		}
	}
	return nil
}
