package pgxoid_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/lib/pq"

	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// TestColumnsOnStrictServers has every form of a key behind proxies that refuse what Aurora
// DSQL and CockroachDB refuse, and fail 20 % of the commits: values, NULL, lists, ranges by
// time, pages and their plans.
func TestColumnsOnStrictServers(t *testing.T) {
	t.Parallel()
	for _, engine := range []*postgres.Engine{postgres.DSQL, postgres.CockroachDB} {
		strictColumn[sqltype.UUID](t, engine, "uuid", "uuid")
		strictColumn[sqltype.Hex](t, engine, "char(24)", "char(24)")
		strictColumn[sqltype.Hex](t, engine, "text", "text")
		strictColumn[sqltype.Hex](t, engine, "varchar(24)", "varchar(24)")
	}
	strictColumn[oid.ID](t, postgres.CockroachDB, "bytea", "bytea")
	strictColumn[userID](t, postgres.CockroachDB, "bytea", "bytea CHECK (octet_length(next) = 12)")
	// Aurora DSQL has no key of bytes.
	strictColumn[sqltype.UUID](t, postgres.DSQL, "uuid", "bytea CHECK (octet_length(next) = 12)")
}

// strictColumn uses T in a key of one type and, as far as it can, in a column that can be
// NULL of another one.
func strictColumn[T interface {
	~[12]byte
	comparable
	driver.Valuer
}](t *testing.T, engine *postgres.Engine, key, column string) {
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe} {
		t.Run(engine.Name+", "+key+", "+column+", "+mode.String(), func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := postgres.StartStrict(t, postgres.Database(t), engine, 0.2)
			cfg, err := pgx.ParseConfig(s.DSN)
			if err != nil {
				t.Fatal(err)
			}
			cfg.DefaultQueryExecMode = mode
			conn, err := pgx.ConnectConfig(ctx, cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close(context.Background()) })
			pgxoid.RegisterFor[userID](conn.TypeMap())
			settled := func(do func() error) {
				t.Helper()
				for {
					err := do()
					var e *pgconn.PgError
					if err == nil {
						return
					} else if !errors.As(err, &e) || e.Code != "40001" {
						t.Fatal(err)
					}
				}
			}
			exec := func(query string, args ...any) {
				t.Helper()
				settled(func() error { _, err := conn.Exec(ctx, query, args...); return err })
			}
			collect := func(query string, args ...any) (ids []T) {
				t.Helper()
				rows, _ := conn.Query(ctx, query, args...)
				ids, err := pgx.CollectRows(rows, pgx.RowTo[T])
				if err != nil {
					t.Fatalf("%s: %v", query, err)
				}
				return ids
			}

			exec("CREATE TABLE things (id " + key + " PRIMARY KEY, next " + column + ", n integer NOT NULL)")
			const hours = 40
			ids := make([]T, hours)
			for i := range ids {
				id := oid.MinAt(start.AddDate(0, 0, i))
				id[11] = byte(i + 1)
				ids[i] = T(id)
				var next any
				switch {
				case i%2 == 0:
				case strings.HasPrefix(column, "bytea"):
					next = id
				default:
					next = &ids[i]
				}
				exec("INSERT INTO things (id, next, n) VALUES ($1, $2, $3)", ids[i], next, i)
			}

			var next *oid.ID
			for i := range 2 {
				if strings.HasPrefix(column, "bytea") {
					if err := conn.QueryRow(ctx, "SELECT next FROM things WHERE id = $1", ids[i]).Scan(&next); err != nil || (next == nil) != (i == 0) || i > 0 && *next != oid.ID(ids[i]) {
						t.Errorf("%d: %v, %v", i, next, err)
					}
				} else {
					var next *T
					if err := conn.QueryRow(ctx, "SELECT next FROM things WHERE id = $1", ids[i]).Scan(&next); err != nil || (next == nil) != (i == 0) || i > 0 && *next != ids[i] {
						t.Errorf("%d: %v, %v", i, next, err)
					}
				}
			}
			if got := collect("SELECT id FROM things WHERE id = ANY($1) ORDER BY id", ids[3:6]); !slices.Equal(got, ids[3:6]) {
				t.Errorf("a list: %v", got)
			}
			lo, hi := oid.Range(start.AddDate(0, 0, 10), start.AddDate(0, 0, 20))
			const inRange = "SELECT id FROM things WHERE id >= $1 AND id < $2 ORDER BY id"
			if got := collect(inRange, T(lo), T(hi)); !slices.Equal(got, ids[10:20]) {
				t.Errorf("a range: %v", got)
			}
			const page = "SELECT id FROM things WHERE id > $1 ORDER BY id LIMIT 5"
			if got := collect(page, ids[6]); !slices.Equal(got, ids[7:12]) {
				t.Errorf("a page: %v", got)
			}
			exec("SET enable_seqscan = off")
			exec("SET enable_bitmapscan = off")
			for query, args := range map[string][]any{inRange: {T(lo), T(hi)}, page: {ids[6]}} {
				if plan := explain(t, conn, query, args...); !strings.Contains(plan, "things_pkey") || !strings.Contains(plan, "Index Cond: (") || strings.Contains(plan, "Filter") {
					t.Errorf("%s: not by the index:\n%s", query, plan)
				}
			}
			exec("UPDATE things SET n = 0 WHERE id = ANY($1)", ids[:2])
			exec("DELETE FROM things WHERE id <> ALL($1)", ids[:2])

			for _, name := range []string{"pgx", "postgres"} {
				db, err := sql.Open(name, s.DSN)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				var n int
				err = db.QueryRowContext(ctx, "SELECT count(*) FROM things WHERE id = ANY($1)", sqltype.Array[T](ids)).Scan(&n)
				if err != nil || n != 2 {
					t.Errorf("%s: %d rows, %v", name, n, err)
				}
			}
			if tried, failed := s.Commits(); failed == 0 {
				t.Errorf("none of %d commits failed", tried)
			}
		})
	}
}

// TestSchemaIsRefusedByStrictServers shows the errors that the documents name.
func TestSchemaIsRefusedByStrictServers(t *testing.T) {
	t.Parallel()
	for engine, want := range map[*postgres.Engine]string{
		postgres.DSQL:        "unsupported statement: Do",
		postgres.CockroachDB: "unimplemented: this syntax",
	} {
		conn := connect(t, &postgres.Server{DSN: postgres.StartStrict(t, postgres.Database(t), engine, 0).DSN})
		_, err := conn.Exec(t.Context(), sqltype.PostgresSchema())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", engine.Name, err, want)
		}
	}
}
