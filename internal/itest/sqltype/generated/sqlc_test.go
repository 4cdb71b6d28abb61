//go:build nightly

package generated_test

import (
	"fmt"
	gobuild "go/build"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/itest/overlay"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sqltype"
	_ "github.com/oidkit/oidkit/sqltype/pgxoid" // the program has it: run again when it changes
)

func TestSqlc(t *testing.T) {
	folder := t.TempDir()
	for _, file := range []string{"sqlc.yaml", "postgres.sql", "postgres_queries.sql", "mysql.sql", "sqlite.sql", "queries.sql"} {
		text, err := os.ReadFile(filepath.Join("testdata", "sqlc", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	generate := exec.Command(sqlc(t), "generate")
	generate.Dir = folder
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("sqlc generate: %v\n%s", err, out)
	}
	program := overlay.Build(t, "sqlc", folder)
	t.Run("postgres", func(t *testing.T) {
		conn, err := pgx.Connect(t.Context(), postgres.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		if _, err := conn.Exec(t.Context(), sqltype.PostgresSchema()); err != nil {
			t.Fatal(err)
		}
		run(t, program, "postgres", conn.Config().ConnString())
	})
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) { run(t, program, "mysql", e.Database(t)) })
	}
	t.Run("sqlite", func(t *testing.T) { run(t, program, "sqlite", "file:"+filepath.Join(t.TempDir(), "test.db")) })
}

// sqlc returns the path of the command.
func sqlc(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path, err := daemon.Find("sqlc", filepath.Join(cache, "oidkit", "bin"), filepath.Join(gobuild.Default.GOPATH, "bin"))
	if err != nil {
		daemon.Skip(t, fmt.Errorf("sqlc (go install github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1): %w", err))
	}
	return path
}
