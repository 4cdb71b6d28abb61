package postgres

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// StartBouncer runs a pgbouncer in transaction mode before the database of dsn, until
// the test ends. It keeps no named statements, and has two connections to the server. It
// returns the DSN through it.
func StartBouncer(t testing.TB, dsn string) string {
	t.Helper()
	path, err := daemon.Find("pgbouncer")
	if err != nil {
		daemon.Skip(t, fmt.Errorf("pgbouncer (Debian: apt-get install pgbouncer): %w", err))
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Skipf("a DSN that is not a URL: %v", err)
	}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := daemon.NewFolder("", "oidkit-pgbouncer", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	port, err := daemon.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	users, ini := filepath.Join(folder.Path, "users"), filepath.Join(folder.Path, "pgbouncer.ini")
	for file, text := range map[string]string{
		users: fmt.Sprintf("%q %q\n", config.User, config.Password),
		ini: fmt.Sprintf("[databases]\n%s = host=%s port=%d\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\n"+
			"unix_socket_dir = %s\nauth_type = trust\nauth_file = %s\npool_mode = transaction\ndefault_pool_size = 2\n",
			config.Database, config.Host, config.Port, port, folder.Path, users),
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	u.Host = fmt.Sprintf("127.0.0.1:%d", port)
	server, err := folder.Start(func() error {
		conn, err := pgx.Connect(context.Background(), u.String())
		if err != nil {
			return err
		}
		return conn.Close(context.Background())
	}, path, ini)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(syscall.SIGQUIT) })
	return u.String()
}
