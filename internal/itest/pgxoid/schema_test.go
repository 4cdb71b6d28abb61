package pgxoid_test

import (
	"context"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

const insufficientPrivilege = "42501"

// as returns a further connection to conn's database, as the role.
func as(t testing.TB, conn *pgx.Conn, role string) *pgx.Conn {
	t.Helper()
	other, err := pgx.ConnectConfig(t.Context(), conn.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close(context.Background()) })
	mustExec(t, other, "set role "+role)
	return other
}

// newRole makes a role that lives as long as the test.
func newRole(t testing.TB, conn *pgx.Conn) string {
	t.Helper()
	role := "role_" + oid.New().Hex()
	mustExec(t, conn, "create role "+role)
	t.Cleanup(func() { conn.Exec(context.Background(), "drop owned by "+role+"; drop role "+role) })
	return role
}

// A service whose role owns nothing runs the script at its start, as its owner does.
func TestSchemaMayBeRunByAnotherRole(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, "create table users (id objectid primary key default objectid_new())")
	for _, grant := range []string{"usage", "create"} {
		role := newRole(t, conn)
		mustExec(t, conn, "grant "+grant+" on schema public to "+role+"; grant insert, select on users to "+role)
		service := as(t, conn, role)
		mustExec(t, service, sqltype.PostgresSchema())
		if got := queryOne[string](t, service, "select current_setting('search_path')"); got != `"$user", public` {
			t.Errorf("search_path is %s afterwards", got)
		}
		// All that it makes can be used by everybody.
		var id oid.ID
		if err := service.QueryRow(t.Context(), "insert into users default values returning id").Scan(&id); err != nil || id.IsZero() {
			t.Errorf("%s: %v, %v", grant, id, err)
		}
		if got := queryOne[oid.ID](t, service, "select objectid_last(id) from users where id <= objectid_parse($1) and objectid_time(id) > '2020-01-01'", id.Hex()); got != id {
			t.Errorf("%s: %v, want %v", grant, got, id)
		}
	}
	// Where something is missing, the error says what.
	mustExec(t, conn, "drop function objectid_from_uuid")
	role := newRole(t, conn)
	_, err := as(t, conn, role).Exec(t.Context(), sqltype.PostgresSchema())
	wantSQLState(t, err, insufficientPrivilege)
	if want := "schema public lacks objectid_from_uuid(uuid)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	empty := postgres.Connect(t)
	_, err = as(t, empty, newRole(t, empty)).Exec(t.Context(), sqltype.PostgresSchema())
	wantSQLState(t, err, insufficientPrivilege)
}

