package pgsequence_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

// A pair is two programs that draw from the row k. Both release the row before they wait
// for the disk.
type pair struct {
	uri  string
	pool *pgxpool.Pool
	a, b *pgsequence.Store
}

func newPair(t *testing.T, changes ...func(*pgxpool.Config)) pair {
	t.Helper()
	uri, pool := migrated(t)
	p := pair{uri, pool, newStore(t, newPool(t, uri, changes...)), newStore(t, newPool(t, uri, changes...))}
	newRow(t, p.a)
	return p
}

// early reports whether the program a releases the row early.
func (p pair) early(t *testing.T) (early bool) {
	t.Helper()
	execute(t, p.pool, "SELECT setval('sequences_flush', 1, false)")
	drawShared(t, p.a)
	scan(t, p.pool, "SELECT is_called FROM sequences_flush", &early)
	return early
}

// warning returns that of a draw by a.
func (p pair) warning(t *testing.T) string {
	t.Helper()
	s, ok, err := p.a.Driver().Draw(t.Context(), shared)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return s.Warning
}

// TestProgramExpectsOthersFor16Draws has a program draw after another one did.
func TestProgramExpectsOthersFor16Draws(t *testing.T) {
	t.Parallel()
	_, pool := migrated(t)
	store := newStore(t, pool)
	plan := sequence.Plan{First: 1, Last: 1 << 50}
	a, b := sequence.New(store, "k", plan), sequence.New(store, "k", plan)
	next := func(seq *sequence.Sequence) (early bool) {
		t.Helper()
		execute(t, pool, "SELECT setval('sequences_flush', 1, false)")
		if _, err := seq.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		scan(t, pool, "SELECT is_called FROM sequences_flush", &early)
		return early
	}
	for range 3 {
		if next(b) {
			t.Error("the only program that draws releases the row early")
		}
	}
	for range 3 {
		if next(a) {
			t.Error("the other one drew before this one started, and it releases the row early")
		}
	}
	next(b)
	for range 2 {
		next(a) // sees what b drew last
		for i := range 20 {
			if got, want := next(a), i < 16; got != want {
				t.Errorf("draw %d after the others': early %v, want %v", i+1, got, want)
			}
		}
		next(b)
	}
}

// TestProgramsThatDrawTogetherFlushInEveryMode has two programs draw in turns.
func TestProgramsThatDrawTogetherFlushInEveryMode(t *testing.T) {
	t.Parallel()
	for _, m := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe,
		pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		p := newPair(t, mode(m))
		if !p.early(t) {
			t.Errorf("%v: not early", m)
		}
		if got, want := drawShared(t, p.b), int64(2); got != want {
			t.Errorf("%v: number %d, want %d", m, got, want)
		}
	}
}

// TestFlushWithoutTheSequence takes the sequence from programs that draw together, and the
// right to set it.
func TestFlushWithoutTheSequence(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	if !p.early(t) {
		t.Fatal("not early")
	}
	execute(t, p.pool, "DROP SEQUENCE sequences_flush")
	before := drawShared(t, p.b) + 1
	// The number of this draw is a gap.
	_, _, err := p.a.Driver().Draw(t.Context(), shared)
	if err == nil || !p.a.Driver().Transient(err) || !strings.Contains(err.Error(), "42P01") || strings.Contains(err.Error(), "Migrate") {
		t.Errorf("%v", err)
	}
	// Then they wait for each other, and say so.
	if got := drawShared(t, p.a); got != before+1 {
		t.Errorf("number %d, want %d", got, before+1)
	}
	const want = `programs that draw from this key can't share flushes of the disk: let the owner of the table call Migrate, and run GRANT UPDATE ON SEQUENCE "sequences_flush" TO this role: ERROR: `
	if w := p.warning(t); w != want+`relation "sequences_flush" does not exist (SQLSTATE 42P01)` {
		t.Errorf("warning %q", w)
	}

	// Migrate makes the sequence again. A role may not use it yet.
	if err := p.b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	role := newRole(t, p.uri, p.pool, "")
	execute(t, p.pool, "GRANT SELECT, INSERT, UPDATE ON sequences TO "+role)
	limited := func() {
		p.a = newStore(t, newPool(t, p.uri, parameter("role", role)))
	}
	limited()
	if w := p.warning(t); w != want+`permission denied for sequence sequences_flush (SQLSTATE 42501)` {
		t.Errorf("warning %q", w)
	}
	execute(t, p.pool, "GRANT UPDATE ON SEQUENCE sequences_flush TO "+role)
	limited()
	if w := p.warning(t); w != "" || !p.early(t) {
		t.Errorf("warning %q, and not early", w)
	}
	execute(t, p.pool, "DROP SEQUENCE sequences_flush")
	execute(t, p.pool, "CREATE TABLE sequences_flush (x int)")
	limited()
	if w := p.warning(t); !strings.Contains(w, `"sequences_flush" is not a sequence`) {
		t.Errorf("warning %q", w)
	}
}

