package pgxoid_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// Behind a pooler, the server that answers now needn't be the one that was asked
// before. The modes that the documentation names are right there; pgx's default
// mode isn't, on a pgbouncer before 1.21 or without max_prepared_statements.
func TestPgbouncerInTransactionMode(t *testing.T) {
	t.Parallel()
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
	dsn := postgres.StartBouncer(t, direct)

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

// askThrough is one client: it looks single IDs and lists of them up.
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
