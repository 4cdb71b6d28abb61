package gormplugin_test

import (
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// TestRowsSurviveAFailover kills a PostgreSQL with a synchronous standby, and goes on with
// the standby. All rows that were created are there with their IDs, and new ones come after
// them.
func TestRowsSurviveAFailover(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	db := migrated(t, use(t, open(t, postgres.Open(server.DSN))), []any{&Parent{}, &Child{}})
	standby := pgserver.StartStandby(t, server.DSN)
	for _, sql := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if err := db.Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var n int
		const query = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'"
		if err := db.Raw(query).Scan(&n).Error; err == nil && n == 1 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("no synchronous standby: %v", err)
		}
	}

	var ids []oid.ID
	create := func(db *gorm.DB) {
		t.Helper()
		for range 50 {
			parent := Parent{}
			if err := db.Create(&parent).Error; err != nil {
				t.Fatal(err)
			}
			if err := db.Create(&Child{ParentID: sqltype.ZeroNull(parent.ID)}).Error; err != nil {
				t.Fatal(err)
			}
			ids = append(ids, parent.ID)
		}
	}
	create(db)
	if err := server.Kill(); err != nil {
		daemon.Skip(t, err)
	}
	if err := db.Create(&Parent{}).Error; err == nil {
		t.Error("the killed server answers")
	}
	db = use(t, open(t, postgres.Open(standby)))
	if err := db.Exec("SELECT pg_promote(true, 60)").Error; err != nil {
		t.Fatal(err)
	}
	create(db)
	var found []Parent
	if err := db.Preload("Children").Order("id").Find(&found).Error; err != nil || len(found) != len(ids) {
		t.Fatalf("%d rows, %v, want %d", len(found), err, len(ids))
	}
	for i, parent := range found {
		if parent.ID != ids[i] || len(parent.Children) != 1 {
			t.Errorf("row %d: %+v, want ID %v", i, parent, ids[i])
		}
	}
}
