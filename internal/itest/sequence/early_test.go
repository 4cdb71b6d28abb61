package sequence_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// A pair is two programs that have drawn from the key k in turns. Both now draw early.
type pair struct {
	place
	pool *pgxpool.Pool
	a, b *pgsequence.Store
}

func newPair(t *testing.T) pair {
	t.Helper()
	p := postgres(t)
	pr := pair{p, p.pool(t), p.mustOpen(t).(*pgsequence.Store), p.mustOpen(t).(*pgsequence.Store)}
	create(t, pr.a, 1, 99)
	pr.meet(t)
	return pr
}

func (p pair) meet(t *testing.T) {
	t.Helper()
	for _, s := range []*pgsequence.Store{p.a, p.b, p.a} {
		take(t, s, 1)
	}
}

// early reports whether the program a draws early.
func (p pair) early(t *testing.T) (early bool) {
	t.Helper()
	execute(t, p.pool, "SELECT setval('sequences_flush', 1, false)")
	take(t, p.a, 1)
	if err := p.pool.QueryRow(t.Context(), "SELECT is_called FROM sequences_flush").Scan(&early); err != nil {
		t.Fatal(err)
	}
	return early
}

func TestProgramExpectsOthersFor16Draws(t *testing.T) {
	p := newPair(t)
	for range 2 {
		for i := range 20 {
			if got, want := p.early(t), i < 16; got != want {
				t.Errorf("draw %d after the others': early %v, want %v", i+1, got, want)
			}
		}
		p.meet(t)
	}
}

// TestDrawIsOneStatement counts the statements of draws, after the first.
func TestDrawIsOneStatement(t *testing.T) {
	t.Run("postgres", func(t *testing.T) { wantOneStatement(t, pgBench(t, postgres(t))) })
	onEachSQL(t, func(t *testing.T, p place) {
		if p.kind != "sqlite" { // where a bench connects for each statement
			wantOneStatement(t, sqlBench(t, p))
		}
	})
}

func wantOneStatement(t *testing.T, b bench) {
	t.Helper()
	s, end := b.open()
	defer end()
	create(t, b.others, 1, 9)
	if _, err := s.List(t.Context()); err != nil { // connects
		t.Fatal(err)
	}
	if _, ok := s.(*sqlsequence.Store); ok {
		before := b.count()
		take(t, s, 1)
		if got := b.count() - before; got != 2 {
			t.Errorf("%d steps for the first number, want one to read the plan and one to draw", got)
		}
	}
	numbering := sequence.NewNumbering(s, "n", "{0+}")
	for i := range 3 {
		for name, draw := range map[string]func() error{
			"a number":            func() error { _, err := s.Take(t.Context(), "k", 1); return err },
			"stamps":              func() error { _, err := sequence.NewStamper(s, "k").Next(t.Context()); return err },
			"a document's number": func() error { _, err := numbering.Next(t.Context()); return err },
		} {
			before := b.count()
			if err := draw(); err != nil {
				t.Fatal(err)
			}
			if got := b.count() - before; i > 0 && got != 1 {
				t.Errorf("%T: %d steps for %s", s, got, name)
			}
		}
	}
}

func TestProgramThatIsAloneWaitsForTheDiskWithTheRow(t *testing.T) {
	p := newPair(t)
	if err := p.a.Create(t.Context(), "alone", upTo9); err != nil {
		t.Fatal(err)
	}
	for range 3 { // before the program started
		if _, err := p.b.Take(t.Context(), "alone", 1); err != nil {
			t.Fatal(err)
		}
	}
	execute(t, p.pool, "SELECT setval('sequences_flush', 1, false)")
	for range 3 {
		if _, err := p.a.Take(t.Context(), "alone", 1); err != nil {
			t.Error(err)
		}
	}
	var early bool
	if err := p.pool.QueryRow(t.Context(), "SELECT is_called FROM sequences_flush").Scan(&early); err != nil || early {
		t.Errorf("early %v, %v", early, err)
	}
}

// TestDrawsGoOnWithoutTheSequenceForFlushing drops the sequence before programs meet, and
// while they draw early.
func TestDrawsGoOnWithoutTheSequenceForFlushing(t *testing.T) {
	p := newPair(t)
	if !p.early(t) {
		t.Fatal("not early")
	}
	execute(t, p.pool, "DROP SEQUENCE sequences_flush")
	// The numbers of this draw are a gap.
	if _, err := p.a.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrTransient) || !strings.Contains(err.Error(), "42P01") || strings.Contains(err.Error(), "Migrate") {
		t.Errorf("%v", err)
	}
	before := take(t, p.a, 1)[0].Ordinal
	p.meet(t)
	if got := take(t, p.a, 1)[0].Ordinal; got != before+4 {
		t.Errorf("number %d, want %d", got, before+4)
	}

	p.b = p.mustOpen(t).(*pgsequence.Store)
	p.meet(t)
	before = take(t, p.b, 1)[0].Ordinal
	if got := take(t, p.b, 1)[0].Ordinal; got != before+1 {
		t.Errorf("number %d, want %d", got, before+1)
	}
}

