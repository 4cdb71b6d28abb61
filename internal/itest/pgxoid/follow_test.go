package pgxoid_test

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
)

// Eight writers insert rows and commit them up to half a second later, as long
// transactions do; some roll back. A reader that stays behind by more than that
// reads each committed row once. One that asks for IDs above the last one that it
// has seen misses rows: without that, the test would show nothing.
func TestAReaderBehindTheLagMissesNoRow(t *testing.T) {
	t.Parallel()
	const (
		writers  = 8
		delay    = time.Second / 2
		limit    = 2 * delay // of a transaction
		lag      = 3 * delay
		writeFor = 2 * time.Second
	)
	db, err := sql.Open("pgx", postgres.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := t.Context()
	if _, err := db.ExecContext(ctx, "CREATE TABLE events (id bytea PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}

	var (
		writing, reading sync.WaitGroup
		mu               sync.Mutex
		committed        = map[oid.ID]bool{}
		late             = map[oid.ID]bool{} // committed after the lag, by a machine that stalls
	)
	begin := oid.MinAt(time.Now())
	end := time.Now().Add(writeFor)
	for range writers {
		writing.Go(func() {
			var g oid.Generator // as a process of its own
			for time.Now().Before(end) {
				made := time.Now()
				ids := make([]oid.ID, 1+rand.IntN(3))
				g.Fill(ids)
				kept, err := insertSlowly(ctx, db, ids, rand.N(delay), func() bool {
					return rand.IntN(10) > 0 && time.Since(made) < limit
				})
				if err != nil {
					t.Error(err)
					return
				}
				if kept {
					mu.Lock()
					for _, id := range ids {
						committed[id] = true
						late[id] = time.Since(made) >= lag
					}
					mu.Unlock()
				}
			}
		})
	}

	done := make(chan struct{})
	naive, settled := map[oid.ID]int{}, map[oid.ID]int{}
	reading.Go(func() { // from oid.MinAt, the end of the round before
		from := begin
		for from.Timestamp().Before(end.Add(delay + time.Second)) {
			to := oid.MinAt(time.Now().Add(-lag))
			if from.Compare(to) < 0 {
				count(t, db, settled, "SELECT id FROM events WHERE id >= $1 AND id < $2 ORDER BY id", from, to)
				from = to
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	reading.Go(func() {
		last := begin
		for ended := false; !ended; {
			select {
			case <-done:
				ended = true
			default:
			}
			if id, ok := count(t, db, naive, "SELECT id FROM events WHERE id > $1 ORDER BY id", last); ok {
				last = id
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	writing.Wait()
	close(done)
	reading.Wait()

	missed, twice, invented := 0, 0, 0
	naiveMissed := 0
	for id := range committed {
		switch settled[id] {
		case 0:
			if !late[id] {
				missed++
			}
		case 1:
		default:
			twice++
		}
		if naive[id] == 0 {
			naiveMissed++
		}
	}
	for id := range settled {
		if !committed[id] {
			invented++
		}
	}
	t.Logf("%d rows committed; behind the lag %d missed; above the last one %d missed", len(committed), missed, naiveMissed)
	if missed != 0 || twice != 0 || invented != 0 {
		t.Errorf("of %d rows %d are missed and %d read twice; %d were never committed", len(committed), missed, twice, invented)
	}
	if naiveMissed == 0 {
		t.Error("the reader of what is above the last id misses no row: nothing is shown")
	}
}

// insertSlowly inserts IDs and ends the transaction after a while. It reports whether
// it has committed.
func insertSlowly(ctx context.Context, db *sql.DB, ids []oid.ID, wait time.Duration, commit func() bool) (kept bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, "INSERT INTO events VALUES ($1)", id); err != nil {
			return false, err
		}
	}
	time.Sleep(wait)
	if !commit() {
		return false, nil
	}
	return true, tx.Commit()
}

// count counts the IDs that a query selects, and returns the last one.
func count(t *testing.T, db *sql.DB, seen map[oid.ID]int, query string, args ...any) (last oid.ID, ok bool) {
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Error(err)
		return last, false
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&last); err != nil {
			t.Error(err)
			return last, false
		}
		seen[last]++
		ok = true
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
	return last, ok
}
