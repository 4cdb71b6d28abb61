// Command follow writes rows with positions in commit order, and follows them. A reader
// that asks for "position > last" gets every row, even if transactions take long or are
// rolled back. The table has older rows without positions. The program gives them
// positions while other goroutines write.
//
//	go run ./examples/follow
//
// Nothing has to be installed: the database is SQLite, in a temporary folder. With MySQL,
// MariaDB or PostgreSQL, only the function open differs.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

func main() {
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "oidkit-follow")
	if err != nil {
		log.Fatal("follow: ", err)
	}
	defer os.RemoveAll(dir)
	if err := run(context.Background(), os.Stdout, filepath.Join(dir, "events.db")); err != nil {
		log.Fatal("follow: ", err)
	}
}

// open opens the database and makes its tables. With PostgreSQL it is
//
//	db, err := sql.Open("pgx", "postgres://localhost/shop")
//	store := sqlsequence.New(db, "sequences", sqlsequence.PostgreSQL)
func open(ctx context.Context, path string) (*sql.DB, *sqlsequence.Store, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(30000)&_pragma=journal_mode(WAL)")
	if err != nil {
		return nil, nil, err
	}
	store := sqlsequence.New(db, "sequences", sqlsequence.SQLite)
	_, err = db.ExecContext(ctx, `CREATE TABLE events (id BLOB PRIMARY KEY, position INTEGER UNIQUE)`)
	return db, store, errors.Join(err, store.Migrate(ctx))
}

// old is how many events were there before there were positions.
const old = 25

// run has four writers write events, and a reader follow them.
func run(ctx context.Context, w io.Writer, path string) error {
	db, store, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	for range old {
		if _, err := db.ExecContext(ctx, `INSERT INTO events (id) VALUES (?)`, oid.New()); err != nil {
			return err
		}
	}
	var writing sync.WaitGroup
	var failed, written atomic.Int64
	positions := sequence.New(store, "events", sequence.Plan{First: 1, Last: 1 << 62}, sequence.WithGapFree())
	writing.Go(func() {
		for {
			n, err := number(ctx, store, positions)
			if err != nil {
				failed.Add(1)
			}
			if n == 0 {
				return
			}
			written.Add(n)
		}
	})
	for range 4 {
		writing.Go(func() {
			for range 25 {
				switch err := write(ctx, store, positions); {
				case err == nil:
					written.Add(1)
				case !errors.Is(err, errChanged):
					failed.Add(1)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		writing.Wait()
		close(ended)
	}()
	var last int64 // a checkpoint, which a reader stores together with what it made of the rows
	for seen := 0; ; time.Sleep(time.Millisecond) {
		over := false
		select {
		case <-ended:
			over = true // read what came last
		default:
		}
		n, err := read(ctx, db, &last)
		if err != nil {
			return err
		}
		seen += n
		if over {
			fmt.Fprintf(w, "%d events written, %d read, the last position is %d\n", written.Load(), seen, last)
			if failed.Load() > 0 || written.Load() < old || int64(seen) != written.Load() || last != written.Load() {
				return errors.New("an event is missing")
			}
			return nil
		}
	}
}

var errChanged = errors.New("changed its mind")

// write stores an event. It draws the position late, because other writers wait for the
// end of the transaction from then on.
func write(ctx context.Context, store *sqlsequence.Store, positions *sequence.Sequence) error {
	id := oid.New()
	return store.InTx(ctx, func(tx *sql.Tx) error {
		position, err := positions.NextIn(ctx, store.Tx(tx))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO events (id, position) VALUES (?, ?)`, id, position.Ordinal); err != nil {
			return err
		}
		time.Sleep(rand.N(2 * time.Millisecond))
		if rand.N(10) < 3 {
			return errChanged // the rollback gives the position back
		}
		return nil
	})
}

// number gives positions to up to 10 events that have none, and returns how many these
// were. To a reader, they are new events.
func number(ctx context.Context, store *sqlsequence.Store, positions *sequence.Sequence) (n int64, err error) {
	err = store.InTx(ctx, func(tx *sql.Tx) error {
		ids, err := withoutPosition(ctx, tx)
		if n = int64(len(ids)); n == 0 || err != nil {
			return err
		}
		numbers, err := positions.TakeIn(ctx, store.Tx(tx), n)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if _, err := tx.ExecContext(ctx, `UPDATE events SET position = ? WHERE id = ?`, numbers[i].Ordinal, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

func withoutPosition(ctx context.Context, tx *sql.Tx) (ids []oid.ID, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT id FROM events WHERE position IS NULL ORDER BY id LIMIT 10`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id oid.ID
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// read reads the events after last.
func read(ctx context.Context, db *sql.DB, last *int64) (n int, err error) {
	rows, err := db.QueryContext(ctx, `SELECT id, position FROM events WHERE position > ? ORDER BY position LIMIT 100`, *last)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for ; rows.Next(); n++ {
		var id oid.ID
		if err := rows.Scan(&id, last); err != nil {
			return n, err
		}
	}
	return n, rows.Err()
}
