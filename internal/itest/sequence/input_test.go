package sequence_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/internal/servers/mariadb"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// calls are all calls of a store that have a key.
func calls(ctx context.Context, s store, key string) map[string]error {
	_, take := s.Take(ctx, key, 1)
	_, state := s.State(ctx, key)
	_, stamps := s.TakeStamps(ctx, key, sequence.StampDraw{N: 1, Width: 100, Tick: time.Microsecond, Now: time.Now(), MaxLead: time.Hour})
	_, numbers := s.TakeNumbers(ctx, key, sequence.NumberDraw{N: 1, Kind: "never", Now: time.Now(), MaxLead: time.Hour})
	return map[string]error{
		"Create": s.Create(ctx, key, wheel9), "Take": take, "Resize": s.Resize(ctx, key, wheel9),
		"Advance": s.Advance(ctx, key, 0), "State": state, "TakeStamps": stamps, "TakeNumbers": numbers,
	}
}

func TestEveryCallRefusesAnInvalidKey(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		for key, want := range map[string]string{
			"": "the key is empty", "\x00": "the key is not UTF-8 without NUL", "\xff": "the key is not UTF-8 without NUL",
			strings.Repeat("k", sequence.MaxKey+1): "the key has 256 bytes, more than 255",
		} {
			for call, err := range calls(t.Context(), s, key) {
				if err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), "."+call+"(") {
					t.Errorf("%s(%q) = %v, want %s", call, key, err, want)
				}
			}
		}
		if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("List() = %v, %v afterwards", list, err)
		}
	})
}

func TestEveryCallRefusesInvalidDraws(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 9)
		for _, n := range []int64{0, -1} {
			if _, err := s.TakeStamps(t.Context(), "k", sequence.StampDraw{N: n, Width: 100, Tick: time.Microsecond, Now: time.Now()}); err == nil {
				t.Errorf("TakeStamps of %d", n)
			}
		}
		for _, d := range []sequence.NumberDraw{{N: -1, Kind: "never"}, {N: 1 << 40, Kind: "never"}, {N: 1, Floor: -1, Kind: "never"}, {N: 1}} {
			d.Now = time.Now()
			if _, err := s.TakeNumbers(t.Context(), "n", d); err == nil || !strings.Contains(err.Error(), "invalid draw") {
				t.Errorf("TakeNumbers(%+v) = %v", d, err)
			}
		}
		if list, err := s.List(t.Context()); err != nil || len(list) != 1 || list[0].Width != 0 {
			t.Errorf("List() = %+v, %v afterwards", list, err)
		}
	})
}

// TestEveryCallReportsAnInvalidStore calls stores that were made wrongly, or closed.
func TestEveryCallReportsAnInvalidStore(t *testing.T) {
	p := place{kind: "postgres", uri: pgserver.Database(t)}
	pool := p.pool(t)
	closed := pgsequence.New(pool, "sequences")
	if err := closed.Migrate(t.Context()); err != nil { // so that it has connections
		t.Fatal(err)
	}
	closed.Close()
	closed.Close()
	ended := sqlite(t).db(t)
	ended.Close()
	for want, s := range map[string]store{
		`table "": a name has 1 to 63 bytes`:                 pgsequence.New(pool, ""),
		"WithMaxConns(0): not a number of connections":       pgsequence.New(pool, "sequences", pgsequence.WithMaxConns(0)),
		"WithMaxConns(-1): not a number of connections":      pgsequence.New(pool, "sequences", pgsequence.WithMaxConns(-1)),
		"WithMaxConns(1048577): not a number of connections": pgsequence.New(pool, "sequences", pgsequence.WithMaxConns(1<<20+1)),
		"the pool is nil":               pgsequence.New(nil, "sequences", pgsequence.WithMaxConns(1<<20)),
		"the store is closed":           closed,
		"sql: database is closed":       sqlsequence.New(ended, "sequences", sqlsequence.SQLite),
		`table "t": unknown Dialect(4)`: sqlsequence.New(sqlite(t).db(t), "t", 4),
		"the *sql.DB is nil":            sqlsequence.New(nil, "sequences", sqlsequence.SQLite),
		`table "a.": a name has 1 to 63 bytes, and no quotes, braces or question marks`: sqlsequence.New(sqlite(t).db(t), "a.", sqlsequence.SQLite),
	} {
		errs := calls(t.Context(), s, "k")
		_, errs["List"] = s.List(t.Context())
		errs["Migrate"] = s.(interface{ Migrate(context.Context) error }).Migrate(t.Context())
		for call, err := range errs {
			if err == nil || !strings.HasSuffix(err.Error(), ": "+want) || errors.Is(err, sequence.ErrTransient) {
				t.Errorf("%s = %v, want %s", call, err, want)
			}
		}
	}

	n := sequence.NewNumbering(sequence.NewMemory(), "n", "{0}", sequence.WithGapFree())
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := pgsequence.New(pool, "").NextTx(t.Context(), tx, n)
		return err
	})
	if err == nil || !strings.HasSuffix(err.Error(), `table "": a name has 1 to 63 bytes`) {
		t.Errorf("NextTx = %v", err)
	}
	tx, err := sqlite(t).db(t).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := sqlsequence.New(nil, "t", sqlsequence.SQLite).NextTx(t.Context(), tx, n); err == nil || !strings.HasSuffix(err.Error(), "the *sql.DB is nil") {
		t.Errorf("NextTx = %v", err)
	}
}

