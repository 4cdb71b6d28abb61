package postgres

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// StartStandby copies the server of dsn, which is of [System], and has the copy follow it,
// until the end of the test. It returns the DSN of the copy.
func StartStandby(t testing.TB, dsn string) string {
	t.Helper()
	programs := map[string]string{}
	for _, name := range []string{"postgres", "pg_basebackup"} {
		path, err := Find(name)
		if err != nil {
			daemon.Skip(t, err)
		}
		programs[name] = path
	}
	folder, err := daemon.NewFolder(daemon.Memory(), "oidkit-standby", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	data := filepath.Join(folder.Path, "data")
	if err := folder.Do(programs["pg_basebackup"], "--pgdata="+data, "--write-recovery-conf", "--wal-method=stream",
		"--checkpoint=fast", "--no-sync", "--dbname="+dsn); err != nil {
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
	server, err := folder.Start(func() error {
		conn, err := pgx.Connect(context.Background(), u.String())
		if err != nil {
			return err
		}
		return conn.Close(context.Background())
	}, programs["postgres"], "-D", data, "-p", fmt.Sprint(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+folder.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(syscall.SIGQUIT) })
	return u.String()
}
