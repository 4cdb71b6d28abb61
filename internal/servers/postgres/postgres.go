// Package postgres gives tests and examples a real PostgreSQL. It starts the
// installed one (Debian: postgresql) in a temporary folder on a free port, with
// everything at its defaults, and removes it at the end.
//
// OIDKIT_POSTGRES=18 starts PostgreSQL 18 instead, see [Eighteen].
// OIDKIT_POSTGRES_DSN points the tests at your own server. Its user must be allowed to
// create databases.
package postgres

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// dsnVariable is the environment variable with the DSN of your own server.
// versionVariable is the environment variable with the version to start.
const (
	dsnVariable     = "OIDKIT_POSTGRES_DSN"
	versionVariable = "OIDKIT_POSTGRES"
)

// A Server is a PostgreSQL.
type Server struct {
	// DSN is a URL with the superuser of the server and a database.
	DSN string

	*daemon.Instance
}

// Run starts a server. The caller has to close it.
func Run() (*Server, error) { return chosen().run("") }

// run starts a server with further settings, whose data is in the folder parent.
func (i *Installation) run(parent string, settings ...string) (*Server, error) {
	s := new(Server)
	var err error
	s.Instance, err = daemon.NewInstance(parent, "oidkit-postgres", "postgres", syscall.SIGQUIT, func(folder *daemon.Folder) (func() (*daemon.Server, error), error) {
		return i.prepareServer(s, folder, settings)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// prepareServer makes the data of s in the folder. It returns the function that starts s.
func (i *Installation) prepareServer(s *Server, folder *daemon.Folder, settings []string) (func() (*daemon.Server, error), error) {
	find, err := i.prepare(folder)
	if err != nil {
		return nil, err
	}
	postgres, err := find("postgres")
	if err != nil {
		return nil, err
	}
	initdb, err := find("initdb")
	if err != nil {
		return nil, err
	}
	version, err := folder.Command(initdb, "--version").Output()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(folder.Path, "data")
	if err := folder.Fresh(data, string(bytes.TrimSpace(version)), func() error {
		return folder.Do(initdb, "--pgdata="+data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	}); err != nil {
		return nil, err
	}
	port, err := daemon.FreePort()
	if err != nil {
		return nil, err
	}
	s.DSN = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
	args := []string{"-D", data, "-p", fmt.Sprint(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + folder.Path,
		"-c", "dynamic_shared_memory_type=mmap"} // in the folder: a killed server doesn't remove it
	args = append(args, settings...)
	return func() (*daemon.Server, error) { return folder.Start(s.ping, postgres, args...) }, nil
}

// Find returns the path of one of the programs of the system's PostgreSQL.
func Find(program string) (string, error) {
	path, err := daemon.Find(program, "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin")
	if err != nil {
		return "", fmt.Errorf("PostgreSQL (Debian: apt-get install postgresql, or set %s): %w", dsnVariable, err)
	}
	return path, nil
}

func (s *Server) ping() error {
	conn, err := pgx.Connect(context.Background(), s.DSN)
	if err != nil {
		return err
	}
	return conn.Close(context.Background())
}

// Start starts a server only for this test, which may kill it, and closes it at the
// test's end. Its data is in memory where [daemon.Memory] finds some; that of [Run] is on
// disk. If OIDKIT_POSTGRES_DSN is set, Start makes a database on that server, and
// Kill returns an error.
//
// A test that doesn't kill its server is faster with [Database].
func Start(t testing.TB) *Server {
	t.Helper()
	return chosen().Start(t)
}

// Start starts a server of this installation, as [Start] does.
func (i *Installation) Start(t testing.TB) *Server {
	t.Helper()
	if dsn := i.ownServer(); dsn != "" {
		return &Server{DSN: database(t, dsn), Instance: daemon.External(i.dsnVariable)}
	}
	return daemon.Own(t, func() (*Server, error) { return i.run(daemon.Memory()) })
}

// Database returns the DSN of a new, empty database on a server that all tests of
// the binary share, which runs without fsync. It is dropped at the test's end.
func Database(t testing.TB) string {
	t.Helper()
	return chosen().Database(t)
}

// Database returns the DSN of a new database on this installation, as [Database]
// does.
func (i *Installation) Database(t testing.TB) string {
	t.Helper()
	dsn := i.ownServer()
	if dsn == "" {
		s, err := i.shared()
		if err != nil {
			daemon.Skip(t, err)
		}
		dsn = s.DSN
	}
	return database(t, dsn)
}

// Connect returns a connection to a new database, closed at the test's end.
func Connect(t testing.TB) *pgx.Conn {
	t.Helper()
	return chosen().Connect(t)
}

// Connect returns a connection to a new database on this installation, as [Connect]
// does.
func (i *Installation) Connect(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), i.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// database makes a database on the server of dsn and returns dsn with its name.
func database(t testing.TB, dsn string) string {
	t.Helper()
	name := daemon.DatabaseName()
	exec := func(sql, since15 string) {
		t.Helper()
		ctx := context.Background() // t.Context is over when the clean-up runs
		conn, err := pgx.Connect(ctx, dsn)
		if err == nil {
			defer conn.Close(ctx)
			if major(conn) >= 15 {
				sql += since15
			}
			_, err = conn.Exec(ctx, sql)
		}
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	// By default a server writes the new database to its log too, which takes twice as long.
	exec("create database "+name, " strategy file_copy")
	t.Cleanup(func() { exec("drop database if exists "+name+" with (force)", "") })
	if u, err := url.Parse(dsn); err == nil && strings.HasPrefix(u.Scheme, "postgres") {
		u.Path = "/" + name
		return u.String()
	}
	return dsn + " dbname=" + name // the last one counts
}

// major returns the major version of the server, 0 if it doesn't say.
func major(conn *pgx.Conn) (version int) {
	fmt.Sscanf(conn.PgConn().ParameterStatus("server_version"), "%d", &version)
	return version
}
