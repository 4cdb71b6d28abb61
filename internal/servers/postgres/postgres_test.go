package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/postgres"
)

func TestKilledServerKeepsWhatWasCommitted(t *testing.T) {
	ctx := t.Context()
	s := postgres.Start(t)
	conn, err := pgx.Connect(ctx, s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "create table kept as select 1 as n"); err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(); err != nil {
		daemon.Skip(t, err)
	}
	if err := conn.Ping(ctx); err == nil {
		t.Error("the killed server answers")
	}
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	conn, err = pgx.Connect(ctx, s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var n int
	if err := conn.QueryRow(ctx, "select n from kept").Scan(&n); err != nil || n != 1 {
		t.Errorf("after the restart: %d, %v", n, err)
	}
	var fsync string
	if err := conn.QueryRow(ctx, "show fsync").Scan(&fsync); err != nil || fsync != "on" {
		t.Errorf("fsync is %q, %v", fsync, err)
	}
}

func TestDatabasesAreApart(t *testing.T) {
	ctx := t.Context()
	for range 2 {
		conn := postgres.Connect(t)
		if _, err := conn.Exec(ctx, "create table t ()"); err != nil {
			t.Error(err)
		}
	}
}

func TestEighteenIsVersion18(t *testing.T) {
	conn := postgres.Eighteen.Connect(t)
	var version int
	err := conn.QueryRow(t.Context(), "select current_setting('server_version_num')::int / 10000 where uuidv7() is not null").Scan(&version)
	if err != nil || version != 18 {
		t.Errorf("version %d, %v", version, err)
	}
}
