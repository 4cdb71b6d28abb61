// Package document holds what package bsoncodec and package mongov1 know about
// Go types and BSON bytes without either driver.
package document

import (
	"iter"
	"reflect"
	"runtime"
	"sync"

	"github.com/oidkit/oidkit/oid"
)

// A Kind says what a struct type is that has a method of [oid.ID] because it
// embeds one.
type Kind int

const (
	Other    Kind = iota // not such a type
	ID                   // an id with a type of its own, as [oid.For] is
	Document             // a document, whose other fields the method knows nothing of
)

// A Shape is what there is to know about a type.
type Shape struct {
	Kind Kind
	Path []int // where the oid.ID is in a type of Kind ID, as for reflect.Value.FieldByIndex
}

// A Method finds one method of [oid.ID] on a type, by a name that is a constant: the
// linker keeps every method of a program that finds them by names it can't know.
type Method func(reflect.Type) (reflect.Method, bool)

// MarshalBSONValue finds the method that driver v2 encodes with.
func MarshalBSONValue(t reflect.Type) (reflect.Method, bool) {
	return t.MethodByName("MarshalBSONValue")
}

// UnmarshalBSONValue finds the method that driver v2 decodes with.
func UnmarshalBSONValue(t reflect.Type) (reflect.Method, bool) {
	return t.MethodByName("UnmarshalBSONValue")
}

// ProxyBSON finds the method that driver v1 encodes with.
func ProxyBSON(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("ProxyBSON") }

// BSONValue holds both methods of driver v2. A type that declares one of them says
// by that how it is stored, and has the other one to go with it.
var BSONValue = []Method{MarshalBSONValue, UnmarshalBSONValue}

// Shapes finds and keeps the shapes of types that have all of some methods by
// embedding.
type Shapes struct {
	Methods []Method
	known   sync.Map // reflect.Type to Shape
}

// Of returns the shape of t.
func (s *Shapes) Of(t reflect.Type) Shape {
	if t.Kind() != reflect.Struct {
		return Shape{}
	}
	if shape, ok := s.known.Load(t); ok {
		return shape.(Shape)
	}
	shape := find(t, s.Methods...)
	s.known.Store(t, shape)
	return shape
}

// HoldsID reports whether v can be asked for an id by a method: that it is not a nil
// pointer, and doesn't have the methods as a document which embeds an id.
func HoldsID(v any, methods ...Method) bool {
	val := reflect.ValueOf(v)
	if val.Kind() == reflect.Pointer {
		if val.IsNil() {
			return false
		}
		val = val.Elem()
	}
	return val.Kind() != reflect.Struct || find(val.Type(), methods...).Kind != Document
}

// Types that have no codec of their own: what a registry has for them, it has for
// every type of their kind.
var (
	AnyStruct  = reflect.TypeFor[struct{}]()
	AnyPointer = reflect.TypeFor[*struct{}]()
	AnySlice   = reflect.TypeFor[[]struct{}]()
)

// Codec says how to encode or decode val: as the id that is at path in it; or else
// as the registry does with kind; or, if val isn't ours, neither.
func (s *Shapes) Codec(val reflect.Value) (path []int, kind reflect.Type) {
	if !val.IsValid() {
		return nil, nil
	}
	t := val.Type()
	if t.Kind() == reflect.Pointer {
		if s.Of(t.Elem()).Kind != Other {
			return nil, AnyPointer
		}
		return nil, nil
	}
	switch shape := s.Of(t); shape.Kind {
	case ID:
		return shape.Path, nil
	case Document:
		return nil, AnyStruct
	}
	return nil, nil
}

var idType = reflect.TypeFor[oid.ID]()

// find returns the shape of the struct type t.
func find(t reflect.Type, methods ...Method) Shape {
	for _, method := range methods {
		if !promoted(t, method) {
			return Shape{}
		}
	}
	for f := range fields(t) {
		if !f.Anonymous {
			continue
		}
		embedded, path := f.Type, f.Index
		if embedded.Kind() == reflect.Pointer {
			embedded, path = embedded.Elem(), nil
		}
		if embedded == idType {
			return shapeBy(t, f, path)
		}
		if embedded.Kind() != reflect.Struct {
			continue
		}
		switch inner := find(embedded, methods...); {
		case inner.Kind == ID && path != nil:
			return shapeBy(t, f, append(path, inner.Path...))
		case inner.Kind != Other:
			return Shape{Kind: Document}
		}
	}
	return Shape{}
}

// shapeBy returns the shape of t, which has the method by its embedded field f. The
// id lies at path, or behind a pointer if path is nil.
func shapeBy(t reflect.Type, f reflect.StructField, path []int) Shape {
	_, tagged := Tag(f)
	if path == nil || tagged {
		return Shape{Kind: Document} // a tag is for the fields of documents
	}
	for other := range fields(t) {
		// The mgo registry stores embedded structs though they aren't exported.
		stored := other.IsExported() || other.Anonymous && other.Type.Size() > 0
		if stored && other.Name != f.Name {
			return Shape{Kind: Document}
		}
	}
	return Shape{Kind: ID, Path: path}
}

// promoted reports whether t has the method, on itself or its pointer, by
// embedding: that is, without declaring it. Package reflect doesn't tell, but the
// code of a promoted method is the compiler's own and in no file.
func promoted(t reflect.Type, method Method) bool {
	m, ok := method(t)
	if !ok {
		m, ok = method(reflect.PointerTo(t))
	}
	if !ok {
		return false
	}
	pc := m.Func.Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	return file == "<autogenerated>"
}

// fields is a loop over the fields of the struct type t.
func fields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}
