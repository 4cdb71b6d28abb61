package pgxoid

import (
	"database/sql/driver"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/sqltype"
)

// The functions of this file make slices and arrays of IDs, of any depth, into what
// pgx's codecs of arrays encode. Each has types of its own, since pgx plans by type:
// its own types for any slice and for any slice of slices share a plan, and the
// second that comes along fails.

// slice is the most usual array, without reflection.
type slice[T any] []T

func (s slice[T]) Dimensions() []pgtype.ArrayDimension {
	if s == nil {
		return nil
	}
	return []pgtype.ArrayDimension{{Length: int32(len(s)), LowerBound: 1}}
}

// Index returns a pointer: unlike an ID, it goes into an interface without an
// allocation.
func (s slice[T]) Index(i int) any { return &s[i] }

func (s slice[T]) IndexType() any { return new(T) }

// wrapSlice makes a []T into a slice.
func wrapSlice[T any](value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	if value, ok := value.([]T); ok {
		return &slicePlan[T]{}, slice[T](value), true
	}
	return nil, nil, false
}

type slicePlan[T any] struct{ next pgtype.EncodePlan }

func (p *slicePlan[T]) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *slicePlan[T]) Encode(value any, buf []byte) ([]byte, error) {
	return p.next.Encode(slice[T](value.([]T)), buf)
}

// wrapArray makes slices and arrays that are not slices of a registered type into an
// array. pgx plans by type, and value is only one of the type's: whether it is
// ragged is for Encode to say.
func wrapArray(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	t := reflect.TypeOf(value)
	if t == nil {
		return nil, nil, false
	}
	element := elementOf(t)
	if element == nil {
		return nil, nil, false
	}
	return &arrayPlan{}, array{elementType: element}.typed(), true
}

// elementOf returns the type of the IDs in slices and arrays of type t, or nil if
// t is no such type. An ID is an array itself, of bytes.
func elementOf(t reflect.Type) reflect.Type {
	if t.Implements(reflect.TypeFor[driver.Valuer]()) || t.Implements(reflect.TypeFor[pgtype.ArrayGetter]()) {
		return nil
	}
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
		if _, ok := asForm(reflect.Zero(t).Interface()); ok || is[sqltype.UUID](t) {
			return t
		}
	}
	return nil
}

// is reports whether t is T or a pointer to it.
func is[T any](t reflect.Type) bool {
	return t == reflect.TypeFor[T]() || t == reflect.TypeFor[*T]()
}

// array holds the IDs of an array of any number of dimensions.
type array struct {
	elementType reflect.Type
	dimensions  []pgtype.ArrayDimension
	elements    []any
}

// hexArray and uuidArray are arrays of other default types than bytea[].
type (
	hexArray  struct{ array }
	uuidArray struct{ array }
)

// typed returns a as the type that has its default type of PostgreSQL.
func (a array) typed() any {
	switch {
	case is[sqltype.Hex](a.elementType):
		return hexArray{a}
	case is[sqltype.UUID](a.elementType):
		return uuidArray{a}
	}
	return a
}

func (a array) Dimensions() []pgtype.ArrayDimension { return a.dimensions }

func (a array) Index(i int) any { return a.elements[i] }

func (a array) IndexType() any { return reflect.Zero(a.elementType).Interface() }

type arrayPlan struct{ next pgtype.EncodePlan }

func (p *arrayPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *arrayPlan) Encode(value any, buf []byte) ([]byte, error) {
	v := reflect.ValueOf(value)
	a := array{elementType: elementOf(v.Type())}
	if v.Kind() == reflect.Slice && v.IsNil() {
		return p.next.Encode(a.typed(), buf)
	}
	for d := v; d.Type() != a.elementType; d = d.Index(0) {
		a.dimensions = append(a.dimensions, pgtype.ArrayDimension{Length: int32(d.Len()), LowerBound: 1})
		if d.Len() == 0 {
			break
		}
	}
	if err := a.collect(v, 0); err != nil {
		return nil, fmt.Errorf("pgxoid: %T: %w", value, err)
	}
	return p.next.Encode(a.typed(), buf)
}

// collect appends the IDs in v, which is depth dimensions down. It gets no deeper than
// a.dimensions: what is below the last of them is IDs, or empty.
func (a *array) collect(v reflect.Value, depth int) error {
	if v.Type() == a.elementType {
		a.elements = append(a.elements, v.Interface())
		return nil
	}
	if v.Len() != int(a.dimensions[depth].Length) {
		return fmt.Errorf("rows of different lengths")
	}
	for i := range v.Len() {
		if err := a.collect(v.Index(i), depth+1); err != nil {
			return err
		}
	}
	return nil
}
