package sqltype_test

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/itest/sqltype/sqlitetest"
	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/oid"
)

func TestSQLiteTablesOfEachKind(t *testing.T) {
	t.Parallel()
	for name, driver := range sqliteDrivers {
		t.Run(name, func(t *testing.T) { sqlitetest.Check(t, sqliteWith(driver)(t)) })
	}
}

// TestSQLiteSecondsAgreeWithGo takes the seconds out of IDs by the expression of
// docs/ranges.md, for random instants, and for both edges of a second. It then compares the
// rows of each day with those between the day's bounds.
func TestSQLiteSecondsAgreeWithGo(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(repo.Path("docs/ranges.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, with, found := strings.Cut(string(page), "```sql\nWITH seconds AS (")
	with, _, ends := strings.Cut(with, "\nSELECT strftime(")
	if !found || !ends {
		t.Fatal("docs/ranges.md doesn't have the query of SQLite")
	}
	with = "WITH seconds AS (" + with + " "
	times := []time.Time{time.Unix(0, 0), time.Unix(0, 999_999_000), time.Unix(math.MaxInt32+1, 0), time.Unix(math.MaxUint32, 999_999_000)}
	for range 3000 {
		times = append(times, time.Unix(rand.Int64N(math.MaxUint32), rand.Int64N(1e6)*1000))
	}
	for name, driver := range sqliteDrivers {
		t.Run(name, func(t *testing.T) {
			db := sqliteWith(driver)(t)
			mustExec(t, db, "CREATE TABLE orders (id blob PRIMARY KEY, want int)")
			tx, err := db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range times {
				for _, id := range []oid.ID{oid.MinAt(at), oid.MaxAt(at)} {
					if _, err := tx.Exec("INSERT OR IGNORE INTO orders (id, want) VALUES (?, ?)", id, at.Unix()); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			n := queryOne[int](t, db, "SELECT count(*) FROM orders")
			if same := queryOne[int](t, db, with+"SELECT count(*) FROM seconds JOIN orders USING (id) WHERE s = want"); same != n || n < 2*len(times)-100 {
				t.Errorf("%d of %d IDs have Go's second", same, n)
			}
			for _, at := range times[:200] {
				day := at.UTC().Truncate(24 * time.Hour)
				lo, hi := oid.Range(day, day.AddDate(0, 0, 1))
				between := queryOne[int](t, db, "SELECT count(*) FROM orders WHERE id >= ? AND id < ?", lo, hi)
				wants := queryOne[int](t, db, "SELECT count(*) FROM orders WHERE want >= ? AND want < ?", day.Unix(), day.Unix()+86400)
				if at.Before(time.Unix(math.MaxUint32-86400, 0)) && between != wants {
					t.Errorf("%s: %d IDs between the bounds, want %d", day, between, wants)
				}
			}
		})
	}
}