// TestSequenceIsDroppedWithTheTable also makes it anew for a table that is there.
func TestSequenceIsDroppedWithTheTable(t *testing.T) {
	t.Parallel()
	_, pool := migrated(t)
	for _, statement := range []string{"DROP SEQUENCE sequences_flush", "DROP TABLE sequences"} {
		execute(t, pool, statement)
		var there bool
		if scan(t, pool, "SELECT to_regclass('sequences_flush') IS NOT NULL", &there); there {
			t.Errorf("%s: the sequence is there", statement)
		}
		if err := newStore(t, pool).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if scan(t, pool, "SELECT to_regclass('sequences_flush') IS NOT NULL", &there); !there {
			t.Errorf("%s: Migrate didn't make the sequence", statement)
		}
	}
}

// TestDrawThatFailsIsAnErrorAlsoTogether has a commit fail, a table that is gone, and a
// store that is closed.
func TestDrawThatFailsIsAnErrorAlsoTogether(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	if !p.early(t) {
		t.Fatal("not early")
	}
	before := drawShared(t, p.a)
	execute(t, p.pool, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this time'; END $$;
		CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON sequences DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`)
	_, ok, err := p.a.Driver().Draw(t.Context(), shared)
	if ok || err == nil || !strings.Contains(err.Error(), "not this time") || p.a.Driver().Transient(err) {
		t.Errorf("%v, %v", ok, err)
	}
	execute(t, p.pool, "DROP TRIGGER refuse ON sequences")
	if got := drawShared(t, p.a); got != before+1 {
		t.Errorf("number %d, want %d", got, before+1)
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok, err := p.a.Driver().Draw(ended, shared); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("in an ended context: %v", err)
	}

	execute(t, p.pool, "ALTER TABLE sequences RENAME TO elsewhere")
	if _, ok, err := p.a.Driver().Draw(t.Context(), shared); ok || err == nil || !strings.HasPrefix(err.Error(), `table sequences doesn't exist: call Migrate once: `) {
		t.Errorf("%v", err)
	}

	p.b.Close()
	if _, ok, err := p.b.Driver().Draw(t.Context(), shared); ok || err == nil || err.Error() != "closed pool" {
		t.Errorf("%v", err)
	}
}

