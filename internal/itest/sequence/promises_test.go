package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// nextIn draws in a transaction of s.
func (s opened) nextIn(ctx context.Context, n *sequence.Numbering, commit bool) (text string, err error) {
	back := errors.New("rolled back")
	failed := s.inTx(ctx, func(tx sequence.Store, _ func(string) error) error {
		if text, err = n.NextIn(ctx, tx); err == nil && !commit {
			return back
		}
		return err
	})
	if failed != nil && failed != back {
		err = failed
	}
	return text, err
}

// TestTransactionOfAnotherStoreIsRefused passes the transaction of one database to a
// numbering of another.
func TestTransactionOfAnotherStoreIsRefused(t *testing.T) {
	onEachWithTransactions(t, func(t *testing.T, p place, s opened) {
		other := shared[p.Kind](t).store(t)
		if err := other.migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := sequence.NewNumbering(s, "n", "{0+}", sequence.WithGapFree())
		text, err := other.nextIn(t.Context(), n, true)
		for _, store := range []opened{s, other} {
			if name := store.Driver().Place().Name; err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("NextIn = %q, %v, want an error that names %s", text, err, name)
			}
			if all, err := sequence.List(t.Context(), store); err != nil || len(all) > 0 {
				t.Errorf("List() = %v, %v, want no key", all, err)
			}
		}
	})
}

// TestStoresOfOneTableAreOneStore binds the transaction by another store of the same pool and
// table.
func TestStoresOfOneTableAreOneStore(t *testing.T) {
	t.Parallel()
	draw := func(t *testing.T, store, tx sequence.Store) {
		t.Helper()
		if text, err := sequence.NewNumbering(store, "n", "{0+}", sequence.WithGapFree()).NextIn(t.Context(), tx); text != "1" || err != nil {
			t.Errorf("NextIn = %q, %v", text, err)
		}
	}
	for kind := range likeMySQL {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			db := shared[kind](t).db(t)
			a, b := sqlsequence.New(db, "sequences", sqlsequence.MySQL), sqlsequence.New(db, "sequences", sqlsequence.MySQL)
			if err := a.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			tx, err := db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			draw(t, a, b.Tx(tx))
		})
	}
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		pool, err := pgxpool.New(t.Context(), shared["postgres"](t).URI)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		a, b := pgsequence.New(pool, "sequences"), pgsequence.New(pool, "sequences")
		defer a.Close()
		defer b.Close()
		if err := a.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback(t.Context())
		draw(t, a, b.Tx(tx))
	})
}

// TestGapFreeKeyThatWasMadeAgainIsNotFound empties the table while programs run.
func TestGapFreeKeyThatWasMadeAgainIsNotFound(t *testing.T) {
	onEachWithTransactions(t, func(t *testing.T, p place, s opened) {
		numbering := func(opts ...sequence.Option) *sequence.Numbering {
			return sequence.NewNumbering(s, "n", "{0+}", append(opts, sequence.WithGapFree())...)
		}
		n := numbering()
		for range 2 { // the first transactions never commit, so there is no key
			if text, err := s.nextIn(t.Context(), n, false); text != "1" || err != nil {
				t.Fatalf("NextIn = %q, %v", text, err)
			}
		}
		for range 2 {
			if _, err := s.nextIn(t.Context(), n, true); err != nil {
				t.Fatal(err)
			}
		}
		existing := numbering(sequence.WithExisting())
		if _, err := s.nextIn(t.Context(), existing, true); err != nil {
			t.Fatal(err)
		}
		p.empty(t)
		for what, n := range map[string]*sequence.Numbering{"": n, "WithExisting": existing} {
			if text, err := s.nextIn(t.Context(), n, true); !errors.Is(err, sequence.ErrNotFound) {
				t.Errorf("%s: an emptied table: NextIn = %q, %v, want ErrNotFound", what, text, err)
			}
		}
		if text, err := s.nextIn(t.Context(), numbering(), true); text != "1" || err != nil {
			t.Fatalf("another program: NextIn = %q, %v", text, err)
		}
		for what, n := range map[string]*sequence.Numbering{"": n, "WithExisting": existing} {
			if text, err := s.nextIn(t.Context(), n, true); !errors.Is(err, sequence.ErrNotFound) {
				t.Errorf("%s: a key that was made again: NextIn = %q, %v, want ErrNotFound", what, text, err)
			}
		}
	})
}

