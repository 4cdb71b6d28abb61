package pgxoid_test

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// item is a composite with a field of the domain, one of bytea and one that is NULL.
type item struct {
	ID     oid.ID
	Order  userID
	Parent *oid.ID
	N      int32
}

const derivedTypes = `
	create type item as (id objectid, "order" bytea, parent objectid, n int);
	create type idrange as range (subtype = bytea)`

func TestCompositesRangesAndRecordsHoldIDs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dsn := postgres.Database(t)
	setUp, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer setUp.Close(context.Background())
	mustExec(t, setUp, sqltype.PostgresSchema()+derivedTypes)
	names := []string{"objectid", "_objectid", "item", "_item", "idrange"}
	for name, register := range map[string]func(context.Context, *pgx.Conn) error{
		"AfterConnectTypes": pgxoid.AfterConnectTypes(names...),
		"LoadTypes only": func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.LoadTypes(ctx, names)
			return err
		},
	} {
		for _, mode := range modes {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				config := setUp.Config()
				config.DefaultQueryExecMode = mode
				conn, err := pgx.ConnectConfig(ctx, config)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close(context.Background())
				if err := register(ctx, conn); err != nil {
					t.Fatal(err)
				}
				want := item{sample, userID(sample.Next()), nil, 7}
				bounds := pgtype.Range[oid.ID]{Lower: oid.ID{}, Upper: sample, LowerType: pgtype.Inclusive, UpperType: pgtype.Exclusive, Valid: true}
				if knowsTypes(mode) {
					if got := queryOne[item](t, conn, "select $1::item", want); got != want {
						t.Errorf("composite: %v, want %v", got, want)
					}
					if got := queryOne[[]item](t, conn, "select $1::item[]", []item{want, want}); !slices.Equal(got, []item{want, want}) {
						t.Errorf("array of composites: %v", got)
					}
					if got := queryOne[pgtype.Range[oid.ID]](t, conn, "select $1::idrange", bounds); got != bounds {
						t.Errorf("range: %v, want %v", got, bounds)
					}
				} else {
					// pgx has no way to tell a struct's type here.
					for _, v := range []any{want, bounds} {
						if _, err := conn.Exec(ctx, "select $1::text", v); err == nil {
							t.Errorf("%T: no error", v)
						}
					}
				}
				literal := `select row('\x65b3f7a40c1b2d3e4f506172', '\x65b3f7a40c1b2d3e4f506173', null, 7)::item`
				if got := queryOne[item](t, conn, literal); got != want {
					t.Errorf("composite by literal: %v, want %v", got, want)
				}
				var record struct {
					ID oid.ID
					N  int32
				}
				err = conn.QueryRow(ctx, `select row('\x65b3f7a40c1b2d3e4f506172'::bytea, 7)`).Scan(&record)
				switch {
				case !knowsTypes(mode) && err == nil:
					t.Error("pgx reads a record in text format now: say so in the documentation")
				case knowsTypes(mode) && (err != nil || record.ID != sample || record.N != 7):
					t.Errorf("record: %v, %v", record, err)
				}
			})
		}
	}
}

func TestAfterConnectTypesFailsOnANameThatTheServerLacks(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	err := pgxoid.AfterConnectTypes("objectid", "objectidd")(t.Context(), conn)
	const want = `pgxoid.AfterConnectTypes(["objectid" "objectidd"]): the server has no type "objectidd" to load: create the type first, or leave the name out if the type is built in, such as bytea`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := pgxoid.AfterConnectTypes("nothing")(t.Context(), conn); err == nil {
		t.Error("no error")
	}
	if err := pgxoid.AfterConnectTypes()(t.Context(), conn); err == nil {
		t.Error("no names: no error")
	}
	// A name may be in a schema.
	mustExec(t, conn, "create schema app; create domain app.app_id as objectid")
	if err := pgxoid.AfterConnectTypes("public.objectid", "app.app_id", "_app_id")(t.Context(), conn); err != nil {
		t.Error(err)
	}
	if got := queryOne[[]oid.ID](t, conn, "select $1::app.app_id[]", []oid.ID{sample}); !slices.Equal(got, []oid.ID{sample}) {
		t.Errorf("domain over the domain: %v", got)
	}
}

