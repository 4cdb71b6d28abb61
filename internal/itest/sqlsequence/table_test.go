package sqlsequence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestMigrateRefusesWhatCantCount has tables that a crash empties, tables of others, and
// servers that would give a number twice.
func TestMigrateRefusesWhatCantCount(t *testing.T) {
	t.Parallel()
	const pgColumns = "(key text PRIMARY KEY, meaning text, base bigint, x bigint, before bigint, version bigint)"
	type refusal struct {
		open        func(testing.TB) server
		name, setUp string
		want        string
	}
	tests := []refusal{
		{onPgx, "unlogged", "CREATE UNLOGGED TABLE sequences " + pgColumns, "table sequences is UNLOGGED, and a crash would empty it: run ALTER TABLE ... SET LOGGED"},
		{onPgx, "temporary", "CREATE TEMP TABLE sequences " + pgColumns, "table sequences is temporary: use a permanent table"},
		{onPgx, "view", "CREATE TABLE t " + pgColumns + "; CREATE VIEW sequences AS SELECT * FROM t", "table sequences is not a table, but a view or something else"},
		{onPgx, "other columns", "CREATE TABLE sequences (name text)", `table sequences can't be read, or has other columns than Migrate makes, or dialect PostgreSQL is wrong: `},
		{onPgx, "worker of Citus", "CREATE FUNCTION citus_is_coordinator() RETURNS boolean LANGUAGE sql AS 'SELECT false'", "table sequences is on a worker of Citus: connect to the coordinator, which all programs share"},
	}
	for _, e := range mysqlserver.Engines() {
		tests = append(tests,
			refusal{on(e), e.Name + ", MyISAM", "CREATE TABLE sequences (`key` varbinary(255) PRIMARY KEY, meaning varchar(255), base bigint, x bigint, version bigint, draws bigint) ENGINE = MyISAM",
				"table sequences belongs to the engine MyISAM, not to InnoDB, so numbers could repeat after a crash: change it to InnoDB"},
			refusal{on(e), e.Name + ", other columns", "CREATE TABLE sequences (name text)", "or dialect MySQL is wrong: "},
			refusal{on(e), e.Name + ", view", "CREATE VIEW sequences AS SELECT 'k' AS `key`, '' AS meaning, 0 AS base, 0 AS x, 1 AS version", "table sequences is not a table, but a view or something else"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.open(t)
			db := s.open(t)
			db.SetMaxOpenConns(1) // a temporary table belongs to its session
			execute(t, db, tt.setUp)
			err := sqlsequence.New(db, "sequences", s.dialect).Migrate(t.Context())
			if err == nil || !strings.HasPrefix(err.Error(), "sqlsequence.Store.Migrate(): ") || !strings.Contains(err.Error(), tt.want) || sequence.IsTransient(err) {
				t.Errorf("Migrate() = %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("Dolt for PostgreSQL", func(t *testing.T) { // played by a function that hides the server's
		t.Parallel()
		s := onPgx(t)
		execute(t, s.open(t), "CREATE FUNCTION version() RETURNS text LANGUAGE sql AS $$SELECT 'PostgreSQL 15.5 on Doltgres'$$")
		s = s.with(t, "search_path", "public,pg_catalog")
		err := sqlsequence.New(s.open(t), "sequences", s.dialect).Migrate(t.Context())
		if err == nil || err.Error() != "sqlsequence.Store.Migrate(): table sequences is on Dolt, which can give a number twice: use another server" {
			t.Errorf("Migrate() = %v", err)
		}
	})
	t.Run("Dolt", func(t *testing.T) { // MariaDB, by its name
		t.Parallel()
		own := mysqlserver.MariaDB.StartOwn(t, "--version=8.0.33-Dolt")
		s := server{driver: "mysql", dsn: own.DSN, dialect: sqlsequence.MySQL}
		err := sqlsequence.New(s.open(t), "sequences", s.dialect).Migrate(t.Context())
		if err == nil || err.Error() != "sqlsequence.Store.Migrate(): table sequences is on Dolt, which can give a number twice: use another server" {
			t.Errorf("Migrate() = %v", err)
		}
	})
	t.Run("coordinator of Citus", func(t *testing.T) {
		t.Parallel()
		s := onPgx(t)
		execute(t, s.open(t), "CREATE FUNCTION citus_is_coordinator() RETURNS boolean LANGUAGE sql AS 'SELECT true'")
		s.store(t)
	})
}

// TestColumnsAreThoseThatUsersHave asks each server for the columns of the table. From the
// first release on, they change only together with a migration.
func TestColumnsAreThoseThatUsersHave(t *testing.T) {
	t.Parallel()
	columns := map[sqlsequence.Dialect]struct{ query, want string }{
		sqlsequence.PostgreSQL: {`SELECT concat_ws(' ', column_name, data_type, is_nullable, column_default)
			FROM information_schema.columns WHERE table_schema = current_schema AND table_name = 'sequences' ORDER BY ordinal_position`,
			"key text NO; meaning text NO; base bigint NO 0; x bigint NO 0; before bigint NO 0; version bigint NO"},
		sqlsequence.MySQL: {`SELECT concat_ws(' ', column_name, data_type, character_maximum_length, collation_name, is_nullable, column_default)
			FROM information_schema.columns WHERE table_schema = database() AND table_name = 'sequences' ORDER BY ordinal_position`,
			"key varbinary 255 NO; meaning varchar 255 utf8mb4_bin NO; base bigint NO 0; x bigint NO 0; version bigint NO; draws bigint NO 0"},
		sqlsequence.SQLite: {`SELECT name || ' ' || type || iif("notnull", ' NO', ' YES') || coalesce(' ' || dflt_value, '') FROM pragma_table_info('sequences')`,
			"key TEXT NO; meaning TEXT NO; base INTEGER NO 0; x INTEGER NO 0; before INTEGER NO 0; version INTEGER NO"},
	}
	eachDialect(t, func(t *testing.T, s server) {
		_, db := s.store(t)
		rows, err := db.Query(columns[s.dialect].query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var got []string
		for rows.Next() {
			var column string
			if err := rows.Scan(&column); err != nil {
				t.Fatal(err)
			}
			got = append(got, column)
		}
		if want := columns[s.dialect].want; rows.Err() != nil || strings.Join(got, "; ") != want {
			t.Errorf("the columns are %s, %v, want %s", strings.Join(got, "; "), rows.Err(), want)
		}
	})
}

func TestMigrateRefusesMySQLThatDoesNotFlush(t *testing.T) {
	t.Parallel()
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			own := e.StartOwn(t)
			s := server{driver: "mysql", dsn: own.DSN, dialect: sqlsequence.MySQL}
			store, db := s.store(t)
			for value, refused := range map[int]bool{0: true, 1: false, 2: false} {
				execute(t, db, fmt.Sprintf("SET GLOBAL innodb_flush_log_at_trx_commit = %d", value))
				err := store.Migrate(t.Context())
				if (err != nil) != refused || refused && !strings.HasSuffix(err.Error(), "innodb_flush_log_at_trx_commit = 0: a crash of the server would make numbers repeat: set it to 1") {
					t.Errorf("with %d: Migrate() = %v", value, err)
				}
			}
		})
	}
}

// TestUnloggedTableIsRefusedWithoutMigrate has a table that a tool made.
func TestUnloggedTableIsRefusedWithoutMigrate(t *testing.T) {
	t.Parallel()
	store, db := onPgx(t).store(t)
	execute(t, db, "ALTER TABLE sequences SET UNLOGGED")
	if n, err := tickets(store, "k").Next(t.Context()); err == nil || !strings.Contains(err.Error(), "is UNLOGGED") {
		t.Errorf("Next() = %v, %v", n, err)
	}
}

// TestRowThatCannotBeReadIsAnError has a row that a program wrote into a changed table.
func TestRowThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	store, db := onPgx(t).store(t)
	if _, err := tickets(store, "k").Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, db, "ALTER TABLE sequences ALTER COLUMN meaning DROP NOT NULL; UPDATE sequences SET meaning = NULL")
	if all, err := sequence.List(t.Context(), store); err == nil || !strings.Contains(err.Error(), "converting NULL to string") {
		t.Errorf("List() = %v, %v", all, err)
	}
}

