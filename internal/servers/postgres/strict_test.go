package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/internal/servers/postgres"
)

// through connects through a proxy, in each of pgx's modes that differ on the wire.
func through(t *testing.T, e *postgres.Engine, rate float64, f func(t *testing.T, s *postgres.Strict, conn *pgx.Conn)) {
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		t.Run(e.Name+", "+mode.String(), func(t *testing.T) {
			s := postgres.StartStrict(t, postgres.Database(t), e, rate)
			cfg, err := pgx.ParseConfig(s.DSN)
			if err != nil {
				t.Fatal(err)
			}
			cfg.DefaultQueryExecMode = mode
			conn, err := pgx.ConnectConfig(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close(context.Background()) })
			f(t, s, conn)
		})
	}
}

// TestStrictServerRefusesWhatItsEngineRefuses has two statements for each: one that is
// refused, by SQLSTATE and text, and one that runs.
func TestStrictServerRefusesWhatItsEngineRefuses(t *testing.T) {
	for e, refused := range map[*postgres.Engine]map[string]string{
		postgres.DSQL: {
			"truncate t":                                              "0A000 unsupported statement: Truncate",
			"create temp table x (n int)":                             "0A000 TEMPORARY or TEMP table not supported for CREATE TABLE",
			"create table x (n bigserial primary key)":                `42704 type "serial" does not exist`,
			"create table x (id bytea primary key)":                   "0A000 datatype bytea is not supported in a key",
			"create table x (n int[])":                                "0A000 datatype integer[] not supported",
			"create table x (n int) with (fillfactor = 50)":           "0A000 WITH clause not supported for CREATE TABLE",
			"create index on t (n)":                                   "0A000 unsupported mode. please use CREATE INDEX ASYNC.",
			"create sequence q":                                       "0A000 CREATE SEQUENCE is not supported without an explicit cache size",
			"do $$ begin end $$":                                      "0A000 unsupported statement: Do",
			"create function f() returns int language plpgsql as 'x'": "0A000 CREATE FUNCTION with language plpgsql not supported",
			"lock t":                               "0A000 unsupported statement: Lock",
			"savepoint a":                          "0A000 unsupported transaction statement: SAVEPOINT",
			"begin isolation level read committed": "0A000 Unsupported isolation level: READ COMMITTED",
			"set synchronous_commit = off":         `0A000 setting configuration parameter "synchronous_commit" not supported`,
			"select set_config('synchronous_commit', 'off', true)": `0A000 setting configuration parameter "synchronous_commit" not supported`,
			"select pg_advisory_lock(1)":                           "0A000 function pg_advisory_lock not supported",
			"alter table t add constraint u unique (n)":            "0A000 unsupported ALTER TABLE ADD CONSTRAINT statement",
			"insert into t select generate_series(1, 3001)":        "54000 transaction row limit exceeded",
			"select n from t for share":                            "0A000 locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported",
			"/* a comment */ truncate -- and another\n t":          "0A000 unsupported statement: Truncate",
		},
		postgres.CockroachDB: {
			"create domain d as int":                                       `0A000 at or near "as": syntax error: unimplemented: this syntax`,
			"do $x$ begin create domain d as int; end $x$":                 `0A000 at or near "as": syntax error: unimplemented: this syntax`,
			"create temp table x (n int)":                                  "0A000 temporary tables are only supported experimentally",
			"create table x (n int4range, exclude using gist (n with &&))": `0A000 at or near "exclude": syntax error: unimplemented: this syntax`,
			"listen x":                        `42601 at or near "listen": syntax error`,
			"select pg_current_xact_id()":     "42883 unknown function: pg_current_xact_id()",
			"select pg_advisory_xact_lock(1)": "42883 unknown function: pg_advisory_xact_lock()",
			"select '1'::xid8":                `42704 type "xid8" does not exist`,
		},
	} {
		through(t, e, 0, func(t *testing.T, _ *postgres.Strict, conn *pgx.Conn) {
			exec(t, conn, "create table t (n int)")
			for sql, want := range refused {
				_, err := conn.Exec(t.Context(), sql)
				state, text, _ := strings.Cut(want, " ")
				var pgErr *pgconn.PgError
				if !errors.As(err, &pgErr) || pgErr.Code != state || !strings.HasPrefix(pgErr.Message, text) {
					t.Errorf("%s: %v, want %s", sql, err, want)
				}
				exec(t, conn, "insert into t values (1)")
			}
			for _, sql := range []string{
				"select 'truncate t; savepoint a'", `select 1 as "lock"`, "select $$truncate$$", "insert into t values ($1)", "drop table t",
			} {
				var args []any
				if strings.Contains(sql, "$1") {
					args = append(args, 1)
				}
				if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
					t.Errorf("%s: %v", sql, err)
				}
			}
		})
	}
}