// pgx's LoadTypes takes types in the order of the alphabet, and a multirange comes
// before its range there.
func TestAfterConnectTypesLoadsMultiranges(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, `create type idrange as range (subtype = bytea);
		create type objectidrange as range (subtype = objectid);
		create domain aaa as objectidrange;
		create table spans (id objectid, during idmultirange)`)
	names := []string{"idmultirange", "_idmultirange", "idrange", "objectid", "objectidrange", "objectidmultirange", "aaa", "public.spans"}
	if err := pgxoid.AfterConnectTypes(names...)(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	span := func(from, to oid.ID) pgtype.Range[oid.ID] {
		return pgtype.Range[oid.ID]{Lower: from, Upper: to, LowerType: pgtype.Inclusive, UpperType: pgtype.Exclusive, Valid: true}
	}
	want := pgtype.Multirange[pgtype.Range[oid.ID]]{span(oid.ID{1}, oid.ID{2}), span(sample, sample.Next())}
	for _, name := range []string{"idmultirange", "objectidmultirange"} {
		if got := queryOne[pgtype.Multirange[pgtype.Range[oid.ID]]](t, conn, "select $1::"+name, want); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if !queryOne[bool](t, conn, "select $1::idmultirange @> $2::bytea", want, sample) {
		t.Error("the multirange lacks its bound")
	}
	err := pgxoid.AfterConnectTypes("idmultirange", "idrange", "idrang")(t.Context(), conn)
	if err == nil || !strings.HasSuffix(err.Error(), `: the server has no type "idrang" to load: create the type first, or leave the name out if the type is built in, such as bytea`) {
		t.Errorf("%v", err)
	}
}

// traced returns a further connection to conn's database, without any registration. Each
// query of it adds one to queries.
func traced(t *testing.T, conn *pgx.Conn, queries *counter) *pgx.Conn {
	t.Helper()
	config := conn.Config()
	config.Tracer = queries
	again, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close(context.Background()) })
	return again
}

type counter int

func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	*c++
	return ctx
}

func (*counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestAfterConnectTypesLoadsAMultirangeAfterItsRange(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, "create type idrange as range (subtype = bytea)")
	for _, tt := range []struct {
		names   []string
		queries int // 1 if the order of the alphabet fits
		want    string
	}{
		{[]string{"objectid", "_objectid", "idrange"}, 1, ""},
		{[]string{"idmultirange", "idrange"}, 4, ""},
		{[]string{"idmultirange", "objectid"}, 4, "Multirange element OID "},
		{[]string{"idmultirange"}, 1, "Multirange element OID "},
	} {
		var queries counter
		err := pgxoid.AfterConnectTypes(tt.names...)(t.Context(), traced(t, conn, &queries))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("AfterConnectTypes(%q): error %v, want %q", tt.names, err, tt.want)
		}
		if int(queries) != tt.queries {
			t.Errorf("AfterConnectTypes(%q) made %d queries, want %d", tt.names, queries, tt.queries)
		}
	}
}

// The one line fits a pool, database/sql with options, and database/sql from a pool.
func TestAfterConnectFitsPoolsAndDatabaseSQL(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dsn := postgres.Database(t)
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.AfterConnect = pgxoid.AfterConnect
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, sqltype.PostgresSchema()+"; create table users (id objectid primary key, ref text, ids objectid[])"); err != nil {
		t.Fatal(err)
	}
	ids := []oid.ID{sample, sample.Next()}
	if _, err := pool.Exec(ctx, "insert into users values ($1, $1, $2)", sample, ids); err == nil {
		t.Error("one parameter of two types: no error")
	}
	if _, err := pool.Exec(ctx, "insert into users values ($1, $2, $3)", sample, sample, ids); err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]*sql.DB{
		"OpenDB":         stdlib.OpenDB(*config.ConnConfig, stdlib.OptionAfterConnect(pgxoid.AfterConnect)),
		"OpenDBFromPool": stdlib.OpenDBFromPool(pool),
	} {
		var id, ref oid.ID
		err := db.QueryRowContext(ctx, "select id, ref from users where id = any($1) and ref = $2 and ids = $3", ids, sample, ids).Scan(&id, &ref)
		if err != nil || id != sample || ref != sample {
			t.Errorf("%s: %v, %v, %v", name, id, ref, err)
		}
		_, err = db.ExecContext(ctx, "insert into users values ($1, 'x', (select array_agg($2::uuid::text::bytea)))", sample.Next(), sample)
		if err == nil || !strings.Contains(err.Error(), "uuid") {
			t.Errorf("%s: an id as a uuid: %v", name, err)
		}
		db.Close()
	}
}

