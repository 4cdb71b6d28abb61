package gormplugin

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// conditions mends the conditions on the ID columns of a model. The statement has
// the model under the name table. GORM takes an ID apart if it is the only
// argument:
//
//	db.First(&user, id)
//	db.Delete(&User{}, id)
//
// GORM asks for the driver.Value, sees a slice and writes one number per byte, as
// in id IN (106,0,28,…). Such a condition finds nothing or fails. MySQL compares
// keys with these as numbers, and a key that doesn't begin with a digit is 0. An ID
// with a zero byte in it then deletes the table. So does the number 0 itself.
//
// A condition that doesn't name IDs is replaced by a refusal. The statement may
// share its expressions with others, so changes are made in copies.
type conditions struct {
	stmt    *gorm.Statement
	schema  *schema.Schema
	table   string
	refused error // the first refusal
}

// conditionsOf returns the conditions of a statement of a model.
func conditionsOf(stmt *gorm.Statement) conditions {
	return conditions{stmt: stmt, schema: stmt.Schema, table: stmt.Table}
}

// mendWhere mends the conditions of the WHERE clause of stmt. It returns the first
// refusal.
func mendWhere(stmt *gorm.Statement) error {
	c, where := conditionsOf(stmt), stmt.Clauses["WHERE"]
	if mended, changed := c.clause(where.Expression); changed {
		where.Expression = mended
		stmt.Clauses["WHERE"] = where
	}
	return c.refused
}

// mendJoins mends the conditions of joins by a relation. GORM writes them into the
// SQL before the clause that they stand in is built.
func mendJoins(stmt *gorm.Statement) {
	for i := range stmt.Joins {
		join := &stmt.Joins[i]
		if join.On == nil {
			continue
		}
		relation := relationOf(stmt.Schema, join.Name)
		if relation == nil {
			continue
		}
		table := strings.ReplaceAll(join.Name, ".", "__")
		if join.Alias != "" {
			table = join.Alias
		}
		c := conditions{stmt: stmt, schema: relation.FieldSchema, table: table}
		exprs, _ := c.list(join.On.Exprs)
		join.On = &clause.Where{Exprs: exprs}
	}
}

// clause returns the expression of a clause mended, if anything was.
func (c *conditions) clause(expr clause.Expression) (mended clause.Expression, changed bool) {
	switch expr := expr.(type) {
	case clause.Where:
		if exprs, changed := c.list(expr.Exprs); changed {
			return clause.Where{Exprs: exprs}, true
		}
	case clause.GroupBy:
		expr.Having, changed = c.list(expr.Having)
		return expr, changed
	case clause.From:
		for i, join := range expr.Joins {
			if exprs, on := c.list(join.ON.Exprs); on {
				join.ON.Exprs = exprs
				expr.Joins, changed = with(expr.Joins, changed, i, join), true
			}
		}
		if changed {
			return expr, true
		}
	case clause.OnConflict:
		var where, target, set bool
		expr.Where.Exprs, where = c.list(expr.Where.Exprs)
		expr.TargetWhere.Exprs, target = c.list(expr.TargetWhere.Exprs)
		expr.DoUpdates, set = c.assignments(expr.DoUpdates)
		return expr, where || target || set
	case clause.Set:
		return c.assignments(expr)
	case clause.Values:
		if _, ok := mapRows(c.stmt.Dest); ok {
			return c.mapValues(expr)
		}
	}
	return nil, false
}

// list returns exprs mended, and whether anything was. If so it is a copy.
func (c *conditions) list(exprs []clause.Expression) (mended []clause.Expression, changed bool) {
	for i, expr := range exprs {
		if fixed := c.expr(expr); fixed != nil {
			exprs, changed = with(exprs, changed, i, fixed), true
		}
	}
	return exprs, changed
}

