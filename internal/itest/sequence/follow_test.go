package sequence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
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
			writers.db.SetMaxIdleConns(20)
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
	last   string
	below  string // what else the rows must meet, as SQL
	seen   map[string]int
}

func newFollower(column, first, below string) *follower {
	return &follower{column: column, last: first, below: below, seen: map[string]int{}}
}

func (f *follower) read(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, fmt.Sprintf("SELECT id, %s FROM entries WHERE %[1]s > '%s' %s ORDER BY %[1]s", f.column, f.last, f.below))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id, &f.last); err != nil {
			return err
		}
		f.seen[id]++
	}
	return rows.Err()
}

// missed returns how many rows f has not seen, and how many more than once.
func (f *follower) missed(ctx context.Context, db *sql.DB) (missed, twice int, err error) {
	all := newFollower("id", "", "")
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

// fewTransactions is how many transactions are committed in short runs.
const fewTransactions = 200

// followTransactions is how many transactions are committed, by
// OIDKIT_FOLLOW_TRANSACTIONS.
func followTransactions() int {
	if n, err := strconv.Atoi(os.Getenv("OIDKIT_FOLLOW_TRANSACTIONS")); err == nil {
		return n
	}
	return fewTransactions
}

// xid8 has PostgreSQL keep the transaction that wrote a row, and settled is what rows meet
// that are older than every transaction that still writes. The documents have both.
const (
	xid8    = "ALTER TABLE entries ADD COLUMN tx xid8 NOT NULL DEFAULT pg_current_xact_id()"
	settled = "AND tx < pg_snapshot_xmin(pg_current_snapshot())"
)

// follow has 4 processes of 4 writers each write rows, and kills one after the other.
// Readers follow the rows meanwhile, by position, by ID, and by xid8 on PostgreSQL.
func follow(t *testing.T, p place, kind string, transactions int) (byPosition, byID *follower, db *sql.DB) {
	t.Helper()
	db, err := sql.Open(dialects[p.Kind].driver, p.URI)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxIdleConns(20)
	if _, err := db.Exec("CREATE TABLE entries (id char(24) PRIMARY KEY, batch char(24) NOT NULL, position bigint NOT NULL UNIQUE)"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	byPosition, byID = newFollower("position", "0", ""), newFollower("id", "", "")
	all := []*follower{byPosition, byID}
	var byXID8 *follower
	if p.Kind == "sql postgres" {
		execute(t, db, xid8)
		byXID8 = newFollower("tx", "0", settled)
		all = append(all, byXID8)
	}
	var readers sync.WaitGroup
	for _, f := range all {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := f.read(t.Context(), db); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Millisecond)
			}
			if f == byXID8 { // others may still write in other databases of the server
				await(t, db, "SELECT 1 WHERE NOT EXISTS (SELECT FROM entries WHERE NOT (true "+settled+"))")
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
	end(t, programs)
	stop()
	readers.Wait()
	t.Logf("at least %d transactions, %d kills", committed, kills)
	if byXID8 != nil {
		missed, twice, err := byXID8.missed(t.Context(), db)
		t.Logf("%d rows; by xid8 %d missed, %d twice", len(byXID8.seen), missed, twice)
		if missed != 0 || twice != 0 || err != nil {
			t.Errorf("by xid8 %d missed, %d twice, %v", missed, twice, err)
		}
	}
	return byPosition, byID, db
}

// onEachFollowed runs f on servers of database/sql, one after the other.
func onEachFollowed(t *testing.T, kinds []string, f func(t *testing.T, p place)) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			p := shared[kind](t)
			if err := p.store(t).migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			f(t, p)
		})
	}
}

// TestReaderByPositionMissesNothing also shows that a reader by ID does, and one by xid8
// doesn't.
// OIDKIT_FOLLOW_TRANSACTIONS is how many transactions are committed.
func TestReaderByPositionMissesNothing(t *testing.T) {
	t.Parallel()
	onEachFollowed(t, withLikeMySQL("sql postgres", "sqlite"), func(t *testing.T, p place) {
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
// transactions, and so don't wait for each other. The reader by xid8 needs no position.
// Short runs have PostgreSQL only.
func TestReaderMissesRowsWhosePositionIsDrawnTooEarly(t *testing.T) {
	t.Parallel()
	kinds := withLikeMySQL("sql postgres", "sqlite")
	if followTransactions() == fewTransactions {
		kinds = []string{"sql postgres"}
	}
	onEachFollowed(t, kinds, func(t *testing.T, p place) {
		byPosition, _, db := follow(t, p, "rows too early", followTransactions()/5)
		missed, _, err := byPosition.missed(t.Context(), db)
		t.Logf("%d rows; %d missed", len(byPosition.seen), missed)
		if err != nil || missed == 0 {
			t.Errorf("%d missed, %v", missed, err)
		}
	})
}

// TestRowsFromBeforeXID8AreReadFirst adds the column to a table that has rows, which isn't
// rewritten, and reads all rows in pages.
func TestRowsFromBeforeXID8AreReadFirst(t *testing.T) {
	t.Parallel()
	p := shared["sql postgres"](t)
	db := p.db(t)
	file := func() (node int64) {
		if err := db.QueryRow("SELECT pg_relation_filenode('entries')").Scan(&node); err != nil {
			t.Fatal(err)
		}
		return node
	}
	execute(t, db, "CREATE TABLE entries (id char(24) PRIMARY KEY)")
	execute(t, db, "INSERT INTO entries VALUES ('b'), ('c'), ('e')")
	before := file()
	execute(t, db, xid8)
	if after := file(); after != before {
		t.Errorf("the table was rewritten")
	}
	execute(t, db, "INSERT INTO entries VALUES ('d')")
	execute(t, db, "INSERT INTO entries VALUES ('a')")
	await(t, db, "SELECT 1 WHERE NOT EXISTS (SELECT FROM entries WHERE NOT (true "+settled+"))")
	tx, id, got := "0", "", ""
	for range 3 {
		rows, err := db.Query(fmt.Sprintf("SELECT tx, id FROM entries WHERE (tx, id) > ('%s', '%s') %s ORDER BY tx, id LIMIT 2", tx, id, settled))
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			if err := rows.Scan(&tx, &id); err != nil {
				t.Fatal(err)
			}
			id = strings.TrimSpace(id)
			got += id
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if got != "bceda" {
		t.Errorf("read %q, want %q", got, "bceda")
	}
}