// psql sends a file statement by statement, each a transaction of its own.
func TestSchemaIsRunByManySessionsStatementByStatement(t *testing.T) {
	t.Parallel()
	psql, err := postgres.Find("psql")
	if err != nil {
		daemon.Skip(t, err)
	}
	conn := postgres.Connect(t)
	var sessions sync.WaitGroup
	for range 8 {
		sessions.Go(func() {
			for range 3 {
				cmd := exec.Command(psql, "-v", "ON_ERROR_STOP=1", "-q", conn.Config().ConnString())
				cmd.Stdin = strings.NewReader(sqltype.PostgresSchema())
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
		})
	}
	sessions.Wait()
	if n := queryOne[int](t, conn, "select count(*) from pg_proc where proname = 'objectid_new'"); n != 1 {
		t.Errorf("%d functions objectid_new", n)
	}
}

// evil shadows what PostgreSQL has built in, by functions and operators that give
// another's ID.
const evil = `
	create schema evil;
	create function evil.decode(text, text) returns bytea language sql as $$ select '\xdeadbeefdeadbeefdeadbeef'::bytea $$;
	create function evil.encode(bytea, text) returns text language sql as $$ select 'deadbeefdeadbeefdeadbeef'::text $$;
	create function evil.get_byte(bytea, int) returns int language sql as $$ select 1 $$;
	create function evil.format(text, variadic "any") returns text language internal as 'text_format_nv';
	create function evil.lpad(text, int, text) returns text language sql as $$ select 'deadbeef'::text $$;
	create function evil.substr(text, int, int) returns text language sql as $$ select 'dea'::text $$;
	create function evil.substr(text, int) returns text language sql as $$ select 'deadbeefdeadbeef'::text $$;
	create function evil.to_hex(bigint) returns text language sql as $$ select 'deadbeef'::text $$;
	create function evil.uuid_send(uuid) returns bytea language sql as $$ select '\xdeadbeefdeadbeefdeadbeefdeadbeef'::bytea $$;
	create function evil.int8send(bigint) returns bytea language sql as $$ select '\xdeadbeefdeadbeef'::bytea $$;
	create function evil.substring(bytea, int, int) returns bytea language sql as $$ select '\xdeadbeef'::bytea $$;
	create function evil.substring(bytea, int) returns bytea language sql as $$ select '\xdeadbeef'::bytea $$;
	create function evil.floor(double precision) returns double precision language sql as $$ select 0.0::float8 $$;
	create function evil.sha256(bytea) returns bytea language sql as $$ select '\xdeadbeefdeadbeef'::bytea $$;
	create function evil.convert_to(text, name) returns bytea language sql as $$ select '\xdead'::bytea $$;
	create function evil.octet_length(bytea) returns int language sql as $$ select 3 $$;
	create function evil.nextval(regclass) returns bigint language sql as $$ select 0::bigint $$;
	create function evil.clock_timestamp() returns timestamptz language sql as $$ select 'epoch'::timestamptz $$;
	create function evil.no(text, text) returns boolean language sql as $$ select false $$;
	create operator evil.!~ (function = evil.no, leftarg = text, rightarg = text);
	create function evil.cat(text, text) returns text language sql as $$ select 'evil'::text $$;
	create operator evil.|| (function = evil.cat, leftarg = text, rightarg = text);
	create function evil.catb(bytea, bytea) returns bytea language sql as $$ select '\xdeadbeefdeadbeefdeadbeef'::bytea $$;
	create operator evil.|| (function = evil.catb, leftarg = bytea, rightarg = bytea);
	create function evil.less(bytea, bytea) returns boolean language sql as $$ select false $$;
	create operator evil.< (function = evil.less, leftarg = bytea, rightarg = bytea);
	create operator evil.> (function = evil.less, leftarg = bytea, rightarg = bytea);
	create operator evil.<> (function = evil.no, leftarg = text, rightarg = text);
	create function evil.zero(bigint, bigint) returns bigint language sql as $$ select 0::bigint $$;
	create operator evil.% (function = evil.zero, leftarg = bigint, rightarg = bigint);
	create operator evil.& (function = evil.zero, leftarg = bigint, rightarg = bigint);
	create operator evil.| (function = evil.zero, leftarg = bigint, rightarg = bigint);
	create operator evil.# (function = evil.zero, leftarg = bigint, rightarg = bigint);
	create domain evil.text as pg_catalog.text check (false);
	create domain evil.uuid as pg_catalog.uuid;
	create domain evil.bytea as pg_catalog.bytea;
	create domain evil.objectid as pg_catalog.bytea;
	create domain evil.timestamptz as pg_catalog.timestamptz`

// A role that makes a schema, and has a service search it first, can't change what the
// functions do. This holds when they are made and when they run.
func TestFunctionsDoNotDependOnSearchPath(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"run", "made"} {
		t.Run(when, func(t *testing.T) {
			conn := postgres.Connect(t)
			const paths = "set search_path = public, evil, pg_catalog"
			if when == "made" {
				mustExec(t, conn, evil+"; "+paths+"; create temporary table objectid (x int)")
			}
			mustExec(t, conn, sqltype.PostgresSchema())
			if when == "run" {
				mustExec(t, conn, evil+"; set search_path = evil, pg_catalog, public")
			}
			for _, id := range []oid.ID{sample, printable, oid.MaxAt(sample.Timestamp())} {
				uuid, err := sqltype.UUID(id).Value()
				if err != nil {
					t.Fatal(err)
				}
				for call, want := range map[string]any{
					"public.objectid_parse(pg_catalog.lower('" + id.Hex() + "'))":                                                      id.Hex(),
					`public.objectid_min(public.objectid_time('\x` + id.Hex() + `'))`:                                                  oid.MinAt(id.Timestamp()).Hex(),
					`public.objectid_max(public.objectid_time('\x` + id.Hex() + `'))`:                                                  oid.MaxAt(id.Timestamp()).Hex(),
					`public.objectid_from_uuid(public.objectid_to_uuid('\x` + id.Hex() + `'))`:                                         id.Hex(),
					"public.objectid_derive('2020-02-29 13:24:16Z', 'orders', '17')":                                                   "5e5a6600184024d311d7ae35",
					"public.objectid_from_uuid('" + uuid.(string) + "')":                                                               id.Hex(),
					`(select public.objectid_last(x) from pg_catalog.unnest(array['\x00', '\x` + id.Hex() + `'::pg_catalog.bytea]) x)`: id.Hex(),
				} {
					if got := queryOne[string](t, conn, "select pg_catalog.encode("+call+", 'hex')"); got != want {
						t.Errorf("%s = %s, want %s", call, got, want)
					}
				}
				if got := queryOne[int](t, conn, `select public.objectid_bucket('\x`+id.Hex()+`', 1000)`); got != oid.Bucket(id, 1000) {
					t.Errorf("objectid_bucket(%v, 1000) = %d, want %d", id, got, oid.Bucket(id, 1000))
				}
				if got := queryOne[string](t, conn, `select public.objectid_text('\x`+id.Hex()+`')::pg_catalog.varchar`); got != id.Hex() {
					t.Errorf("objectid_text = %s, want %s", got, id.Hex())
				}
				if got := queryOne[string](t, conn, `select public.objectid_to_uuid('\x`+id.Hex()+`')::pg_catalog.varchar`); got != uuid {
					t.Errorf("objectid_to_uuid = %s, want %s", got, uuid)
				}
			}
			for _, call := range []string{"public.objectid_parse('no id')", "public.objectid_from_uuid('018d46ff-58a0-40c1-acb4-f93d4185cb1d')"} {
				_, err := conn.Exec(t.Context(), "select "+call)
				wantSQLState(t, err, invalidText)
			}
			a, b := queryOne[oid.ID](t, conn, "select public.objectid_new()"), queryOne[oid.ID](t, conn, "select public.objectid_new()")
			if a.Compare(b) >= 0 || a.Timestamp().Year() < 2026 {
				t.Errorf("objectid_new: %v, then %v", a, b)
			}
		})
	}
}

