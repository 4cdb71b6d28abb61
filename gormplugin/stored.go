package gormplugin

import (
	"fmt"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// GORM checks the values in the fields of a struct. It stores values in a map, or
// passed to Update, as they are. MySQL makes 12 bytes of a number, and SQLite
// stores the number.

// storedFor returns the form in which the statement made by call stores value in
// the column of field. It also returns whether the form differs from value.
func storedFor(call string, field *schema.Field, value any) (stored any, changed bool, err error) {
	if list, _ := value.([]any); len(list) == 1 {
		if _, ok := list[0].(*gorm.DB); ok { // what GORM makes of a subquery
			return value, false, nil
		}
	}
	stored, changed, isZero, err := convert(field, value)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("gormplugin.%s(%s): %w is not an ID: pass an ID or 24 hex digits; gorm.Expr passes anything: %w",
			call, nameOf(field), err, gorm.ErrInvalidData)
	case isZero && field.PrimaryKey:
		return nil, false, zeroKey(call, field)
	}
	if form := idTypeIn(field.IndirectFieldType); isZero && form.Implements(valuerType) { // sqltype.ZeroNull stores NULL
		return reflect.Zero(form).Interface(), true, nil
	}
	return stored, changed, nil
}

// zeroKey returns the error of a statement that would set the key to zero.
func zeroKey(call string, field *schema.Field) error {
	return fmt.Errorf("gormplugin.%s(%s): it sets the key to zero: leave it out with Omit(%q): %w", call, nameOf(field), field.Name, gorm.ErrPrimaryKeyRequired)
}

// assignments mends the assignments of an UPDATE, or of ON CONFLICT. A key must not
// become zero or NULL.
func (c *conditions) assignments(set clause.Set) (mended clause.Set, changed bool) {
	refuse := func(err error) (clause.Set, bool) {
		return clause.Set{{Column: clause.PrimaryColumn, Value: c.refuse(err)}}, true
	}
	for i, assignment := range set {
		field, _ := c.field(assignment.Column)
		if !isID(field) {
			continue
		}
		if field.PrimaryKey && isZero(assignment.Value) {
			return refuse(zeroKey("Update", field))
		}
		stored, other, err := storedFor("Update", field, assignment.Value)
		if err != nil {
			return refuse(err)
		}
		if other {
			assignment.Value = stored
			set, changed = with(set, changed, i, assignment), true
		}
	}
	return set, changed
}

// mapValues mends the rows of an INSERT that are maps.
func (c *conditions) mapValues(values clause.Values) (mended clause.Expression, changed bool) {
	for i, column := range values.Columns {
		field, _ := c.field(column)
		if !isID(field) {
			continue
		}
		for _, row := range values.Values { // GORM has made them for this statement
			stored, _, err := storedFor("Create", field, row[i])
			if err != nil {
				return clause.Values{Columns: values.Columns, Values: [][]any{{c.refuse(err)}}}, true
			}
			row[i] = stored
		}
	}
	return nil, false
}
