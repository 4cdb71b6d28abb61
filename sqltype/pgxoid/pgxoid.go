// Package pgxoid registers IDs with pgx. A single [oid.ID] in a bytea column needs no
// registration. Lists of IDs, such as for "= any($1)" and bytea[], need none in the modes
// of pgx that ask the server for the types of the parameters. The default mode does. The
// modes exec and simple protocol don't ask.
//
// The following needs a registration:
//
//   - lists of IDs in the modes exec and simple protocol
//   - arrays of the domain objectid
//   - IDs in text, varchar and char columns, as 24 hex digits, in the modes that ask.
//     The other modes always send an ID as bytea. Use sqltype.Hex there.
//   - an ID that is a complete json or jsonb value, in the modes that ask
//   - a sqltype.UUID in binary and without an allocation
//   - an error for an oid.ID in a uuid column, instead of an ID padded with zeros
//   - an error for 12 characters in a text column, instead of an ID
//   - lists of thousands, and CopyFrom, without an allocation per ID
//
// Registration is one line. For a pool:
//
//	config.AfterConnect = pgxoid.AfterConnect
//
// For database/sql:
//
//	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(pgxoid.AfterConnect))
//
// This applies to oid.ID, oid.For, pointers to them, sql.Null of them, the types of
// package sqltype, and structs whose only field is an embedded ID.
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
// of them. It fails if the server lacks one of them. If you name a multirange, name
// its range too. If you name a range, name its subtype too.
//
//	config.AfterConnect = pgxoid.AfterConnectTypes("objectid", "_objectid", "line_item")
//
// A composite with a field of a domain needs this. The domain itself and arrays of it
// don't, but PostgreSQL reads them as text unless they are loaded.
//
// A connection of a pool keeps the types that it loaded when it connected. After
// DROP and CREATE of a type, call the pool's Reset.
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
	if err != nil && len(names) > 1 {
		types, err = loadInOrder(ctx, conn, names)
	}
	if err != nil {
		return err
	}
	conn.TypeMap().RegisterTypes(types)
	// LoadTypes returns no error for a missing name.
	for _, name := range names {
		if !slices.ContainsFunc(types, func(t *pgtype.Type) bool { return t.Name == name }) {
			return fmt.Errorf("the server has no type %q", name)
		}
	}
	return nil
}

// loadInOrder loads the types one by one. It loads a type after the types that it
// consists of. LoadTypes itself loads ranges and multiranges in alphabetical order.
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