func TestMissingTableNamesMigrate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		store := sqlsequence.New(s.open(t), "sequences", s.dialect)
		_, err := tickets(store, "k").Next(t.Context())
		if err == nil || !strings.Contains(err.Error(), "table sequences doesn't exist: call Migrate once") || sequence.IsTransient(err) {
			t.Errorf("Next() = %v", err)
		}
		err = store.InTx(t.Context(), func(tx *sql.Tx) error {
			_, err := positions(store, "k").NextIn(t.Context(), store.Tx(tx))
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "table sequences doesn't exist: call Migrate once") {
			t.Errorf("NextIn() = %v", err)
		}
		if all, err := sequence.List(t.Context(), store); err == nil || !strings.Contains(err.Error(), "table sequences doesn't exist: call Migrate once") {
			t.Errorf("List() = %v, %v", all, err)
		}
	})
}

// TestWrongDialectIsNamed makes a store with each dialect that isn't the server's.
func TestWrongDialectIsNamed(t *testing.T) {
	t.Parallel()
	for _, open := range withLikeMySQL(onPgx, onModernc) {
		s := open(t)
		for _, wrong := range []sqlsequence.Dialect{sqlsequence.MySQL, sqlsequence.SQLite, sqlsequence.PostgreSQL} {
			if wrong == s.dialect {
				continue
			}
			store := sqlsequence.New(s.open(t), "wrong_"+strings.ToLower(wrong.String()), wrong)
			err := store.Migrate(t.Context())
			if err == nil {
				_, err = tickets(store, "k").Next(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), "dialect") {
				t.Errorf("%v on %s: error %v, want one that names the dialect", wrong, s.name, err)
			}
		}
	}
}