// TestStoreThatWentBackIsJumpedOver sets a count back while a program draws, as a restored
// backup does.
func TestStoreThatWentBackIsJumpedOver(t *testing.T) {
	onEach(t, func(t *testing.T, p place, s opened) {
		lost := make(chan int64, 99)
		numbers := sequence.New(s, "k", sequence.Plan{First: 1, Last: 99}, sequence.WithObserver(func(trip sequence.Trip) { lost <- trip.Lost }))
		draw := func(want, wantLost int64) {
			t.Helper()
			n, err := numbers.Next(t.Context())
			if n.Ordinal != want || err != nil {
				t.Fatalf("Next() = %v, %v, want %d", n, err, want)
			}
			if got := <-lost; got != wantLost {
				t.Errorf("the observer heard that %d were lost, want %d", got, wantLost)
			}
		}
		for i := range int64(5) {
			draw(i+1, 0)
		}
		p.move(t, -4)
		draw(6, 4)
		draw(7, 0)
	})
}

// move adds n to each count.
func (p place) move(t *testing.T, n int64) {
	t.Helper()
	if p.Kind == "mongo" {
		change := bson.D{{Key: "$inc", Value: bson.D{{Key: "x", Value: n}}}}
		if _, err := p.collection(t).UpdateMany(t.Context(), bson.D{}, change); err != nil {
			t.Fatal(err)
		}
		return
	}
	execute(t, p.db(t), fmt.Sprint("UPDATE sequences SET x = x + ", n))
}

// empty deletes all keys.
func (p place) empty(t *testing.T) {
	t.Helper()
	switch p.Kind {
	case "mongo":
		if _, err := p.collection(t).DeleteMany(t.Context(), bson.D{}); err != nil {
			t.Fatal(err)
		}
	case "sqlite":
		execute(t, p.db(t), "DELETE FROM sequences")
	default:
		execute(t, p.db(t), "TRUNCATE TABLE sequences")
	}
}

// collection returns the one of a store of MongoDB.
func (p place) collection(t *testing.T) *mongo.Collection {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(p.URI))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Disconnect(context.Background()) })
	return client.Database(p.Name).Collection("sequences")
}

// TestScopesAreMadeWhileTheNumberingExists draws for new tenants, with WithExisting.
func TestScopesAreMadeWhileTheNumberingExists(t *testing.T) {
	onEachWithTransactions(t, func(t *testing.T, p place, s opened) {
		n := sequence.NewNumbering(s, "n", "{0+}", sequence.WithGapFree(), sequence.WithExisting())
		if text, err := s.nextIn(t.Context(), n.For("a"), true); !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("without the numbering: NextIn = %q, %v, want ErrNotFound", text, err)
		}
		if err := n.AdvanceTo(t.Context(), "0"); err != nil {
			t.Fatal(err)
		}
		errs := make(chan error, 8)
		for i := range cap(errs) { // for two tenants at once
			go func() { _, err := s.nextIn(t.Context(), n.For(fmt.Sprint(i%2)), true); errs <- err }()
		}
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		for i := range 2 {
			if text, err := s.nextIn(t.Context(), n.For(fmt.Sprint(i)), true); text != "5" || err != nil {
				t.Errorf("NextIn of tenant %d = %q, %v, want 5", i, text, err)
			}
		}
		open := sequence.NewNumbering(s, "open", "{0+}", sequence.WithExisting())
		if err := open.AdvanceTo(t.Context(), "0"); err != nil {
			t.Fatal(err)
		}
		if text, err := open.For("a").Next(t.Context()); text != "1" || err != nil {
			t.Errorf("Next of a new scope = %q, %v", text, err)
		}
	})
}

