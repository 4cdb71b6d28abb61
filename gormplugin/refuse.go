package gormplugin

import (
	"fmt"
	"reflect"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// refuse makes the statement fail if it would insert a key that is zero or, which
// SQLite takes as well, left out. Only keys that are not assigned can be.
func (p *Plugin) refuse(db *gorm.DB) {
	stmt := db.Statement
	if db.Error != nil || stmt.Schema == nil || stmt.SQL.Len() > 0 {
		return
	}
	for _, c := range p.plan(stmt.Schema).columns {
		written := c.written(stmt)
		switch {
		case !c.field.PrimaryKey || c.field.HasDefaultValue:
		case !written:
			db.AddError(createError(stmt, "%s is left out and has no default: %w", c, gorm.ErrPrimaryKeyRequired))
		case !c.assignable() && c.anyZero(stmt):
			db.AddError(createError(stmt, "%s is zero: %w", c, gorm.ErrPrimaryKeyRequired))
		}
	}
}

// anyZero reports whether c is zero in a row of the statement.
func (c *column) anyZero(stmt *gorm.Statement) bool {
	return slices.ContainsFunc(rowsOf(stmt), func(r row) bool {
		return isZero(r.valueOf(stmt.Context, c.field))
	})
}

// refuseDeleteOfID makes Model(&User{}).Delete(id) fail. GORM takes what Delete is
// given for rows, and panics where it looks for the key of one in a byte of the id.
func refuseDeleteOfID(db *gorm.DB) {
	stmt := db.Statement
	if db.Error != nil || stmt.Schema == nil || !stmt.ReflectValue.IsValid() {
		return
	}
	t := stmt.ReflectValue.Type()
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if isIDType(t) && t != stmt.Schema.ModelType {
		db.AddError(fmt.Errorf("gormplugin: Delete(%T): an id is no row; write Delete(&%s{}, id): %w", stmt.Dest, stmt.Schema.Name, gorm.ErrInvalidData))
	}
}

// refuseZeroKey returns a builder of the clause SET that makes an update fail if
// it would set a key to zero or NULL. The clause itself is built by build, as GORM
// does it if that is nil.
func refuseZeroKey(build clause.ClauseBuilder) clause.ClauseBuilder {
	return func(c clause.Clause, builder clause.Builder) {
		if stmt, ok := builder.(*gorm.Statement); ok && stmt.Schema != nil {
			set, _ := c.Expression.(clause.Set)
			for _, assignment := range set {
				field := lookUp(stmt.Schema, assignment.Column.Name)
				if isID(field) && field.PrimaryKey && isZero(assignment.Value) {
					stmt.AddError(fmt.Errorf("gormplugin: an update sets %s.%s to zero: %w", stmt.Schema.Name, field.Name, gorm.ErrPrimaryKeyRequired))
				}
			}
		}
		if build == nil {
			c.Build(builder)
			return
		}
		build(c, builder)
	}
}
