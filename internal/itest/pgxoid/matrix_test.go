package pgxoid_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

func TestMain(m *testing.M) {
	daemon.AtOnce(4)
	m.Run()
}

// registrations are the ways to set up a connection.
var registrations = []struct {
	name       string
	registered bool
	setUp      func(context.Context, *pgx.Conn) error
}{
	{"unregistered", false, func(context.Context, *pgx.Conn) error { return nil }},
	{"AfterConnect", true, pgxoid.AfterConnect},
	{"AfterConnectTypes", true, pgxoid.AfterConnectTypes("objectid", "_objectid")},
	{"RegisterFor", true, func(_ context.Context, conn *pgx.Conn) error {
		pgxoid.RegisterFor[userID](conn.TypeMap())
		return nil
	}},
}

// outcome is what becomes of an operation.
type outcome string

const (
	ok      outcome = "right"
	refused outcome = "an error"
	wrong   outcome = "WRONG WITHOUT AN ERROR" // pgx's fault, and not in our hands
)

// errWrong is the error of an operation that pgx let pass and that did something
// else than it should.
var errWrong = errors.New("wrong")

func outcomeOf(err error) outcome {
	switch {
	case err == nil:
		return ok
	case errors.Is(err, errWrong):
		return wrong
	}
	return refused
}

// A cell is an operation, and what becomes of it in the modes that know the types of
// parameters and in those that don't: without a registration, and with any of them.
type cell struct {
	name       string
	do         func(context.Context, *pgx.Conn) error
	bareKnown  outcome
	bareNot    outcome
	registered outcome // in the modes that know
	regNot     outcome
}

type user struct{}

type userID = oid.For[user]

// embedded is how people make a typed ID of their own.
type embedded struct{ oid.ID }

// printable is an ID whose bytes are text: a few IDs are valid UTF-8.
var printable = oid.ID([]byte("hello world!"))

// columns are the columns of the table cells, and how to see what is in one, as hex
// digits where they hold an ID.
var columns = map[string]string{
	"b": "encode(b, 'hex')", "d": "encode(d, 'hex')", "t": "t", "v": "v", "c": "c", "u": "u::text", "j": "j #>> '{}'",
	"ba": "(select string_agg(encode(x, 'hex'), ',') from unnest(ba) x)",
	"da": "(select string_agg(encode(x, 'hex'), ',') from unnest(da) x)",
	"ta": "array_to_string(ta, ',')",
	"ua": "ua::text",
}

const cellsTable = `create table cells (b bytea, d objectid, t text, v varchar(24), c char(24), u uuid, j jsonb,
	ba bytea[], da objectid[], ta text[], ua uuid[], n int)`

// stored returns errWrong unless the one row of cells holds want.
func stored(ctx context.Context, conn *pgx.Conn, column, want string) error {
	var got *string
	if err := conn.QueryRow(ctx, "select "+columns[column]+" from cells").Scan(&got); err != nil {
		return err
	}
	if got == nil && want == "NULL" || got != nil && *got == want {
		return nil
	}
	shown := "NULL"
	if got != nil {
		shown = *got
	}
	return fmt.Errorf("%w: %s holds %s, want %s", errWrong, column, shown, want)
}

// insert stores v in a column by a parameter.
func insert(column string, v any, want string) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "delete from cells"); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, "insert into cells ("+column+") values ($1)", v); err != nil {
			return err
		}
		return stored(ctx, conn, column, want)
	}
}

// copied stores v in a column by CopyFrom.
func copied(column string, v any, want string) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "delete from cells"); err != nil {
			return err
		}
		if _, err := conn.CopyFrom(ctx, pgx.Identifier{"cells"}, []string{column}, pgx.CopyFromRows([][]any{{v}})); err != nil {
			return err
		}
		return stored(ctx, conn, column, want)
	}
}