// TestStepThatTheServerSwallowsIsAPermanentError has row level security, a rule, and triggers
// that ignore the step.
func TestStepThatTheServerSwallowsIsAPermanentError(t *testing.T) {
	parallel(t)
	const function = "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
	for name, tt := range map[string]struct{ kind, setUp string }{
		"row level security": {"postgres", `ALTER TABLE sequences ENABLE ROW LEVEL SECURITY; CREATE POLICY s ON sequences FOR SELECT USING (true);
			CREATE POLICY i ON sequences FOR INSERT WITH CHECK (true);
			DROP ROLE IF EXISTS swallowed; CREATE ROLE swallowed; GRANT ALL ON sequences TO swallowed`},
		"a trigger":     {"sql postgres", function + "CREATE TRIGGER nothing BEFORE UPDATE ON sequences FOR EACH ROW EXECUTE FUNCTION nothing()"},
		"a rule":        {"postgres", "CREATE RULE nothing AS ON UPDATE TO sequences DO INSTEAD NOTHING"},
		"RAISE(IGNORE)": {"sqlite", "CREATE TRIGGER ignored BEFORE UPDATE ON sequences BEGIN SELECT RAISE(IGNORE); END"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := shared[tt.kind](t)
			s := p.store(t)
			if err := s.migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := sequence.New(s, "k", cycling(9)).Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			bills := func() *sequence.Numbering { return sequence.NewNumbering(s, "n", "{0+}", sequence.WithGapFree()) }
			if _, err := s.nextIn(t.Context(), bills(), true); err != nil {
				t.Fatal(err)
			}
			execute(t, p.db(t), tt.setUp)
			if name == "row level security" {
				p.URI += "&options=-c%20role%3Dswallowed"
				s = p.store(t)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			n, err := sequence.New(s, "k", cycling(9)).Next(ctx)
			if err == nil || sequence.IsTransient(err) || !(strings.Contains(err.Error(), "row level security, a trigger or a rule") || strings.Contains(err.Error(), "cannot perform")) {
				t.Errorf("Next() = %v, %v", n, err)
			}
			bill, err := s.nextIn(ctx, bills(), true)
			if err == nil || sequence.IsTransient(err) || !(strings.Contains(err.Error(), "row level security, a trigger or a rule") || strings.Contains(err.Error(), "cannot perform")) {
				t.Errorf("NextIn() = %v, %v", bill, err)
			}
		})
	}
}

// TestClocksThatDisagreeAreAnError has programs whose clocks are years, months, days and a
// minute away from the store's. SQLite's is that of the machine.
func TestClocksThatDisagreeAreAnError(t *testing.T) {
	onEach(t, func(t *testing.T, p place, s opened) {
		now := time.Now()
		for pattern, away := range map[string][]time.Time{
			"{2006}-{0+}":     {now.AddDate(-4, 0, 0), now.AddDate(1, 0, 0)},
			"{2006-01}-{0+}":  {now.AddDate(0, -2, 0), now.AddDate(0, 2, 0)},
			"{20060102}-{0+}": {now.AddDate(0, 0, -2), now.AddDate(0, 0, 2)},
			"{0+}":            {now.Add(time.Minute)},
		} {
			key := fmt.Sprint(len(pattern))
			for range 2 {
				if text, err := sequence.NewNumbering(s, key, pattern).Next(t.Context()); err != nil || !strings.HasPrefix(text, now.UTC().Format("2006")) && pattern != "{0+}" {
					t.Errorf("%s: Next() = %q, %v", pattern, text, err)
				}
				for _, clock := range away {
					n := sequence.NewNumbering(s, key, pattern, sequence.WithClock(func() time.Time { return clock }))
					if text, err := n.Next(t.Context()); !errors.Is(err, sequence.ErrClockLead) {
						t.Errorf("%s at %v: Next() = %q, %v, want ErrClockLead", pattern, clock, text, err)
					}
				}
			}
		}
		far := sequence.WithClock(func() time.Time { return now.AddDate(10, 0, 0) })
		stamp, err := sequence.NewStamper(s, "stamps", far).Next(t.Context())
		if err != nil || stamp.Tick.Sub(now).Abs() > time.Minute {
			t.Errorf("a stamp of a program whose clock is ahead by years: %v, %v", stamp, err)
		}
		row, _, err := s.Driver().Read(t.Context(), "stamps")
		if err != nil || row.Now.Sub(now).Abs() > time.Minute {
			t.Errorf("the clock of the store shows %v, %v", row.Now, err)
		}
		p.move(t, int64(time.Hour/time.Microsecond*100))
		if stamp, err := sequence.NewStamper(s, "stamps", sequence.WithMaxLead(time.Minute)).Next(t.Context()); !errors.Is(err, sequence.ErrClockLead) {
			t.Errorf("a stamp that is an hour ahead = %v, %v, want ErrClockLead", stamp, err)
		}
	})
}