func TestTableNames(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, s server) {
		db := s.open(t)
		long := strings.Repeat("n", 63)
		for _, name := range []string{"Sequences", "order", "it's", "with space", "ümläut", long, strings.Repeat("ü", 31), "a;\n-- name: draw"} {
			store := sqlsequence.New(db, name, s.dialect)
			for range 2 {
				if err := store.Migrate(t.Context()); err != nil {
					t.Errorf("%q: %v", name, err)
				}
			}
			if n, err := tickets(store, "k").Next(t.Context()); err != nil || n.Ordinal != 1 {
				t.Errorf("%q: %v, %v", name, n, err)
			}
		}
		for _, name := range []string{"", ".", "a.", ".b", "a.b.c", long + "n", `a"b`, "a`b", "a?b", "a{b", "a\x00b"} {
			err := sqlsequence.New(db, name, s.dialect).Migrate(t.Context())
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("table %q: ", name)) {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}

func TestTableInASchema(t *testing.T) {
	t.Parallel()
	for _, open := range withLikeMySQL(onPgx) {
		s := open(t)
		db := s.open(t)
		schema := "other"
		if s.dialect == sqlsequence.MySQL {
			if err := db.QueryRow("SELECT database()").Scan(&schema); err != nil {
				t.Fatal(err)
			}
		} else {
			execute(t, db, "CREATE SCHEMA other")
		}
		store := sqlsequence.New(db, schema+".sequences", s.dialect)
		if err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, err := tickets(store, "k").Next(t.Context()); err != nil || n.Ordinal != 1 {
			t.Errorf("%v, %v", n, err)
		}
	}
}

// TestMigrateOfAnExistingTableNeedsNoRights has a role that may only draw. Once it draws
// together with others, it hears which right is missing. With the right, it doesn't.
func TestMigrateOfAnExistingTableNeedsNoRights(t *testing.T) {
	t.Parallel()
	s := onPgx(t)
	store, db := s.store(t)
	role := fmt.Sprintf("clerk_%d", time.Now().UnixNano())
	execute(t, db, "CREATE ROLE "+role+" LOGIN; GRANT SELECT, INSERT, UPDATE ON sequences TO "+role)
	t.Cleanup(func() {
		db, err := sql.Open(s.driver, s.dsn)
		if err != nil {
			t.Error(err)
			return
		}
		defer db.Close()
		execute(t, db, "DROP OWNED BY "+role+"; DROP ROLE "+role)
	})
	clerk := func() func() string {
		store := sqlsequence.New(s.with(t, "role", role).open(t), "sequences", s.dialect)
		if err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		return drawTogether(t, store, "k")
	}
	others := drawTogether(t, store, "k")
	warning := clerk()
	for range 3 {
		others()
		warning()
	}
	others()
	const want = `programs that draw from this key can't share flushes of the disk: let the owner of the table call Migrate, and run GRANT UPDATE ON SEQUENCE "sequences_flush" TO this role: `
	if got := warning(); !strings.HasPrefix(got, want) {
		t.Errorf("Warning %q, want %q", got, want)
	}
	execute(t, db, "GRANT UPDATE ON SEQUENCE sequences_flush TO "+role)
	warning = clerk()
	for range 3 {
		others()
		if got := warning(); got != "" {
			t.Errorf("with the right: Warning %q", got)
		}
	}
	if got := others(); got != "" {
		t.Errorf("of the owner: Warning %q", got)
	}
	execute(t, db, "DROP SEQUENCE sequences_flush") // which the role may not make
	clerk()
}

// drawTogether returns a function that draws from the key, and returns the warning.
func drawTogether(t *testing.T, store sequence.Store, key string) func() string {
	trips := make(chan sequence.Trip, 1)
	seq := tickets(store, key, sequence.WithObserver(func(trip sequence.Trip) { trips <- trip }))
	return func() string {
		t.Helper()
		if _, err := seq.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		return (<-trips).Warning
	}
}

// TestTableWithoutTheFlushSequence is one that another program made. Migrate makes what is
// missing. Where it is dropped later, draws go on and say so.
func TestTableWithoutTheFlushSequence(t *testing.T) {
	t.Parallel()
	for _, open := range []func(testing.TB) server{onPgx, onPq} {
		s := open(t)
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			store, db := s.store(t)
			execute(t, db, "DROP SEQUENCE sequences_flush")
			if err := store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			other, _ := s.store(t)
			a, b := drawTogether(t, store, "k"), drawTogether(t, other, "k")
			for range 3 {
				if wa, wb := a(), b(); wa != "" || wb != "" {
					t.Errorf("Warnings %q, %q", wa, wb)
				}
			}
			execute(t, db, "SELECT setval('sequences_flush', 1, false)")
			a()
			var early bool
			if err := db.QueryRow("SELECT is_called FROM sequences_flush").Scan(&early); err != nil || !early {
				t.Errorf("the draw waited for the disk with the row: %v, %v", !early, err)
			}
			execute(t, db, "DROP SEQUENCE sequences_flush")
			for range 2 {
				if got := a(); !strings.Contains(got, "call Migrate") {
					t.Errorf("Warning %q", got)
				}
				b()
			}
		})
	}
}