// TestFlushThatFailsLeavesAGap keeps programs from flushing for longer than a statement
// may take.
func TestFlushThatFailsLeavesAGap(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.a = newStore(t, newPool(t, with(t, p.uri, "statement_timeout", "500")))
	if !p.early(t) {
		t.Fatal("not early")
	}
	before := drawShared(t, p.a)
	tx, err := p.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(t.Context(), "ALTER SEQUENCE sequences_flush CACHE 2"); err != nil { // takes its lock
		t.Fatal(err)
	}
	_, ok, err := p.a.Driver().Draw(t.Context(), shared)
	if ok || err == nil || !p.a.Driver().Transient(err) || !strings.Contains(err.Error(), "57014") {
		t.Errorf("%v, %v", ok, err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := drawShared(t, p.a); got != before+2 {
		t.Errorf("number %d, want %d", got, before+2)
	}
}

// TestSynchronousCommitIsSetOnlyForTheDraw looks at the setting at each commit, by a
// deferred trigger, and afterwards.
func TestSynchronousCommitIsSetOnlyForTheDraw(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{"off": "on", "local": "on", "remote_apply": "remote_apply", "on": "on"} {
		uri, pool := migrated(t)
		execute(t, pool, `CREATE TABLE commits (n serial, call text, setting text);
			CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				INSERT INTO commits (call, setting) VALUES (TG_OP, current_setting('synchronous_commit')); RETURN NULL; END $$;
			CREATE CONSTRAINT TRIGGER note AFTER INSERT OR UPDATE ON sequences DEFERRABLE INITIALLY DEFERRED
				FOR EACH ROW EXECUTE FUNCTION note()`)
		own := newPool(t, uri, parameter("synchronous_commit", setting), func(cfg *pgxpool.Config) {
			cfg.PrepareConn = func(ctx context.Context, c *pgx.Conn) (bool, error) { // before each use
				var now string
				err := c.QueryRow(ctx, "SHOW synchronous_commit").Scan(&now)
				if err == nil && now != setting {
					t.Errorf("%s: the session has %s", setting, now)
				}
				return true, err
			}
		})
		a, b := newStore(t, own, pgsequence.WithMaxConns(1)), newStore(t, pool)
		newRow(t, a)
		draw(t, a) // alone
		r, _, err := a.Driver().Read(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := a.Driver().Put(t.Context(), r, r.Version); err != nil || !ok {
			t.Fatal(ok, err)
		}
		tx, err := own.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := a.Tx(tx).Driver().Draw(t.Context(), shared); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		drawShared(t, b)
		drawShared(t, a)
		draw(t, a) // on the session after that
		rows, err := pool.Query(t.Context(), "SELECT call || ' ' || setting FROM commits ORDER BY n")
		if err != nil {
			t.Fatal(err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		w := []string{"INSERT " + want, "UPDATE " + want, "UPDATE " + want, "UPDATE " + want, "UPDATE off", "UPDATE off", "UPDATE " + want}
		if err != nil || strings.Join(got, ",") != strings.Join(w, ",") {
			t.Errorf("%s: at the commits %v, %v, want %v", setting, got, err, w)
		}
	}
}

// TestDrawsWaitWhereTransactionsAreSerializable draws and puts in sessions where one of
// two updates of a row fails if they meet.
func TestDrawsWaitWhereTransactionsAreSerializable(t *testing.T) {
	t.Parallel()
	uri, _ := migrated(t)
	stores := []*pgsequence.Store{}
	for range 2 {
		stores = append(stores, newStore(t, newPool(t, uri, parameter("default_transaction_isolation", "serializable")), pgsequence.WithMaxConns(8)))
	}
	newRow(t, stores[0])
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			for range 20 {
				s, ok, err := stores[i%2].Driver().Draw(t.Context(), shared)
				if err != nil || !ok {
					t.Errorf("%v, %v", ok, err)
					return
				}
				mu.Lock()
				seen[s.After] = true
				mu.Unlock()
			}
		})
	}
	d := stores[0].Driver()
	put := func() error {
		r, _, err := d.Read(t.Context(), "k")
		if err == nil {
			_, err = d.Put(t.Context(), r, r.Version)
		}
		return err
	}
	for range 20 {
		err := put()
		for err != nil && d.Transient(err) { // as package sequence does
			err = put()
		}
		if err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	if len(seen) != 200 || !seen[1] || !seen[200] {
		t.Errorf("%d numbers", len(seen))
	}
}

// TestPgbouncerInTransactionMode draws through it from several programs, which share its
// connections to the server. This pgbouncer keeps no named statements.
func TestPgbouncerInTransactionMode(t *testing.T) {
	t.Parallel()
	uri, pool := migrated(t)
	newRow(t, newStore(t, pool))
	bouncer := pgserver.StartBouncer(t, uri)
	for _, m := range []pgx.QueryExecMode{pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		var mu sync.Mutex
		seen := map[int64]bool{}
		var wg sync.WaitGroup
		for range 4 {
			s := newStore(t, newPool(t, bouncer, mode(m)))
			for range 3 {
				wg.Go(func() {
					for range 50 {
						st, ok, err := s.Driver().Draw(t.Context(), shared)
						if err != nil || !ok {
							t.Errorf("%v: %v, %v", m, ok, err)
							return
						}
						mu.Lock()
						if seen[st.After] {
							t.Errorf("%v: number %d came twice", m, st.After)
						}
						seen[st.After] = true
						mu.Unlock()
					}
				})
			}
		}
		wg.Wait()
		if len(seen) != 600 {
			t.Errorf("%v: %d numbers", m, len(seen))
		}
	}
}