// expr returns the replacement of expr. It is nil if expr is right as it is.
func (c *conditions) expr(expr clause.Expression) clause.Expression {
	switch expr := expr.(type) {
	case clause.IN:
		return c.in(expr)
	case clause.Eq:
		return c.equal(expr, func(eq clause.Eq) clause.Expression { return eq }, func(in clause.IN) clause.Expression { return in })
	case clause.Neq:
		return c.equal(clause.Eq(expr), func(eq clause.Eq) clause.Expression { return clause.Neq(eq) }, func(in clause.IN) clause.Expression { return clause.Not(in) })
	case clause.Gt:
		return c.order(clause.Eq(expr), func(eq clause.Eq) clause.Expression { return clause.Gt(eq) })
	case clause.Gte:
		return c.order(clause.Eq(expr), func(eq clause.Eq) clause.Expression { return clause.Gte(eq) })
	case clause.Lt:
		return c.order(clause.Eq(expr), func(eq clause.Eq) clause.Expression { return clause.Lt(eq) })
	case clause.Lte:
		return c.order(clause.Eq(expr), func(eq clause.Eq) clause.Expression { return clause.Lte(eq) })
	case clause.Like:
		if field, _ := c.field(expr.Column); isBinaryID(field) {
			return c.order(clause.Eq(expr), func(eq clause.Eq) clause.Expression { return clause.Like(eq) })
		}
	case clause.Expr:
		return c.text(expr)
	case clause.NamedExpr:
		return c.namedText(expr)
	case idList:
		return expr.in(c)
	case within:
		if expr = expr.in(c); expr.err != nil {
			return c.refuse(expr.err)
		}
		return expr
	case clause.Where:
		if exprs, changed := c.list(expr.Exprs); changed {
			return clause.Where{Exprs: exprs}
		}
	case clause.AndConditions:
		if exprs, changed := c.list(expr.Exprs); changed {
			return clause.AndConditions{Exprs: exprs}
		}
	case clause.OrConditions:
		if exprs, changed := c.list(expr.Exprs); changed {
			return clause.OrConditions{Exprs: exprs}
		}
	case clause.NotConditions:
		if exprs, changed := c.list(expr.Exprs); changed {
			return clause.NotConditions{Exprs: exprs}
		}
	default:
		return c.pointer(reflect.ValueOf(expr))
	}
	return nil
}

// pointer mends the condition that p points to. It returns nil if p is not a
// pointer to a condition.
func (c *conditions) pointer(p reflect.Value) clause.Expression {
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return nil
	}
	expr, ok := p.Elem().Interface().(clause.Expression)
	if !ok {
		return nil
	}
	mended := c.expr(expr)
	if reflect.TypeOf(mended) != p.Type().Elem() {
		return mended
	}
	// GORM joins a pointer to other conditions by AND, also one to an OR.
	copied := reflect.New(p.Type().Elem())
	copied.Elem().Set(reflect.ValueOf(mended))
	return copied.Interface().(clause.Expression)
}

// refuse returns the refusal that replaces a condition.
func (c *conditions) refuse(err error) clause.Expression {
	if c.refused == nil {
		c.refused = err
	}
	return refusal{err}
}

// in mends a condition that a column is one of a list.
func (c *conditions) in(in clause.IN) clause.Expression {
	if columns, ok := in.Column.([]clause.Column); ok {
		return c.tuples(in, columns)
	}
	field, column := c.field(in.Column)
	id, isLone := fromBytes(in.Values)
	if !isID(field) {
		if isLone && isAlone(in.Column) && field != nil && field.IndirectFieldType.Kind() != reflect.Uint8 {
			return c.refuse(fmt.Errorf("gormplugin.Where(%s): the key is not an ID: name the column, as in \"owner_id = ?\": %w", nameOf(field), gorm.ErrInvalidData))
		}
		return nil
	}
	if isLone {
		value, _, err := valueFor(field, id, !field.PrimaryKey)
		if err != nil {
			return c.refuse(err)
		}
		return clause.Eq{Column: column, Value: value}
	}
	values, changed := in.Values, false
	if len(values) == 1 {
		if list, ok := listOf(values[0]); ok {
			values, changed = list, true
		}
	}
	values, converted, err := c.values(field, values, !field.PrimaryKey)
	switch {
	case err != nil:
		return c.refuse(err)
	case isLong(c.stmt, len(values)):
		if long := c.long(field, column, values); long != nil {
			return long
		}
	}
	if changed || converted || isAlone(in.Column) {
		return clause.IN{Column: column, Values: values}
	}
	return nil
}

// values returns values as a condition on field sends them. Changes are made in a
// copy.
func (c *conditions) values(field *schema.Field, values []any, zeroAllowed bool) (sent []any, changed bool, err error) {
	for i, value := range values {
		v, other, err := valueFor(field, value, zeroAllowed)
		if err != nil {
			if _, ok := value.(uint8); ok {
				return nil, false, refuseValue(field, values, fmt.Sprintf("a list of %d bytes", len(values)))
			}
			return nil, false, err
		}
		if other {
			values, changed = with(values, changed, i, v), true
		}
	}
	return values, changed, nil
}

// tuples mends a condition that several columns, such as a composite key, are one
// of a list. A part may be zero, because no row matches then.
func (c *conditions) tuples(in clause.IN, columns []clause.Column) clause.Expression {
	fields := make([]*schema.Field, len(columns))
	for i, column := range columns {
		if field, _ := c.field(column); isID(field) {
			fields[i] = field
		}
	}
	sent, changed, err := partFor(fields, 0, in.Values)
	switch {
	case err != nil:
		return c.refuse(err)
	case !changed:
		return nil
	}
	return clause.IN{Column: in.Column, Values: sent.([]any)}
}