// TestMaxConnsIsTheLimit has more callers than the store may have connections.
func TestMaxConnsIsTheLimit(t *testing.T) {
	p := postgres(t)
	pool := p.pool(t)
	for want, opts := range map[int][]pgsequence.Option{4: nil, 2: {pgsequence.WithMaxConns(2)}} {
		execute(t, pool, "DROP TABLE IF EXISTS others; CREATE TABLE others (pid int PRIMARY KEY)")
		cfg := pool.Config()
		cfg.MinConns, cfg.MinIdleConns = 3, 3 // of the caller, and not of the store
		cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "INSERT INTO others VALUES (pg_backend_pid())")
			return err
		}
		lazy, err := pgxpool.NewWithConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer lazy.Close()
		count := func() (n int) {
			if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM others").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		until(t, func() bool { return count() >= 3 })
		s := pgsequence.New(lazy, "sequences", opts...)
		defer s.Close()
		before := count()
		create(t, s, 1, 9)
		if n := count() - before; n != 1 {
			t.Errorf("%d connections for one call", n)
		}
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), "LOCK sequences"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{}, 8)
		for range cap(ended) {
			go func() {
				s.State(ctx, "k")
				ended <- struct{}{}
			}()
		}
		until(t, func() bool { return count()-before >= want })
		time.Sleep(20 * time.Millisecond) // for those that mustn't come
		if n := count() - before; n != want {
			t.Errorf("%d connections, want %d", n, want)
		}
		cancel()
		for range cap(ended) {
			<-ended
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		execute(t, pool, "DELETE FROM sequences WHERE key = 'k'")
	}
}

func TestCloseEndsTheStoresConnections(t *testing.T) {
	p := postgres(t)
	s := pgsequence.New(place{uri: with(t, p.uri, "application_name", "closing")}.pool(t), "sequences")
	create(t, s, 1, 9)
	pool := p.pool(t)
	connections := func() (n int) {
		err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'closing'").Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := connections(); n != 1 {
		t.Errorf("%d connections before Close, want 1", n)
	}
	s.Close()
	until(t, func() bool { return connections() == 0 })
}

// TestTableNamesOfSqlsequence has names with a schema, and names that SQL can't hold.
func TestTableNamesOfSqlsequence(t *testing.T) {
	m := mariadb.Database(t)
	schema := m[strings.LastIndex(m, "/")+1 : strings.LastIndex(m, "?")]
	for _, tt := range []struct {
		p           place
		schema, err string
	}{
		{place{kind: "sql postgres", uri: pgserver.Database(t)}, "public", `schema "none" does not exist`},
		{place{kind: "mysql", uri: m}, schema, "Unknown database 'none'"},
		{sqlite(t), "main", "no such table: none.sqlite_master"},
	} {
		db := tt.p.db(t)
		dialect := dialects[tt.p.kind].Dialect
		for _, name := range []string{"plain", "Upper", tt.schema + ".there", strings.Repeat("n", 63), "with space and 'quote"} {
			s := sqlsequence.New(db, name, dialect)
			for range 2 { // the second finds the table
				if err := s.Migrate(t.Context()); err != nil {
					t.Fatalf("%v: Migrate of %q: %v", dialect, name, err)
				}
			}
			create(t, s, 1, 9)
			take(t, s, 1)
		}
		// The table with a schema is the one without, because the schema is the default.
		if list, err := sqlsequence.New(db, "there", dialect).List(t.Context()); err != nil || len(list) != 1 {
			t.Errorf("%v: List of there = %v, %v", dialect, list, err)
		}
		if err := sqlsequence.New(db, "none.t", dialect).Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%v: Migrate of none.t: %v, want %s", dialect, err, tt.err)
		}
		for _, name := range []string{"", ".", "a.", ".a", "a.b.c", `a"b`, "a`b", "a?b", "a{b", "a}b", "a\x00b", strings.Repeat("n", 64)} {
			if err := sqlsequence.New(db, name, dialect).Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "Migrate(): table ") {
				t.Errorf("%v: Migrate of %q: %v", dialect, name, err)
			}
		}
	}
}
