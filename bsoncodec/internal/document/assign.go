package document

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/oid"
)

// A Driver says what a driver stores.
type Driver struct {
	Package string                  // that of oidkit and a dot, for errors
	D       reflect.Type            // bson.D
	Writes  func(reflect.Type) bool // reports whether arrays of this type are written as ObjectIds
}

// Assign puts a new ID into the _id of doc if that is zero or missing, and returns the
// _id that doc then has.
func (d *Driver) Assign(doc any) (oid.ID, error) {
	id, problem := d.assign(reflect.ValueOf(doc))
	if problem != "" {
		return oid.ID{}, fmt.Errorf("%sAssign(%T): %s", d.Package, doc, problem)
	}
	return id, nil
}

const wantDocument = "want a pointer to a struct, a map with keys of type string, or a pointer to a bson.D"

func (d *Driver) assign(v reflect.Value) (id oid.ID, problem string) {
	for v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return d.assignMap(v)
	case v.Kind() != reflect.Pointer:
		return oid.ID{}, wantDocument
	case v.IsNil():
		return oid.ID{}, "nil pointer"
	}
	switch v = v.Elem(); {
	case v.Kind() == reflect.Struct:
		path := idField(v.Type())
		if path == nil {
			return oid.ID{}, `no field has the tag bson:"_id"`
		}
		return d.fillField(v, path)
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return d.assignMap(v)
	case v.Kind() == reflect.Slice && v.Type().ConvertibleTo(d.D):
		return d.assignPairs(v)
	}
	return oid.ID{}, wantDocument
}

// assignMap assigns the _id of a bson.M, or of another map with string keys.
func (d *Driver) assignMap(m reflect.Value) (id oid.ID, problem string) {
	if m.IsNil() {
		return oid.ID{}, "nil map"
	}
	key := reflect.ValueOf("_id").Convert(m.Type().Key())
	value := reflect.New(m.Type().Elem()).Elem()
	if old := m.MapIndex(key); old.IsValid() {
		value.Set(old)
	}
	if id, problem = d.fill(value); problem == "" {
		m.SetMapIndex(key, value)
	}
	return id, problem
}

// assignPairs assigns the _id of a bson.D. A new _id becomes the first pair, because
// the server would put it there too.
func (d *Driver) assignPairs(pairs reflect.Value) (id oid.ID, problem string) {
	for i := range pairs.Len() {
		if pair := pairs.Index(i); pair.Field(0).String() == "_id" {
			return d.fill(pair.Field(1))
		}
	}
	id = oid.New()
	pair := reflect.New(pairs.Type().Elem()).Elem()
	pair.Field(0).SetString("_id")
	pair.Field(1).Set(reflect.ValueOf(id))
	pairs.Set(reflect.AppendSlice(reflect.Append(reflect.Zero(pairs.Type()), pair), pairs))
	return id, ""
}

// idField returns the path to the field of the struct type t that is stored as _id, or
// nil if there is none. Like the drivers, it prefers the field at the least depth of
// inlined structs.
func idField(t reflect.Type) []int {
	type place struct {
		structType reflect.Type
		path       []int
	}
	seen := map[reflect.Type]bool{}
	for level := []place{{t, nil}}; len(level) > 0; {
		var deeper []place
		for _, at := range level {
			for f := range fields(at.structType) {
				if !f.IsExported() {
					continue
				}
				tag, _ := Tag(f)
				name, options, _ := strings.Cut(tag, ",")
				path := slices.Concat(at.path, f.Index)
				if name == "_id" {
					return path
				}
				inner := f.Type
				if inner.Kind() == reflect.Pointer {
					inner = inner.Elem()
				}
				if inner.Kind() == reflect.Struct && slices.Contains(strings.Split(options, ","), "inline") && !seen[inner] {
					seen[inner] = true
					deeper = append(deeper, place{inner, path})
				}
			}
		}
		level = deeper
	}
	return nil
}

// fillField fills the field at path in v. It makes a new struct for each nil pointer on
// the path.
func (d *Driver) fillField(v reflect.Value, path []int) (id oid.ID, problem string) {
	switch {
	case len(path) == 0:
		return d.fill(v)
	case v.Kind() != reflect.Pointer:
		return d.fillField(v.Field(path[0]), path[1:])
	case !v.IsNil():
		return d.fillField(v.Elem(), path)
	}
	inner := reflect.New(v.Type().Elem())
	if id, problem = d.fillField(inner.Elem(), path); problem == "" {
		v.Set(inner)
	}
	return id, problem
}

// fill puts a new ID into v if v is zero, and returns the ID that v then holds.
func (d *Driver) fill(v reflect.Value) (id oid.ID, problem string) {
	switch v.Kind() {
	case reflect.Interface:
		inner := reflect.New(idType).Elem()
		if !v.IsNil() {
			inner = reflect.New(v.Elem().Type()).Elem()
			inner.Set(v.Elem())
		}
		if !inner.Type().AssignableTo(v.Type()) {
			break
		}
		id, problem = d.fill(inner)
		v.Set(inner) // if there is a problem, it is what v had
		return id, problem
	case reflect.Pointer:
		if !v.IsNil() {
			return d.fill(v.Elem())
		}
		inner := reflect.New(v.Type().Elem())
		if id, problem = d.fill(inner.Elem()); problem == "" {
			v.Set(inner)
		}
		return id, problem
	}
	switch t := v.Type(); {
	case !Is12Bytes(t):
		return oid.ID{}, fmt.Sprintf("_id is of type %s, which is not an ObjectId", t)
	case !d.Writes(t):
		return oid.ID{}, fmt.Sprintf("_id is of type %s, which is not stored as an ObjectId: call %sRegisterFor[%s] with the registry of your client", t, d.Package, t)
	}
	if v.IsZero() {
		v.Set(reflect.ValueOf(oid.New()).Convert(v.Type()))
	}
	return v.Convert(idType).Interface().(oid.ID), ""
}
