package pgxoid

import (
	"database/sql"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// Register registers IDs with a connection's type map, conn.TypeMap(). A copy of
// the map made by its method Copy is not registered.
//
// Domains copy the codec of their base type when they are loaded: they have to be
// loaded after Register.
func Register(m *pgtype.Map) {
	replaceCodec(m, pgtype.ByteaOID, func(found pgtype.Codec) byteaCodec { return byteaCodec{found} })
	for _, typeOID := range []uint32{pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID} {
		replaceCodec(m, typeOID, func(found pgtype.Codec) textCodec { return textCodec{found} })
	}
	replaceCodec(m, pgtype.UUIDOID, func(found pgtype.Codec) uuidCodec { return uuidCodec{found} })
	replaceCodec(m, pgtype.JSONOID, func(found pgtype.Codec) jsonCodec { return jsonCodec{found, false} })
	replaceCodec(m, pgtype.JSONBOID, func(found pgtype.Codec) jsonCodec { return jsonCodec{found, true} })

	if _, ok := m.TypeForValue(array{}); ok {
		return // the rest is done
	}
	// pgx asks these functions in order. Its own, which take any slice, come later:
	// they encode only the types that pgx knows.
	m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapArray}, m.TryWrapEncodePlanFuncs...)
	m.RegisterDefaultPgType(array{}, "_bytea")
	m.RegisterDefaultPgType(hexArray{}, "_text")
	m.RegisterDefaultPgType(uuidArray{}, "_uuid")

	registerDefault[oid.ID](m, "bytea")
	registerDefault[sqltype.Null](m, "bytea")
	registerDefault[sqltype.ZeroNull](m, "bytea")
	registerDefault[sqltype.Hex](m, "text")
	registerDefault[sqltype.UUID](m, "uuid")
}

// RegisterFor does what [Register] does, and makes a T what an oid.ID is: in bytea
// and text columns, in arrays, and in every mode. T is a type of 12 bytes, such as
// the driver's bson.ObjectID or a type of one's own, which pgx would take for an
// array of numbers. In json and jsonb a T stays what encoding/json makes of it.
//
// An oid.For needs it only for arrays of a domain that isn't loaded, for
// [pgtype.Map.SQLScanner], and for lists without an allocation per ID.
func RegisterFor[T ~[12]byte](m *pgtype.Map) {
	Register(m)
	if _, ok := m.TypeForValue([]T(nil)); ok {
		return
	}
	registerDefault[T](m, "bytea")
	if _, ok := any(*new(T)).(form); !ok {
		m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapDefined[T]}, m.TryWrapEncodePlanFuncs...)
		m.TryWrapScanPlanFuncs = append([]pgtype.TryWrapScanPlanFunc{wrapDefinedTarget[T]}, m.TryWrapScanPlanFuncs...)
	}
}

// replaceCodec puts wrap's codec in front of the one that m has for a built-in
// type, once.
func replaceCodec[C pgtype.Codec](m *pgtype.Map, typeOID uint32, wrap func(pgtype.Codec) C) {
	found, _ := m.TypeForOID(typeOID) // every map has the built-in types
	if _, ok := found.Codec.(C); ok {
		return
	}
	m.RegisterType(&pgtype.Type{Name: found.Name, OID: typeOID, Codec: wrap(found.Codec)})
}

// registerDefault makes name the PostgreSQL type of T where nothing else says one,
// and the array of it that of arrays of T.
//
// The name is one that pgx has built in: that of a domain would be ignored where
// the domain isn't loaded.
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
	m.RegisterDefaultPgType(slice[T](nil), "_"+name)
	m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapSlice[T]}, m.TryWrapEncodePlanFuncs...)
}

// wrapDefined makes a T of a type without our methods into an oid.ID.
func wrapDefined[T ~[12]byte](value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	switch value := value.(type) {
	case T:
		return &definedPlan[T]{}, oid.ID(value), true
	case *T:
		return &definedPlan[T]{}, oid.ID{}, true // value may be nil here
	}
	return nil, nil, false
}

type definedPlan[T ~[12]byte] struct{ next pgtype.EncodePlan }

func (p *definedPlan[T]) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *definedPlan[T]) Encode(value any, buf []byte) ([]byte, error) {
	id, ok := value.(T)
	if !ok {
		id = *value.(*T)
	}
	return p.next.Encode(oid.ID(id), buf)
}

// wrapDefinedTarget does for reading what wrapDefined does for writing.
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