// literals are the sample ID, and an array of it, as SQL.
var literals = map[string]string{
	"b": `'\x65b3f7a40c1b2d3e4f506172'`, "d": `'\x65b3f7a40c1b2d3e4f506172'`,
	"t": `'65b3f7a40c1b2d3e4f506172'`, "v": `'65b3f7a40c1b2d3e4f506172'`, "c": `'65b3f7a40c1b2d3e4f506172'`,
	"j": `'"65b3f7a40c1b2d3e4f506172"'`, "u": `'65b3f7a4-0c1b-2d3e-4f50-617200000000'`,
	"ba": `array['\x65b3f7a40c1b2d3e4f506172'::bytea]`, "da": `array['\x65b3f7a40c1b2d3e4f506172'::objectid]`,
	"ta": `array['65b3f7a40c1b2d3e4f506172']`,
}

// found looks the row with the sample ID up by a parameter.
func found(column, condition string, v any) func(context.Context, *pgx.Conn) error {
	return foundAs(column, literals[column], condition, v)
}

// foundAs is found with a literal of its own.
func foundAs(column, literal, condition string, v any) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		if err := only(ctx, conn, column, literal); err != nil {
			return err
		}
		var n int
		if err := conn.QueryRow(ctx, "select count(*) from cells where "+condition, v).Scan(&n); err != nil {
			return err
		}
		if n != 1 {
			return fmt.Errorf("%w: %d rows", errWrong, n)
		}
		return nil
	}
}

// only makes literal the one row of cells.
func only(ctx context.Context, conn *pgx.Conn, column, literal string) error {
	_, err := conn.Exec(ctx, "delete from cells; insert into cells ("+column+") values ("+literal+")")
	return err
}

// scanned reads an expression over the one row, and compares.
func scanned[T any](column, literal, expression string, equal func(T) bool) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		if err := only(ctx, conn, column, literal); err != nil {
			return err
		}
		var got T
		if err := conn.QueryRow(ctx, "select "+expression+" from cells").Scan(&got); err != nil {
			return err
		}
		if !equal(got) {
			return fmt.Errorf("%w: read %v", errWrong, got)
		}
		return nil
	}
}

func is[T comparable](want T) func(T) bool { return func(got T) bool { return got == want } }

func isSlice[T comparable](want ...T) func([]T) bool {
	return func(got []T) bool { return slices.Equal(got, want) }
}