func TestUUIDsInSQLAreThoseOfGo(t *testing.T) {
	t.Parallel()
	for _, installation := range postgres.Installations() {
		t.Run(installation.Name, func(t *testing.T) {
			conn := installation.Connect(t)
			mustExec(t, conn, sqltype.PostgresSchema())
			ids := []oid.ID{sample, printable, {11: 1}, {4: 0xff}, oid.MaxAt(sample.Timestamp()), oid.ID([]byte(strings.Repeat("\xff", 12)))}
			for range 200 {
				var id oid.ID
				for i := range id {
					id[i] = byte(rand.Uint32())
				}
				ids = append(ids, id)
			}
			for _, id := range ids {
				u := sqltype.UUID(id)
				if got := queryOne[sqltype.UUID](t, conn, "select objectid_to_uuid($1)", id); got != u {
					t.Errorf("objectid_to_uuid(%v) = %v", id, got)
				}
				if got := queryOne[oid.ID](t, conn, "select objectid_from_uuid($1)", u); got != id {
					t.Errorf("objectid_from_uuid(%v) = %v", id, got)
				}
			}
			for i := range 128 { // a bit that isn't the ID's
				bad := sqltype.UUID(sample).Bytes()
				bad[i/8] ^= 0x80 >> (i % 8)
				_, goErr := sqltype.FromUUID(bad)
				_, err := conn.Exec(t.Context(), "select objectid_from_uuid($1)", bad)
				if goErr == nil && err != nil || goErr != nil && err == nil {
					t.Errorf("bit %d: %v in Go, %v in SQL", i, goErr, err)
				}
				if goErr != nil {
					wantSQLState(t, err, invalidText)
				}
			}
			for _, length := range []int{0, 11, 13, 16} {
				_, err := conn.Exec(t.Context(), "select objectid_to_uuid($1)", make([]byte, length))
				wantSQLState(t, err, noIndex)
			}
			if got := queryOne[*string](t, conn, "select coalesce(objectid_to_uuid(null)::text, objectid_from_uuid(null)::text)"); got != nil {
				t.Errorf("of NULL: %s", *got)
			}
			if installation == postgres.System {
				return
			}
			// PostgreSQL 18 knows UUIDv7s, and agrees.
			for _, id := range ids {
				if !queryOne[bool](t, conn, "select uuid_extract_version($1) = 7 and uuid_extract_timestamp($1) = objectid_time($2)", sqltype.UUID(id), id) {
					t.Errorf("the UUID of %v has another version or time to PostgreSQL", id)
				}
			}
		})
	}
}

