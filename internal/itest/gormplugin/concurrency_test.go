package gormplugin_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Record is made by a goroutine, and may be written by all.
type Record struct {
	ID    oid.ID `gorm:"size:12;not null"`
	Email string `gorm:"size:50;uniqueIndex"`
	By    int
}

// kill ends a connection of db's own, if the database can.
func kill(db *gorm.DB) {
	switch db.Name() {
	case "postgres":
		db.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1")
	case "mysql":
		var id int64
		db.Raw("SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id() ORDER BY rand() LIMIT 1").Scan(&id)
		db.Exec(fmt.Sprintf("KILL %d", id))
	}
}

// TestConcurrentWrites creates, merges and deletes rows in 16 goroutines while
// contexts end and connections are killed. A row that was reported as stored must
// be found by its ID.
func TestConcurrentWrites(t *testing.T) {
	t.Parallel()
	const goroutines, rounds, shared = 16, 40, 20
	eachDB(t, []any{&Record{}}, func(t *testing.T, db *gorm.DB) {
		conns, err := db.DB()
		if err != nil {
			t.Fatal(err)
		}
		conns.SetMaxOpenConns(8)
		if db.Name() == "sqlite" {
			db.Exec("PRAGMA journal_mode = WAL")
		}
		ctx, stop := context.WithCancel(t.Context())
		var killer sync.WaitGroup
		killer.Go(func() {
			for ctx.Err() == nil {
				kill(db)
				time.Sleep(20 * time.Millisecond)
			}
		})

		var mu sync.Mutex
		told := map[oid.ID]string{} // the email of each row that was stored
		merged := map[string]oid.ID{}
		failed := 0
		stores := func(records ...*Record) {
			mu.Lock()
			defer mu.Unlock()
			for _, r := range records {
				if email, again := told[r.ID]; again && email != r.Email || r.ID.IsZero() {
					t.Errorf("id %v of %s and %s", r.ID, email, r.Email)
				}
				told[r.ID] = r.Email
			}
		}

		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(1, uint64(g)))
				var own []*Record
				for round := range rounds {
					ctx, cancel := ctx, context.CancelFunc(func() {})
					if random.IntN(4) == 0 {
						ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(3000))*time.Microsecond)
					}
					tx := db.WithContext(ctx)
					if random.IntN(3) == 0 {
						tx = tx.Session(&gorm.Session{SkipDefaultTransaction: true})
					}
					fresh := func(i int) *Record { return &Record{Email: fmt.Sprintf("%d.%d.%d", g, round, i), By: g} }
					// github.com/glebarez/go-sqlite reports success for a statement that it
					// never ran, if the context ends right before.
					ok := func(err error) bool { return err == nil && (db.Name() != "sqlite" || ctx.Err() == nil) }
					pooled := &Record{Email: fmt.Sprint("shared ", random.IntN(shared)), By: g}
					var err error
					switch random.IntN(5) {
					case 0:
						r := fresh(0)
						if err = tx.Create(r).Error; ok(err) {
							stores(r)
							own = append(own, r)
						}
					case 1:
						batch := []*Record{fresh(0), fresh(1), fresh(2)}
						if err = tx.Create(batch).Error; ok(err) {
							stores(batch...)
							own = append(own, batch...)
						}
					case 2:
						conflict := clause.OnConflict{Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"by"})}
						if err = tx.Clauses(conflict).Create(pooled).Error; ok(err) {
							stores(pooled)
							mu.Lock()
							if id, ok := merged[pooled.Email]; ok && id != pooled.ID {
								t.Errorf("%s has the IDs %v and %v", pooled.Email, id, pooled.ID)
							}
							merged[pooled.Email] = pooled.ID
							mu.Unlock()
						}
					case 3:
						if err = tx.Clauses(clause.OnConflict{DoNothing: true}).Create(pooled).Error; ok(err) && !pooled.ID.IsZero() {
							stores(pooled)
						}
					case 4:
						if len(own) == 0 {
							break
						}
						r := own[0]
						own = own[1:]
						deleted := tx.Delete(&Record{}, r.ID)
						if err = deleted.Error; ok(err) && deleted.RowsAffected != 1 {
							t.Errorf("%v: %d rows deleted", r.ID, deleted.RowsAffected)
						}
						mu.Lock()
						delete(told, r.ID) // gone, or nobody knows
						mu.Unlock()
					}
					if err != nil {
						mu.Lock()
						failed++
						mu.Unlock()
					}
					cancel()
				}
			})
		}
		wg.Wait()
		stop()
		killer.Wait()
		db = db.WithContext(context.Background())

		var found []Record
		for range 5 { // connections that were killed may still be in the pool
			if err = db.Find(&found).Error; err == nil {
				break
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		stored := map[oid.ID]string{}
		for _, r := range found {
			if _, twice := stored[r.ID]; twice || r.ID.IsZero() {
				t.Errorf("stored ID %v", r.ID)
			}
			stored[r.ID] = r.Email
		}
		for id, email := range told {
			if stored[id] != email {
				t.Errorf("%s was stored as %v, but the row there is %q", email, id, stored[id])
			}
		}
		if failed == 0 || len(told) < goroutines {
			t.Errorf("%d statements failed, %d rows are left: nothing was tested", failed, len(told))
		}
		t.Logf("%d rows, %d statements failed", len(found), failed)
	})
}