func cells() []cell {
	id, hex, raw := sample, sample.Hex(), printable.Hex()
	typed, other := userID(sample), sample.Next()
	two := hex + "," + other.Hex()
	const inUUID = "018d46ff-58a0-70c1-acb4-f93d4185cb1d"
	ids := []oid.ID{sample, other}
	list := []cell{
		{"bytea: ID", insert("b", id, hex), ok, ok, ok, ok},
		{"bytea: *ID", insert("b", &id, hex), ok, ok, ok, ok},
		{"bytea: nil *ID", insert("b", (*oid.ID)(nil), "NULL"), ok, ok, ok, ok},
		{"bytea: zero ID", insert("b", oid.ID{}, oid.ID{}.Hex()), ok, ok, ok, ok},
		{"bytea: printable ID", insert("b", printable, raw), ok, ok, ok, ok},
		{"bytea: oid.For", insert("b", typed, hex), ok, ok, ok, ok},
		{"bytea: *oid.For", insert("b", &typed, hex), ok, ok, ok, ok},
		{"bytea: embedded", insert("b", embedded{id}, hex), ok, ok, ok, ok},
		{"bytea: sql.Null", insert("b", sql.Null[oid.ID]{V: id, Valid: true}, hex), ok, ok, ok, ok},
		{"bytea: sql.Null NULL", insert("b", sql.Null[oid.ID]{}, "NULL"), ok, ok, ok, ok},
		{"bytea: sqltype.ZeroNull", insert("b", sqltype.ZeroNull(id), hex), ok, ok, ok, ok},
		{"bytea: sqltype.ZeroNull zero", insert("b", sqltype.ZeroNull{}, "NULL"), ok, ok, ok, ok},
		// A Hex goes out as text where the column's type isn't known.
		{"bytea: sqltype.Hex", insert("b", sqltype.Hex(id), hex), ok, wrong, ok, wrong},
		{"bytea: sqltype.ZeroNullFor", insert("b", sqltype.ZeroNullFor[user](id), hex), ok, ok, ok, ok},
		{"bytea: sqltype.ZeroNullFor zero", insert("b", sqltype.ZeroNullFor[user]{}, "NULL"), ok, ok, ok, ok},
		{"bytea: sqltype.UUID", insert("b", sqltype.UUID(id), hex), wrong, wrong, refused, wrong},
		{"bytea: where", found("b", "b = $1", id), ok, ok, ok, ok},
		{"bytea: where zero cursor", found("b", "b > $1", oid.ID{}), ok, ok, ok, ok},
		{"bytea: CopyFrom", copied("b", id, hex), ok, ok, ok, ok},
		{"bytea: CopyFrom *ID", copied("b", &id, hex), ok, ok, ok, ok},
		{"bytea: CopyFrom nil *ID", copied("b", (*oid.ID)(nil), "NULL"), ok, ok, ok, ok},
		{"bytea: CopyFrom sql.Null", copied("b", sql.Null[oid.ID]{V: id, Valid: true}, hex), ok, ok, ok, ok},
		{"bytea: CopyFrom oid.For", copied("b", typed, hex), ok, ok, ok, ok},

		{"domain: ID", insert("d", id, hex), ok, ok, ok, ok},
		{"domain: nil *ID", insert("d", (*oid.ID)(nil), "NULL"), ok, ok, ok, ok},
		{"domain: sqltype.UUID", insert("d", sqltype.UUID(id), hex), refused, refused, refused, refused},
		{"domain: zero ID", insert("d", oid.ID{}, ""), refused, refused, refused, refused},
		{"domain: oid.For", insert("d", typed, hex), ok, ok, ok, ok},
		{"domain: sql.Null", insert("d", sql.Null[oid.ID]{V: id, Valid: true}, hex), ok, ok, ok, ok},
		{"domain: where", found("d", "d = $1", id), ok, ok, ok, ok},
		{"domain: where zero cursor", found("d", "d > $1", oid.ID{}), ok, ok, ok, ok},
		{"domain: CopyFrom", copied("d", id, hex), ok, ok, ok, ok},

		{"uuid[]: []ID", insert("ua", ids, ""), wrong, refused, refused, refused},
		{"uuid: ID", insert("u", id, ""), wrong, refused, refused, refused},
		{"uuid: *ID", insert("u", &id, ""), wrong, refused, refused, refused},
		{"uuid: oid.For", insert("u", typed, ""), wrong, refused, refused, refused},
		{"uuid: sqltype.ZeroNull", insert("u", sqltype.ZeroNull(id), ""), wrong, refused, refused, refused},
		{"uuid: sql.Null", insert("u", sql.Null[oid.ID]{V: id, Valid: true}, ""), wrong, refused, refused, refused},
		{"uuid: sqltype.Hex", insert("u", sqltype.Hex(id), ""), refused, refused, refused, refused},
		{"uuid: sqltype.UUID", insert("u", sqltype.UUID(id), inUUID), ok, ok, ok, ok},
		{"uuid: *sqltype.UUID", insert("u", ptr(sqltype.UUID(id)), inUUID), ok, ok, ok, ok},
		{"uuid: nil *sqltype.UUID", insert("u", (*sqltype.UUID)(nil), "NULL"), ok, ok, ok, ok},
		{"uuid: sql.Null of sqltype.UUID", insert("u", sql.Null[sqltype.UUID]{V: sqltype.UUID(id), Valid: true}, inUUID), ok, ok, ok, ok},
		{"uuid: zero sqltype.UUID", insert("u", sqltype.UUID{}, "00000000-0000-7000-8000-00000000031d"), ok, ok, ok, ok},
		{"uuid: where sqltype.UUID", foundAs("u", "'"+inUUID+"'", "u = $1", sqltype.UUID(id)), ok, ok, ok, ok},
		{"uuid: = any []sqltype.UUID", foundAs("u", "'"+inUUID+"'", "u = any($1)", []sqltype.UUID{sqltype.UUID(id), sqltype.UUID(other)}), ok, refused, ok, ok},
		{"uuid[]: []sqltype.UUID", insert("ua", []sqltype.UUID{sqltype.UUID(id)}, "{"+inUUID+"}"), ok, refused, ok, ok},
		{"uuid: CopyFrom sqltype.UUID", copied("u", sqltype.UUID(id), inUUID), ok, ok, ok, ok},
		{"uuid[]: CopyFrom []sqltype.UUID", copied("ua", []sqltype.UUID{sqltype.UUID(id)}, "{"+inUUID+"}"), ok, ok, ok, ok},
		{"uuid: scan sqltype.UUID", scanned("u", "'"+inUUID+"'", "u", is(sqltype.UUID(id))), ok, ok, ok, ok},
		{"uuid: scan *sqltype.UUID", scanned("u", "'"+inUUID+"'", "u", func(p *sqltype.UUID) bool { return p != nil && *p == sqltype.UUID(id) }), ok, ok, ok, ok},
		{"uuid: scan NULL", scanned("u", "null", "u", is[*sqltype.UUID](nil)), ok, ok, ok, ok},
		{"uuid: scan NULL into sqltype.UUID", scanned("u", "null", "u", is(sqltype.UUID{})), refused, refused, refused, refused},
		{"uuid: scan UUID of other origin", scanned("u", "gen_random_uuid()", "u", is(sqltype.UUID{})), refused, refused, refused, refused},
		{"uuid[]: scan []sqltype.UUID", scanned("ua", "array['"+inUUID+"'::uuid]", "ua", isSlice(sqltype.UUID(id))), ok, ok, ok, ok},
		{"uuid: nil *ID", insert("u", (*oid.ID)(nil), "NULL"), ok, ok, ok, ok},
		{"uuid: CopyFrom", copied("u", id, ""), wrong, wrong, refused, refused},
		{"uuid: scan", scanned("u", literals["u"], "u", is(id)), refused, refused, refused, refused},

		{"jsonb: ID", insert("j", id, hex), refused, refused, ok, refused},
		{"jsonb: oid.For", insert("j", typed, hex), refused, refused, ok, refused},
		{"jsonb: sqltype.Hex", insert("j", sqltype.Hex(id), hex), refused, refused, ok, refused},
		{"jsonb: sqltype.UUID", insert("j", sqltype.UUID(id), hex), refused, refused, ok, refused},
		{"jsonb: nil *ID", insert("j", (*oid.ID)(nil), "NULL"), ok, ok, ok, ok},
		{"jsonb: struct with an ID", insert("j", struct{ ID oid.ID }{id}, `{"ID": "`+hex+`"}`), ok, refused, ok, refused},
		{"jsonb: lone ID as text of JSON", insert("j", `"`+hex+`"`, hex), ok, ok, ok, ok},
		{"jsonb: []ID", found("j", "j = jsonb_build_array($1::jsonb->>0) -> 0", []oid.ID{id}), ok, refused, ok, refused},
		{"jsonb: map with ids as keys and values", func(ctx context.Context, conn *pgx.Conn) error {
			if err := insert("j", map[oid.ID]oid.ID{id: other}, `{"`+hex+`": "`+other.Hex()+`"}`)(ctx, conn); err != nil {
				return err
			}
			var got map[oid.ID]oid.ID
			if err := conn.QueryRow(ctx, "select j from cells").Scan(&got); err != nil {
				return err
			}
			if got[id] != other {
				return errWrong
			}
			return nil
		}, ok, refused, ok, refused},
		{"jsonb: ->> into ID", scanned("j", `'{"id": "65b3f7a40c1b2d3e4f506172"}'`, "j->>'id'", is(id)), ok, ok, ok, ok},
		{"jsonb: -> into ID", scanned("j", `'{"id": "65b3f7a40c1b2d3e4f506172"}'`, "j->'id'", is(id)), refused, refused, ok, ok},
		{"jsonb: -> into *ID", scanned("j", `'{"id": "65b3f7a40c1b2d3e4f506172"}'`, "j->'id'", func(p *oid.ID) bool { return p != nil && *p == id }), refused, refused, ok, ok},
		{"json: into oid.For", scanned("j", `'{"id": "65b3f7a40c1b2d3e4f506172"}'`, "(j->'id')::json", is(typed)), refused, refused, ok, ok},
		{"jsonb: null into *ID", scanned("j", `'{"id": null}'`, "j->'id'", is[*oid.ID](nil)), ok, ok, ok, ok},
		{"row_to_json into a struct", scanned("b", literals["b"], "row_to_json(cells)", func(got struct{ B oid.ID }) bool { return got.B == id }), refused, refused, refused, refused},
		{"json of objectid_text into a struct", scanned("b", literals["b"], "json_build_object('b', objectid_text(b))", func(got struct{ B oid.ID }) bool { return got.B == id }), ok, ok, ok, ok},

		{"= any: []ID", found("b", "b = any($1)", ids), ok, refused, ok, ok},
		{"= any: []*ID", found("b", "b = any($1)", []*oid.ID{&id, nil}), ok, refused, ok, ok},
		{"= any: []oid.For", found("b", "b = any($1)", []userID{typed}), ok, refused, ok, ok},
		{"= any: []embedded", found("b", "b = any($1)", []embedded{{id}}), ok, refused, ok, ok},
		{"= any: []sqltype.ZeroNull", found("b", "b = any($1)", []sqltype.ZeroNull{sqltype.ZeroNull(id), {}}), ok, refused, ok, ok},
		{"= any: [2]ID", found("b", "b = any($1)", [2]oid.ID(ids)), ok, refused, ok, ok},
		{"= any: pgtype.FlatArray", found("b", "b = any($1)", pgtype.FlatArray[oid.ID](ids)), ok, refused, ok, ok},
		{"= any: sqltype.Array", found("b", "b = any($1)", sqltype.Array[oid.ID](ids)), ok, ok, ok, ok},
		{"= any of a domain: []ID", found("d", "d = any($1)", ids), ok, refused, ok, ok},
		{"= any of a domain: sqltype.Array", found("d", "d = any($1)", sqltype.Array[oid.ID](ids)), ok, ok, ok, ok},
		{"<> all with the zero ID: []ID", found("b", "b <> all($1)", []oid.ID{{}, other}), ok, refused, ok, ok},

		{"bytea[]: []ID", insert("ba", ids, two), ok, refused, ok, ok},
		{"bytea[]: []*ID with a typed nil", insert("ba", []*oid.ID{&id, nil}, hex), ok, refused, ok, ok},
		{"bytea[]: []any with a typed nil", insert("ba", []any{id, (*oid.ID)(nil), sqltype.ZeroNull{}, (*userID)(nil)}, hex), ok, refused, ok, refused},
		{"bytea[]: []driver.Valuer with a typed nil", insert("ba", []driver.Valuer{id, (*oid.ID)(nil)}, hex), ok, refused, ok, refused},
		{"bytea[]: pgtype.Array with a typed nil", insert("ba", pgtype.Array[*oid.ID]{Elements: []*oid.ID{&id, nil}, Dims: []pgtype.ArrayDimension{{Length: 2, LowerBound: 1}}, Valid: true}, hex), ok, refused, ok, refused},
		{"bytea[]: CopyFrom a typed nil", copied("ba", []*oid.ID{nil, &id}, hex), ok, ok, ok, ok},
		{"bytea[]: nil []ID", insert("ba", []oid.ID(nil), "NULL"), ok, ok, ok, ok},
		{"bytea[]: []ID after []*ID and [][]ID", func(ctx context.Context, conn *pgx.Conn) error {
			var errs []error
			for range 2 {
				errs = append(errs,
					insert("ba", ids, two)(ctx, conn),
					insert("ba", []*oid.ID{&id, &other}, two)(ctx, conn),
					insert("ba", [][]oid.ID{ids}, two)(ctx, conn),
					insert("ba", [][]userID{{userID(id), userID(other)}}, two)(ctx, conn),
					insert("ba", []userID{userID(id), userID(other)}, two)(ctx, conn))
			}
			return errors.Join(errs...)
		}, ok, refused, ok, ok},
		{"bytea[]: CopyFrom", copied("ba", ids, two), ok, ok, ok, ok},
		{"bytea[]: CopyFrom [][]ID after []*ID", func(ctx context.Context, conn *pgx.Conn) error {
			return errors.Join(
				copied("ba", []*oid.ID{&id}, hex)(ctx, conn),
				copied("ba", [][]oid.ID{{id}, {other}}, two)(ctx, conn))
		}, ok, ok, ok, ok},
		{"bytea[]: ragged [][]ID after a rectangular one", func(ctx context.Context, conn *pgx.Conn) (err error) {
			defer func() {
				if recover() != nil {
					err = fmt.Errorf("%w: pgx panics", errWrong)
				}
			}()
			if err := insert("ba", [][]oid.ID{{id}, {other}}, two)(ctx, conn); err != nil {
				return err
			}
			return insert("ba", [][]oid.ID{{id, other}, {other}}, "")(ctx, conn)
		}, wrong, refused, refused, refused},
		{"domain[]: []ID", insert("da", ids, two), refused, refused, ok, ok},
		{"domain[]: sqltype.Array", insert("da", sqltype.Array[oid.ID](ids), two), ok, ok, ok, ok},
		{"domain[]: CopyFrom", copied("da", ids, two), refused, refused, ok, ok},
		{"uuid[]: CopyFrom", copied("ua", ids, ""), wrong, wrong, refused, refused},

		{"scan NULL into ID", scanned("b", "null", "b", is(id)), refused, refused, refused, refused},
		{"scan NULL into *ID", scanned("b", "null", "b", is[*oid.ID](nil)), ok, ok, ok, ok},
		{"scan NULL into ZeroNull", scanned("b", "null", "b", is(sqltype.ZeroNull{})), ok, ok, ok, ok},
		{"scan NULL into sql.Null", scanned("b", "null", "b", is(sql.Null[oid.ID]{})), ok, ok, ok, ok},
		{"scan into *ID", scanned("b", literals["b"], "b", func(p *oid.ID) bool { return p != nil && *p == id }), ok, ok, ok, ok},
		{"scan into oid.For", scanned("d", literals["d"], "d", is(typed)), ok, ok, ok, ok},
		{"scan into sql.Null", scanned("d", literals["d"], "d", is(sql.Null[oid.ID]{V: id, Valid: true})), ok, ok, ok, ok},
		{"scan into any", scanned("b", literals["b"], "b", func(v any) bool { return string(v.([]byte)) == string(id[:]) }), ok, ok, ok, ok},
		{"scan 11 bytes", scanned("b", `'\x65b3f7a40c1b2d3e4f5061'`, "b", is(id)), refused, refused, refused, refused},
		{"scan 13 bytes", scanned("b", `'\x65b3f7a40c1b2d3e4f50617200'`, "b", is(id)), refused, refused, refused, refused},
		{"scan bigint", scanned("n", "1", "n::bigint", is(id)), refused, refused, refused, refused},
		{"scan upper case", scanned("t", "'65B3F7A40C1B2D3E4F506172'", "t", is(id)), ok, ok, ok, ok},
		{`scan \x as text`, scanned("t", `'\x65b3f7a40c1b2d3e4f506172'`, "t", is(id)), ok, ok, refused, refused},
		{"scan 12 characters of text", scanned("t", "'hello world!'", "t", is(id)), wrong, wrong, refused, refused},
		{"scan 12 characters of varchar", scanned("v", "'hello world!'", "v", is(id)), wrong, wrong, refused, refused},
		{"scan 12 characters of name", scanned("t", "'hello world!'", "t::name", is(id)), wrong, wrong, refused, refused},
		{"scan 12 characters into sqltype.ZeroNull", scanned("t", "'hello world!'", "t", is(sqltype.ZeroNull{})), wrong, wrong, refused, refused},
		{"scan char(30)", scanned("t", "'65b3f7a40c1b2d3e4f506172'", "t::char(30)", is(id)), refused, refused, refused, refused},
		{"scan bytea[] into []ID", scanned("ba", literals["ba"], "ba", isSlice(id)), ok, ok, ok, ok},
		{"scan bytea[] into []oid.For", scanned("ba", literals["ba"], "ba", isSlice(typed)), ok, ok, ok, ok},
		{"scan bytea[] into sqltype.Array", scanned("ba", literals["ba"], "ba", func(a sqltype.Array[oid.ID]) bool { return slices.Equal(a, ids[:1]) }), ok, ok, ok, ok},
		{"scan bytea[][] into [][]ID", scanned("ba", "array[["+literals["b"]+"::bytea]]", "ba", func(g [][]oid.ID) bool { return len(g) == 1 && slices.Equal(g[0], ids[:1]) }), ok, ok, ok, ok},
		{"scan NULL bytea[] into []ID", scanned("ba", "null", "ba", func(a []oid.ID) bool { return a == nil }), ok, ok, ok, ok},
		{"scan bytea[] with NULL into []ID", scanned("ba", "array[null::bytea]", "ba", isSlice(id)), refused, refused, refused, refused},
		{"scan bytea[] with NULL into []*ID", scanned("ba", "array[null::bytea]", "ba", isSlice[*oid.ID](nil)), ok, ok, ok, ok},
		{"scan domain[] into []ID", scanned("da", literals["da"], "da", isSlice(id)), refused, refused, ok, ok},
		{"scan text[] into []ID", scanned("ta", literals["ta"], "ta", isSlice(id)), ok, ok, ok, ok},

		{"NamedArgs", found("b", "b = @id", pgx.NamedArgs{"id": id}), ok, ok, ok, ok},
		{"Batch", batch, ok, ok, ok, ok},
		{"RowToStructByName", rowToStruct, ok, ok, ok, ok},
		{"one variable over rows with and without NULL", reusedVariable, ok, ok, ok, ok},
	}
	// Text, varchar and char alike. Where pgx doesn't know the column's type it sends
	// \x65b3…, which is 26 characters.
	for _, column := range []string{"t", "v", "c"} {
		tooLong := refused
		if column == "t" {
			tooLong = wrong
		}
		list = append(list, []cell{
			{column + ": ID", insert(column, id, hex), refused, tooLong, ok, tooLong},
			{column + ": *ID", insert(column, &id, hex), refused, tooLong, ok, tooLong},
			{column + ": oid.For", insert(column, typed, hex), refused, tooLong, ok, tooLong},
			{column + ": sql.Null", insert(column, sql.Null[oid.ID]{V: id, Valid: true}, hex), refused, tooLong, ok, tooLong},
			{column + ": nil *ID", insert(column, (*oid.ID)(nil), "NULL"), ok, ok, ok, ok},
			// Its 12 bytes are stored as they are.
			{column + ": printable ID", insert(column, printable, raw), wrong, tooLong, ok, tooLong},
			{column + ": CopyFrom", copied(column, id, hex), refused, refused, ok, ok},
			{column + ": CopyFrom printable", copied(column, printable, raw), wrong, wrong, ok, ok},
			{column + ": where", found(column, column+" = $1", id), refused, wrong, ok, wrong},
			{column + ": scan", scanned(column, literals[column], column, is(id)), ok, ok, ok, ok},
			{column + ": sqltype.Hex", insert(column, sqltype.Hex(id), hex), ok, ok, ok, ok},
			{column + ": nil *sqltype.Hex", insert(column, (*sqltype.Hex)(nil), "NULL"), ok, ok, ok, ok},
			{column + ": printable sqltype.Hex", insert(column, sqltype.Hex(printable), raw), ok, ok, ok, ok},
			{column + ": where sqltype.Hex", found(column, column+" = $1", sqltype.Hex(id)), ok, ok, ok, ok},
			{column + ": CopyFrom sqltype.Hex", copied(column, sqltype.Hex(id), hex), ok, ok, ok, ok},
			{column + ": scan sqltype.Hex", scanned(column, literals[column], column, is(sqltype.Hex(id))), ok, ok, ok, ok},
			{column + ": = any []sqltype.Hex", found(column, column+" = any($1)", []sqltype.Hex{sqltype.Hex(id)}), ok, refused, ok, ok},
		}...)
	}
	return append(list,
		cell{"text[]: []ID", insert("ta", ids, two), refused, refused, ok, wrong},
		cell{"text[]: []sqltype.Hex", insert("ta", []sqltype.Hex{sqltype.Hex(id), sqltype.Hex(other)}, two), ok, refused, ok, ok},
	)
}

