package sequence_test

import (
	"database/sql"
	"net/url"
	"testing"
	"time"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/wire"
)

// TestFailover kills a PostgreSQL while programs draw, and has them go on with its standby,
// at the same address. The standby is behind: it stopped hearing of draws before.
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
					if v, _ := failover(t, store, true); v.repeats+v.disorder+v.wrong > 0 {
						t.Errorf("%+v", v)
					}
				})
			}
			if long || store == "postgres" {
				t.Run("asynchronous", func(t *testing.T) {
					parallel(t)
					v, lost := failover(t, store, false)
					if lost == 0 {
						t.Error("no program noticed that the server went back")
					}
					// A program may meet what the others drew since its last draw: not many.
					if v.wrong > 0 || v.repeats > 4*8 {
						t.Errorf("%d lost: %+v", lost, v)
					}
				})
			}
		})
	}
}

func failover(t *testing.T, store string, synchronous bool) (v verdict, lost int64) {
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
	replica := place{Kind: "sql postgres", URI: standby}.db(t)
	u, err := url.Parse(standby)
	if err != nil {
		t.Fatal(err)
	}
	p, w := p.through(t)
	h := begin(t, state+" failover", p, 4, 8, nil)
	h.suffer(t, 1, pick(400, 20_000), func(int) error {
		link.Break(wire.Silence)
		if synchronous {
			time.Sleep(pick(200*time.Millisecond, time.Second)) // what callers get now came too early
		} else {
			h.more(t, pick(300, 1400)) // lost
		}
		if err := server.Kill(); err != nil {
			return err
		}
		if _, err := replica.Exec("SELECT pg_promote(true, 60)"); err != nil {
			return err
		}
		w.To(u.Host)
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
