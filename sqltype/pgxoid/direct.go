package pgxoid

import (
	"maps"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
)

// direct holds the plans for oid.ID, sqltype.Hex and the types of RegisterFor in one kind
// of column. These plans know the Go type, so most need no method of it. An ID of any
// other type goes through its methods.
//
// A direct is never changed, because connections may share a codec.
type direct map[reflect.Type]plans

// plans are the plans for one Go type, by format.
type plans struct {
	encode [2]pgtype.EncodePlan
	scan   [2]pgtype.ScanPlan // nil unless the type is a pointer
}

// encode returns the plan for value, or nil.
func (d direct) encode(format int16, value any) pgtype.EncodePlan {
	return d[reflect.TypeOf(value)].encode[format]
}

// scan returns the plan for target, or nil.
func (d direct) scan(format int16, target any) pgtype.ScanPlan {
	return d[reflect.TypeOf(target)].scan[format]
}

// with returns d and the plans for a T and a *T.
func with[T any](d direct, value, pointer plans) direct {
	d = maps.Clone(d)
	if d == nil {
		d = direct{}
	}
	d[reflect.TypeFor[T]()], d[reflect.TypeFor[*T]()] = value, pointer
	return d
}

// withBytea returns d and the plans for a T in columns of type bytea.
func withBytea[T ~[12]byte](d direct) direct {
	return with[T](d,
		plans{encode: [2]pgtype.EncodePlan{escaped[T]{}, raw[T]{}}},
		plans{
			encode: [2]pgtype.EncodePlan{escapedPointer[T]{}, rawPointer[T]{}},
			scan:   [2]pgtype.ScanPlan{fromEscaped[T]{}, fromRaw[T]{}},
		})
}

// withText returns d and the plans for a T in columns of text.
func withText[T ~[12]byte](d direct) direct {
	return with[T](d,
		plans{encode: [2]pgtype.EncodePlan{digits[T]{}, digits[T]{}}},
		plans{
			encode: [2]pgtype.EncodePlan{digitsPointer[T]{}, digitsPointer[T]{}},
			scan:   [2]pgtype.ScanPlan{fromDigits[T]{}, fromDigits[T]{}},
		})
}

// raw encodes a T as its 12 bytes, and rawPointer a *T.
type (
	raw[T ~[12]byte]        struct{}
	rawPointer[T ~[12]byte] struct{}
)

func (raw[T]) Encode(value any, buf []byte) ([]byte, error) {
	id := value.(T)
	return append(buf, id[:]...), nil
}

func (rawPointer[T]) Encode(value any, buf []byte) ([]byte, error) {
	id := *value.(*T)
	return append(buf, id[:]...), nil
}

// escaped encodes a T as \x and its 24 hex digits, and escapedPointer a *T.
type (
	escaped[T ~[12]byte]        struct{}
	escapedPointer[T ~[12]byte] struct{}
)

func (escaped[T]) Encode(value any, buf []byte) ([]byte, error) {
	return oid.ID(value.(T)).AppendText(append(buf, `\x`...))
}

func (escapedPointer[T]) Encode(value any, buf []byte) ([]byte, error) {
	return oid.ID(*value.(*T)).AppendText(append(buf, `\x`...))
}

// digits encodes a T as its 24 hex digits, and digitsPointer a *T.
type (
	digits[T ~[12]byte]        struct{}
	digitsPointer[T ~[12]byte] struct{}
)

func (digits[T]) Encode(value any, buf []byte) ([]byte, error) {
	return oid.ID(value.(T)).AppendText(buf)
}

func (digitsPointer[T]) Encode(value any, buf []byte) ([]byte, error) {
	return oid.ID(*value.(*T)).AppendText(buf)
}

// fromRaw decodes 12 bytes into a *T.
type fromRaw[T ~[12]byte] struct{}

func (fromRaw[T]) Scan(src []byte, target any) error {
	if len(src) != len(oid.ID{}) {
		return scanWith[T](scanBytes{}, src, target)
	}
	*target.(*T) = T(src)
	return nil
}

// fromEscaped decodes \x and 24 hex digits into a *T.
type fromEscaped[T ~[12]byte] struct{}

func (fromEscaped[T]) Scan(src []byte, target any) error {
	return scanWith[T](scanEscaped{}, src, target)
}

// fromDigits decodes 24 hex digits into a *T.
type fromDigits[T ~[12]byte] struct{}

func (fromDigits[T]) Scan(src []byte, target any) error {
	var id oid.ID
	if len(src) != 2*len(id) || id.ScanBytes(src) != nil {
		return scanWith[T](scanDigits{}, src, target) // for the error
	}
	*target.(*T) = T(id)
	return nil
}

// scanWith runs plan, which calls target's own methods if it has them.
func scanWith[T ~[12]byte](plan pgtype.ScanPlan, src []byte, target any) error {
	if _, ok := target.(formTarget); ok {
		return plan.Scan(src, target)
	}
	id := new(oid.ID)
	if err := plan.Scan(src, id); err != nil {
		return err
	}
	*target.(*T) = T(*id)
	return nil
}
