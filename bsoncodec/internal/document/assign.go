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

func (d *Driver) assign(v reflect.Value) (id oid.ID, problem string) {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Pointer:
		return oid.ID{}, "the pointer is nil"
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return d.assignMap(v)
	case v.Kind() == reflect.Struct && v.CanSet():
		if path := idField(v.Type()); path != nil {
			return d.fill(v, path)
		}
		return oid.ID{}, `no field has the tag bson:"_id"`
	case v.Kind() == reflect.Slice && v.CanSet() && v.Type().ConvertibleTo(d.D):
		return d.assignPairs(v)
	}
	return oid.ID{}, "want a pointer to a struct, a map with keys of type string, or a pointer to a bson.D"
}

// assignMap assigns the _id of a bson.M, or of another map with string keys.
func (d *Driver) assignMap(m reflect.Value) (id oid.ID, problem string) {
	if m.IsNil() {
		return oid.ID{}, "the map is nil"
	}
	key := reflect.ValueOf("_id").Convert(m.Type().Key())
	value := reflect.New(m.Type().Elem()).Elem()
	if old := m.MapIndex(key); old.IsValid() {
		value.Set(old)
	}
	if id, problem = d.fill(value, nil); problem == "" {
		m.SetMapIndex(key, value)
	}
	return id, problem
}

// assignPairs assigns the _id of a bson.D. A new _id becomes the first pair, because
// the server would put it there too.
func (d *Driver) assignPairs(pairs reflect.Value) (id oid.ID, problem string) {
	for i := range pairs.Len() {
		if pair := pairs.Index(i); pair.Field(0).String() == "_id" {
			return d.fill(pair.Field(1), nil)
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
	seen := map[reflect.Type]bool{}
	for queue := []reflect.StructField{{Type: t}}; len(queue) > 0; queue = queue[1:] {
		in := queue[0]
		if in.Type.Kind() == reflect.Pointer {
			in.Type = in.Type.Elem()
		}
		if in.Type.Kind() != reflect.Struct || seen[in.Type] {
			continue
		}
		seen[in.Type] = true
		for i := range in.Type.NumField() {
			f := in.Type.Field(i)
			f.Index = slices.Concat(in.Index, f.Index)
			tag, _ := Tag(f)
			switch name, options, _ := strings.Cut(tag, ","); {
			case !f.IsExported():
			case name == "_id":
				return f.Index
			case slices.Contains(strings.Split(options, ","), "inline"):
				queue = append(queue, f)
			}
		}
	}
	return nil
}

// fill puts a new ID into the field at path in v if the field is zero, and returns the ID
// that it then holds. It makes a new value for each nil pointer on the way.
func (d *Driver) fill(v reflect.Value, path []int) (id oid.ID, problem string) {
	switch {
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			return d.fill(v.Elem(), path)
		}
		inner := reflect.New(v.Type().Elem())
		if id, problem = d.fill(inner.Elem(), path); problem == "" {
			v.Set(inner)
		}
		return id, problem
	case len(path) > 0:
		return d.fill(v.Field(path[0]), path[1:])
	case v.Kind() == reflect.Interface:
		inner := reflect.New(idType).Elem()
		if !v.IsNil() {
			inner = reflect.New(v.Elem().Type()).Elem()
			inner.Set(v.Elem())
		}
		if inner.Type().AssignableTo(v.Type()) {
			id, problem = d.fill(inner, nil)
			v.Set(inner) // if there is a problem, it is what v had
			return id, problem
		}
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
	return ID(v), ""
}
