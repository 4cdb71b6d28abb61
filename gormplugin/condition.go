package gormplugin

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// repair puts ids back together that GORM has taken apart. Of an id that is
// passed alone,
//
//	db.First(&user, id)
//	db.Delete(&User{}, id)
//
// GORM asks the driver.Value, sees a slice and makes a list of it, one number a
// byte: id IN (106,0,28,…). That finds nothing, or fails, but MySQL compares each
// key as a number with these, and a key that doesn't begin with a digit is 0: an
// id with a zero byte in it deletes the table.
//
// The statement may share its expressions with others: what changes is copied.
func repair(db *gorm.DB) {
	stmt := db.Statement
	if db.Error != nil || stmt.Schema == nil || stmt.SQL.Len() > 0 {
		return
	}
	r := repairer{schema: stmt.Schema, table: stmt.Table}
	if c, ok := stmt.Clauses["WHERE"]; ok {
		if where, ok := c.Expression.(clause.Where); ok {
			if exprs, changed := r.list(where.Exprs); changed {
				c.Expression = clause.Where{Exprs: exprs}
				stmt.Clauses["WHERE"] = c
			}
		}
	}
	if c, ok := stmt.Clauses["GROUP BY"]; ok {
		if group, ok := c.Expression.(clause.GroupBy); ok {
			if exprs, changed := r.list(group.Having); changed {
				group.Having = exprs
				c.Expression = group
				stmt.Clauses["GROUP BY"] = c
			}
		}
	}
	for i := range stmt.Joins {
		join := &stmt.Joins[i]
		if join.On == nil {
			continue
		}
		relation := relationOf(stmt.Schema, join.Name)
		if relation == nil {
			continue
		}
		on := repairer{schema: relation.FieldSchema, table: join.Name}
		if exprs, changed := on.list(join.On.Exprs); changed {
			join.On = &clause.Where{Exprs: exprs}
		}
		if r.err == nil {
			r.err = on.err
		}
	}
	db.AddError(r.err)
}

// repairQuery is repair for queries, which can be part of another statement. GORM
// doesn't look at the error of such a subquery, but takes the SQL that it has left.
// That must not be empty: for SQLite, id NOT IN () is true of every row.
func repairQuery(db *gorm.DB) {
	if repair(db); errors.Is(db.Error, errZeroID) && db.DryRun {
		db.Statement.SQL.WriteString(errZeroID.Error()) // a syntax error everywhere
	}
}

var errZeroID = fmt.Errorf("the zero id: %w", gorm.ErrPrimaryKeyRequired)

// A repairer repairs the conditions on the columns of schema, which stand in a
// statement under the name table.
type repairer struct {
	schema *schema.Schema
	table  string
	err    error
}

// list returns exprs repaired, and whether anything was. If so it is a copy.
func (r *repairer) list(exprs []clause.Expression) (repaired []clause.Expression, changed bool) {
	for i, expr := range exprs {
		if fixed := r.expr(expr); fixed != nil {
			if !changed {
				exprs, changed = slices.Clone(exprs), true
			}
			exprs[i] = fixed
		}
	}
	return exprs, changed
}

// expr returns what to replace expr by, nil if it is right as it is.
func (r *repairer) expr(expr clause.Expression) clause.Expression {
	switch expr := expr.(type) {
	case clause.IN:
		if id, ok := fromBytes(expr.Values); ok {
			return r.equal(expr.Column, id)
		}
	case clause.Expr:
		// A string alone, db.First(&user, "65b3…"), would go into the SQL as it
		// is: 24 digits are a number there, and so true for every row.
		if len(expr.SQL) == 2*len(oid.ID{}) && len(expr.Vars) == 0 {
			if id, err := oid.Parse(expr.SQL); err == nil {
				return r.equal(clause.Column{Table: clause.CurrentTable, Name: clause.PrimaryKey}, id)
			}
		}
	case clause.Where:
		if exprs, changed := r.list(expr.Exprs); changed {
			return clause.Where{Exprs: exprs}
		}
	case clause.AndConditions:
		if exprs, changed := r.list(expr.Exprs); changed {
			return clause.AndConditions{Exprs: exprs}
		}
	case clause.OrConditions:
		if exprs, changed := r.list(expr.Exprs); changed {
			return clause.OrConditions{Exprs: exprs}
		}
	case clause.NotConditions:
		if exprs, changed := r.list(expr.Exprs); changed {
			return clause.NotConditions{Exprs: exprs}
		}
	}
	return nil
}

// equal returns the condition that column is id, nil if column is not one of ids.
// No row has the zero id: whoever asks for it has forgotten to set it.
func (r *repairer) equal(column any, id oid.ID) clause.Expression {
	var c clause.Column
	switch column := column.(type) {
	case string:
		c.Name = column
	case clause.Column:
		c = column
	}
	table, field := "", lookUp(r.schema, c.Name)
	if field == nil { // table.column, as the key of a map
		if qualifier, name, ok := strings.Cut(c.Name, "."); ok {
			table, field = qualifier+".", r.lookUp(qualifier, name)
		}
	}
	if !isID(field) {
		return nil
	}
	if id.IsZero() {
		r.err = fmt.Errorf("gormplugin: a condition on %s is %w", r.schema.Name, errZeroID)
	}
	c.Name = table + field.DBName // what stands for the primary key is unknown in a join
	return clause.Eq{Column: c, Value: id}
}

// lookUp returns the field that a condition names with its table, nil if there is
// none or the table is neither that of r nor one joined to it by a relation.
func (r *repairer) lookUp(table, name string) *schema.Field {
	if table == r.table || table == r.schema.Table {
		return r.schema.LookUpField(name)
	}
	if relation := relationOf(r.schema, table); relation != nil {
		return relation.FieldSchema.LookUpField(name)
	}
	return nil
}

// lookUp returns the field of s that GORM takes name for, nil if there is none.
func lookUp(s *schema.Schema, name string) *schema.Field {
	switch {
	case name != clause.PrimaryKey:
		return s.LookUpField(name)
	case s.PrioritizedPrimaryField != nil:
		return s.PrioritizedPrimaryField
	case len(s.DBNames) > 0:
		return s.FieldsByDBName[s.DBNames[0]]
	}
	return nil
}

// isID reports whether field holds ids as 12 bytes.
func isID(field *schema.Field) bool {
	return field != nil && field.GORMDataType == schema.Bytes && isIDType(field.IndirectFieldType)
}

// isIDType reports whether t is oid.ID or oid.For, made of oid.ID as
// sqltype.ZeroNull is, or one of these with a bool Valid as in sql.Null.
func isIDType(t reflect.Type) bool {
	if t.Kind() == reflect.Struct {
		switch {
		case t.NumField() == 2 && t.Field(1).Name == "Valid":
			t = t.Field(0).Type
		case t.NumField() == 1 && t.Field(0).Anonymous:
			t = t.Field(0).Type
		}
	}
	return t.Kind() == reflect.Array && t.Len() == len(oid.ID{}) && t.Elem().Kind() == reflect.Uint8
}

// fromBytes returns the id that values are the bytes of.
func fromBytes(values []any) (id oid.ID, ok bool) {
	if len(values) != len(id) {
		return id, false
	}
	for i, value := range values {
		if id[i], ok = value.(uint8); !ok {
			return id, false
		}
	}
	return id, true
}
