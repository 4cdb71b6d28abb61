package sequence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// errRollback ends a transaction that a writer takes back.
var errRollback = errors.New("rolled back by the test")

// writers has the pool, the store and the positions of this process.
var writers struct {
	once  sync.Once
	db    *sql.DB
	store *sqlsequence.Store
	early *sequence.Sequence
	late  *sequence.Sequence
}

// writeRows runs a transaction that writes 1 to 3 rows with positions. 30 % of them are
// rolled back. After the draw the writer waits for about 1 ms, and for 2 s once in 1,000
// times. If inTx is false, it draws outside of its transaction, which is a mistake.
//
// The rows get their IDs before the transaction waits for anything, as most programs do.
func writeRows(ctx context.Context, p place, s opened, inTx bool) (string, error) {
	var err error
	writers.once.Do(func() {
		d := dialects[p.Kind]
		if writers.db, err = sql.Open(d.driver, p.URI); err == nil {
			writers.store = sqlsequence.New(writers.db, "sequences", d.Dialect)
			plan := sequence.Plan{First: 1, Last: 1 << 62}
			writers.late = sequence.New(writers.store, "late", plan, sequence.WithGapFree())
			writers.early = sequence.New(writers.store, "early", plan)
		}
	})
	if err != nil {
		return "", err
	}
	ids := make([]oid.ID, 1+rand.N(3))
	oid.Fill(ids)
	delay := time.Duration(rand.ExpFloat64() / 0.7 * float64(time.Millisecond)) // its median is 1 ms
	if rand.N(1000) == 0 {
		delay = 2 * time.Second
	}
	var positions []sequence.Number
	if !inTx {
		if positions, err = writers.early.Take(ctx, int64(len(ids))); err != nil {
			return "", err
		}
		time.Sleep(delay)
	}
	err = writers.store.InTx(ctx, func(tx *sql.Tx) error {
		if inTx {
			if positions, err = writers.late.TakeIn(ctx, writers.store.Tx(tx), int64(len(ids))); err != nil {
				return err
			}
			time.Sleep(delay)
		}
		for i, id := range ids {
			insert := fmt.Sprintf("INSERT INTO entries (id, batch, position) VALUES ('%s', '%s', %d)", id, ids[0], positions[i].Ordinal)
			if _, err := tx.ExecContext(ctx, insert); err != nil {
				return err
			}
		}
		if rand.N(10) < 3 {
			return errRollback
		}
		return nil
	})
	if errors.Is(err, errRollback) {
		err = nil
	}
	return ids[0].Hex(), err
}

// A follower reads the rows whose value of a column is greater than the greatest that it
// has seen.
type follower struct {
	column string
	last   string // as SQL
	seen   map[string]int
}

func (f *follower) read(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "SELECT id, "+f.column+" FROM entries WHERE "+f.column+" > "+f.last+" ORDER BY "+f.column)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, value string
		if err := rows.Scan(&id, &value); err != nil {
			return err
		}
		if f.seen[id]++; f.column == "id" {
			value = "'" + value + "'"
		}
		f.last = value
	}
	return rows.Err()
}

// missed returns how many rows f has not seen, and how many more than once.
func (f *follower) missed(ctx context.Context, db *sql.DB) (missed, twice int, err error) {
	all := follower{column: "id", last: "''", seen: map[string]int{}}
	if err := all.read(ctx, db); err != nil {
		return 0, 0, err
	}
	for id := range all.seen {
		switch n := f.seen[id]; {
		case n == 0:
			missed++
		case n > 1:
			twice++
		}
	}
	return missed, twice, nil
}

// followTransactions is how many transactions are committed, by
// OIDKIT_FOLLOW_TRANSACTIONS.
func followTransactions() int {
	if n, err := strconv.Atoi(os.Getenv("OIDKIT_FOLLOW_TRANSACTIONS")); err == nil {
		return n
	}
	return 500
}

