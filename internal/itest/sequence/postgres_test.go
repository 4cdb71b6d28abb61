package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

func execute(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func TestTableThatACrashEmptiesIsRefused(t *testing.T) {
	p := postgres(t)
	s := p.mustOpen(t).(*pgsequence.Store)
	create(t, s, 1, 99)
	pool := p.pool(t)
	execute(t, pool, "ALTER TABLE sequences SET UNLOGGED")
	_, takeErr := s.Take(t.Context(), "k", 1)
	_, stampErr := sequence.NewStamper(s, "k").Next(t.Context())
	pq := place{kind: "sql postgres", uri: p.uri}
	for _, err := range []error{takeErr, stampErr, pq.mustOpen(t).Create(t.Context(), "l", sequence.Plan{First: 1, Last: 9}), s.Migrate(t.Context()),
		s.Create(t.Context(), "l", sequence.Plan{First: 1, Last: 9}), s.Resize(t.Context(), "k", sequence.Plan{First: 1, Last: 9})} {
		if err == nil || !strings.HasSuffix(err.Error(), `table "sequences" is UNLOGGED: a crash would empty it`) {
			t.Errorf("%v", err)
		}
	}
	execute(t, pool, "ALTER TABLE sequences SET LOGGED")
	take(t, s, 1)
	if states, err := s.List(t.Context()); err != nil || len(states) != 1 {
		t.Errorf("Create, which was refused, left a key: %v, %v", states, err)
	}

	one, err := pgxpool.ParseConfig(p.uri)
	if err != nil {
		t.Fatal(err)
	}
	one.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `CREATE TEMP TABLE fleeting (LIKE sequences INCLUDING ALL);
			INSERT INTO fleeting (key, count) VALUES ('', 1)`)
		return err
	}
	single, err := pgxpool.NewWithConfig(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	defer single.Close()
	fleeting := pgsequence.New(single, "fleeting")
	defer fleeting.Close()
	for _, err := range []error{fleeting.Migrate(t.Context()), fleeting.Create(t.Context(), "l", sequence.Plan{First: 1, Last: 9})} {
		if err == nil || !strings.HasSuffix(err.Error(), `table "fleeting" is temporary`) {
			t.Errorf("%v", err)
		}
	}
}

