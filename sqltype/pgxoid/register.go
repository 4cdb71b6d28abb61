package pgxoid

import (
	"database/sql"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// Register registers IDs with a connection's type map, conn.TypeMap(). If a program
// copies m with m.Copy, the program must call Register for the copy too.
//
// Call Register before you load domains, because a domain gets the codec that its base
// type has when pgx loads the domain.
func Register(m *pgtype.Map) {
	replaceCodec(m, pgtype.ByteaOID, func(found pgtype.Codec) byteaCodec {
		return byteaCodec{found, withBytea[sqltype.Hex](withBytea[oid.ID](nil))}
	})
	for _, typeOID := range textTypes {
		replaceCodec(m, typeOID, func(found pgtype.Codec) textCodec {
			return textCodec{found, withText[sqltype.Hex](withText[oid.ID](nil))}
		})
	}
	replaceCodec(m, pgtype.UUIDOID, func(found pgtype.Codec) uuidCodec { return uuidCodec{found} })
	replaceCodec(m, pgtype.OIDOID, func(found pgtype.Codec) oidCodec { return oidCodec{found} })
	replaceCodec(m, pgtype.JSONOID, func(found pgtype.Codec) jsonCodec { return jsonCodec{found, false} })
	replaceCodec(m, pgtype.JSONBOID, func(found pgtype.Codec) jsonCodec { return jsonCodec{found, true} })

	if _, ok := m.TypeForValue(array{}); ok {
		return // the rest is done
	}
	// pgx calls these functions in order. Its own functions accept any slice, but
	// encode only the types that pgx knows, so they have to come later.
	m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapArray}, m.TryWrapEncodePlanFuncs...)
	m.RegisterDefaultPgType(array{}, "_bytea")
	m.RegisterDefaultPgType(hexArray{}, "_text")
	m.RegisterDefaultPgType(uuidArray{}, "_uuid")

	registerDefault[oid.ID](m, "bytea")
	registerDefault[sqltype.ZeroNull](m, "bytea")
	registerDefault[sqltype.Hex](m, "text")
	registerDefault[sqltype.UUID](m, "uuid")
}

// RegisterFor calls [Register], and makes pgx encode and decode a T like an oid.ID: in bytea
// and text columns, in arrays, and in every mode of pgx. T is a type of 12 bytes, such as
// bson.ObjectID of the MongoDB driver or your own type. Without RegisterFor, pgx sends the
// text of T's method String, such as ObjectID("65b3f7a40c1b2d3e4f506172"), if T has this
// method, and neither Value nor BytesValue. For a bytea column, Register makes this an error,
// but not in the modes exec and simple protocol. In json and jsonb columns, pgx encodes your
// own T as without RegisterFor: by its method Value, or else by encoding/json. As with
// [Register], call RegisterFor before you load domains.
//
// An oid.For needs RegisterFor only for arrays of a domain that isn't loaded, for
// [pgtype.Map.SQLScanner], and for speed. With RegisterFor, pgx copies the 12 bytes of a T as
// it does for an oid.ID. In the binary format, it sends lists without an allocation per ID.
func RegisterFor[T ~[12]byte](m *pgtype.Map) {
	Register(m)
	if _, ok := m.TypeForValue([]T(nil)); ok {
		return
	}
	changeCodec(m, pgtype.ByteaOID, func(c byteaCodec) byteaCodec { return byteaCodec{c.Codec, withBytea[T](c.direct)} })
	for _, typeOID := range textTypes {
		changeCodec(m, typeOID, func(c textCodec) textCodec { return textCodec{c.Codec, withText[T](c.direct)} })
	}
	registerDefault[T](m, "bytea")
	m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapDefined[T]}, m.TryWrapEncodePlanFuncs...)
	m.TryWrapScanPlanFuncs = append([]pgtype.TryWrapScanPlanFunc{wrapDefinedTarget[T]}, m.TryWrapScanPlanFuncs...)
}

