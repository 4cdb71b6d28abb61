package sequence_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/sequence"
)

// bouncer runs a pgbouncer in transaction mode, which keeps no named statements, before
// the database of dsn. It returns the DSN through it.
func bouncer(t *testing.T, dsn string) string {
	t.Helper()
	path, err := daemon.Find("pgbouncer")
	if err != nil {
		daemon.Skip(t, fmt.Errorf("pgbouncer (Debian: apt-get install pgbouncer): %w", err))
	}
	folder, err := daemon.NewFolder("oidkit-pgbouncer", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	port, err := daemon.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	users, ini := filepath.Join(folder.Path, "users"), filepath.Join(folder.Path, "pgbouncer.ini")
	for file, text := range map[string]string{
		users: fmt.Sprintf("%q %q\n", config.User, config.Password),
		ini: fmt.Sprintf("[databases]\n%s = host=%s port=%d\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\n"+
			"unix_socket_dir = %s\nauth_type = trust\nauth_file = %s\npool_mode = transaction\ndefault_pool_size = 3\n",
			config.Database, config.Host, config.Port, port, folder.Path, users),
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Skipf("a DSN that is not a URL: %v", err)
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

// TestPgbouncerNeedsNoSettings draws through pgbouncer with pgx at its defaults, from
// several programs, which share flushes.
func TestPgbouncerNeedsNoSettings(t *testing.T) {
	direct := postgres(t)
	create(t, direct.mustOpen(t), 1, 99)
	p := place{kind: "postgres", uri: bouncer(t, direct.uri)}
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	for range 4 {
		s := p.mustOpen(t)
		seq, stamper := sequence.New(s, "k", sequence.WithRetry(0)), sequence.NewStamper(s, "k", sequence.WithRetry(0))
		for range 3 {
			wg.Go(func() {
				for range 50 {
					n, err := seq.Next(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if seen[n.Ordinal] {
						t.Errorf("number %d came twice", n.Ordinal)
					}
					seen[n.Ordinal] = true
					mu.Unlock()
					if _, err := stamper.Next(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	if len(seen) != 600 {
		t.Errorf("%d numbers", len(seen))
	}
}