// TestEarlyDrawThatFailsIsAnError has a commit fail, and tables that lose their draws.
func TestEarlyDrawThatFailsIsAnError(t *testing.T) {
	p := newPair(t)
	if !p.early(t) {
		t.Fatal("not early")
	}
	before := take(t, p.a, 1)[0].Ordinal
	execute(t, p.pool, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this time'; END $$;
		CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON sequences DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`)
	if b, err := p.a.Take(t.Context(), "k", 1); err == nil || !strings.Contains(err.Error(), "not this time") || errors.Is(err, sequence.ErrTransient) {
		t.Errorf("%v, %v", b, err)
	}
	execute(t, p.pool, "DROP TRIGGER refuse ON sequences")
	if got := take(t, p.a, 1)[0].Ordinal; got != before+1 {
		t.Errorf("number %d, want %d", got, before+1)
	}

	p.meet(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.a.Take(ended, "k", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("in an ended context: %v", err)
	}

	p.meet(t)
	execute(t, p.pool, "ALTER TABLE sequences SET UNLOGGED")
	if _, err := p.a.Take(t.Context(), "k", 1); err == nil || !strings.HasSuffix(err.Error(), "is UNLOGGED: a crash would empty it") {
		t.Errorf("%v", err)
	}
	execute(t, p.pool, "ALTER TABLE sequences SET LOGGED")

	p.meet(t)
	execute(t, p.pool, "ALTER TABLE sequences RENAME TO elsewhere")
	if _, err := p.a.Take(t.Context(), "k", 1); err == nil || !strings.HasSuffix(err.Error(), ": call Migrate once") {
		t.Errorf("%v", err)
	}

	p.b.Close()
	if _, err := p.b.Take(t.Context(), "k", 1); err == nil || !strings.HasSuffix(err.Error(), ": the store is closed") {
		t.Errorf("%v", err)
	}
}

// TestFlushThatFailsLeavesAGap keeps programs from flushing for longer than a statement
// may take.
func TestFlushThatFailsLeavesAGap(t *testing.T) {
	p := newPair(t)
	p.a = place{kind: "postgres", uri: with(t, p.uri, "statement_timeout", "500")}.mustOpen(t).(*pgsequence.Store)
	p.meet(t)
	if !p.early(t) {
		t.Fatal("not early")
	}
	before := take(t, p.a, 1)[0].Ordinal
	tx, err := p.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(t.Context(), "ALTER SEQUENCE sequences_flush CACHE 2"); err != nil { // takes its lock
		t.Fatal(err)
	}
	if b, err := p.a.Take(t.Context(), "k", 1); !errors.Is(err, sequence.ErrTransient) || !strings.Contains(err.Error(), "57014") {
		t.Errorf("%v, %v", b, err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := take(t, p.a, 1)[0].Ordinal; got != before+2 {
		t.Errorf("number %d, want %d", got, before+2)
	}
}

// TestEditsWaitWhereTransactionsAreSerializable resizes while others draw.
func TestEditsWaitWhereTransactionsAreSerializable(t *testing.T) {
	for _, kind := range []string{"postgres", "sql postgres"} {
		p := place{kind: kind, uri: with(t, postgres(t).uri, "default_transaction_isolation", "serializable")}
		s := p.mustOpen(t)
		create(t, s, 1, 1000)
		others := p.mustOpen(t)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if _, err := others.Take(t.Context(), "k", 1); err != nil {
						t.Errorf("%s: Take: %v", kind, err)
						return
					}
				}
			})
		}
		for i := range int64(30) {
			if err := s.Resize(t.Context(), "k", sequence.Plan{First: 1, Last: 2000 + i, Cycle: true}, sequence.GoOn); err != nil {
				t.Errorf("%s: Resize: %v", kind, err)
			}
			if err := s.Create(t.Context(), time.Now().String(), upTo9); err != nil {
				t.Errorf("%s: Create: %v", kind, err)
			}
		}
		close(stop)
		wg.Wait()
	}
}

// TestEarlyDrawsWaitAlsoWhereTransactionsAreSerializable has two programs draw in
// sessions where one of two updates of a row fails if they meet.
func TestEarlyDrawsWaitAlsoWhereTransactionsAreSerializable(t *testing.T) {
	for _, kind := range []string{"postgres", "sql postgres"} {
		p := place{kind: kind, uri: with(t, postgres(t).uri, "default_transaction_isolation", "serializable")}
		stores := []store{p.mustOpen(t), p.mustOpen(t)}
		create(t, stores[0], 1, 99)
		var mu sync.Mutex
		seen := map[int64]bool{}
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				for range 20 {
					b, err := stores[i%2].Take(t.Context(), "k", 1)
					if err != nil {
						t.Errorf("%s: %v", kind, err)
						return
					}
					mu.Lock()
					seen[b.At(0).Ordinal] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(seen) != 200 || !seen[1] || !seen[200] {
			t.Errorf("%s: %d numbers", kind, len(seen))
		}
	}
}
