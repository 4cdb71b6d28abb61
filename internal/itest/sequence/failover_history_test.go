package sequence_test

import (
	"database/sql"
	"net/url"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/wire"
)

// TestFailover kills a server while programs draw, and has them go on with its standby or
// replica, at the same address. The replica is behind: it stopped hearing of draws before.
//
// Nothing comes twice with a synchronous standby. An asynchronous one doesn't have the last
// numbers. A program then jumps over what it has seen. So only those few come again that
// other programs drew since its last draw.
//
// A short run has each store and each kind of standby once.
func TestFailover(t *testing.T) {
	parallel(t)
	for _, store := range []string{"postgres", "sql postgres"} {
		t.Run(store, func(t *testing.T) {
			parallel(t)
			if long || store == "sql postgres" {
				t.Run("synchronous", func(t *testing.T) {
					parallel(t)
					if v, _ := failover(t, "sync", startStandby(t, store, true)); v.repeats+v.disorder+v.wrong > 0 {
						t.Errorf("%+v", v)
					}
				})
			}
			if long || store == "postgres" {
				t.Run("asynchronous", func(t *testing.T) {
					parallel(t)
					failoverBehind(t, "async", startStandby(t, store, false))
				})
			}
		})
	}
	for kind, engine := range likeMySQL {
		t.Run(kind, func(t *testing.T) {
			parallel(t)
			failoverBehind(t, "delayed", startDelayed(t, kind, engine))
		})
	}
}

// A successor takes over from a server that is killed.
type successor struct {
	place                          // of the server, migrated
	address string                 // of the successor
	behind  func(h *history) error // has it stop hearing of draws
	kill    func() error           // kills the server
	promote func() error
}

// startStandby starts a PostgreSQL and its standby.
func startStandby(t *testing.T, store string, synchronous bool) successor {
	server := slowFlush(t)
	p := place{Kind: store, URI: server.DSN}
	if err := p.store(t).migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	db := p.db(t)
	source, link := p.through(t)
	standby := pgserver.StartStandby(t, source.URI)
	state := "async"
	if synchronous {
		state = "sync"
		execute(t, db, "ALTER SYSTEM SET synchronous_standby_names = '*'")
		execute(t, db, "SELECT pg_reload_conf()")
	}
	await(t, db, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = '"+state+"' AND state = 'streaming'")
	u, err := url.Parse(standby)
	if err != nil {
		t.Fatal(err)
	}
	replica := place{Kind: "sql postgres", URI: standby}.db(t)
	return successor{p, u.Host, func(h *history) error {
		link.Break(wire.Silence)
		if synchronous {
			time.Sleep(pick(200*time.Millisecond, time.Second)) // what callers get now came too early
		} else {
			h.more(t, pick(300, 1400)) // lost
		}
		return nil
	}, server.Kill, func() error {
		_, err := replica.Exec("SELECT pg_promote(true, 60)")
		return err
	}}
}

// startDelayed starts a server like MySQL and a replica, which is delayed later.
func startDelayed(t *testing.T, kind string, engine *mysqlserver.Engine) successor {
	replica := engine.StartReplica(t)
	p := place{Kind: kind, URI: replica.Source.DSN}
	if err := p.store(t).migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return successor{p, address(t, replica.Server), func(h *history) error {
		if err := replica.Delay(); err != nil {
			return err
		}
		h.more(t, pick(300, 1400)) // lost
		return nil
	}, replica.Source.Kill, replica.Promote}
}

// failoverBehind fails over to a successor that lacks the last numbers.
func failoverBehind(t *testing.T, state string, s successor) {
	v, lost := failover(t, state, s)
	if lost == 0 {
		t.Error("no program noticed that the server went back")
	}
	// A program may meet what the others drew since its last draw: not many.
	if v.wrong > 0 || v.repeats > 4*8 {
		t.Errorf("%d lost: %+v", lost, v)
	}
}

func failover(t *testing.T, state string, s successor) (v verdict, lost int64) {
	p, w := s.through(t)
	h := begin(t, state+" failover", p, 4, 8, nil)
	h.suffer(t, 1, pick(400, 20_000), func(int) error {
		if err := s.behind(h); err != nil {
			return err
		}
		if err := s.kill(); err != nil {
			return err
		}
		if err := s.promote(); err != nil {
			return err
		}
		w.To(s.address)
		return nil
	})
	v = h.end(t)
	t.Logf("%s: the server went back by %d", state, h.lost.Load())
	if n := h.failed.Load(); n > 0 {
		t.Errorf("%d calls failed, the last with: %v", n, h.last)
	}
	return v, h.lost.Load()
}

// await waits until a query counts something.
func await(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var n int
		if err := db.QueryRow(query).Scan(&n); err == nil && n > 0 {
			return
		} else if time.Now().After(end) {
			t.Fatalf("%s: %d, %v", query, n, err)
		}
	}
}

// address returns the host and port of a node.
func address(t *testing.T, node *mysqlserver.Server) string {
	t.Helper()
	config, err := mysql.ParseDSN(node.DSN)
	if err != nil {
		t.Fatal(err)
	}
	return config.Addr
}
