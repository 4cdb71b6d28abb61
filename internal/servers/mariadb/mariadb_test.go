package mariadb_test

import (
	"database/sql"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/mariadb"
)

func TestKilledServerKeepsWhatWasCommitted(t *testing.T) {
	s := mariadb.Start(t)
	db, err := sql.Open("mysql", s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("create table kept as select 1 as n"); err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(); err != nil {
		daemon.Skip(t, err)
	}
	if err := db.Ping(); err == nil {
		t.Error("the killed server answers")
	}
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRow("select n from kept").Scan(&n); err != nil || n != 1 {
		t.Errorf("after the restart: %d, %v", n, err)
	}
}

func TestDatabasesAreApart(t *testing.T) {
	for range 2 {
		db, err := sql.Open("mysql", mariadb.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec("create table t (n int)"); err != nil {
			t.Error(err)
		}
	}
}
