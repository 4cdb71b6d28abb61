// Package mariadb gives tests a real MariaDB. It starts the installed one
// (Debian: mariadb-server) in a temporary folder on a free port, with everything
// at its defaults, and removes it at the end.
//
// OIDKIT_MYSQL_DSN, in the form of github.com/go-sql-driver/mysql, points the tests
// at your own MariaDB or MySQL instead. Its user must be allowed to create databases.
package mariadb

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// DSNVariable is the name of the environment variable with the DSN of your own server.
const DSNVariable = "OIDKIT_MYSQL_DSN"

// A Server is a MariaDB.
type Server struct {
	// DSN is for github.com/go-sql-driver/mysql. It names a database and sets
	// parseTime=true.
	DSN string

	*daemon.Instance
}

// Run starts a server. The caller has to close it.
func Run() (*Server, error) { return run("") }

// run starts a server with further settings, whose data is in the folder parent.
func run(parent string, settings ...string) (*Server, error) {
	config := mysql.NewConfig()
	s := new(Server)
	var err error
	s.Instance, err = daemon.NewInstance(parent, "oidkit-mariadb", "mysql", syscall.SIGKILL, func(folder *daemon.Folder) (func() (*daemon.Server, error), error) {
		return prepare(s, config, folder, func() []string { return settings })
	})
	if err != nil {
		return nil, err
	}
	if err := exec(s.DSN, "create database test"); err != nil {
		s.Close()
		return nil, err
	}
	config.DBName = "test"
	s.DSN = config.FormatDSN()
	return s, nil
}

// prepare makes the data of s in the folder. It returns the function that starts s, each
// time with further settings.
func prepare(s *Server, config *mysql.Config, folder *daemon.Folder, settings func() []string) (func() (*daemon.Server, error), error) {
	mariadbd, err := find("mariadbd")
	if err != nil {
		return nil, err
	}
	install, err := find("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(folder.Path, "data")
	if err := folder.Do(install, "--no-defaults", "--datadir="+data,
		"--auth-root-authentication-method=normal", "--skip-test-db"); err != nil {
		return nil, err
	}
	port, err := daemon.FreePort()
	if err != nil {
		return nil, err
	}
	config.User, config.Net, config.Addr = "root", "tcp", fmt.Sprintf("127.0.0.1:%d", port)
	config.ParseTime = true
	config.DBName = "mysql"
	s.DSN = config.FormatDSN()
	args := []string{"--no-defaults", "--datadir=" + data,
		"--bind-address=127.0.0.1", fmt.Sprintf("--port=%d", port),
		"--socket=" + filepath.Join(folder.Path, "socket"), "--pid-file=" + filepath.Join(data, "pid")}
	return func() (*daemon.Server, error) {
		return folder.Start(s.ping, mariadbd, append(args[:len(args):len(args)], settings()...)...)
	}, nil
}

func find(program string) (string, error) {
	path, err := daemon.Find(program)
	if err != nil {
		return "", fmt.Errorf("MariaDB (Debian: apt-get install mariadb-server, or set %s): %w", DSNVariable, err)
	}
	return path, nil
}

// exec runs one statement on a new connection.
func exec(dsn, statement string) error {
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

func (s *Server) ping() error { return exec(s.DSN, "select 1") }

// Start starts a server only for this test, which may kill it, and closes it at the
// test's end. Its data is in memory where [daemon.Memory] finds some; that of [Run] is on
// disk. If OIDKIT_MYSQL_DSN is set, Start makes a database on that server, and
// Kill returns an error.
//
// A test that doesn't kill its server is faster with [Database].
func Start(t testing.TB) *Server {
	t.Helper()
	return StartWith(t)
}

// StartWith is [Start] with further arguments of the server. A server of OIDKIT_MYSQL_DSN
// doesn't have them.
func StartWith(t testing.TB, settings ...string) *Server {
	t.Helper()
	if dsn := os.Getenv(DSNVariable); dsn != "" {
		return &Server{DSN: database(t, dsn), Instance: daemon.External(DSNVariable)}
	}
	return daemon.Own(t, func() (*Server, error) { return run(daemon.Memory(), settings...) })
}

// shared is the server that the tests of a binary share. Its folder's watchdog
// stops it when the binary ends. Nobody kills it, so it needs neither fsync nor a disk.
var shared = sync.OnceValues(func() (*Server, error) { return run(daemon.Memory(), "--innodb-flush-method=nosync") })

// Database returns the DSN of a new, empty database on a server that all tests of
// the binary share, which runs without fsync. It is dropped at the test's end.
func Database(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv(DSNVariable)
	if dsn == "" {
		s, err := shared()
		if err != nil {
			daemon.Skip(t, err)
		}
		dsn = s.DSN
	}
	return database(t, dsn)
}

// database makes a database on the server of dsn and returns dsn with its name.
func database(t testing.TB, dsn string) string {
	t.Helper()
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.ParseTime = true
	name := daemon.DatabaseName()
	do := func(statement string) {
		t.Helper()
		if err := exec(dsn, statement); err != nil {
			t.Fatal(err)
		}
	}
	do("create database " + name)
	t.Cleanup(func() { do("drop database if exists " + name) })
	config.DBName = name
	return config.FormatDSN()
}
