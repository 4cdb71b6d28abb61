package pgxoid_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// A migration drops the domain and makes it anew while a pool has loaded it.
// Statements are then right or an error, and right again after Reset.
func TestDomainIsMadeAnewUnderALivePool(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	conn := withSchema(t)
	const table = "create table users (id objectid primary key, tags objectid[])"
	mustExec(t, conn, table)
	config, err := pgxpool.ParseConfig(conn.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	config.AfterConnect = pgxoid.AfterConnectTypes("objectid", "_objectid")
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	tags := []oid.ID{sample, sample.Next()}
	use := func(id oid.ID) error {
		if _, err := pool.Exec(ctx, "insert into users values ($1, $2)", id, tags); err != nil {
			return err
		}
		var got oid.ID
		var gotTags []oid.ID
		err := pool.QueryRow(ctx, "select id, tags from users where id = $1", id).Scan(&got, &gotTags)
		if err == nil && (got != id || !slices.Equal(gotTags, tags)) {
			t.Errorf("stored %v, %v, read %v, %v", id, tags, got, gotTags)
		}
		return err
	}
	if err := use(sample); err != nil {
		t.Fatal(err)
	}
	mustExec(t, conn, "drop table users; drop domain objectid cascade")
	mustExec(t, conn, sqltype.PostgresSchema())
	mustExec(t, conn, table)
	for range 3 {
		var refused *pgconn.PgError
		if err := use(oid.New()); err != nil && !errors.As(err, &refused) {
			t.Errorf("before Reset: %v, want the server's error", err)
		}
	}
	if n := queryOne[int](t, conn, "select count(*) from users where octet_length(id) <> 12 or tags::text <> $1", `{"\\x`+tags[0].Hex()+`","\\x`+tags[1].Hex()+`"}`); n > 0 {
		t.Errorf("%d wrong rows", n)
	}
	pool.Reset()
	for range 3 {
		if err := use(oid.New()); err != nil {
			t.Errorf("after Reset: %v", err)
		}
	}
}

// PostgreSQL's old format of bytea shows some bytes of an ID as they are. Each value is
// the right ID or an error.
func TestByteaOutputEscape(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, "create table ids (id bytea, list bytea[])")
	ids := []oid.ID{sample, printable, {}, {0: '\\', 1: 'x'}, oid.ID([]byte(`\x65b3f7a40c`)), oid.ID([]byte("abcdefabcdef")), {0: 0x5c, 11: 0x27}}
	for _, id := range ids {
		mustExec(t, conn, "insert into ids values ($1, array[$1::bytea])", id)
	}
	for name, register := range map[string]func(context.Context, *pgx.Conn) error{
		"unregistered": func(context.Context, *pgx.Conn) error { return nil },
		"AfterConnect": pgxoid.AfterConnect,
	} {
		for _, mode := range modes {
			config := conn.Config().Copy()
			config.DefaultQueryExecMode = mode
			config.RuntimeParams["bytea_output"] = "escape"
			escaped, err := pgx.ConnectConfig(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer escaped.Close(context.Background())
			if err := register(t.Context(), escaped); err != nil {
				t.Fatal(err)
			}
			right := 0
			for _, id := range ids {
				var got oid.ID
				var list []oid.ID
				var array sqltype.Array[oid.ID]
				where := " from ids where id = decode('" + id.Hex() + "', 'hex')"
				err := escaped.QueryRow(t.Context(), "select id"+where).Scan(&got)
				if err == nil && got != id {
					t.Errorf("%s, %v: %v reads as %v", name, mode, id, got)
				}
				if err == nil {
					right++
				}
				if err := escaped.QueryRow(t.Context(), "select list"+where).Scan(&list); err == nil && !slices.Equal(list, []oid.ID{id}) {
					t.Errorf("%s, %v: a list of %v reads as %v", name, mode, id, list)
				}
				if err := escaped.QueryRow(t.Context(), "select list"+where).Scan(&array); err == nil && !slices.Equal(array, []oid.ID{id}) {
					t.Errorf("%s, %v: an array of %v reads as %v", name, mode, id, array)
				}
			}
			if knowsTypes(mode) && right != len(ids) {
				t.Errorf("%s, %v: %d of %d ids are right", name, mode, right, len(ids))
			}
		}
	}
}

// pgx keeps the descriptions of statements. One that has other results, or other
// columns, by the next batch gives the right IDs.
func TestBatchesWhoseResultsChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, mode := range modes {
		config, err := pgx.ParseConfig(postgres.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		config.DefaultQueryExecMode = mode
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		if err := pgxoid.AfterConnect(ctx, conn); err != nil {
			t.Fatal(err)
		}
		var made []oid.ID
		for round := range 6 {
			column := []string{"id bytea", "id text", "n int, id bytea"}[round%3]
			mustExec(t, conn, "drop table if exists users; create table users ("+column+")")
			id := oid.New()
			made = append(made, id)
			insert := "insert into users (id) values ('\\x" + id.Hex() + "')"
			if column == "id text" {
				insert = "insert into users (id) values ('" + id.Hex() + "')"
			}
			mustExec(t, conn, insert)
			send := func() (got []oid.ID, err error) {
				batch := new(pgx.Batch)
				for range 2 {
					batch.Queue("select id from users").QueryRow(func(row pgx.Row) error {
						var id oid.ID
						err := row.Scan(&id)
						got = append(got, id)
						return err
					})
					batch.Queue("select id, $1::bytea, 1 from users", sample).QueryRow(func(row pgx.Row) error {
						var id, again oid.ID
						var n int
						err := row.Scan(&id, &again, &n)
						if err == nil && (again != sample || n != 1) {
							t.Errorf("%v: %v, %d", mode, again, n)
						}
						got = append(got, id)
						return err
					})
				}
				err = conn.SendBatch(ctx, batch).Close()
				return got, err
			}
			got, err := send()
			if err != nil { // the cached statement is not that of this table
				got, err = send()
			}
			if err != nil || !slices.Equal(got, []oid.ID{id, id, id, id}) {
				t.Errorf("%v, round %d: %v, %v, want %v", mode, round, got, err, made[round])
			}
		}
	}
}
