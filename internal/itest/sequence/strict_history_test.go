package sequence_test

import (
	"errors"
	"testing"
	"time"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/wire"
	"github.com/oidkit/oidkit/sequence"
)

// onStrict runs f behind proxies that refuse what Aurora DSQL and CockroachDB refuse, and
// fail 20 % of the commits with 40001. Short runs have one store for each.
func onStrict(t *testing.T, f func(t *testing.T, engine string, p place)) {
	parallel(t)
	for _, engine := range []*pgserver.Engine{pgserver.DSQL, pgserver.CockroachDB} {
		for _, kind := range []string{"postgres", "sql postgres"} {
			if !long && (engine == pgserver.DSQL) != (kind == "postgres") {
				continue
			}
			t.Run(engine.Name+", "+kind, func(t *testing.T) {
				parallel(t)
				s := pgserver.StartStrict(t, pgserver.Database(t), engine, 0.2)
				p := place{Kind: kind, URI: s.DSN}
				if err := p.store(t).migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				f(t, engine.Name, p)
				tried, failed := s.Commits()
				if t.Logf("%d of %d commits failed", failed, tried); failed < 5 {
					t.Error("that shows nothing")
				}
			})
		}
	}
}

// TestNoNumberComesTwiceOnStrictServers has programs draw through connections that are cut
// in five ways. No call fails.
func TestNoNumberComesTwiceOnStrictServers(t *testing.T) {
	onStrict(t, func(t *testing.T, engine string, p place) {
		p, w := p.through(t)
		h := begin(t, engine+", 40001, connections cut", p, pick(4, 8), pick(2, 4), nil)
		ways := []wire.Fault{wire.Cut, wire.LostRequest, wire.HalfRequest, wire.LostAnswer, wire.HalfAnswer}
		h.suffer(t, pick(5, 30), pick(30, 100), func(i int) error { w.Break(ways[i%len(ways)]); return nil })
		h.clean(t)
	})
}

// TestLedgerHasNoGapOnStrictServers has transactions that InTx runs again. None fails.
func TestLedgerHasNoGapOnStrictServers(t *testing.T) {
	onStrict(t, func(t *testing.T, engine string, p place) {
		db := p.db(t)
		for {
			if _, err := db.ExecContext(t.Context(), ledgerTable); err == nil {
				break
			} else if !sequence.IsTransient(err) {
				t.Fatal(err)
			}
		}
		l := &ledger{place: p, programs: 4, callers: pick(1, 4)}
		begun := time.Now()
		l.fill(t, pick(100, 5000), nil)
		l.check(t, "ledger: "+engine, p.Kind, 0, begun)
	})
}

// TestTransactionOlderThanItsKeyRunsAgain has a transaction take its snapshot before another
// one adds the key. Aurora DSQL keeps the snapshot, so the transaction doesn't see the key.
func TestTransactionOlderThanItsKeyRunsAgain(t *testing.T) {
	parallel(t)
	for _, kind := range []string{"postgres", "sql postgres"} {
		t.Run(kind, func(t *testing.T) {
			parallel(t)
			s := place{Kind: kind, URI: pgserver.StartStrict(t, pgserver.Database(t), pgserver.DSQL, 0).DSN}.store(t)
			if err := s.migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			numbers := sequence.New(s, "ledger", sequence.Plan{First: 1, Last: 1000}, sequence.WithGapFree())
			var n sequence.Number
			next := func(tx sequence.Store, _ func(string) error) (err error) {
				n, err = numbers.NextIn(t.Context(), tx)
				return err
			}
			runs := 0
			err := s.inTx(t.Context(), func(tx sequence.Store, execute func(string) error) error {
				if runs++; runs == 1 {
					if err := errors.Join(execute("SELECT 1"), s.inTx(t.Context(), next)); err != nil {
						return err
					}
				}
				return next(tx, execute)
			})
			if err != nil || runs != 2 || n.Ordinal != 2 {
				t.Errorf("number %d after %d runs: %v, want 2 after 2", n.Ordinal, runs, err)
			}
		})
	}
}
