package pgxoid_test

import (
	"context"
	"errors"
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
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// startBouncer runs a pgbouncer in transaction mode before the database of dsn, and
// returns the DSN through it.
func startBouncer(t *testing.T, dsn string) string {
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
			"unix_socket_dir = %s\nauth_type = trust\nauth_file = %s\npool_mode = transaction\ndefault_pool_size = 2\n",
			config.Database, config.Host, config.Port, port, folder.Path, users),
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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
	}, path, ini)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(syscall.SIGQUIT) })
	return u.String()
}

// Behind a pooler, the server that answers now needn't be the one that was asked
// before. The modes that the documentation names are right there; pgx's default
// mode isn't, on a pgbouncer before 1.21 or without max_prepared_statements.
func TestPgbouncerInTransactionMode(t *testing.T) {
	direct := postgres.Database(t)
	conn, err := pgx.Connect(t.Context(), direct)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	mustExec(t, conn, sqltype.PostgresSchema())
	mustExec(t, conn, "create table users (id objectid primary key)")
	ids := make([]oid.ID, 1000)
	oid.Fill(ids)
	if _, err := conn.CopyFrom(t.Context(), pgx.Identifier{"users"}, []string{"id"}, &idSource{ids: ids}); err != nil {
		t.Fatal(err)
	}
	dsn := startBouncer(t, direct)

	for _, test := range []struct {
		mode     pgx.QueryExecMode
		register bool
	}{
		{pgx.QueryExecModeCacheDescribe, false},
		{pgx.QueryExecModeCacheDescribe, true},
		{pgx.QueryExecModeExec, true},
		{pgx.QueryExecModeSimpleProtocol, true},
	} {
		t.Run(fmt.Sprintf("%s/registered=%t", test.mode, test.register), func(t *testing.T) {
			var wait sync.WaitGroup
			for client := range 8 {
				wait.Go(func() {
					if err := askThrough(t.Context(), dsn, test.mode, test.register, ids[100*client:]); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
		})
	}
	t.Run("exec without a registration", func(t *testing.T) {
		if askThrough(t.Context(), dsn, pgx.QueryExecModeExec, false, ids) == nil {
			t.Error("slices of ids work unregistered in exec mode: say so in the documentation")
		}
	})
}

// askThrough is one client: it looks single ids and lists of them up.
func askThrough(ctx context.Context, dsn string, mode pgx.QueryExecMode, register bool, ids []oid.ID) error {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return err
	}
	config.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	if register {
		if err := pgxoid.AfterConnect(ctx, conn); err != nil {
			return err
		}
	}
	for i := range 40 {
		var id oid.ID
		if err := conn.QueryRow(ctx, "select id from users where id = $1", ids[i]).Scan(&id); err != nil || id != ids[i] {
			return errors.Join(fmt.Errorf("asked for %v, got %v", ids[i], id), err)
		}
		var n int
		if err := conn.QueryRow(ctx, "select count(*) from users where id = any($1)", ids[:i]).Scan(&n); err != nil || n != i {
			return errors.Join(fmt.Errorf("asked for %d ids, got %d", i, n), err)
		}
	}
	_, err = conn.Exec(ctx, "update users set id = $1 where id = $1", ids[0])
	return err
}
