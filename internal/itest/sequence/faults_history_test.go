package sequence_test

import (
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/wire"
)

// A breakable is a server of its own, which a test may break.
type breakable struct {
	place
	kill          func() error
	pause, resume func() error // nil where the server is no process
}

// breakables are the stores of which the server can fail.
var breakables = map[string]func(t *testing.T) breakable{
	"postgres": func(t *testing.T) breakable {
		s := slowFlush(t)
		return breakable{place{Kind: "postgres", URI: s.DSN}, s.Restart, s.Pause, s.Resume}
	},
	"sql postgres": func(t *testing.T) breakable {
		s := slowFlush(t)
		return breakable{place{Kind: "sql postgres", URI: s.DSN}, s.Restart, s.Pause, s.Resume}
	},
	"mongo": func(t *testing.T) breakable {
		s := mongodb.Start(t)
		if !s.Ours() {
			daemon.Skip(t, daemon.NotOurs(mongodb.URIVariable))
		}
		kill := func() error {
			if err := s.Kill(); err != nil {
				return err
			}
			return s.Restart()
		}
		return breakable{place: place{Kind: "mongo", URI: s.URI, Name: s.Database}, kill: kill}
	},
}

// slowFlush starts a PostgreSQL whose disk takes 3 ms for a flush, and which writes
// nothing by itself for 10 s. So what nobody waited for is lost when it is killed. Its
// sessions don't wait by themselves.
func slowFlush(t *testing.T) *pgserver.Server {
	t.Helper()
	s := pgserver.Start(t)
	db := place{Kind: "sql postgres", URI: s.DSN}.db(t)
	for _, setting := range []string{"commit_delay = 3000", "commit_siblings = 0", "wal_writer_delay = '10s'", "synchronous_commit = off"} {
		execute(t, db, "ALTER SYSTEM SET "+setting)
	}
	if err := s.Restart(); err != nil {
		daemon.Skip(t, err)
	}
	return s
}

// TestNoNumberComesTwiceWhenTheServerFails kills servers, stops them as SIGSTOP does, cuts
// their connections in five ways, and has them go silent.
func TestNoNumberComesTwiceWhenTheServerFails(t *testing.T) {
	parallel(t)
	for kind, start := range breakables {
		t.Run(kind, func(t *testing.T) {
			parallel(t)
			b := start(t)
			p, w := b.through(t)
			if err := p.store(t).migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			programs, callers := pick(3, 8), pick(4, 24)
			kills, cuts, silences, stops := pick(1, 6), pick(5, 50), pick(1, 3), pick(1, 4)
			between := pick(60, 15_000)
			if long && kind == "mongo" { // FerretDB does one write at a time
				between = 3_000
			}

			h := begin(t, "SIGKILL", p, programs, callers, nil)
			h.suffer(t, kills, between, func(int) error { return b.kill() })

			h = h.then(t, "connections cut")
			ways := []wire.Fault{wire.Cut, wire.LostRequest, wire.HalfRequest, wire.LostAnswer, wire.HalfAnswer}
			h.suffer(t, cuts, pick(20, between/8), func(i int) error { w.Break(ways[i%len(ways)]); return nil })

			h = h.then(t, "connections silent")
			h.suffer(t, silences, between, func(int) error { w.Break(wire.Silence); return nil })
			w.Break(wire.Cut) // drivers would say good-bye to each silent connection for long

			if b.pause != nil {
				h = h.then(t, "SIGSTOP, SIGCONT")
				h.suffer(t, stops, between, func(i int) error {
					if err := b.pause(); err != nil {
						return err
					}
					time.Sleep(pick(300*time.Millisecond, time.Duration(1+2*i)*time.Second))
					return b.resume()
				})
			}
			h.clean(t)
		})
	}
}
