package public_test

import (
	"database/sql"
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A database of database/sql.
type database struct {
	driver string
	dsn    func(t testing.TB) string
	column string // the type of a column for IDs
	hex    string // the function that shows a column as hex digits
}

var databases = map[string]database{
	"pgx":    {"pgx", postgres.Database, "bytea", "encode(id, 'hex')"},
	"lib/pq": {"postgres", postgres.Database, "bytea", "encode(id, 'hex')"},
	"SQLite": {"sqlite", func(t testing.TB) string { return filepath.Join(t.TempDir(), "test.db") }, "blob", "hex(id)"},
}

func init() {
	for _, e := range mysqlserver.Engines() {
		databases[e.Name] = database{"mysql", e.Database, "binary(12)", "hex(id)"}
	}
}

func TestDatabaseSQL(t *testing.T) {
	for name, d := range databases {
		t.Run(name, func(t *testing.T) {
			db, err := sql.Open(d.driver, d.dsn(t))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			statement := func(s string) string {
				if strings.HasPrefix(d.column, "bytea") {
					s = strings.Replace(strings.Replace(s, "?", "$1", 1), "?", "$2", 1)
				}
				return s
			}
			if _, err := db.Exec("CREATE TABLE o (n int, id " + d.column + ")"); err != nil {
				t.Fatal(err)
			}
			for n, id := range []oid.ID{sample, printable, {}, oid.New()} {
				order := OrderID(id)
				if _, err := db.Exec(statement("INSERT INTO o VALUES (?, ?)"), n, order); err != nil {
					t.Fatal(err)
				}
				var stored string
				if err := db.QueryRow(statement("SELECT "+d.hex+" FROM o WHERE n = ?"), n).Scan(&stored); err != nil || !strings.EqualFold(stored, hex.EncodeToString(id[:])) {
					t.Errorf("the column holds %s, %v, want %v", stored, err, id)
				}
				var got OrderID
				var null sql.Null[OrderID]
				if err := db.QueryRow(statement("SELECT id, id FROM o WHERE id = ?"), order).Scan(&got, &null); err != nil || got != order || null.V != order {
					t.Errorf("Scan = %v, %v, %v", oid.ID(got), null, err)
				}
			}
			if _, err := db.Exec(statement("INSERT INTO o VALUES (?, ?)"), 9, (*OrderID)(nil)); err != nil {
				t.Fatal(err)
			}
			pointer := new(OrderID)
			if err := db.QueryRow("SELECT id FROM o WHERE n = 9").Scan(&pointer); err != nil || pointer != nil {
				t.Errorf("NULL = %v, %v", pointer, err)
			}
			if err := db.QueryRow("SELECT id FROM o WHERE n = 9").Scan(new(OrderID)); err == nil {
				t.Error("NULL into an ID is no error")
			}
			if d.column != "bytea" {
				return
			}
			var n int
			ids := sqltype.Array[OrderID]{OrderID(sample), OrderID(printable)}
			if err := db.QueryRow("SELECT count(*) FROM o WHERE id = ANY($1)", ids).Scan(&n); err != nil || n != 2 {
				t.Errorf("= ANY finds %d rows, %v, want 2", n, err)
			}
			var list sqltype.Array[OrderID]
			if err := db.QueryRow("SELECT array_agg(id ORDER BY n) FROM o WHERE n < 2").Scan(&list); err != nil || len(list) != 2 || list[0] != ids[0] || list[1] != ids[1] {
				t.Errorf("array_agg = %v, %v", list, err)
			}
		})
	}
}
