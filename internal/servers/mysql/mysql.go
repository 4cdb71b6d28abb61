// Package mysql gives tests a real MySQL and a real MariaDB. Each is an [Engine]. It starts in
// a temporary folder on a free port, with everything at its defaults, and is removed at the
// end. MySQL comes from Debian's suite sid (see package sid), MariaDB from the Debian package
// mariadb-server.
//
// OIDKIT_MYSQL_DSN, in the form of github.com/go-sql-driver/mysql, points the tests
// at your own MySQL or MariaDB instead. Its user must be allowed to create databases.
package mysql

import (
	"cmp"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// DSNVariable is the name of the environment variable with the DSN of your own server.
const DSNVariable = "OIDKIT_MYSQL_DSN"

// An Engine is a kind of server that speaks MySQL's protocol.
type Engine struct {
	// Name is in lower case, for subtests: mysql, mariadb or tidb.
	Name string

	// prepare makes a server's data in the folder, for a server that starts with settings. It
	// returns the program that runs the server, and its first arguments.
	prepare func(folder *daemon.Folder, data string, settings []string) (program string, args []string, err error)
	// owner is the user who runs the server, if the caller is root.
	owner string
	// shared starts the server of [Engine.Database] at its first call. The watchdog of its
	// folder stops it when the test binary ends. Nobody kills it, so it needs neither fsync
	// nor a disk.
	shared func() (*Server, error)
}

// String returns the name as its maker writes it.
func (e *Engine) String() string {
	return map[*Engine]string{MySQL: "MySQL", MariaDB: "MariaDB", TiDB: "TiDB"}[e]
}

// The engines. A TiDB can't be started here, but can be the server of OIDKIT_MYSQL_DSN.
var (
	MySQL   = newEngine("mysql", "root", prepareMySQL)
	MariaDB = newEngine("mariadb", "mysql", prepareMariaDB)
	TiDB    = newEngine("tidb", "", func(*daemon.Folder, string, []string) (string, []string, error) {
		return "", nil, fmt.Errorf("TiDB (set %s): %w", DSNVariable, daemon.ErrNotInstalled)
	})
)

func newEngine(name, owner string, prepare func(*daemon.Folder, string, []string) (string, []string, error)) *Engine {
	e := &Engine{Name: name, owner: owner, prepare: prepare}
	e.shared = sync.OnceValues(func() (*Server, error) {
		return e.run(daemon.Memory(), "--innodb-flush-method=nosync", "--max-connections=400")
	})
	return e
}

// Engines returns the engines that tests run on: MySQL and MariaDB, or the one of the server
// that OIDKIT_MYSQL_DSN names.
func Engines() []*Engine {
	if os.Getenv(DSNVariable) != "" {
		return []*Engine{external()}
	}
	return []*Engine{MySQL, MariaDB}
}

// external returns the engine of the server of OIDKIT_MYSQL_DSN. If the server doesn't answer,
// external returns MySQL, and the test's first statement says why.
var external = sync.OnceValue(func() *Engine {
	var version string
	if db, err := sql.Open("mysql", os.Getenv(DSNVariable)); err == nil {
		defer db.Close()
		db.QueryRow("select version()").Scan(&version)
	}
	for _, e := range []*Engine{MariaDB, TiDB} {
		if strings.Contains(strings.ToLower(version), e.Name) {
			return e
		}
	}
	return MySQL
})

// externalDSN returns the DSN of the server that tests of e use in place of one of their own,
// or "". If OIDKIT_MYSQL_DSN names a server of another engine, it skips the test.
func (e *Engine) externalDSN(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv(DSNVariable)
	if dsn != "" && external() != e {
		daemon.Skip(t, fmt.Errorf("%s (%s names another server): %w", e.Name, DSNVariable, daemon.ErrUnobtainable))
	}
	return dsn
}

// A Server is a running server.
type Server struct {
	// DSN is for github.com/go-sql-driver/mysql. It names a database and sets
	// parseTime=true.
	DSN string

	*daemon.Instance

	data string // the folder of a server that the process runs
}

// Run starts a server with further arguments, whose data is on disk. The caller has to
// close it.
func (e *Engine) Run(settings ...string) (*Server, error) { return e.run("", settings...) }

// run starts a server with further settings, whose data is in the folder parent.
func (e *Engine) run(parent string, settings ...string) (*Server, error) {
	s, config, err := e.start(parent, func() []string { return settings })
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

// start starts a server that has no database yet. It asks for further settings at each start.
func (e *Engine) start(parent string, settings func() []string) (*Server, *mysql.Config, error) {
	s, config := new(Server), mysql.NewConfig()
	var err error
	s.Instance, err = daemon.NewInstance(parent, "oidkit-"+e.Name, cmp.Or(e.owner, "nobody"), syscall.SIGKILL, func(folder *daemon.Folder) (func() (*daemon.Server, error), error) {
		data := filepath.Join(folder.Path, "data")
		s.data = data
		program, args, err := e.prepare(folder, data, settings())
		if err != nil {
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
		args = append(args, "--datadir="+data, "--bind-address=127.0.0.1", fmt.Sprintf("--port=%d", port),
			"--socket="+filepath.Join(folder.Path, "socket"), "--pid-file="+filepath.Join(data, "pid"))
		return func() (*daemon.Server, error) {
			return folder.Start(s.ping, program, slices.Concat(args, settings())...)
		}, nil
	})
	return s, config, err
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

// ping reports whether the server answers, and no other one at its port.
func (s *Server) ping() error {
	db, err := sql.Open("mysql", s.DSN)
	if err != nil {
		return err
	}
	defer db.Close()
	var data string
	if err := db.QueryRow("select @@datadir").Scan(&data); err != nil || filepath.Clean(data) == s.data {
		return err
	}
	return fmt.Errorf("another server answers, with its data in %s", data)
}

// Start starts a server with further arguments only for this test, which may kill it, and
// closes it at the test's end. Its data is in memory where [daemon.Memory] finds some; that
// of [Engine.Run] is on disk. If OIDKIT_MYSQL_DSN is set, Start makes a database on that
// server, without the arguments, and Kill returns an error.
//
// A test that doesn't kill its server is faster with [Engine.Database].
func (e *Engine) Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	if dsn := e.externalDSN(t); dsn != "" {
		return &Server{DSN: database(t, dsn), Instance: daemon.External(DSNVariable)}
	}
	return daemon.Own(t, func() (*Server, error) { return e.run(daemon.Memory(), settings...) })
}

// StartOwn is Start, but skips the test if OIDKIT_MYSQL_DSN is set.
func (e *Engine) StartOwn(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := e.Start(t, settings...)
	if !s.Ours() {
		daemon.Skip(t, daemon.NotOurs(DSNVariable))
	}
	return s
}

// Database returns the DSN of a new, empty database on a server that all tests of
// the binary share, which runs without fsync. It is dropped at the test's end.
func (e *Engine) Database(t testing.TB) string {
	t.Helper()
	dsn := e.externalDSN(t)
	if dsn == "" {
		s, err := e.shared()
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
		t.Fatalf("%s: %v", DSNVariable, err)
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
