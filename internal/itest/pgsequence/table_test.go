package pgsequence_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

func TestTableThatACrashEmptiesIsRefused(t *testing.T) {
	t.Parallel()
	uri, pool := migrated(t)
	s := newStore(t, pool)
	newRow(t, s)
	execute(t, pool, "ALTER TABLE sequences SET UNLOGGED")
	d := s.Driver()
	_, _, readErr := d.Read(t.Context(), "k")
	_, nextErr := sequence.New(s, "other", sequence.Plan{First: 1, Last: 9}).Next(t.Context())
	txErr := s.InTx(t.Context(), func(tx pgx.Tx) error {
		_, _, err := s.Tx(tx).Driver().Read(t.Context(), "k")
		return err
	})
	for _, err := range []error{readErr, nextErr, txErr, s.Migrate(t.Context())} {
		if err == nil || !strings.HasSuffix(err.Error(), `table sequences is UNLOGGED, and a crash would empty it: run ALTER TABLE ... SET LOGGED`) || d.Transient(err) {
			t.Errorf("%v", err)
		}
	}
	execute(t, pool, "ALTER TABLE sequences SET LOGGED")

	fleeting := newPool(t, uri, func(cfg *pgxpool.Config) {
		cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "CREATE TEMP TABLE sequences (LIKE public.sequences INCLUDING ALL)")
			return err
		}
	})
	if err := newStore(t, fleeting).Migrate(t.Context()); err == nil || err.Error() != `pgsequence.Store.Migrate(): table sequences is temporary: use a permanent table` {
		t.Errorf("%v", err)
	}
}

// TestMigrateRefusesWhatCannotCount has tables of others, and servers that would count
// apart. The servers are played by functions.
func TestMigrateRefusesWhatCannotCount(t *testing.T) {
	t.Parallel()
	_, pool := migrated(t)
	execute(t, pool, `CREATE TABLE other (key text);
		CREATE VIEW view AS SELECT * FROM sequences;
		CREATE MATERIALIZED VIEW stored AS SELECT * FROM sequences;
		CREATE TABLE older (LIKE sequences INCLUDING ALL); ALTER TABLE older DROP COLUMN before`)
	for name, want := range map[string]string{
		"":                      `table "": a name has 1 to 63 bytes, and no quotes, braces or question marks`,
		"a.":                    `table "a.": a name has 1 to 63 bytes, and no quotes, braces or question marks`,
		`a"b`:                   `table "a\"b": a name has 1 to 63 bytes, and no quotes, braces or question marks`,
		"a.b.c":                 `table "a.b.c": want a table name, or schema.name`,
		strings.Repeat("n", 64): `table "` + strings.Repeat("n", 64) + `": a name has 1 to 63 bytes, and no quotes, braces or question marks`,
		"other":                 `table other can't be read, or has other columns than Migrate makes, or dialect PostgreSQL is wrong: ERROR: column "meaning" does not exist (SQLSTATE 42703)`,
		"older":                 `table older can't be read, or has other columns than Migrate makes, or dialect PostgreSQL is wrong: ERROR: column "before" does not exist (SQLSTATE 42703)`,
		"view":                  `table view is not a table, but a view or something else`,
		"stored":                `table stored is not a table, but a view or something else`,
		"none.here":             `ERROR: schema "none" does not exist (SQLSTATE 3F000)`,
	} {
		s := pgsequence.New(pool, name)
		defer s.Close()
		if err := s.Migrate(t.Context()); err == nil || err.Error() != "pgsequence.Store.Migrate(): "+want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	s := newStore(t, pool)
	for _, tt := range []struct{ function, want string }{
		{"citus_is_coordinator() RETURNS bool RETURN true", ""},
		{"citus_is_coordinator() RETURNS bool RETURN false", "table sequences is on a worker of Citus: connect to the coordinator, which all programs share"},
	} {
		execute(t, pool, "CREATE OR REPLACE FUNCTION "+tt.function)
		if err := s.Migrate(t.Context()); (err == nil) != (tt.want == "") || err != nil && err.Error() != "pgsequence.Store.Migrate(): "+tt.want {
			t.Errorf("%s: %v, want %s", tt.function, err, tt.want)
		}
	}
	uri, pool := migrated(t)
	execute(t, pool, "CREATE FUNCTION version() RETURNS text RETURN 'PostgreSQL 15.5 on Doltgres'") // hides the server's
	dolt := newStore(t, newPool(t, with(t, uri, "search_path", "public,pg_catalog")))
	if err := dolt.Migrate(t.Context()); err == nil || err.Error() != `pgsequence.Store.Migrate(): table sequences is on Dolt, which can give a number twice: use another server` {
		t.Errorf("%v", err)
	}
	bad := pgsequence.New(pool, "sequences", nil, pgsequence.WithMaxConns(1))
	if err := bad.Migrate(t.Context()); err == nil || err.Error() != "pgsequence.Store.Migrate(): an Option is nil: call a function such as WithMaxConns" {
		t.Errorf("a nil Option: %v", err)
	}
	bad = pgsequence.New(pool, "sequences", pgsequence.WithMaxConns(0))
	if err := bad.Migrate(t.Context()); err == nil || err.Error() != "pgsequence.Store.Migrate(): WithMaxConns(0): want from 1 to 1048576 connections" {
		t.Errorf("%v", err)
	}
	if err := pgsequence.New(nil, "sequences").Migrate(t.Context()); err == nil || err.Error() != "pgsequence.Store.Migrate(): the pool is nil" {
		t.Errorf("%v", err)
	}
}

// TestInvalidStoreIsAnErrorOfEachCall has an invalid name, no pool, and no transaction.
func TestInvalidStoreIsAnErrorOfEachCall(t *testing.T) {
	t.Parallel()
	_, pool := migrated(t)
	s := pgsequence.New(pool, "a.b.c")
	defer s.Close()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	valid := newStore(t, pool)
	for _, d := range []driver.Driver{s.Driver(), s.Tx(tx).Driver(), valid.Tx(nil).Driver(), pgsequence.New(nil, "sequences").Driver()} {
		_, _, readErr := d.Read(t.Context(), "k")
		_, listErr := d.List(t.Context())
		_, putErr := d.Put(t.Context(), driver.Row{Key: "k", Version: 1}, 0)
		_, _, drawErr := d.Draw(t.Context(), one)
		for _, err := range []error{readErr, listErr, putErr, drawErr, d.Migrate(t.Context())} {
			if err == nil || d.Transient(err) {
				t.Errorf("%T: %v", d, err)
			}
		}
	}
	positions := sequence.New(valid, "k", sequence.Plan{First: 1, Last: 9}, sequence.WithGapFree())
	if n, err := positions.NextIn(t.Context(), valid.Tx(nil)); err == nil || !strings.HasSuffix(err.Error(), "the transaction is nil") {
		t.Errorf("%v, %v", n, err)
	}
	err = pgsequence.New(nil, "sequences").InTx(t.Context(), func(pgx.Tx) error { t.Error("f was called"); return nil })
	if err == nil || err.Error() != "pgsequence.Store.InTx(): the pool is nil" {
		t.Errorf("%v", err)
	}
}

func TestTableNames(t *testing.T) {
	t.Parallel()
	pool := newPool(t, pgserver.Database(t))
	execute(t, pool, `CREATE SCHEMA "My Schema"`)
	for _, name := range []string{"plain", "Upper", "public.there", `My Schema.it's`, strings.Repeat("n", 63), strings.Repeat("n", 60) + "ß", "a;\n-- name: draw"} {
		a, b := pgsequence.New(pool, name), pgsequence.New(pool, name)
		defer a.Close()
		defer b.Close()
		if err := a.Migrate(t.Context()); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		newRow(t, a)
		for range 3 {
			drawShared(t, a)
			drawShared(t, b)
		}
		if s, ok, err := a.Driver().Draw(t.Context(), shared); err != nil || !ok || s.After != 7 || s.Warning != "" {
			t.Errorf("%q: %+v, %v, %v", name, s, ok, err)
		}
	}
	var flushes int
	if scan(t, pool, "SELECT count(*) FROM pg_class WHERE relkind = 'S'", &flushes); flushes != 6 { // two of the names are cut to the same
		t.Errorf("%d sequences", flushes)
	}
}

// TestMigrateRace has programs that start together make the table, at each isolation
// level.
func TestMigrateRace(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"read committed", "repeatable read", "serializable"} {
		uri := pgserver.Database(t)
		var wg sync.WaitGroup
		for range 20 {
			s := newStore(t, newPool(t, uri, parameter("default_transaction_isolation", isolation)))
			wg.Go(func() {
				if err := s.Migrate(t.Context()); err != nil {
					t.Errorf("%s: %v", isolation, err)
				}
			})
		}
		wg.Wait()
		s := newStore(t, newPool(t, uri))
		newRow(t, s)
		draw(t, s)
		if err := s.Migrate(t.Context()); err != nil {
			t.Errorf("%s: %v", isolation, err)
		}
		if got := draw(t, s); got != 2 {
			t.Errorf("%s: number %d after Migrate", isolation, got)
		}
	}
}

