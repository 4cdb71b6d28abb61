//go:build unix

package sequence_test

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
)

// startStandby copies a running server and has the copy follow it. It returns the copy's
// DSN.
func startStandby(t *testing.T, dsn string) string {
	t.Helper()
	postgres, err := pgserver.Find("postgres")
	if err != nil {
		daemon.Skip(t, err)
	}
	backup, err := pgserver.Find("pg_basebackup")
	if err != nil {
		daemon.Skip(t, err)
	}
	folder, err := daemon.NewFolder("oidkit-standby", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	data := filepath.Join(folder.Path, "data")
	if err := folder.Do(backup, "--pgdata="+data, "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync", "--dbname="+dsn); err != nil {
		t.Fatal(err)
	}
	port, err := daemon.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = fmt.Sprintf("127.0.0.1:%d", port)
	ready := func() error {
		conn, err := pgx.Connect(context.Background(), u.String())
		if err != nil {
			return err
		}
		return conn.Close(context.Background())
	}
	server, err := folder.Start(ready, postgres, "-D", data, "-p", fmt.Sprint(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+folder.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(syscall.SIGQUIT) })
	return u.String()
}

// TestFailoverToASynchronousStandbyRepeatsNothing has programs draw together, kills the
// primary and goes on with the standby. The sessions have synchronous_commit at local.
// PostgreSQL itself would then not wait for the standby.
func TestFailoverToASynchronousStandbyRepeatsNothing(t *testing.T) {
	server := pgserver.Start(t)
	p := migrated(t, place{kind: "postgres", uri: server.DSN})
	if err := server.Restart(); err != nil { // or skip, where the server isn't ours
		t.Fatal(err)
	}
	create(t, p.mustOpen(t), 1, 99)
	standby := place{kind: "postgres", uri: startStandby(t, p.uri)}
	execute(t, p.pool(t), "ALTER SYSTEM SET synchronous_standby_names = '*'")
	execute(t, p.pool(t), "SELECT pg_reload_conf()")
	until(t, func() bool {
		var state string
		err := p.pool(t).QueryRow(t.Context(), "SELECT coalesce(max(sync_state), '') FROM pg_stat_replication").Scan(&state)
		if err != nil {
			t.Fatal(err)
		}
		return state == "sync"
	})

	p.uri = with(t, p.uri, "synchronous_commit", "local")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	seen := map[int64]bool{}
	var newest sequence.Stamp
	var wg sync.WaitGroup
	for range 8 {
		own := p.mustOpen(t)
		seq, stamper := sequence.New(own, "k"), sequence.NewStamper(own, "k")
		for range 2 {
			wg.Go(func() {
				for {
					n, err := seq.Next(ctx)
					if err != nil {
						return
					}
					mu.Lock()
					seen[n.Ordinal] = true
					mu.Unlock()
				}
			})
		}
		wg.Go(func() {
			for {
				st, err := stamper.Next(ctx)
				if err != nil {
					return
				}
				mu.Lock()
				if st.Compare(newest) > 0 {
					newest = st
				}
				mu.Unlock()
			}
		})
	}
	drawn := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(seen)
	}
	until(t, func() bool { return drawn() > 2000 })
	// The standby stops listening. A number that a caller gets now came too early.
	var receiver int
	if err := standby.pool(t).QueryRow(t.Context(), "SELECT pid FROM pg_stat_wal_receiver").Scan(&receiver); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(receiver, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(receiver, syscall.SIGCONT)
	for stopped, begin := drawn(), time.Now(); drawn() < stopped+1000 && time.Since(begin) < time.Second; {
		time.Sleep(time.Millisecond)
	}
	server.Kill()
	syscall.Kill(receiver, syscall.SIGCONT)
	cancel()
	wg.Wait()

	pool := standby.pool(t)
	execute(t, pool, "SELECT pg_promote(false)")
	until(t, func() bool { // the replay may cancel the query
		var replaying bool
		err := pool.QueryRow(t.Context(), "SELECT pg_is_in_recovery()").Scan(&replaying)
		return err == nil && !replaying
	})
	s := standby.mustOpen(t)
	for _, n := range take(t, s, 500) {
		if seen[n.Ordinal] {
			t.Fatalf("number %d came twice", n.Ordinal)
		}
	}
	st, err := sequence.NewStamper(s, "k").Next(t.Context())
	if err != nil || st.Compare(newest) <= 0 {
		t.Errorf("stamp %v after %v, %v", st, newest, err)
	}
	t.Logf("%d numbers before the failover", len(seen))
}
