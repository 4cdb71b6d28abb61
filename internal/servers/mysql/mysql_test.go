package mysql_test

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
)

// each runs test on each engine.
func each(t *testing.T, test func(t *testing.T, e *mysqlserver.Engine)) {
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) { test(t, e) })
	}
}

func open(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestKilledServerKeepsWhatWasCommitted(t *testing.T) {
	each(t, func(t *testing.T, e *mysqlserver.Engine) {
		s := e.Start(t)
		db := open(t, s.DSN)
		if _, err := db.Exec("create table kept (n int primary key)"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("insert into kept values (1)"); err != nil {
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
	})
}

func TestDatabasesAreApart(t *testing.T) {
	each(t, func(t *testing.T, e *mysqlserver.Engine) {
		for range 2 {
			if _, err := open(t, e.Database(t)).Exec("create table t (n int)"); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestAnEngineIsWhatItsServerSays(t *testing.T) {
	each(t, func(t *testing.T, e *mysqlserver.Engine) {
		var version string
		if err := open(t, e.Database(t)).QueryRow("select version()").Scan(&version); err != nil {
			t.Fatal(err)
		}
		if isMySQL := !strings.Contains(version, "MariaDB") && !strings.Contains(version, "TiDB"); isMySQL != (e == mysqlserver.MySQL) {
			t.Errorf("the engine %s runs version %s", e.Name, version)
		}
	})
}

// TestMain plays the programs that end before their servers do.
func TestMain(m *testing.M) {
	mysql.SetLogger(&mysql.NopLogger{}) // it would log every lost connection
	if engine, way, ok := strings.Cut(os.Getenv("OIDKIT_TEST_END"), " "); ok {
		endWithAServer(engine, way)
	}
	os.Exit(m.Run())
}

func endWithAServer(engine, way string) {
	for _, e := range mysqlserver.Engines() {
		if e.Name != engine {
			continue
		}
		s, err := e.Run()
		if err != nil {
			panic(err)
		}
		fmt.Println(s.DSN)
		if way == "panic" {
			panic("the test panics")
		}
		time.Sleep(time.Minute)
	}
}

// publicFolder returns a folder for temporary files that every user can read, and sets TMPDIR.
func publicFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp(daemon.Memory(), "oidkit-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", folder)
	return folder
}

// left returns what is in the folder, apart from locks, once it is empty or a minute later.
func left(t *testing.T, folder string) []string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		names, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, ".lock") })
		if len(names) == 0 || time.Now().After(deadline) {
			return names
		}
	}
}

func own(t *testing.T) {
	t.Helper()
	if os.Getenv(mysqlserver.DSNVariable) != "" {
		daemon.Skip(t, daemon.NotOurs(mysqlserver.DSNVariable))
	}
}

// A server that doesn't start says why, with the end of its log, and leaves nothing behind.
func TestAServerThatDoesNotStartShowsItsLog(t *testing.T) {
	own(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	folder := publicFolder(t)
	each(t, func(t *testing.T, e *mysqlserver.Engine) {
		for _, tt := range []struct{ setting, want string }{
			{"--no-such-option=1", "no-such-option"},
			{"--port=" + port, "Do you already have another"}, // … server running on port: 40001 ?
		} {
			s, err := e.Run(tt.setting)
			if err == nil {
				s.Close()
				t.Errorf("Run(%s): it started", tt.setting)
				continue
			}
			if errors.Is(err, daemon.ErrNotInstalled) {
				daemon.Skip(t, err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Run(%s) = %v, want the log with %q", tt.setting, err, tt.want)
			}
		}
		if names := left(t, folder); len(names) > 0 {
			t.Errorf("left behind: %q", names)
		}
	})
}

// TestNothingIsLeftOfAProgramThatEnds has programs end by a panic, by Ctrl-C and by kill -9
// while their servers run.
func TestNothingIsLeftOfAProgramThatEnds(t *testing.T) {
	own(t)
	folder := publicFolder(t)
	each(t, func(t *testing.T, e *mysqlserver.Engine) {
		for way, end := range map[string]os.Signal{"panic": nil, "interrupt": os.Interrupt, "kill": os.Kill} {
			e.Database(t) // skips if there is no such server
			program := exec.Command(os.Args[0])
			program.Env = append(os.Environ(), "OIDKIT_TEST_END="+e.Name+" "+way)
			out, err := program.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			dsn, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatalf("%s: no server: %v", way, err)
			}
			if end != nil {
				program.Process.Signal(end)
			}
			if program.Wait() == nil {
				t.Errorf("%s: the program ended without an error", way)
			}
			if names := left(t, folder); len(names) > 0 {
				t.Errorf("%s: left behind: %q", way, names)
			}
			if err := open(t, strings.TrimSpace(dsn)).Ping(); err == nil {
				t.Errorf("%s: the server answers", way)
			}
		}
	})
}

// A DSN that is wrong, or that nobody answers, is named by the error of the first test.
func TestAWrongDSNIsNamed(t *testing.T) {
	for dsn, want := range map[string]string{
		"localhost":                   mysqlserver.DSNVariable + ": invalid DSN",
		"root@tcp(127.0.0.1:1)/mysql": "connection refused",
	} {
		program := exec.Command(os.Args[0], "-test.run=^TestDatabasesAreApart$")
		program.Env = append(os.Environ(), mysqlserver.DSNVariable+"="+dsn)
		if out, err := program.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("tests with %s=%s: %v, want %q:\n%s", mysqlserver.DSNVariable, dsn, err, want, out)
		}
	}
}