// TestMigrateNeedsOnlyTheRightsToDraw has a role that may only read and write the rows,
// and one that may not even do that.
func TestMigrateNeedsOnlyTheRightsToDraw(t *testing.T) {
	t.Parallel()
	uri, pool := migrated(t)
	execute(t, pool, "DROP SEQUENCE sequences_flush") // it can't make that either
	role := newRole(t, uri, pool, "")
	limited := newPool(t, uri, parameter("role", role))
	s := newStore(t, limited)
	if err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "permission denied for table sequences") {
		t.Errorf("%v", err)
	}
	execute(t, pool, "GRANT SELECT, INSERT, UPDATE ON sequences TO "+role)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	newRow(t, s)
	draw(t, s)
	others := pgsequence.New(limited, "others")
	defer others.Close()
	if err := others.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "permission denied for schema public") || s.Driver().Transient(err) {
		t.Errorf("%v", err)
	}
}

// TestPartitionedTable draws from a table with partitions.
func TestPartitionedTable(t *testing.T) {
	t.Parallel()
	_, pool := migrated(t)
	execute(t, pool, `CREATE TABLE parts (LIKE sequences INCLUDING ALL) PARTITION BY HASH (key);
		CREATE TABLE part0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
		CREATE TABLE part1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1)`)
	a, b := pgsequence.New(pool, "parts"), pgsequence.New(pool, "parts")
	defer a.Close()
	defer b.Close()
	if err := a.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	newRow(t, a)
	for i, s := range []*pgsequence.Store{a, b, a, b, a, b} {
		if got := draw(t, s); got != int64(i)+1 {
			t.Errorf("number %d, want %d", got, i+1)
		}
	}
	execute(t, pool, "ALTER TABLE part0 SET UNLOGGED; ALTER TABLE part1 SET UNLOGGED")
	if _, _, err := a.Driver().Read(t.Context(), "k"); err == nil || !strings.HasSuffix(err.Error(), `is UNLOGGED, and a crash would empty it: run ALTER TABLE ... SET LOGGED`) {
		t.Errorf("%v", err)
	}
}
