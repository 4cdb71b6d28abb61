package sql

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

// rows is how many the table of the benchmarks below holds.
const rows = 100_000

// connect returns a connection to a new database with a table of keys of one type.
func connect(b *testing.B, register func(*pgtype.Map), columnType string) *pgx.Conn {
	b.Helper()
	conn := postgres.Connect(b)
	register(conn.TypeMap())
	if _, err := conn.Exec(b.Context(), "set synchronous_commit = off; create table t (id "+columnType+")"); err != nil {
		b.Fatal(err)
	}
	return conn
}

// BenchmarkCopyFrom100k stores a hundred thousand rows of one column in a table
// without an index.
func BenchmarkCopyFrom100k(b *testing.B) {
	raw, ids, googles, pgs := lists(rows)
	copyFrom(b, "pgtype.UUID", bare, "uuid", pgs)
	copyFrom(b, "[]byte", bare, "bytea", raw)
	copyFrom(b, "oid.ID", bare, "bytea", ids)
	copyFrom(b, "oid.ID,Register", pgxoid.Register, "bytea", ids)
	copyFrom(b, "uuid.UUID,registered", pgxuuid.Register, "uuid", googles)
}

func copyFrom[T any](b *testing.B, name string, register func(*pgtype.Map), columnType string, keys []T) {
	conn := connect(b, register, columnType)
	row, boxed := make([]any, 1), make([]any, len(keys))
	for i, key := range keys {
		boxed[i] = key // once, so that the allocations counted are the encoder's
	}
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			i := 0
			_, err := conn.CopyFrom(b.Context(), pgx.Identifier{"t"}, []string{"id"}, pgx.CopyFromFunc(func() ([]any, error) {
				if i == len(keys) {
					return nil, nil
				}
				row[0] = boxed[i]
				i++
				return row, nil
			}))
			b.StopTimer()
			if _, err := conn.Exec(context.Background(), "truncate t"); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAny1000 asks for a thousand of a hundred thousand rows by their keys, and
// reads the keys of the answer.
func BenchmarkAny1000(b *testing.B) {
	raw, ids, googles, pgs := lists(rows)
	any1000(b, "pgtype.UUID", bare, "uuid", pgs)
	any1000(b, "[]byte", bare, "bytea", raw)
	any1000(b, "oid.ID", bare, "bytea", ids)
	any1000(b, "oid.ID,Register", pgxoid.Register, "bytea", ids)
	any1000(b, "uuid.UUID,registered", pgxuuid.Register, "uuid", googles)
}

func any1000[T []byte | oid.ID | pgtype.UUID | uuid.UUID](b *testing.B, name string, register func(*pgtype.Map), columnType string, keys []T) {
	ctx := b.Context()
	conn := connect(b, register, columnType)
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id"}, pgx.CopyFromSlice(len(keys), func(i int) ([]any, error) { return []any{keys[i]}, nil }))
	if err != nil {
		b.Fatal(err)
	}
	for _, statement := range []string{"alter table t add primary key (id)", "vacuum analyze t"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			b.Fatal(err)
		}
	}
	var asked []T
	for i := 0; i < len(keys); i += len(keys) / 1000 {
		asked = append(asked, keys[i])
	}
	find := func(tb testing.TB) {
		found, err := conn.Query(ctx, "select id from t where id = any($1)", asked)
		if err != nil {
			tb.Fatal(err)
		}
		got, err := pgx.CollectRows(found, pgx.RowTo[T])
		if err != nil || len(got) != len(asked) {
			tb.Fatalf("%d rows, %v", len(got), err)
		}
	}
	// PostgreSQL plans a prepared statement anew five times, and then decides on one plan.
	for range 10 {
		find(b)
	}
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			find(b)
		}
	})
}
