package sqlsequence_test

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// settingsOfSessions are settings of MySQL and MariaDB that people have, and that could change
// what a draw does. Those that MariaDB doesn't know begin with sql_.
var settingsOfSessions = []string{
	"sql_require_primary_key=ON", "sql_generate_invisible_primary_key=ON",
	"transaction_isolation='SERIALIZABLE'", "time_zone='+13:00'", "charset=latin1",
	"sql_mode=''", "sql_mode='ANSI'", "interpolateParams=true", "clientFoundRows=true", "parseTime=false",
}

// TestDrawsUnderSettingsOfMySQL draws in sessions and on servers with settings that differ
// from the defaults.
func TestDrawsUnderSettingsOfMySQL(t *testing.T) {
	t.Parallel()
	for _, e := range mysqlserver.Engines() {
		for _, setting := range settingsOfSessions {
			name, value, _ := strings.Cut(setting, "=")
			if name == "transaction_isolation" && e == mysqlserver.MariaDB {
				name = "tx_isolation"
			}
			if strings.HasPrefix(name, "sql_") && name != "sql_mode" && e != mysqlserver.MySQL {
				continue
			}
			t.Run(e.Name+", "+setting, func(t *testing.T) {
				t.Parallel()
				s := on(e)(t)
				if name == "parseTime" {
					s.dsn = strings.Replace(s.dsn, "parseTime=true", setting, 1)
				} else {
					s = s.with(t, name, value)
				}
				drawEachKind(t, s)
			})
		}
		t.Run(e.Name+", lower_case_table_names=1", func(t *testing.T) {
			t.Parallel()
			drawEachKind(t, server{e.Name, "mysql", e.StartOwn(t, "--lower-case-table-names=1").DSN, sqlsequence.MySQL})
		})
		t.Run(e.Name+", a password without TLS", func(t *testing.T) {
			t.Parallel()
			s := on(e)(t)
			config, err := mysql.ParseDSN(s.dsn)
			if err != nil {
				t.Fatal(err)
			}
			db := s.open(t)
			user := config.DBName // no other test has it
			execute(t, db, fmt.Sprintf("CREATE USER '%s' IDENTIFIED BY 'secret'", user))
			t.Cleanup(func() { db.Exec("DROP USER '" + user + "'") })
			execute(t, db, fmt.Sprintf("GRANT ALL ON %s.* TO '%s'", config.DBName, user))
			var method string
			if err := db.QueryRow("SELECT plugin FROM mysql.user WHERE user = ?", user).Scan(&method); err != nil {
				t.Fatal(err)
			}
			if want := map[*mysqlserver.Engine]string{mysqlserver.MySQL: "caching_sha2_password", mysqlserver.MariaDB: "mysql_native_password"}[e]; method != want {
				t.Errorf("the password is checked by %s, want %s", method, want)
			}
			config.User, config.Passwd = user, "secret"
			s.dsn = config.FormatDSN()
			var name, cipher string
			if err := s.open(t).QueryRow("SHOW SESSION STATUS LIKE 'Ssl_cipher'").Scan(&name, &cipher); err != nil || cipher != "" {
				t.Errorf("the connection is encrypted by %q, %v, want none", cipher, err)
			}
			drawEachKind(t, s)
		})
	}
}

// drawEachKind draws numbers, stamps and documents, also in a transaction.
func drawEachKind(t *testing.T, s server) {
	t.Helper()
	db := s.open(t)
	store := sqlsequence.New(db, "Sequences", s.dialect)
	for range 2 {
		if err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	numbers, rows := tickets(store, "numbers"), positions(store, "rows")
	stamps, invoices := sequence.NewStamper(store, "stamps"), sequence.NewNumbering(store, "invoices", "{2006}-{000}")
	last := ""
	for i := range int64(3) {
		n, err := numbers.Next(t.Context())
		if err != nil || n.Serial != i+1 {
			t.Errorf("Next() = %v, %v, want %d", n, err, i+1)
		}
		stamp, err := stamps.Next(t.Context())
		if err != nil || stamp.String() <= last {
			t.Errorf("stamp %v after %s, %v", stamp, last, err)
		}
		last = stamp.String()
		if text, err := invoices.Next(t.Context()); err != nil || !strings.HasSuffix(text, fmt.Sprintf("-%03d", i+1)) {
			t.Errorf("document %q, %v", text, err)
		}
		err = store.InTx(t.Context(), func(tx *sql.Tx) error {
			n, err = rows.NextIn(t.Context(), store.Tx(tx))
			return err
		})
		if err != nil || n.Serial != i+1 {
			t.Errorf("NextIn() = %v, %v, want %d", n, err, i+1)
		}
	}
	if all, err := sequence.List(t.Context(), store); err != nil || len(all) != 4 {
		t.Errorf("List() = %v, %v", all, err)
	}
}

// TestInTxWhereStatementsAreLogged has servers whose binary log holds statements. They refuse
// to write at READ COMMITTED, which InTx asks for. A transaction of the caller's own draws.
func TestInTxWhereStatementsAreLogged(t *testing.T) {
	t.Parallel()
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			s := server{e.Name, "mysql", e.StartOwn(t, "--log-bin", "--server-id=1", "--binlog-format=STATEMENT").DSN, sqlsequence.MySQL}
			store, db := s.store(t)
			rows := positions(store, "rows")
			draw := func(tx *sql.Tx) error {
				_, err := rows.NextIn(t.Context(), store.Tx(tx))
				return err
			}
			if err := store.InTx(t.Context(), draw); err == nil || !strings.Contains(err.Error(), "Error 1665") {
				t.Errorf("InTx() = %v, want error 1665: change docs/sequence-reference.md", err)
			}
			tx, err := db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(draw(tx), tx.Commit()); err != nil {
				t.Errorf("in a transaction at REPEATABLE READ: %v", err)
			}
		})
	}
}
