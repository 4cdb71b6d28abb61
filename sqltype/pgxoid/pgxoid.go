// Package pgxoid teaches pgx about ids. One line is all it takes, for a pool
//
//	config.AfterConnect = pgxoid.AfterConnect
//
// and for database/sql:
//
//	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(pgxoid.AfterConnect))
//
// Without it pgx handles a single [oid.ID] in bytea columns as well as with it, in
// binary and without allocations. What it adds:
//
//   - slices of ids as parameters, "= any($1)", in the modes exec and simple
//     protocol, and slices of slices;
//   - arrays of the domain objectid;
//   - ids in text, varchar and char columns, as hex digits, in the modes that
//     know the column's type: all but exec and simple protocol. There an id
//     always goes out as bytea; use sqltype.Hex;
//   - an error for an id in a uuid column, which pgx would pad to 16 bytes.
//
// All of this holds for oid.ID, pointers to it, sql.Null[oid.ID], the nullable
// types of package sqltype, and types that embed an ID, like oid.For.
package pgxoid

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// AfterConnect registers ids with a new connection. It fits pgxpool's AfterConnect
// and stdlib's OptionAfterConnect. The error is always nil.
func AfterConnect(_ context.Context, conn *pgx.Conn) error {
	Register(conn.TypeMap())
	return nil
}

// WithTypes returns an [AfterConnect] that also loads the named types from the
// server: domains, composites and ranges that hold ids, and arrays of them. It
// fails if the server lacks one of them.
//
//	config.AfterConnect = pgxoid.WithTypes("objectid", "_objectid", "line_item")
//
// A composite with a field of a domain needs this. The domain itself, and arrays
// of it, don't; loading them saves PostgreSQL from reading them as text.
func WithTypes(names ...string) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		m := conn.TypeMap()
		Register(m)
		types, err := conn.LoadTypes(ctx, names)
		if err != nil {
			return fmt.Errorf("pgxoid.WithTypes(%q): %w", names, err)
		}
		// LoadTypes has no error for a name that isn't there.
		loaded := make(map[string]bool, len(types))
		for _, t := range types {
			loaded[t.Name] = true
		}
		for _, name := range names {
			if !loaded[name] {
				return fmt.Errorf("pgxoid.WithTypes(%q): the server has no type %q", names, name)
			}
		}
		m.RegisterTypes(types)
		return nil
	}
}

// Register registers ids with a connection's type map, conn.TypeMap(). A copy of
// the map made by its method Copy is not registered.
//
// Domains copy the codec of their base type when they are loaded: a domain over
// text has to be loaded after Register.
func Register(m *pgtype.Map) {
	RegisterFor[oid.ID](m)
	RegisterFor[sqltype.Null](m)
	RegisterFor[sqltype.ZeroNull](m)
	registerDefault[sqltype.Hex](m, "text")

	m.RegisterDefaultPgType(idArray{}, "_bytea")

	for _, typeOID := range []uint32{pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID} {
		replaceCodec(m, typeOID, func(found pgtype.Codec) textCodec { return textCodec{found} })
	}
	if replaceCodec(m, pgtype.UUIDOID, func(found pgtype.Codec) uuidCodec { return uuidCodec{found} }) {
		// pgx asks these functions in order. Its own, which take any slice, come
		// later: they encode the types that pgx knows only.
		m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapIDs}, m.TryWrapEncodePlanFuncs...)
	}
}

// replaceCodec puts wrap's codec in front of the one that m has for a built-in
// type. It does so once, and reports whether it has.
func replaceCodec[C pgtype.Codec](m *pgtype.Map, typeOID uint32, wrap func(pgtype.Codec) C) bool {
	found, _ := m.TypeForOID(typeOID) // every map has the built-in types
	if _, ok := found.Codec.(C); ok {
		return false
	}
	m.RegisterType(&pgtype.Type{Name: found.Name, OID: typeOID, Codec: wrap(found.Codec)})
	return true
}

// RegisterFor tells the type map that a T is a bytea where nothing else does. A
// type that embeds an ID needs it for arrays of a domain that isn't loaded, and
// for [pgtype.Map.SQLScanner]; all else [Register] does for it.
func RegisterFor[T pgtype.BytesValuer](m *pgtype.Map) { registerDefault[T](m, "bytea") }

// registerDefault makes name the PostgreSQL type of T, and the array of it that of
// arrays of T.
//
// The name is one that pgx has built in: that of a domain would be ignored where
// the domain isn't loaded.
func registerDefault[T any](m *pgtype.Map, name string) {
	for _, value := range []any{*new(T), new(T), sql.Null[T]{}, new(sql.Null[T])} {
		m.RegisterDefaultPgType(value, name)
	}
	for _, array := range []any{
		[]T(nil), new([]T), []*T(nil), new([]*T), [][]T(nil), new([][]T),
		[]sql.Null[T](nil), new([]sql.Null[T]),
		pgtype.Array[T]{}, new(pgtype.Array[T]), pgtype.FlatArray[T](nil), new(pgtype.FlatArray[T]),
	} {
		m.RegisterDefaultPgType(array, "_"+name)
	}
}