// TestSynchronousCommitIsTurnedOnOnlyForTheDraw looks at the setting at the commit, by a
// deferred trigger, and after it.
func TestSynchronousCommitIsTurnedOnOnlyForTheDraw(t *testing.T) {
	for setting, want := range map[string]string{"off": "on", "local": "on", "remote_apply": "remote_apply", "on": "on"} {
		p := postgres(t)
		cfg, err := pgxpool.ParseConfig(p.uri)
		if err != nil {
			t.Fatal(err)
		}
		cfg.MaxConns = 1
		cfg.ConnConfig.RuntimeParams["synchronous_commit"] = setting
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		execute(t, pool, `CREATE TABLE commits (call text, setting text);
			CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				INSERT INTO commits VALUES (TG_OP, current_setting('synchronous_commit')); RETURN NULL; END $$;
			CREATE CONSTRAINT TRIGGER note AFTER INSERT OR UPDATE ON sequences DEFERRABLE INITIALLY DEFERRED
				FOR EACH ROW EXECUTE FUNCTION note()`)
		s := pgsequence.New(pool, "sequences")
		defer s.Close()
		create(t, s, 1, 99)
		take(t, s, 1)
		if err := s.Resize(t.Context(), "k", sequence.Plan{First: 0, Last: 99}); err != nil {
			t.Fatal(err)
		}
		if _, err := sequence.NewStamper(s, "k").Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows, err := pool.Query(t.Context(), "SELECT call || ' ' || setting FROM commits")
		if err != nil {
			t.Fatal(err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if w := []string{"INSERT " + want, "UPDATE " + want, "UPDATE " + want, "UPDATE " + want}; err != nil || fmt.Sprint(got) != fmt.Sprint(w) {
			t.Errorf("%s: at the commits %v, %v, want %v", setting, got, err, w)
		}
		var after string
		if err := pool.QueryRow(t.Context(), "SHOW synchronous_commit").Scan(&after); err != nil || after != setting {
			t.Errorf("%s: %s afterwards, %v", setting, after, err)
		}
	}
}

// TestMigrateRace has programs that start together make the table, at each isolation
// level. At some levels, a transaction that waited for the others doesn't see their
// table.
func TestMigrateRace(t *testing.T) {
	for _, isolation := range []string{"read committed", "repeatable read", "serializable"} {
		t.Run(isolation, func(t *testing.T) {
			cfg, err := pgxpool.ParseConfig(pgserver.Database(t))
			if err != nil {
				t.Fatal(err)
			}
			cfg.MaxConns = 20
			cfg.ConnConfig.RuntimeParams["default_transaction_isolation"] = isolation
			pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			s := pgsequence.New(pool, "sequences")
			defer s.Close()
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() {
					if err := s.Migrate(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			create(t, s, 1, 99)
			take(t, s, 5)
			if err := s.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
			if got := take(t, s, 1)[0].Ordinal; got != 6 {
				t.Errorf("number %d after Migrate", got)
			}
		})
	}
}

// TestMigrateOfBothPackagesTakesOneLock has another session hold the lock.
func TestMigrateOfBothPackagesTakesOneLock(t *testing.T) {
	uri := pgserver.Database(t)
	conn, err := place{kind: "postgres", uri: uri}.pool(t).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	const lock = int64(0x6f69646b69740001)
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock($1)", lock); err != nil {
		t.Fatal(err)
	}
	migrate := func(ctx context.Context, kind string) error {
		return place{kind: kind, uri: uri}.mustOpen(t).(interface{ Migrate(context.Context) error }).Migrate(ctx)
	}
	for _, kind := range []string{"postgres", "sql postgres"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := migrate(ctx, kind); err == nil {
			t.Errorf("%s: Migrate didn't wait for the lock", kind)
		}
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_unlock($1)", lock); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"postgres", "sql postgres"} {
		if err := migrate(t.Context(), kind); err != nil {
			t.Errorf("%s: Migrate after the lock was free: %v", kind, err)
		}
	}
}

// TestMigrateOfAnExistingTableNeedsNoRights draws as a role that may only read and write
// the rows.
func TestMigrateOfAnExistingTableNeedsNoRights(t *testing.T) {
	p := postgres(t)
	pool := p.pool(t)
	role := fmt.Sprintf("drawer_%d", time.Now().UnixNano()) // roles belong to the whole server
	execute(t, pool, "CREATE ROLE "+role+"; GRANT SELECT, INSERT, UPDATE ON sequences TO "+role)
	t.Cleanup(func() {
		ctx := context.Background() // t.Context is over when the clean-up runs
		conn, err := pgx.Connect(ctx, p.uri)
		if err == nil {
			defer conn.Close(ctx)
			_, err = conn.Exec(ctx, "DROP OWNED BY "+role+"; DROP ROLE "+role)
		}
		if err != nil {
			t.Error(err)
		}
	})
	cfg, err := pgxpool.ParseConfig(p.uri)
	if err != nil {
		t.Fatal(err)
	}
	cfg.ConnConfig.RuntimeParams["role"] = role
	limited, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer limited.Close()
	s := pgsequence.New(limited, "sequences")
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	create(t, s, 1, 99)
	take(t, s, 1)
	if err := pgsequence.New(limited, "others").Migrate(t.Context()); err == nil {
		t.Error("the role made a table")
	}
}

func TestTableNames(t *testing.T) {
	p := place{kind: "postgres", uri: pgserver.Database(t)}
	pool := p.pool(t)
	execute(t, pool, `CREATE SCHEMA "My Schema"; CREATE TABLE other (key text)`)
	for _, name := range []string{"plain", "Upper", "public.there", `My Schema.it's "quoted"`, strings.Repeat("n", 63)} {
		s := pgsequence.New(pool, name)
		defer s.Close()
		if err := s.Migrate(t.Context()); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		create(t, s, 1, 99)
		take(t, s, 1)
		if _, err := sequence.NewStamper(s, "k").Next(t.Context()); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"":                      `pgsequence.Store.Migrate(): table "": a name has 1 to 63 bytes`,
		"a.":                    `pgsequence.Store.Migrate(): table "a.": a name has 1 to 63 bytes`,
		"a.b.c":                 `pgsequence.Store.Migrate(): table "a.b.c": not a name or schema.name`,
		strings.Repeat("n", 64): `pgsequence.Store.Migrate(): table "` + strings.Repeat("n", 64) + `": a name has 1 to 63 bytes`,
		"other":                 `pgsequence.Store.Migrate(): ERROR: column "numbering" does not exist (SQLSTATE 42703)`,
	} {
		s := pgsequence.New(pool, name)
		defer s.Close()
		if err := s.Migrate(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := s.Take(t.Context(), "k", 1); err == nil {
			t.Errorf("%q: Take", name)
		}
	}
}

func TestEveryExecMode(t *testing.T) {
	p := place{kind: "postgres", uri: pgserver.Database(t)}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe,
		pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		cfg, err := pgxpool.ParseConfig(p.uri)
		if err != nil {
			t.Fatal(err)
		}
		cfg.ConnConfig.DefaultQueryExecMode = mode
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		s := pgsequence.New(pool, mode.String())
		defer s.Close()
		if err := s.Migrate(t.Context()); err != nil {
			t.Errorf("%v: %v", mode, err)
		}
		create(t, s, -9, 9)
		create(t, s, -9, 9)
		if got := take(t, s, 2)[1]; got != (sequence.Number{Serial: -8, Ordinal: 2}) {
			t.Errorf("%v: %v", mode, got)
		}
		if err := s.Resize(t.Context(), "k", sequence.Plan{First: -5, Last: 5}); err != nil {
			t.Errorf("%v: %v", mode, err)
		}
		st, err := sequence.NewStamper(s, "k").Next(t.Context())
		if err != nil || time.Since(st.Tick).Abs() > time.Minute {
			t.Errorf("%v: %v, %v", mode, st, err)
		}
		if _, err := s.Take(t.Context(), "none", 1); !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("%v: %v", mode, err)
		}
	}
}

// TestProgramsThatDrawTogetherFlushUnlessTheyCannot has two programs draw from one key in
// turns, with and without the simple protocol, which knows no pipelines.
func TestProgramsThatDrawTogetherFlushUnlessTheyCannot(t *testing.T) {
	for mode, want := range map[pgx.QueryExecMode]bool{
		pgx.QueryExecModeCacheStatement: true, pgx.QueryExecModeExec: true, pgx.QueryExecModeSimpleProtocol: false,
	} {
		p := postgres(t)
		cfg, err := pgxpool.ParseConfig(p.uri)
		if err != nil {
			t.Fatal(err)
		}
		cfg.ConnConfig.DefaultQueryExecMode = mode
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		a, b := pgsequence.New(pool, "sequences"), pgsequence.New(pool, "sequences")
		defer a.Close()
		defer b.Close()
		if err := a.Create(t.Context(), "k", sequence.Plan{First: 1, Last: 40}); err != nil {
			t.Fatal(err)
		}
		for ordinal := int64(1); ordinal <= 40; {
			for _, s := range []sequence.Store{a, b} {
				if got := take(t, s, 1)[0].Ordinal; got != ordinal {
					t.Fatalf("%v: number %d, want %d", mode, got, ordinal)
				}
				ordinal++
			}
		}
		if _, err := a.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("%v: %v", mode, err)
		}
		var flushed bool
		if err := p.pool(t).QueryRow(t.Context(), "SELECT is_called FROM sequences_flush").Scan(&flushed); err != nil || flushed != want {
			t.Errorf("%v: flushed %v, %v, want %v", mode, flushed, err, want)
		}
	}
}

// TestDrawsWaitAlsoWhereTransactionsAreSerializable draws in sessions where one of two
// updates of a row fails if they meet.
func TestDrawsWaitAlsoWhereTransactionsAreSerializable(t *testing.T) {
	cfg, err := pgxpool.ParseConfig(postgres(t).uri)
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxConns = 10
	cfg.ConnConfig.RuntimeParams["default_transaction_isolation"] = "serializable"
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s := pgsequence.New(pool, "sequences")
	defer s.Close()
	create(t, s, 1, 99)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 30 {
				if _, err := s.Take(t.Context(), "k", 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := take(t, s, 1)[0].Ordinal; got != 301 {
		t.Errorf("number %d after 300", got)
	}
}

// TestProgramsThatDrawTogetherShareFlushes has programs draw from one key, so that they
// release the row before the disk has their numbers. It cuts their connections and kills
// the server. No number that was handed out may come again. A flush takes 2 ms, and
// nothing else writes the log to disk.
func TestProgramsThatDrawTogetherShareFlushes(t *testing.T) {
	server := pgserver.Start(t)
	p := migrated(t, place{kind: "postgres", uri: server.DSN})
	execute(t, p.pool(t), "ALTER SYSTEM SET wal_writer_delay = '10s'; ")
	execute(t, p.pool(t), "ALTER SYSTEM SET commit_delay = 2000")
	execute(t, p.pool(t), "ALTER SYSTEM SET commit_siblings = 0")
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	s := p.mustOpen(t)
	create(t, s, 1, 99)
	var mu sync.Mutex
	seen := map[int64]bool{}
	stamps := map[string]bool{}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 8 {
		own := p.mustOpen(t)
		seq, stamper := sequence.New(own, "k"), sequence.NewStamper(own, "k")
		loop := func(draw func() error) {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := draw(); err != nil {
					t.Error(err)
					return
				}
			}
		}
		for range 2 {
			wg.Go(func() {
				loop(func() error {
					n, err := seq.Next(t.Context())
					mu.Lock()
					defer mu.Unlock()
					if err == nil && seen[n.Ordinal] {
						t.Errorf("number %d came twice", n.Ordinal)
					}
					seen[n.Ordinal] = true
					return err
				})
			})
		}
		wg.Go(func() {
			loop(func() error {
				st, err := stamper.Next(t.Context())
				mu.Lock()
				defer mu.Unlock()
				if err == nil && stamps[st.String()] {
					t.Errorf("stamp %v came twice", st)
				}
				stamps[st.String()] = true
				return err
			})
		})
	}
	drawn := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(seen)
	}
	for range 3 {
		target := drawn() + 1500
		for cut := 0; cut < 10; cut++ { // connections, also between the two steps
			execute(t, p.pool(t), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`)
			at := drawn() + 20
			until(t, func() bool { return drawn() >= at || t.Failed() })
		}
		until(t, func() bool { return drawn() >= target || t.Failed() })
		if err := server.Restart(); err != nil {
			t.Error(err)
		}
	}
	target := drawn() + 1500
	until(t, func() bool { return drawn() >= target || t.Failed() })
	close(stop)
	wg.Wait()
	t.Logf("%d numbers, %d stamps", len(seen), len(stamps))
	var flushed bool
	if err := p.pool(t).QueryRow(t.Context(), "SELECT is_called FROM sequences_flush").Scan(&flushed); err != nil || !flushed {
		t.Errorf("nobody drew early: %v", err)
	}
}
