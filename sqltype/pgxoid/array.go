package pgxoid

import (
	"database/sql/driver"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/sqltype"
)

// The functions of this file convert slices and arrays of IDs, of any depth, into
// values that pgx's array codecs encode. Each function uses types of its own, because
// pgx keeps one plan per type. pgx has one type for all slices and one for all slices
// of slices. Values of different element types would share a plan, and the second
// would fail.

// slice is the most common array. It needs no reflection.
type slice[T any] []T

func (s slice[T]) Dimensions() []pgtype.ArrayDimension {
	if s == nil {
		return nil
	}
	return []pgtype.ArrayDimension{{Length: int32(len(s)), LowerBound: 1}}
}

// Index returns a pointer. Unlike an ID, a pointer is converted to an interface
// without an allocation.
func (s slice[T]) Index(i int) any { return &s[i] }

func (s slice[T]) IndexType() any { return new(T) }

// wrapSlice converts a []T to a slice[T].
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

// wrapSliceTarget is wrapSlice for reading. pgx itself reads a slice by reflection.
func wrapSliceTarget[T any](target any) (pgtype.WrappedScanPlanNextSetter, any, bool) {
	if target, ok := target.(*[]T); ok {
		return &slicePlanTarget[T]{}, (*pgtype.FlatArray[T])(target), true
	}
	return nil, nil, false
}

type slicePlanTarget[T any] struct{ next pgtype.ScanPlan }

func (p *slicePlanTarget[T]) SetNext(next pgtype.ScanPlan) { p.next = next }

func (p *slicePlanTarget[T]) Scan(src []byte, target any) error {
	return p.next.Scan(src, (*pgtype.FlatArray[T])(target.(*[]T)))
}

// wrapArray converts slices and arrays to an array, unless they are slices of a
// registered type. pgx keeps one plan per type, and value is only one value of its
// type. For this reason Encode, not wrapArray, checks whether a value has rows of different lengths.
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
// t is another type. An ID itself is an array of bytes.
func elementOf(t reflect.Type) reflect.Type {
	if t.Implements(reflect.TypeFor[driver.Valuer]()) && t.PkgPath() != sqltypePackage {
		return nil // a list that encodes itself, unlike sqltype.Array
	}
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
		if _, ok := asForm(reflect.Zero(t).Interface()); ok || is[sqltype.UUID](t) {
			return t
		}
	}
	return nil
}

var sqltypePackage = reflect.TypeFor[sqltype.Hex]().PkgPath()

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

// hexArray and uuidArray are arrays whose default types are text[] and uuid[].
type (
	hexArray  struct{ array }
	uuidArray struct{ array }
)

// typed converts a to the type that is registered with its default PostgreSQL type.
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
		return nil, nil // NULL
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

// collect appends the IDs in v, which is depth dimensions down. It never goes deeper
// than a.dimensions: below the last dimension there are IDs, or nothing.
func (a *array) collect(v reflect.Value, depth int) error {
	if v.Type() == a.elementType {
		a.elements = append(a.elements, v.Interface())
		return nil
	}
	if v.Len() != int(a.dimensions[depth].Length) {
		return fmt.Errorf("the inner slices have different lengths")
	}
	for i := range v.Len() {
		if err := a.collect(v.Index(i), depth+1); err != nil {
			return err
		}
	}
	return nil
}