// textTypes are PostgreSQL's types of text.
var textTypes = []uint32{pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID}

// replaceCodec replaces m's codec for a built-in type by wrap's, unless it has done so
// before.
func replaceCodec[C pgtype.Codec](m *pgtype.Map, typeOID uint32, wrap func(pgtype.Codec) C) {
	found, _ := m.TypeForOID(typeOID) // every map has the built-in types
	if _, ok := found.Codec.(C); !ok {
		setCodec(m, found, wrap(found.Codec))
	}
}

// changeCodec replaces a codec that replaceCodec has set.
func changeCodec[C pgtype.Codec](m *pgtype.Map, typeOID uint32, change func(C) C) {
	found, _ := m.TypeForOID(typeOID)
	if codec, ok := found.Codec.(C); ok {
		setCodec(m, found, change(codec))
	}
}

// setCodec makes codec the one of a type and of the elements of its array type, which
// has a codec of its own.
func setCodec(m *pgtype.Map, t *pgtype.Type, codec pgtype.Codec) {
	t = &pgtype.Type{Name: t.Name, OID: t.OID, Codec: codec}
	m.RegisterType(t)
	if array, ok := m.TypeForName("_" + t.Name); ok {
		if found, ok := array.Codec.(*pgtype.ArrayCodec); ok {
			m.RegisterType(&pgtype.Type{Name: array.Name, OID: array.OID, Codec: &pgtype.ArrayCodec{ElementType: t, Delimiter: found.Delimiter}})
		}
	}
}

// registerDefault makes name the default PostgreSQL type of T, and its array type the
// default of arrays of T.
//
// The name has to be built into pgx. pgx ignores the name of a domain that isn't
// loaded.
func registerDefault[T any](m *pgtype.Map, name string) {
	for _, value := range []any{*new(T), new(T), sql.Null[T]{}, new(sql.Null[T])} {
		m.RegisterDefaultPgType(value, name)
	}
	for _, list := range []any{
		[]T(nil), new([]T), []*T(nil), new([]*T), [][]T(nil), new([][]T),
		[]sql.Null[T](nil), new([]sql.Null[T]),
		pgtype.Array[T]{}, new(pgtype.Array[T]), pgtype.FlatArray[T](nil), new(pgtype.FlatArray[T]),
	} {
		m.RegisterDefaultPgType(list, "_"+name)
	}
	m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapSlice[T]}, m.TryWrapEncodePlanFuncs...)
	m.TryWrapScanPlanFuncs = append([]pgtype.TryWrapScanPlanFunc{wrapSliceTarget[T]}, m.TryWrapScanPlanFuncs...)
}

// wrapDefined converts a T to an oid.ID. pgx itself dereferences pointers.
func wrapDefined[T ~[12]byte](value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	if value, ok := value.(T); ok {
		return &definedPlan[T]{}, oid.ID(value), true
	}
	return nil, nil, false
}

type definedPlan[T ~[12]byte] struct{ next pgtype.EncodePlan }

func (p *definedPlan[T]) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *definedPlan[T]) Encode(value any, buf []byte) ([]byte, error) {
	return p.next.Encode(oid.ID(value.(T)), buf)
}

// wrapDefinedTarget is wrapDefined for reading.
func wrapDefinedTarget[T ~[12]byte](target any) (pgtype.WrappedScanPlanNextSetter, any, bool) {
	if _, ok := target.(*T); !ok {
		return nil, nil, false
	}
	return &definedTargetPlan[T]{}, new(oid.ID), true
}

type definedTargetPlan[T ~[12]byte] struct{ next pgtype.ScanPlan }

func (p *definedTargetPlan[T]) SetNext(next pgtype.ScanPlan) { p.next = next }

func (p *definedTargetPlan[T]) Scan(src []byte, target any) error {
	var id oid.ID
	if err := p.next.Scan(src, &id); err != nil {
		return err
	}
	*target.(*T) = T(id)
	return nil
}
