package mongodb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/sid"
)

// An engine is what stores the data of a server of ours.
type engine interface {
	// start starts the server with the data of its last run.
	start() (*gateway, error)
	// kill ends what of the server is not the gateway by kill -9.
	kill() error
	// close ends what of the server is not the gateway.
	close() error
}

// sqlite is the engine of FerretDB 1, which is in the gateway's process. It is a folder of
// files.
type sqlite struct {
	dir    string
	folder *daemon.Folder // of dir, nil if dir is the caller's
}

// newSQLite returns an engine with its data in dir, or in a temporary folder if dir is "".
func newSQLite(dir string) (sqlite, error) {
	if dir != "" {
		return sqlite{dir: dir}, nil
	}
	folder, err := daemon.NewFolder("", "oidkit-mongodb")
	if err != nil {
		return sqlite{}, err
	}
	e := sqlite{filepath.Join(folder.Path, "data"), folder}
	return e, os.Mkdir(e.dir, 0o755)
}

func (e sqlite) start() (*gateway, error) {
	g, err := startGateway(ferretDB1, e.dir)
	if err != nil || e.folder == nil {
		return g, err
	}
	// For the watchdog, which removes the folder after the gateway's end.
	return g, os.WriteFile(e.pidFile(), fmt.Appendln(nil, g.cmd.Process.Pid), 0o644)
}

func (e sqlite) kill() error {
	if e.folder != nil {
		os.Remove(e.pidFile())
	}
	return nil
}

func (e sqlite) pidFile() string { return filepath.Join(e.folder.Path, "pid") }

func (e sqlite) close() error {
	if e.folder == nil {
		return nil
	}
	return e.folder.Close()
}

// documentDB is a PostgreSQL with the extension documentdb. Its gateway is FerretDB 2.
type documentDB struct {
	*daemon.Instance
	url    string
	state  string // the folder of what the gateway stores about itself
	killed bool
}

// newDocumentDB starts the PostgreSQL, whose data is in memory where [daemon.Memory] finds
// some.
func newDocumentDB() (*documentDB, error) {
	e := new(documentDB)
	var err error
	e.Instance, err = daemon.NewInstance(daemon.Memory(), "oidkit-documentdb", "postgres", syscall.SIGQUIT, e.prepare)
	if err != nil {
		return nil, fmt.Errorf("DocumentDB: %w", err)
	}
	return e, nil
}

// prepare makes the PostgreSQL's data in the folder. It returns the function that starts it.
func (e *documentDB) prepare(folder *daemon.Folder) (func() (*daemon.Server, error), error) {
	program := func(name string) (path string) {
		return filepath.Join(filepath.Dir(sid.DocumentDB.Program), name)
	}
	initdb, errInit := sid.DocumentDB.Script(program("initdb"))
	postgres, errServer := sid.DocumentDB.Script(program("postgres"))
	psql, errClient := sid.DocumentDB.Script(program("psql"))
	if err := errors.Join(errInit, errServer, errClient); err != nil {
		return nil, errServer
	}
	data := filepath.Join(folder.Path, "data")
	if err := folder.Do(initdb, "--pgdata="+data, "--username=postgres", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync"); err != nil {
		return nil, err
	}
	port, err := daemon.FreePort()
	if err != nil {
		return nil, err
	}
	e.url = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres", port)
	e.state = filepath.Join(folder.Path, "gateway")
	if err := os.Mkdir(e.state, 0o755); err != nil {
		return nil, err
	}
	extend := func() error {
		return folder.Do(psql, e.url, "--no-psqlrc", "--quiet", "--command=SET client_min_messages = warning",
			"--command=CREATE EXTENSION IF NOT EXISTS documentdb CASCADE")
	}
	return func() (*daemon.Server, error) {
		return folder.Start(extend, postgres, "-D", data, "-p", fmt.Sprint(port),
			"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+folder.Path, "-c", "max_connections=300",
			"-c", "dynamic_shared_memory_type=mmap", // in the folder: a killed server doesn't remove it
			"-c", "shared_preload_libraries=pg_cron,pg_documentdb_core,pg_documentdb",
			"-c", "cron.database_name=postgres", "-c", "cron.use_background_workers=on")
	}, nil
}

func (e *documentDB) start() (*gateway, error) {
	if e.killed {
		if err := e.Restart(); err != nil {
			return nil, err
		}
		e.killed = false
	}
	return startGateway(ferretDB2, e.url, e.state)
}

func (e *documentDB) kill() error {
	e.killed = true
	return e.Kill()
}

func (e *documentDB) close() error { return e.Close() }
