package sequence_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestManyScopesAtOnceShareFewConnections has each scope of a numbering draw at the same
// time, on 4 connections. Most scopes wait for a connection for longer than a draw may
// take. That is no failure on pgsequence, and a transient one on sqlsequence, where others
// may hold the connections. Each draw takes 50 ms, or 4 ms in the long form.
func TestManyScopesAtOnceShareFewConnections(t *testing.T) {
	parallel(t)
	waits := map[string]string{
		"postgres": `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(%v); RETURN NEW; END $$;
			CREATE TRIGGER wait BEFORE UPDATE ON sequences FOR EACH ROW EXECUTE FUNCTION wait()`,
	}
	for kind := range likeMySQL {
		waits[kind] = "CREATE TRIGGER wait BEFORE UPDATE ON sequences FOR EACH ROW DO SLEEP(%v)"
	}
	for kind, wait := range waits {
		t.Run(kind, func(t *testing.T) {
			parallel(t)
			p := shared[kind](t)
			if err := p.store(t).migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			execute(t, p.db(t), fmt.Sprintf(wait, pick(0.05, 0.004)))
			scopes := pick(500, 10_000)
			opts := []sequence.Option{sequence.WithObserver(func(sequence.Trip) {})} // instead of thousands of warnings
			invoices := sequence.NewNumbering(fewConnections(t, p), "invoices", "{2006}-{0+}", opts...)
			want := fmt.Sprintf("%d-1", time.Now().UTC().Year())
			begun := time.Now()
			var wg sync.WaitGroup
			var mu sync.Mutex
			failed := 0
			for i := range scopes {
				wg.Go(func() {
					if text, err := invoices.For(fmt.Sprint(i)).Next(t.Context()); text != want || err != nil {
						mu.Lock()
						defer mu.Unlock()
						if failed++; failed <= 3 {
							t.Errorf("scope %d: Next() = %q, %v, want %q", i, text, err, want)
						}
					}
				})
			}
			wg.Wait()
			took := time.Since(begun)
			row(t, "scopes at once, 4 connections", kind, 1, scopes, scopes, 0, 0, 0, took, fmt.Sprintf("%d failed", failed))
			if took < 5*time.Second {
				t.Errorf("%d scopes took %v, less than a draw may take: they show nothing", scopes, took)
			}
		})
	}
}

// fewConnections returns a store of p with 4 connections.
func fewConnections(t *testing.T, p place) sequence.Store {
	t.Helper()
	if p.Kind == "postgres" {
		pool, err := pgxpool.New(context.Background(), p.URI)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		s := pgsequence.New(pool, "sequences") // 4 are the default
		t.Cleanup(s.Close)
		return s
	}
	db := p.db(t)
	db.SetMaxOpenConns(4)
	return sqlsequence.New(db, "sequences", dialects[p.Kind].Dialect)
}