// equal mends a condition that a column is, or is not, a value or one of a list.
// The functions make the condition that replaces it.
func (c *conditions) equal(eq clause.Eq, one func(clause.Eq) clause.Expression, many func(clause.IN) clause.Expression) clause.Expression {
	field, column := c.field(eq.Column)
	if !isID(field) {
		return nil
	}
	if list, ok := listOf(eq.Value); ok {
		if len(list) == 0 {
			return nil // GORM makes a condition of it that no row meets
		}
		in := clause.IN{Column: column, Values: list}
		mended := c.in(in)
		switch mended := mended.(type) {
		case nil:
			return many(in)
		case clause.IN:
			return many(mended)
		case refusal:
			return mended
		}
		if _, negated := one(eq).(clause.Neq); negated {
			return clause.Not(mended)
		}
		return mended
	}
	value, changed, err := valueFor(field, eq.Value, !field.PrimaryKey)
	switch {
	case err != nil:
		return c.refuse(err)
	case changed || isAlone(eq.Column):
		return one(clause.Eq{Column: column, Value: value})
	}
	return nil
}

// isAlone reports whether column is the stand-in for the primary key.
func isAlone(column any) bool {
	named, _ := column.(clause.Column)
	return named.Name == clause.PrimaryKey
}

// order mends a condition that compares a column by order. The zero ID is a bound
// like any other.
func (c *conditions) order(eq clause.Eq, one func(clause.Eq) clause.Expression) clause.Expression {
	field, column := c.field(eq.Column)
	if !isID(field) {
		return nil
	}
	value, changed, err := valueFor(field, eq.Value, true)
	switch {
	case err != nil:
		return c.refuse(err)
	case changed:
		return one(clause.Eq{Column: column, Value: value})
	}
	return nil
}

// listOrValue returns value, which may be a list, as a condition on field sends it.
// A list is returned as []any, whether it was converted or not.
func (c *conditions) listOrValue(field *schema.Field, value any, zeroAllowed bool) (sent any, converted bool, err error) {
	if list, ok := listOf(value); ok {
		return c.values(field, list, zeroAllowed)
	}
	return valueFor(field, value, zeroAllowed)
}

// with returns list with v at i. It copies the list unless that is a copy.
func with[T any](list []T, isCopy bool, i int, v T) []T {
	if !isCopy {
		list = slices.Clone(list)
	}
	list[i] = v
	return list
}

// partFor returns the form in which a condition on several columns sends its
// argument i. The argument is a value of one column, a tuple, or a list of tuples.
// Columns that hold no IDs are nil in fields.
func partFor(fields []*schema.Field, i int, value any) (sent any, changed bool, err error) {
	list, ok := listOf(value)
	if !ok {
		if field := fields[i%len(fields)]; field != nil {
			return valueFor(field, value, true)
		}
		return value, false, nil
	}
	for j, part := range list {
		v, other, err := partFor(fields, j, part)
		if err != nil {
			return nil, false, err
		}
		if other {
			list, changed = with(list, changed, j, v), true
		}
	}
	return list, changed, nil
}

// field returns the field of column. It is nil if column is neither in the model
// nor in a table that is joined to it by a relation. It also returns the column
// under its own name, because a join doesn't know the stand-in for the primary key.
func (c *conditions) field(column any) (*schema.Field, clause.Column) {
	var named clause.Column
	switch column := column.(type) {
	case string:
		named.Name = column
	case clause.Column:
		named = column
	default:
		return nil, named
	}
	s := c.schemaOf(named.Table)
	if s == nil {
		return nil, named
	}
	if field := lookUp(s, named.Name); field != nil {
		named.Name = field.DBName
		return field, named
	}
	if strings.ContainsAny(named.Name, "`\"") {
		named.Name = withoutQuotes(named.Name)
		return c.field(named)
	}
	if dot := strings.LastIndex(named.Name, "."); dot >= 0 { // as the key of a map, or in SQL
		table := named.Name[:dot]
		if s := c.schemaOf(table); s != nil {
			if field := lookUp(s, named.Name[dot+1:]); field != nil {
				named.Name = table + "." + field.DBName
				return field, named
			}
		}
	}
	if lower := strings.ToLower(named.Name); lower != named.Name { // SQL takes any case
		named.Name = lower
		return c.field(named)
	}
	return nil, named
}

// schemaOf returns the schema of the table that a condition names. The table is
// that of the model, or a relation's name or table.
func (c *conditions) schemaOf(table string) *schema.Schema {
	switch table {
	case "", clause.CurrentTable, c.table, c.schema.Table:
		return c.schema
	}
	if table == c.schema.Table[strings.LastIndex(c.schema.Table, ".")+1:] { // without its database
		return c.schema
	}
	if relation := relationOf(c.schema, strings.ReplaceAll(table, "__", ".")); relation != nil {
		return relation.FieldSchema
	}
	for _, join := range c.stmt.Joins {
		if join.Alias == table {
			if relation := relationOf(c.schema, join.Name); relation != nil {
				return relation.FieldSchema
			}
		}
	}
	return schemaOf(c.schema, table)
}

// withoutQuotes returns the name of a column without the quotes of SQL.
func withoutQuotes(name string) string { return strings.NewReplacer("`", "", `"`, "").Replace(name) }
