// Package pgxoid lets pgx v5 send and read IDs in lists, text columns, JSON values, arrays of
// domains, composite types and ranges. A single [oid.ID] in a column of type bytea or
// objectid needs no registration, and a single sqltype.UUID in a uuid column needs none
// either. All modes except exec and simple protocol ask the server for the types of the
// parameters. In the modes that ask, a []oid.ID needs no registration, as the argument of
// "= any($1)" or as the value of a bytea[] column.
//
// The registration has these effects:
//
//   - In the modes exec and simple protocol, pgx can send lists of IDs.
//   - In every mode, pgx can send and read arrays of the domain objectid. For a []oid.For,
//     load the domain with [AfterConnectTypes], or call [RegisterFor].
//   - In all modes except exec and simple protocol, pgx stores IDs in text, varchar and
//     char columns as 24 hex digits. The modes exec and simple protocol send an oid.ID as
//     bytea, so use sqltype.Hex for text columns in these two modes.
//   - An ID can be a complete json or jsonb value. In the modes exec and simple protocol,
//     pgx can read such a value, but not write it. Through database/sql, such a value can't
//     be read into an ID.
//   - pgx can send a sqltype.UUID in the binary format, without an allocation.
//   - Sending an oid.ID to a uuid column is an error. Without Register, pgx can add four
//     zero bytes to the ID.
//   - Reading 12 characters of a text column or array into an ID is an error. Without
//     Register, pgx outside database/sql reads them as an ID's bytes. Outside database/sql,
//     reading id::text of a bytea is an error too: select the column, or objectid_text(id).
//   - In all modes except exec and simple protocol, sending a time.Time to a bytea column is
//     an error that names the remedy, [oid.MinAt] and [oid.Range]. Without this error,
//     id >= $1 with a time matches every row.
//   - In all modes except exec and simple protocol, sending an ID to a column of PostgreSQL's
//     type oid, a number of 4 bytes, is an error.
//   - In the binary format, pgx sends and reads lists of oid.IDs, and encodes the oid.IDs of
//     CopyFrom, without an allocation per ID. In the modes exec and simple protocol, lists are
//     sent and read as text.
//
// The columns of the domain objectid store only IDs and other values of 12 bytes: the server
// refuses the rest. If the domain is loaded by [AfterConnectTypes], pgx itself returns an
// error in the modes that ask the server: for numbers, for a []byte of another length, and
// for pointers to strings. pgx sends a string unchanged. The server reads the string as the
// text form of bytea, and refuses a string that doesn't give 12 bytes. A string of 12 ASCII
// characters is therefore stored without an error. In a condition such as id >= $1, the
// parameter is a bytea, so only a cast such as id >= $1::objectid makes the server refuse a
// string that doesn't give 12 bytes.
//
// To register IDs, set AfterConnect. For a pool:
//
//	config.AfterConnect = pgxoid.AfterConnect
//
// For database/sql:
//
//	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(pgxoid.AfterConnect))
//
// The registration covers oid.ID, oid.For, public.ID, the types of package sqltype, pointers
// to these types, sql.Null of these types, and structs whose only field is an embedded ID.
package pgxoid

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// AfterConnect registers IDs with a new connection. Set the field AfterConnect of a
// pgxpool.Config to this function, or pass the function to stdlib.OptionAfterConnect. The
// error is always nil.
func AfterConnect(_ context.Context, conn *pgx.Conn) error {
	Register(conn.TypeMap())
	return nil
}

// AfterConnectTypes returns a function that registers IDs, as [AfterConnect] does, and
// also loads the named types from the server. Pass types that hold IDs: domains,
// composites, ranges, multiranges, and arrays of these types. Connecting fails with an
// error if one of the names is a base type, such as bytea, or a type that the server
// doesn't have. If you name a multirange, name its range too. If the subtype of a range
// is a domain, name the domain too.
//
//	config.AfterConnect = pgxoid.AfterConnectTypes("objectid", "_objectid", "line_item")
//
// You must name composite types, ranges and multiranges. In the modes exec and simple
// protocol, pgx can read their values, but not send them. Naming a domain over bytea is
// optional, unless it is the subtype of a range. Naming the array of this domain is optional,
// unless you use it with a []oid.For and don't call [RegisterFor]. If you don't name a domain,
// pgx and PostgreSQL exchange its values as text.
//
// Each connection of a pool keeps the types that it loaded when it connected. If a type
// is dropped and created again, call the method Reset of a pgxpool.Pool.
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
			return fmt.Errorf("the server has no type %q to load: create the type first, or leave the name out if the type is built in, such as bytea", name)
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
