//go:build speed

package sqlsequence_test

import (
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"
)

// TestSpeedOfNextIn compares transactions that draw a position with ones whose first
// statement is a plain UPDATE, in rounds that alternate. It only prints. It runs with
// -tags speed.
func TestSpeedOfNextIn(t *testing.T) {
	for _, open := range []func(testing.TB) server{onMariaDB, onPgx} {
		s := open(t)
		store, db := s.store(t)
		execute(t, db, "CREATE TABLE plain (k int PRIMARY KEY, x bigint)")
		execute(t, db, "INSERT INTO plain VALUES (1, 0)")
		seq := positions(store, "k")
		draws := map[string]func(tx *sql.Tx) error{
			"NextIn": func(tx *sql.Tx) error {
				_, err := seq.NextIn(t.Context(), store.Tx(tx))
				return err
			},
			"UPDATE": func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), "UPDATE plain SET x = x + 1 WHERE k = 1")
				return err
			},
		}
		for _, writers := range []int{1, 16} {
			db.SetMaxIdleConns(writers)
			did := map[string]int{}
			for range 5 {
				for name, draw := range draws {
					var wg sync.WaitGroup
					var mu sync.Mutex
					until := time.Now().Add(700 * time.Millisecond)
					for range writers {
						wg.Go(func() {
							n := 0
							for ; time.Now().Before(until); n++ {
								tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
								if err == nil {
									err = draw(tx)
								}
								if err == nil {
									err = tx.Commit()
								}
								if err != nil {
									t.Error(err)
									return
								}
							}
							mu.Lock()
							defer mu.Unlock()
							did[name] += n
						})
					}
					wg.Wait()
				}
			}
			fmt.Printf("%s, %d writers: NextIn %d/s, UPDATE %d/s, %.2f\n", s.name, writers, did["NextIn"]*10/35, did["UPDATE"]*10/35,
				float64(did["NextIn"])/float64(did["UPDATE"]))
		}
	}
}
