// Package pgxoid teaches pgx about IDs. A single [oid.ID] in a bytea column needs no
// registration: pgx reads and writes it in binary, and reads it without an
// allocation. Lists of IDs, "= any($1)" and bytea[], need none either in pgx's
// default mode, nor in any mode that knows the types of the parameters.
//
// These need one line:
//
//   - lists of IDs in the modes exec and simple protocol;
//   - arrays of the domain objectid;
//   - IDs in text, varchar and char columns, as 24 hex digits, in the modes that
//     know the types. Exec and simple protocol do not: there an ID always goes out
//     as bytea, and a text column takes a sqltype.Hex;
//   - an ID that is the whole of a json or jsonb value, in the same modes;
//   - a sqltype.UUID in binary and without an allocation;
//   - an error, in place of zeros at the end, for an oid.ID in a uuid column;
//   - an error, in place of an ID, for 12 characters in a text column;
//   - lists of thousands, and CopyFrom, without an allocation per ID.
//
// The line is for a pool
//
//	config.AfterConnect = pgxoid.AfterConnect
//
// and for database/sql:
//
//	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(pgxoid.AfterConnect))
//
// All of this holds for oid.ID, oid.For, pointers to them, sql.Null of them, the
// types of package sqltype, and structs whose one field is an embedded ID.
package pgxoid

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// AfterConnect registers IDs with a new connection. It fits pgxpool's AfterConnect
// and stdlib's OptionAfterConnect. The error is always nil.
func AfterConnect(_ context.Context, conn *pgx.Conn) error {
	Register(conn.TypeMap())
	return nil
}

// AfterConnectTypes returns an [AfterConnect] that also loads the named types from
// the server: domains, composites, ranges and multiranges that hold IDs, and arrays
// of them. It fails if the server lacks one of them. A multirange needs the name of
// its range too, and a range that of its subtype.
//
//	config.AfterConnect = pgxoid.AfterConnectTypes("objectid", "_objectid", "line_item")
//
// A composite with a field of a domain needs this. The domain itself, and arrays
// of it, don't; loading them saves PostgreSQL from reading them as text.
//
// The connections of a pool keep the types as they were when they connected. After
// DROP and CREATE of a type call the pool's Reset.
func AfterConnectTypes(names ...string) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		Register(conn.TypeMap())
		if err := load(ctx, conn, names); err != nil {
			return fmt.Errorf("pgxoid.AfterConnectTypes(%q): %w", names, err)
		}
		return nil
	}
}

// load registers the named types with conn.
func load(ctx context.Context, conn *pgx.Conn, names []string) error {
	types, err := conn.LoadTypes(ctx, names)
	if err != nil && len(names) > 0 {
		types, err = loadInOrder(ctx, conn, names)
	}
	if err != nil {
		return err
	}
	conn.TypeMap().RegisterTypes(types)
	// LoadTypes has no error for a name that isn't there.
	for _, name := range names {
		if !slices.ContainsFunc(types, func(t *pgtype.Type) bool { return t.Name == name }) {
			return fmt.Errorf("the server has no type %q", name)
		}
	}
	return nil
}

// loadInOrder loads the types one by one, those first that the others are made of.
// LoadTypes itself goes by the alphabet with ranges and multiranges.
func loadInOrder(ctx context.Context, conn *pgx.Conn, names []string) (types []*pgtype.Type, err error) {
	for len(names) > 0 {
		var later []string
		for _, name := range names {
			loaded, loadErr := conn.LoadTypes(ctx, []string{name})
			if loadErr != nil {
				later, err = append(later, name), loadErr
			}
			types = append(types, loaded...)
		}
		if len(later) == len(names) {
			return nil, err
		}
		names = later
	}
	return types, nil
}