func TestUUIDColumnIsRangedByCreationTime(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, `create table users (id uuid primary key, n int);
		insert into users select objectid_to_uuid(objectid_min('2026-01-01'::timestamptz + n * interval '1 minute')), n from generate_series(1, 20000) n;
		analyze users`)
	first := queryOne[sqltype.UUID](t, conn, "select id from users order by id limit 1")
	lo, hi := oid.Range(oid.ID(first).Timestamp(), oid.ID(first).Timestamp().Add(3600e9))
	if n := queryOne[int](t, conn, "select count(*) from users where id >= $1 and id < $2", sqltype.UUID(lo), sqltype.UUID(hi)); n != 60 {
		t.Errorf("%d rows of an hour", n)
	}
	const inSQL = "select id from users where id >= objectid_to_uuid(objectid_min('2026-01-02')) and id < objectid_to_uuid(objectid_min('2026-01-03'))"
	if n := queryOne[int](t, conn, "select count(*) from ("+inSQL+") t"); n != 1440 {
		t.Errorf("%d rows of a day", n)
	}
	for _, test := range []struct {
		query string
		args  []any
	}{
		{inSQL, nil},
		{"select id from users where id >= $1 and id < $2", []any{sqltype.UUID(lo), sqltype.UUID(hi)}},
	} {
		if plan := explain(t, conn, test.query, test.args...); !strings.Contains(plan, "users_pkey") || strings.Contains(plan, "Seq Scan") {
			t.Errorf("%s:\n%s", test.query, plan)
		}
	}
	// Partitions too.
	mustExec(t, conn, `create table events (id uuid primary key) partition by range (id);
		create table events_01 partition of events for values from (objectid_to_uuid(objectid_min('2026-01-01'))) to (objectid_to_uuid(objectid_min('2026-02-01')));
		create table events_02 partition of events for values from (objectid_to_uuid(objectid_min('2026-02-01'))) to (objectid_to_uuid(objectid_min('2026-03-01')))`)
	plan := explain(t, conn, "select from events where id >= $1 and id < $2", sqltype.UUID(lo), sqltype.UUID(hi))
	if !strings.Contains(plan, "events_01") || strings.Contains(plan, "events_02") {
		t.Errorf("partitions:\n%s", plan)
	}
}

// Drivers that convert to the database's encoding refuse a character that it lacks.
func TestSchemaUnderOtherSettings(t *testing.T) {
	t.Parallel()
	conn := postgres.Connect(t)
	name := "latin1_" + oid.New().Hex()
	mustExec(t, conn, "create database "+name+" template template0 encoding 'LATIN1' locale 'C'")
	t.Cleanup(func() { conn.Exec(context.Background(), "drop database "+name+" with (force)") })
	config := conn.Config().Copy()
	config.Database = name
	for setting, value := range map[string]string{
		"client_encoding": "UTF8", "standard_conforming_strings": "off", "default_transaction_isolation": "serializable",
		"check_function_bodies": "off", "bytea_output": "escape", "IntervalStyle": "iso_8601", "DateStyle": "German", "TimeZone": "Pacific/Kiritimati",
	} {
		config.RuntimeParams[setting] = value
	}
	other, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	for range 2 {
		mustExec(t, other, sqltype.PostgresSchema())
	}
	id := queryOne[oid.ID](t, other, "select objectid_new()")
	lo, hi := oid.MinAt(id.Timestamp()), oid.MaxAt(id.Timestamp())
	if !queryOne[bool](t, other, "select objectid_min(objectid_time($1)) = $2 and objectid_max(objectid_time($1)) = $3 and objectid_from_uuid(objectid_to_uuid($1)) = $1", id, lo, hi) {
		t.Errorf("%v has other bounds, or comes back from its UUID as another", id)
	}
	if _, err := other.Exec(t.Context(), "create table users (id objectid); insert into users values (decode('000000000000000000000000', 'hex'))"); err == nil {
		t.Error("the domain takes the zero ID")
	}
}
