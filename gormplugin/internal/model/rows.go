package model

import (
	"context"
	"reflect"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// IsBuilding reports whether GORM goes on to build a statement of a model.
func IsBuilding(db *gorm.DB) bool {
	return db.Error == nil && db.Statement.Schema != nil && db.Statement.SQL.Len() == 0
}

// IsMySQL reports whether db is MySQL, or a server that speaks its language.
func IsMySQL(db *gorm.DB) bool { return db.Dialector.Name() == "mysql" }

// A Row is one row of a statement. It is a struct or a map.
type Row struct {
	Value  reflect.Value
	Fields map[string]any
	IsMap  bool
}

// Rows appends the rows of the statement to list.
func Rows(list []Row, stmt *gorm.Statement) []Row {
	maps, ok := MapRows(stmt.Dest)
	if !ok {
		return Structs(list, stmt.ReflectValue)
	}
	for _, fields := range maps {
		list = append(list, Row{Fields: fields, IsMap: true})
	}
	return list
}

// Structs appends the rows of v, a struct or a list of structs or of pointers to them, to
// list. It leaves out nil pointers, which GORM reports.
func Structs(list []Row, v reflect.Value) []Row {
	if v.Kind() == reflect.Struct {
		return append(list, Row{Value: v})
	}
	for i := 0; (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && i < v.Len(); i++ {
		if one := reflect.Indirect(v.Index(i)); one.Kind() == reflect.Struct {
			list = append(list, Row{Value: one})
		}
	}
	return list
}

// MapRows returns the rows of dest if it is of the types that GORM takes for rows
// in the form of maps.
func MapRows(dest any) (maps []map[string]any, ok bool) {
	switch dest := dest.(type) {
	case map[string]any:
		return []map[string]any{dest}, true
	case *map[string]any:
		return []map[string]any{*dest}, true
	case []map[string]any:
		return dest, true
	case *[]map[string]any:
		return *dest, true
	}
	return nil, false
}

// ValueOf returns the value of field in the row.
func (r Row) ValueOf(ctx context.Context, field *schema.Field) any {
	if r.IsMap {
		_, value := Entry(r.Fields, field)
		return value
	}
	value, _ := field.ValueOf(ctx, r.Value)
	return value
}

// ID returns the ID that the row has in field. It is zero if there is none.
func (r Row) ID(ctx context.Context, field *schema.Field) (id oid.ID) {
	id, _ = ids.Of(field, reflect.ValueOf(r.ValueOf(ctx, field))) // what is not an ID stays zero
	return id
}

// SetID puts id into field. It does nothing for a struct that was passed by value.
func (r Row) SetID(ctx context.Context, field *schema.Field, id oid.ID) {
	if r.IsMap {
		name, value := Entry(r.Fields, field)
		if held, _ := value.(*oid.ID); held != nil {
			*held = id
		} else {
			r.Fields[name] = id
		}
	} else if r.Value.CanAddr() {
		if held := field.ReflectValueOf(ctx, r.Value); !held.IsZero() || !id.IsZero() {
			*IDIn(held) = id
		}
	}
}

// Set puts a value of field into the row.
func (r Row) Set(ctx context.Context, field *schema.Field, value reflect.Value) {
	if r.IsMap {
		name, _ := Entry(r.Fields, field)
		r.Fields[name] = value.Interface()
	} else if r.Value.CanAddr() {
		field.ReflectValueOf(ctx, r.Value).Set(value)
	}
}

// Entry returns the entry of fields that GORM takes for field, under its column's name
// and nil if there is none.
func Entry(fields map[string]any, field *schema.Field) (name string, value any) {
	for name, value := range fields {
		if field.Schema.LookUpField(name) == field {
			return name, value
		}
	}
	return field.DBName, nil
}

// RowType returns the type of one row in t, which may be a list of rows or of pointers.
func RowType(t reflect.Type) reflect.Type {
	for t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Pointer) {
		t = t.Elem()
	}
	return t
}