// follow has 4 processes of 4 writers each write rows, and kills one after the other. Two
// readers follow the rows meanwhile, one by position and one by ID.
func follow(t *testing.T, p place, kind string, transactions int) (byPosition, byID follower, db *sql.DB) {
	t.Helper()
	db, err := sql.Open(dialects[p.Kind].driver, p.URI)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec("CREATE TABLE entries (id char(24) PRIMARY KEY, batch char(24) NOT NULL, position bigint NOT NULL UNIQUE)"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	byPosition = follower{column: "position", last: "0", seen: map[string]int{}}
	byID = follower{column: "id", last: "''", seen: map[string]int{}}
	var readers sync.WaitGroup
	for _, f := range []*follower{&byPosition, &byID} {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := f.read(t.Context(), db); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Millisecond)
			}
			if err := f.read(t.Context(), db); err != nil { // what came last
				t.Error(err)
			}
		})
	}
	programs := make([]*program, 4)
	for i := range programs {
		programs[i] = start(t, job{Place: p, Callers: 4, Kind: kind})
	}
	committed, kills := 0, 0
	for begin := time.Now(); committed < transactions || kills == 0; {
		time.Sleep(500 * time.Millisecond)
		if err := db.QueryRow("SELECT count(DISTINCT batch) FROM entries").Scan(&committed); err != nil {
			t.Fatal(err)
		}
		i := kills % len(programs)
		programs[i].kill()
		programs[i] = start(t, job{Place: p, Callers: 4, Kind: kind})
		kills++
		if time.Since(begin) > 20*time.Minute {
			t.Fatalf("%d transactions after 20 minutes", committed)
		}
	}
	for _, p := range programs {
		p.end(t)
	}
	stop()
	readers.Wait()
	t.Logf("at least %d transactions, %d kills", committed, kills)
	return byPosition, byID, db
}

// onEachFollowed runs f on each server of database/sql, one after the other.
func onEachFollowed(t *testing.T, f func(t *testing.T, p place)) {
	for kind := range dialects {
		t.Run(kind, func(t *testing.T) {
			p := shared[kind](t)
			if err := p.store(t).migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			f(t, p)
		})
	}
}

// TestReaderByPositionMissesNothing also shows that a reader by ID does.
// OIDKIT_FOLLOW_TRANSACTIONS is how many transactions are committed.
func TestReaderByPositionMissesNothing(t *testing.T) {
	t.Parallel()
	onEachFollowed(t, func(t *testing.T, p place) {
		byPosition, byID, db := follow(t, p, "rows", followTransactions())
		missed, twice, err := byPosition.missed(t.Context(), db)
		control, _, controlErr := byID.missed(t.Context(), db)
		if err := errors.Join(err, controlErr); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d rows; by position %d missed, %d twice; by ID %d missed", len(byPosition.seen), missed, twice, control)
		if missed != 0 || twice != 0 {
			t.Errorf("by position %d missed, %d twice", missed, twice)
		}
		if control < 10 {
			t.Errorf("by ID %d missed: the writers show nothing", control)
		}
		var rows, last int
		if err := db.QueryRow("SELECT count(*), max(position) FROM entries").Scan(&rows, &last); err != nil || rows != last {
			t.Errorf("%d rows, and the last has position %d: %v", rows, last, err)
		}
	})
}

// TestReaderMissesRowsWhosePositionIsDrawnTooEarly has writers that draw outside of their
// transactions.
func TestReaderMissesRowsWhosePositionIsDrawnTooEarly(t *testing.T) {
	t.Parallel()
	onEachFollowed(t, func(t *testing.T, p place) {
		byPosition, _, db := follow(t, p, "rows too early", followTransactions()/5)
		missed, _, err := byPosition.missed(t.Context(), db)
		t.Logf("%d rows; %d missed", len(byPosition.seen), missed)
		if err != nil || missed == 0 {
			t.Errorf("%d missed, %v", missed, err)
		}
	})
}
