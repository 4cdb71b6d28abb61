package pgxoid_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// idSource yields IDs, and kills the server, if there is one, when half of them are
// sent.
type idSource struct {
	ids    []oid.ID
	next   int
	server *postgres.Server
	err    error // of Kill
}

func (s *idSource) Next() bool {
	if s.next == len(s.ids)/2 && s.server != nil {
		s.err = s.server.Kill()
		s.server = nil
	}
	s.next++
	return s.next <= len(s.ids)
}

func (s *idSource) Values() ([]any, error) { return []any{s.ids[s.next-1]}, nil }

func (s *idSource) Err() error { return s.err }

func connect(t *testing.T, server *postgres.Server) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if err := pgxoid.AfterConnect(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	return conn
}

// A program that loses its server retries with the same IDs. Each row is then stored
// once.
func TestServerKilledInTheMiddleOfCopyFromAndOfABatch(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := postgres.Start(t)
	conn := connect(t, server)
	mustExec(t, conn, sqltype.PostgresSchema())
	mustExec(t, conn, "create table users (id objectid primary key)")
	mustExec(t, conn, "create table log (id objectid primary key)")
	ids := make([]oid.ID, 100_000)
	oid.Fill(ids)

	n, err := conn.CopyFrom(ctx, pgx.Identifier{"users"}, []string{"id"}, &idSource{ids: ids, server: server})
	if err == nil {
		t.Fatalf("CopyFrom of %d rows survives the server", n)
	}
	if err := server.Restart(); err != nil {
		daemon.Skip(t, err)
	}
	conn = connect(t, server)
	if n := queryOne[int](t, conn, "select count(*) from users"); n != 0 {
		t.Errorf("CopyFrom left %d rows", n)
	}
	for range 2 { // the second time all of them are there
		err := copyMissing(ctx, conn, ids)
		if err != nil {
			t.Fatal(err)
		}
		if n := queryOne[int](t, conn, "select count(*) from users where id = any($1)", ids); n != len(ids) {
			t.Errorf("%d rows after the retry, want %d", n, len(ids))
		}
	}

	// The batch is one transaction, as pgx sends it. The server dies between two of
	// its results.
	batch := func() *pgx.Batch {
		b := new(pgx.Batch)
		for _, id := range ids[:2000] {
			b.Queue("insert into log values ($1) on conflict do nothing", id)
		}
		return b
	}
	b := batch()
	b.Queue("select pg_sleep(60)")
	results := conn.SendBatch(ctx, b)
	for range 1000 {
		if _, err := results.Exec(); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := results.Close(); err == nil {
		t.Error("the batch survives the server")
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	conn = connect(t, server)
	if n := queryOne[int](t, conn, "select count(*) from log"); n != 0 {
		t.Errorf("the batch left %d rows", n)
	}
	for range 2 {
		if err := conn.SendBatch(ctx, batch()).Close(); err != nil {
			t.Fatal(err)
		}
		if n := queryOne[int](t, conn, "select count(*) from log"); n != 2000 {
			t.Errorf("%d rows after the retry, want 2000", n)
		}
	}
	if n := queryOne[int](t, conn, "select count(*) from users"); n != len(ids) {
		t.Errorf("the second crash lost rows that were committed: %d of %d", n, len(ids))
	}
	// IDs that are there can't be stored twice.
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"users"}, []string{"id"}, &idSource{ids: ids})
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != "23505" {
		t.Errorf("the same ids again: %v", err)
	}
}

// copyMissing is how to retry a CopyFrom: by way of a temporary table.
func copyMissing(ctx context.Context, conn *pgx.Conn, ids []oid.ID) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "create temporary table incoming (like users) on commit drop"); err != nil {
			return err
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"incoming"}, []string{"id"}, &idSource{ids: ids}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "insert into users select * from incoming on conflict do nothing")
		return err
	})
}