// TestMigrateRace has many programs make one table at once.
func TestMigrateRace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		if err := s.open(t).Ping(); err != nil { // SQLite fails if several connections switch a file to WAL at once
			t.Fatal(err)
		}
		for i := range 5 {
			errs := make(chan error)
			for range 8 {
				db := s.open(t)
				go func() {
					errs <- sqlsequence.New(db, fmt.Sprintf("sequences%d", i), s.dialect).Migrate(context.Background())
				}()
			}
			for range 8 {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestInvalidStoreIsReportedByEveryCall has no pool, an unknown dialect, and no
// transaction.
func TestInvalidStoreIsReportedByEveryCall(t *testing.T) {
	t.Parallel()
	db := onModernc(t).open(t)
	for want, store := range map[string]*sqlsequence.Store{
		"the *sql.DB is nil": sqlsequence.New(nil, "sequences", sqlsequence.MySQL),
		"unknown Dialect(9)": sqlsequence.New(db, "sequences", 9),
	} {
		_, next := tickets(store, "k").Next(t.Context())
		_, list := sequence.List(t.Context(), store)
		inTx := store.InTx(t.Context(), func(*sql.Tx) error { return errors.New("called") })
		for _, err := range []error{next, list, inTx, store.Migrate(t.Context())} {
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	store := sqlsequence.New(db, "sequences", sqlsequence.SQLite)
	for _, tx := range []sequence.Store{store.Tx(nil), store.Tx((*sql.Tx)(nil))} {
		if _, err := positions(store, "k").NextIn(t.Context(), tx); err == nil || !strings.HasSuffix(err.Error(), "the transaction is nil") {
			t.Errorf("NextIn() = %v", err)
		}
	}
}

// TestPartitionedTable draws from a table with partitions.
func TestPartitionedTable(t *testing.T) {
	t.Parallel()
	s := onPgx(t)
	_, db := s.store(t)
	execute(t, db, `CREATE TABLE parts (LIKE sequences INCLUDING ALL) PARTITION BY HASH (key);
		CREATE TABLE part0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
		CREATE TABLE part1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1)`)
	var programs [2]*sequence.Sequence
	for i := range programs {
		store := sqlsequence.New(s.open(t), "parts", s.dialect)
		if err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		programs[i] = tickets(store, "k")
	}
	for i := range int64(8) { // the last ones in two steps
		if n, err := programs[i%2].Next(t.Context()); err != nil || n.Ordinal != i+1 {
			t.Errorf("%v, %v, want %d", n, err, i+1)
		}
	}
	execute(t, db, "ALTER TABLE part0 SET UNLOGGED; ALTER TABLE part1 SET UNLOGGED")
	if _, err := tickets(sqlsequence.New(s.open(t), "parts", s.dialect), "k").Next(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "table parts is UNLOGGED, and a crash would empty it: run ALTER TABLE ... SET LOGGED") {
		t.Errorf("Next() = %v", err)
	}
}