// A copy of the map has lost the registration, which the documentation says.
func TestCopyOfTheMapIsNotRegistered(t *testing.T) {
	t.Parallel()
	m := pgtype.NewMap()
	pgxoid.Register(m)
	if _, err := m.Copy().Encode(0, pgtype.TextFormatCode, []oid.ID{sample}, nil); err == nil {
		t.Error("pgx copies registrations now: say so in the documentation")
	}
}

// Some values look like an ID on the wire and are not: 12 bytes of
// PostgreSQL's binary format of another type.
func TestTwelveBytesOfAnotherTypeScanIntoAnID(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	for _, test := range []struct {
		query string
		want  outcome
	}{
		{"select '{}'::bytea[]", wrong},
		{"select row(null::int)", wrong},
		{"select 1::bigint", refused},
		{"select '65b3f7a4-0c1b-2d3e-4f50-617200000000'::uuid", refused},
		{"select now()", refused},
		{"select '12345678'::char(30)", refused},
		{"select 'hello world!'::text", wrong},
	} {
		var id oid.ID
		got := refused
		if conn.QueryRow(t.Context(), test.query).Scan(&id) == nil {
			got = wrong
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.query, got, test.want)
		}
	}
}

// pgx doesn't know that these columns are text.
func TestIDInATextColumnThatPgxDoesNotKnow(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, "create domain ref as text; create table refs (ref ref)")
	if err := pgxoid.AfterConnect(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	store := func(v any) string {
		t.Helper()
		mustExec(t, conn, "delete from refs")
		mustExec(t, conn, "insert into refs values ($1)", v)
		return queryOne[string](t, conn, "select ref::text from refs")
	}
	if got := store(sample); got != `\x`+sample.Hex() {
		t.Errorf("an ID is stored as %s: say so in the documentation", got)
	}
	if got := store(sqltype.Hex(sample)); got != sample.Hex() {
		t.Errorf("a Hex is stored as %s", got)
	}
	if err := pgxoid.AfterConnectTypes("ref")(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	if got := store(sample.Next()); got != sample.Next().Hex() {
		t.Errorf("loaded, an ID is stored as %s", got)
	}
}

// A defined type has no methods, and pgx sees an array of numbers.
func TestDefinedTypeIsRefusedByByteaAndStoredAsNumbersInJSON(t *testing.T) {
	t.Parallel()
	type definedID oid.ID
	conn := withSchema(t)
	mustExec(t, conn, cellsTable)
	if err := pgxoid.AfterConnect(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "insert into cells (b) values ($1)", definedID(sample)); err == nil {
		t.Error("bytea takes a defined type")
	}
	if _, err := conn.Exec(t.Context(), "insert into cells (j) values ($1)", definedID(sample)); err != nil {
		t.Errorf("jsonb: %v: say so in the documentation of oid.ID", err)
	}
	if got := queryOne[string](t, conn, "select jsonb_typeof(j) from cells"); got != "array" {
		t.Errorf("jsonb holds a %s", got)
	}
}

// The domain copies the codec of bytea when it is loaded. Registered afterwards, it
// works as before, if not without an allocation.
func TestRegisterAfterLoadTypes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	conn := withSchema(t)
	mustExec(t, conn, cellsTable)
	types, err := conn.LoadTypes(ctx, []string{"objectid", "_objectid"})
	if err != nil {
		t.Fatal(err)
	}
	conn.TypeMap().RegisterTypes(types)
	pgxoid.Register(conn.TypeMap())
	for _, mode := range modes {
		mustExec(t, conn, "delete from cells")
		mustExec(t, conn, "insert into cells (d, da, t) values ($1, $2, $3)", mode, sample, []oid.ID{sample}, sqltype.Hex(sample))
		var id, text oid.ID
		var ids []oid.ID
		err := conn.QueryRow(ctx, "select d, da, t from cells where d = $1 and d = any($2)", mode, sample, []oid.ID{sample}).Scan(&id, &ids, &text)
		if err != nil || id != sample || text != sample || !slices.Equal(ids, []oid.ID{sample}) {
			t.Errorf("%v: %v, %v, %v, %v", mode, id, ids, text, err)
		}
	}
}