// TestMillisecondOfSQLiteIsNoLead allows the clock of the program no lead. SQLite's clock shows
// the millisecond, and is behind it by less than one.
func TestMillisecondOfSQLiteIsNoLead(t *testing.T) {
	t.Parallel()
	s := shared["sqlite"](t).store(t)
	if err := s.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := sequence.NewNumbering(s, "n", "{2006}-{0+}", sequence.WithMaxLead(0))
	for range 20 {
		if text, err := n.Next(t.Context()); err != nil {
			t.Errorf("Next() = %q, %v", text, err)
		}
	}
}

// TestResizeWaitsBehindATransaction holds the row for longer than a trip may take.
func TestResizeWaitsBehindATransaction(t *testing.T) {
	onEachWithTransactions(t, func(t *testing.T, p place, s opened) {
		if p.Kind == "sqlite" {
			return // a writer of SQLite waits for as long as busy_timeout says
		}
		plan := sequence.Plan{First: 1, Last: 9}
		narrow := sequence.New(s, "k", plan, sequence.WithGapFree())
		wide := sequence.New(s, "k", sequence.Plan{First: 1, Last: 99}, sequence.WithGapFree())
		draw := func(then func()) error {
			return s.inTx(t.Context(), func(tx sequence.Store, _ func(string) error) error {
				_, err := narrow.NextIn(t.Context(), tx)
				then()
				return err
			})
		}
		if err := draw(func() {}); err != nil {
			t.Fatal(err)
		}
		var over atomic.Bool
		drawn, held := make(chan struct{}, 99), make(chan error, 1) // the server may take some runs back
		go func() {
			held <- draw(func() {
				drawn <- struct{}{}
				time.Sleep(7 * time.Second)
				over.Store(true)
			})
		}()
		select {
		case <-drawn:
		case err := <-held:
			t.Fatal(err)
		}
		if err := wide.Resize(t.Context(), plan); err != nil || !over.Load() {
			t.Errorf("Resize() = %v, after the transaction: %v", err, over.Load())
		}
		if err := <-held; err != nil {
			t.Error(err)
		}
	})
}

// TestCallsWaitForTheServerAsNextDoes has nobody listen where the server was, for a second
// and then for longer than the caller waits.
func TestCallsWaitForTheServerAsNextDoes(t *testing.T) {
	onEachWithTransactions(t, func(t *testing.T, p place, s opened) {
		if p.Kind == "sqlite" {
			return // no server
		}
		plan, wide := sequence.Plan{First: 1, Last: 9}, sequence.Plan{First: 1, Last: 99}
		for _, key := range []string{"k", "still"} {
			if _, err := sequence.New(s, key, plan).Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		const nobody = "127.0.0.1:1"
		direct, server := p.through(t)
		away, line := direct.through(t)
		s = away.store(t)
		n := sequence.NewNumbering(s, "n", "{0+}", sequence.WithGapFree())
		for name, call := range map[string]func(context.Context) error{
			"InTx": func(ctx context.Context) error { _, err := s.nextIn(ctx, n, true); return err },
			"Next": func(ctx context.Context) error {
				_, err := sequence.New(s, "other", plan).Next(ctx)
				return err
			},
			"State":  func(ctx context.Context) error { _, err := sequence.New(s, "still", plan).State(ctx); return err },
			"List":   func(ctx context.Context) error { _, err := sequence.List(ctx, s); return err },
			"Resize": func(ctx context.Context) error { return sequence.New(s, "k", wide).Resize(ctx, plan) },
		} {
			line.To(nobody)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, and the server stays away: %v", name, err)
			}
			cancel()
			begin := time.Now()
			back := time.AfterFunc(time.Second, func() { line.To(server.Addr()) })
			if err := call(t.Context()); err != nil || time.Since(begin) < 500*time.Millisecond {
				t.Errorf("%s, and the server comes back after a second: %v after %v", name, err, time.Since(begin))
			}
			back.Stop()
		}
	})
}