// TestDSQLHasOneDDLStatementPerTransaction also shows that a refusal fails the
// transaction.
func TestDSQLHasOneDDLStatementPerTransaction(t *testing.T) {
	through(t, postgres.DSQL, 0, func(t *testing.T, _ *postgres.Strict, conn *pgx.Conn) {
		for second, want := range map[string]string{
			"create table b (n int)":   "multiple ddl statements not supported in a transaction",
			"insert into t values (1)": "ddl and dml are not supported in the same transaction",
		} {
			exec(t, conn, "begin")
			exec(t, conn, "create table t (n int)")
			if _, err := conn.Exec(t.Context(), second); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", second, err, want)
			}
			if _, err := conn.Exec(t.Context(), "select 1"); err == nil || !strings.Contains(err.Error(), "25P02") {
				t.Errorf("after %s: %v", second, err)
			}
			if tag, err := conn.Exec(t.Context(), "commit"); err != nil || tag.String() != "ROLLBACK" {
				t.Errorf("commit: %s, %v", tag, err)
			}
		}
		exec(t, conn, "create table t (n int)")
		exec(t, conn, "create index async t_n on t (n)")
	})
}

// TestStrictServerRollsBackWhatItFails writes with statements of their own, in batches and
// in transactions. What failed isn't there, and what didn't fail is.
func TestStrictServerRollsBackWhatItFails(t *testing.T) {
	for _, e := range []*postgres.Engine{postgres.DSQL, postgres.CockroachDB} {
		through(t, e, 0.5, func(t *testing.T, s *postgres.Strict, conn *pgx.Conn) {
			ctx := t.Context()
			for {
				if _, err := conn.Exec(ctx, "create table if not exists t (n int primary key)"); err == nil {
					break
				}
			}
			want := 0
			write := func(n int) error {
				switch n % 4 {
				case 0:
					_, err := conn.Exec(ctx, "insert into t values ($1)", n)
					return err
				case 1:
					var got int
					return conn.QueryRow(ctx, "insert into t values ($1) returning n", n).Scan(&got)
				case 2:
					var b pgx.Batch
					b.Queue("insert into t values ($1)", n)
					b.Queue("update t set n = n where n = $1", n)
					return conn.SendBatch(ctx, &b).Close()
				}
				return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
					_, err := tx.Exec(ctx, "insert into t values ($1)", n)
					return err
				})
			}
			failed := 0
			for n := range 100 {
				err := write(n)
				var pgErr *pgconn.PgError
				if err != nil && (!errors.As(err, &pgErr) || pgErr.Code != "40001") {
					t.Fatalf("%d: %v", n, err)
				}
				var stored bool
				if scan := conn.QueryRow(ctx, "select exists (select from t where n = $1)", n).Scan(&stored); scan != nil || stored != (err == nil) {
					t.Errorf("%d: stored %v, %v, after %v", n, stored, scan, err)
				}
				if err != nil {
					failed++
				} else {
					want++
				}
			}
			if failed < 20 || want < 20 {
				t.Errorf("%d commits failed, and %d didn't", failed, want)
			}
			if tried, lost := s.Commits(); tried < 100 || lost < int64(failed) {
				t.Errorf("the proxy counts %d, %d", tried, lost)
			}
		})
	}
}

// TestLoserOfTwoUpdatesGets40001 has the second writer of a row lose, in the engine's
// words.
func TestLoserOfTwoUpdatesGets40001(t *testing.T) {
	for e, want := range map[*postgres.Engine]string{postgres.DSQL: "OC000", postgres.CockroachDB: "restart transaction"} {
		s := postgres.StartStrict(t, postgres.Database(t), e, 0)
		pool, err := pgxpool.New(t.Context(), s.DSN)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		for _, sql := range []string{"create table t (n int)", "insert into t values (0)"} {
			if _, err := pool.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		var txs [2]pgx.Tx
		for i := range txs {
			if txs[i], err = pool.Begin(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer txs[i].Rollback(context.Background())
			if _, err := txs[i].Exec(t.Context(), "select n from t"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := txs[0].Exec(t.Context(), "update t set n = 1"); err != nil {
			t.Fatal(err)
		}
		if err := txs[0].Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err = txs[1].Exec(t.Context(), "update t set n = 2")
		if err == nil || !strings.Contains(err.Error(), "40001") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", e.Name, err, want)
		}
	}
}

// exec runs a statement.
func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
