package gormplugin

import (
	"context"
	"reflect"

	"gorm.io/gorm"
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

// anyZero reports whether the field c is zero in a row of the statement.
func (c *column) anyZero(stmt *gorm.Statement) bool {
	if rows, ok := mapRows(stmt.Dest); ok {
		for _, row := range rows {
			if _, value := c.lookUp(row); isZero(value) {
				return true
			}
		}
		return false
	}
	switch rows := stmt.ReflectValue; rows.Kind() {
	case reflect.Struct:
		return c.zeroIn(stmt.Context, rows)
	case reflect.Slice, reflect.Array:
		for i := range rows.Len() {
			if c.zeroIn(stmt.Context, rows.Index(i)) {
				return true
			}
		}
	}
	return false
}

// zeroIn reports whether the field c of row is zero, or points to zero.
func (c *column) zeroIn(ctx context.Context, row reflect.Value) bool {
	row = reflect.Indirect(row)
	if row.Kind() != reflect.Struct {
		return false // GORM reports it
	}
	if _, zero := c.field.ValueOf(ctx, row); zero || !c.pointer {
		return zero
	}
	return c.id(c.field.ReflectValueOf(ctx, row)).IsZero()
}