func batch(ctx context.Context, conn *pgx.Conn) error {
	if err := only(ctx, conn, "b", literals["b"]); err != nil {
		return err
	}
	b := new(pgx.Batch)
	b.Queue("select b from cells where b = $1", sample).QueryRow(func(row pgx.Row) error {
		var id oid.ID
		if err := row.Scan(&id); err != nil {
			return err
		}
		if id != sample {
			return errWrong
		}
		return nil
	})
	b.Queue("insert into cells (b, d) values ($1, $2)", sample.Next(), ptr(sample.Next()))
	return conn.SendBatch(ctx, b).Close()
}

func rowToStruct(ctx context.Context, conn *pgx.Conn) error {
	type row struct {
		B oid.ID
		D *oid.ID
		T *oid.ID
		V sqltype.ZeroNull
	}
	if err := only(ctx, conn, "b, t", literals["b"]+", "+literals["t"]); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, "select b, d, t, v from cells")
	if err != nil {
		return err
	}
	got, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[row])
	if err != nil {
		return err
	}
	if got.B != sample || got.D != nil || got.T == nil || *got.T != sample || !got.V.IsZero() {
		return fmt.Errorf("%w: %+v", errWrong, got)
	}
	return nil
}

// reusedVariable also shows that nothing keeps hold of the driver's memory.
func reusedVariable(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `select case n % 2 when 0 then int8send(n) || '\x01020304' end from generate_series(1, 5000) n`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var all []oid.ID
	var p *oid.ID
	var zn sqltype.ZeroNull
	for n := 1; rows.Next(); n++ {
		if err := rows.Scan(&p); err != nil {
			return err
		}
		if err := rows.Scan(&zn); err != nil {
			return err
		}
		if (p == nil) != (n%2 == 1) || zn.IsZero() != (n%2 == 1) {
			return fmt.Errorf("%w: row %d: %v, %v", errWrong, n, p, zn)
		}
		if p != nil {
			all = append(all, *p)
		}
	}
	for i, id := range all {
		if n := 2 * (i + 1); id != oid.ID([]byte{0, 0, 0, 0, 0, 0, byte(n >> 8), byte(n), 1, 2, 3, 4}) {
			return fmt.Errorf("%w: row %d reads %v later", errWrong, n, id)
		}
	}
	return rows.Err()
}

