package gormplugin

import (
	"database/sql/driver"
	"strings"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// IDs is the condition that the primary key is one of the IDs:
//
//	db.Delete(&User{}, gormplugin.IDs(ids...))
//
// No row meets it if there are no IDs. GORM drops an empty list instead, and
// Where("tenant = 1").Delete(&User{}, []oid.ID{}) deletes the tenant. The zero ID
// is an error, as it is in any condition on a primary key.
func IDs[T ~[12]byte](ids ...T) clause.Expression {
	list := idList{make([]any, len(ids))}
	for i, id := range ids {
		list.ids[i] = oid.ID(id)
	}
	return list
}

// An idList is the result of IDs. It is not a slice, because GORM would take a
// slice apart in SQL text.
type idList struct{ ids []any }

// Build writes the condition.
func (l idList) Build(builder clause.Builder) { l.condition(builder).Build(builder) }

// NegationBuild writes the condition that the primary key is none of the IDs.
func (l idList) NegationBuild(builder clause.Builder) {
	clause.Not(l.condition(builder)).Build(builder)
}

// condition returns the condition in the form of the statement's key.
func (l idList) condition(builder clause.Builder) clause.Expression {
	stmt, ok := builder.(*gorm.Statement)
	if !ok || stmt.Schema == nil {
		return l.all()
	}
	c := conditionsOf(stmt)
	return l.in(&c)
}

// in returns the condition in the form of the key that c knows.
func (l idList) in(c *conditions) clause.Expression {
	all := l.all()
	in, ok := all.(clause.IN)
	if !ok {
		return all
	}
	if field, _ := c.field(in.Column); !isID(field) {
		return c.refuse(badColumn("IDs", clause.PrimaryKey, c))
	}
	return c.in(in)
}

// all returns the condition as it is without a model.
func (l idList) all() clause.Expression {
	if len(l.ids) == 0 {
		return clause.Expr{SQL: "(1 = 0)"}
	}
	return clause.IN{Column: clause.Column{Table: clause.CurrentTable, Name: clause.PrimaryKey}, Values: l.ids}
}

// Lists that are longer than this are not sent one parameter per id. PostgreSQL
// takes 65,535 parameters, MySQL as many, SQLite 32,766 unless it was built
// otherwise.
var longest = map[string]int{"postgres": 1000, "mysql": 30_000, "sqlite": 30_000}

// isLong reports whether n values are too many to be sent one by one.
func isLong(stmt *gorm.Statement, n int) bool {
	most, known := longest[stmt.Dialector.Name()]
	return known && n > most
}

// long returns the condition that column is one of values, which are many. It is
// nil if one of them is not an ID.
func (c *conditions) long(field *schema.Field, column clause.Column, values []any) clause.Expression {
	list := c.newLiteral(len(values))
	isText := false
	for _, value := range values {
		if id, ok := value.(oid.ID); ok {
			list.addID(id)
			continue
		}
		if valuer, ok := value.(driver.Valuer); ok {
			value, _ = valuer.Value()
		}
		switch value := value.(type) {
		case []byte:
			if len(value) != len(oid.ID{}) {
				return nil
			}
			list.addID(oid.ID(value))
		case string:
			if strings.Trim(value, "0123456789abcdef-") != "" {
				return nil
			}
			list.addText(value)
			isText = true
		default:
			return nil
		}
	}
	return list.condition(field, column, isText)
}

// longIDs is long for a column that holds IDs as bytes. It reads them without boxing
// them.
func (c *conditions) longIDs(field *schema.Field, column clause.Column, ids []oid.ID) clause.Expression {
	list := c.newLiteral(len(ids))
	for _, id := range ids {
		list.addID(id)
	}
	return list.condition(field, column, false)
}

// A literal is a list of IDs as text. On PostgreSQL it is an array, and elsewhere the
// values of IN.
type literal struct {
	strings.Builder
	isArray    bool
	separator  string // before the next one
	open, shut string // around the digits of an ID
	quote      string // around text
}

// newLiteral returns an empty literal with room for n IDs.
func (c *conditions) newLiteral(n int) *literal {
	l := &literal{separator: "(", open: "x'", shut: "'", quote: "'"}
	if c.stmt.Dialector.Name() == "postgres" {
		l = &literal{separator: "{", open: `"\\x`, shut: `"`, isArray: true}
	}
	l.Grow(n*len(`"\\x65b3f7a20123456789abcdef",`) + len("{}"))
	return l
}

func (l *literal) addID(id oid.ID) {
	var room [32]byte
	text := append(append(room[:0], l.separator...), l.open...)
	text, _ = id.AppendText(text)
	l.Write(append(text, l.shut...))
	l.separator = ","
}

func (l *literal) addText(text string) {
	l.WriteString(l.separator + l.quote + text + l.quote)
	l.separator = ","
}

// condition returns the condition that column is one of the list.
func (l *literal) condition(field *schema.Field, column clause.Column, isText bool) clause.Expression {
	if l.isArray {
		l.WriteByte('}')
		return oneOfArray{column, l.String(), arrayType(field, isText), isIndexed(field)}
	}
	l.WriteByte(')')
	return oneOf{column, l.String()}
}

// arrayType returns PostgreSQL's type for a list of values of the column. It must be
// named because some of pgx's modes send all parameters as text.
func arrayType(field *schema.Field, isText bool) string {
	if !isText {
		return "bytea[]"
	}
	switch declared := strings.ToLower(typeTag(field)); {
	case strings.HasPrefix(declared, "uuid"):
		return "uuid[]"
	case strings.HasPrefix(declared, "char"), strings.HasPrefix(declared, "bpchar"):
		return "bpchar[]"
	}
	return "text[]"
}

// typeTag returns the column type that the tag of field names. Without a tag it is
// the type of the key that field refers to, which GORM gives a foreign key.
func typeTag(field *schema.Field) string {
	if declared, ok := field.TagSettings["TYPE"]; ok {
		return declared
	}
	relations := &field.Schema.Relationships
	relations.Mux.RLock()
	defer relations.Mux.RUnlock()
	for _, relation := range relations.Relations {
		for _, ref := range relation.References {
			if ref.ForeignKey == field && ref.PrimaryKey != nil {
				return ref.PrimaryKey.TagSettings["TYPE"]
			}
		}
	}
	return ""
}

// isIndexed reports whether the tags of field say that its column has an index.
func isIndexed(field *schema.Field) bool {
	_, index := field.TagSettings["INDEX"]
	_, unique := field.TagSettings["UNIQUEINDEX"]
	return index || unique || field.Unique || field.PrimaryKey && field == field.Schema.PrimaryFields[0]
}

// A oneOfArray is the condition that a column is one of a list, which goes to
// PostgreSQL as one parameter.
//
// PostgreSQL can search ANY by an index. Without an index it hashes the list, but
// not in the generic plan of a prepared statement, which it makes after five
// executions. There it compares each row with each value. It always hashes the
// values of a subquery.
type oneOfArray struct {
	column  clause.Column
	list    string // a literal of PostgreSQL for an array
	typ     string
	indexed bool
}

// Build writes the condition.
func (o oneOfArray) Build(builder clause.Builder) {
	if o.indexed {
		o.build(builder, " = ANY(", ")")
		return
	}
	o.build(builder, " IN (SELECT unnest(", "))")
}

// NegationBuild writes the condition that the column is none of the list.
func (o oneOfArray) NegationBuild(builder clause.Builder) {
	o.build(builder, " NOT IN (SELECT unnest(", "))")
}

func (o oneOfArray) build(builder clause.Builder, open, shut string) {
	builder.WriteQuoted(o.column)
	builder.WriteString(open)
	builder.AddVar(builder, o.list)
	builder.WriteString("::" + o.typ + shut)
}

// A oneOf is the condition that a column is one of a list that is written into the
// SQL. The list holds nothing but hex digits.
type oneOf struct {
	column clause.Column
	list   string
}

// Build writes the condition.
func (o oneOf) Build(builder clause.Builder) { o.build(builder, " IN ") }

// NegationBuild writes the condition that the column is none of the list.
func (o oneOf) NegationBuild(builder clause.Builder) { o.build(builder, " NOT IN ") }

func (o oneOf) build(builder clause.Builder, operator string) {
	builder.WriteQuoted(o.column)
	builder.WriteString(operator + o.list)
}
