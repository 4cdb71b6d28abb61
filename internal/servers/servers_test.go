// Package servers_test tests that all servers have the same functions.
package servers_test

import (
	"errors"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
)

// A server is what Start of each package returns.
type server interface {
	Ours() bool
	Kill() error
	Restart() error
	Close() error
}

// shape is what each package has: Start is for tests, Run for programs.
type shape[S server] struct {
	Start func(testing.TB) S
	Run   func() (S, error)
}

func shapeOf(e *mysqlserver.Engine) shape[*mysqlserver.Server] {
	return shape[*mysqlserver.Server]{
		Start: func(t testing.TB) *mysqlserver.Server { return e.Start(t) },
		Run:   func() (*mysqlserver.Server, error) { return e.Run() },
	}
}

var _ = []any{
	shape[*postgres.Server]{postgres.Start, postgres.Run},
	shapeOf(mysqlserver.MySQL),
	shapeOf(mysqlserver.MariaDB),
	shape[*mongodb.Server]{mongodb.Start, mongodb.Run},
}

func TestExternalServersAreNotKilled(t *testing.T) {
	var s server = &postgres.Server{Instance: daemon.External("DSN")}
	for name, call := range map[string]func() error{"Kill": s.Kill, "Restart": s.Restart} {
		if err := call(); !errors.Is(err, daemon.ErrNotInstalled) {
			t.Errorf("%s = %v, want ErrNotInstalled, which skips a test", name, err)
		}
	}
	if s.Ours() {
		t.Error("Ours() = true")
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}
