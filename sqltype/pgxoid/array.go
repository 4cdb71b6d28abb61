package pgxoid

import (
	"database/sql/driver"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
)

// wrapIDs makes slices and arrays of ids, of any depth, into what pgx's codecs of
// arrays encode. Each of them has a type of its own, since pgx plans by type: its
// own types for any slice and for any slice of slices share a plan, and the second
// that comes along fails.
func wrapIDs(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	if ids, ok := value.([]oid.ID); ok {
		return &idSlicePlan{}, idSlice(ids), true
	}
	if t := reflect.TypeOf(value); t != nil && elementOf(t) != nil {
		// pgx plans by type, and this value is but one of the type's: whether
		// it is ragged is for Encode to say.
		return &idArrayPlan{}, idArray{elementType: elementOf(t)}, true
	}
	return nil, nil, false
}

// idSlice is the most usual array, without reflection.
type idSlice []oid.ID

func (s idSlice) Dimensions() []pgtype.ArrayDimension {
	if s == nil {
		return nil
	}
	return []pgtype.ArrayDimension{{Length: int32(len(s)), LowerBound: 1}}
}

// Index returns a pointer: unlike an ID, it goes into an interface without an
// allocation.
func (s idSlice) Index(i int) any { return &s[i] }

func (s idSlice) IndexType() any { return new(oid.ID) }

type idSlicePlan struct{ next pgtype.EncodePlan }

func (p *idSlicePlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *idSlicePlan) Encode(value any, buf []byte) ([]byte, error) {
	return p.next.Encode(idSlice(value.([]oid.ID)), buf)
}

// elementOf returns the type of the ids in slices and arrays of type t, or nil if
// t is no such type. An id is an array itself, of bytes.
func elementOf(t reflect.Type) reflect.Type {
	if t.Implements(reflect.TypeFor[driver.Valuer]()) || t.Implements(reflect.TypeFor[pgtype.ArrayGetter]()) {
		return nil
	}
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
		if _, ok := asID(reflect.Zero(t).Interface()); ok {
			return t
		}
	}
	return nil
}

// idArray holds the ids of an array of any number of dimensions.
type idArray struct {
	elementType reflect.Type
	dimensions  []pgtype.ArrayDimension
	elements    []any
}

func (a idArray) Dimensions() []pgtype.ArrayDimension { return a.dimensions }

func (a idArray) Index(i int) any { return a.elements[i] }

func (a idArray) IndexType() any { return reflect.Zero(a.elementType).Interface() }

type idArrayPlan struct{ next pgtype.EncodePlan }

func (p *idArrayPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *idArrayPlan) Encode(value any, buf []byte) ([]byte, error) {
	v := reflect.ValueOf(value)
	a := idArray{elementType: elementOf(v.Type())}
	if v.Kind() == reflect.Slice && v.IsNil() {
		return p.next.Encode(a, buf)
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
	return p.next.Encode(a, buf)
}

// collect appends the ids in v, which is depth dimensions down. It gets no deeper than
// a.dimensions: what is below the last of them is ids, or empty.
func (a *idArray) collect(v reflect.Value, depth int) error {
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
