package cmdoid_test

import (
	"database/sql"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
)

// The printed scripts run at once, as a migration tool sends a file, and may run again.
func TestPrintedSchemasRunAtOnce(t *testing.T) {
	t.Parallel()
	type script struct{ form, driver, dsn, query string }
	scripts := []script{
		{"postgres", "pgx", postgres.Database(t), `select objectid_text(objectid_parse('65b3f7a20123456789abcdef'))`},
	}
	for _, e := range mysqlserver.Engines() {
		scripts = append(scripts, script{"mysql", "mysql", e.Database(t) + "&multiStatements=true", `select objectid_time(x'65b3f7a20123456789abcdef')`})
	}
	for _, tt := range scripts {
		db, err := sql.Open(tt.driver, tt.dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		script := command(t, "sql", tt.form)
		for range 2 {
			if _, err := db.Exec(script); err != nil {
				t.Fatalf("%s: %v", tt.form, err)
			}
		}
		var got string
		if err := db.QueryRow(tt.query).Scan(&got); err != nil || got != map[string]string{"postgres": "65b3f7a20123456789abcdef", "mysql": "2024-01-26T18:19:14Z"}[tt.form] {
			t.Errorf("%s: %s = %q, %v", tt.form, tt.query, got, err)
		}
	}
}