// Every operation is right or an error, in every mode. Where pgx does a wrong thing
// without an error, the table says so: the test fails when pgx mends it.
func TestMatrix(t *testing.T) {
	t.Parallel()
	list := cells()
	for _, registration := range registrations {
		t.Run(registration.name, func(t *testing.T) {
			dsn := postgres.Database(t)
			for _, mode := range modes {
				t.Run(mode.String(), func(t *testing.T) {
					ctx := t.Context()
					config, err := pgx.ParseConfig(dsn)
					if err != nil {
						t.Fatal(err)
					}
					config.DefaultQueryExecMode = mode
					conn, err := pgx.ConnectConfig(ctx, config)
					if err != nil {
						t.Fatal(err)
					}
					defer conn.Close(context.Background())
					mustExec(t, conn, "set synchronous_commit = off; drop table if exists cells")
					mustExec(t, conn, sqltype.PostgresSchema())
					mustExec(t, conn, cellsTable)
					if err := registration.setUp(ctx, conn); err != nil {
						t.Fatal(err)
					}
					for _, c := range list {
						want := [2][2]outcome{{c.bareNot, c.bareKnown}, {c.regNot, c.registered}}[index(registration.registered)][index(knowsTypes(mode))]
						if err := c.do(ctx, conn); outcomeOf(err) != want {
							t.Errorf("%s: %s (%v), want %s", c.name, outcomeOf(err), err, want)
						}
					}
				})
			}
		})
	}
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}
