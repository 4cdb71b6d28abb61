//go:build nightly

package mysql_test

import (
	"database/sql"
	"testing"
	"time"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
)

// TestAGroupSurvivesItsPrimary kills the node that made the group. Another one becomes the
// primary.
func TestAGroupSurvivesItsPrimary(t *testing.T) {
	begun := time.Now()
	group := mysqlserver.StartGroup(t, 3, false)
	t.Logf("three nodes in %.1f s", time.Since(begun).Seconds())
	first := group.Nodes[0]
	if primary, err := group.Primary(); err != nil || primary != first {
		t.Fatalf("Primary() = %v, %v, want the first node", primary, err)
	}
	open := func(node *mysqlserver.Server) *sql.DB {
		db, err := sql.Open("mysql", node.DSN)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	if _, err := open(first).Exec("create table t (id int primary key)"); err != nil {
		t.Fatal(err)
	}
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	var next *mysqlserver.Server
	for err := error(nil); next == nil; time.Sleep(50 * time.Millisecond) {
		if next, err = group.Primary(); err != nil && time.Since(killed) > 2*time.Minute {
			t.Fatal(err)
		}
	}
	t.Logf("the next primary after %.1f s", time.Since(killed).Seconds())
	if _, err := open(next).Exec("insert into t values (1)"); err != nil {
		t.Error(err)
	}
	if err := group.Restart(first); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := open(first).QueryRow("select count(*) from t").Scan(&n); err != nil || n != 1 {
		t.Errorf("the node that came back has %d rows, %v; want 1", n, err)
	}
}
