package pgxoid_test

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// A pool does the same with config.AfterConnect = pgxoid.AfterConnect.
func ExampleAfterConnect() {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close(ctx)
	if err := pgxoid.AfterConnect(ctx, conn); err != nil {
		fmt.Println(err)
		return
	}
	conn.Exec(ctx, sqltype.PostgresSchema)
	conn.Exec(ctx, "create table users (id objectid primary key)")
	ids := []oid.ID{oid.New(), oid.New()}
	conn.CopyFrom(ctx, pgx.Identifier{"users"}, []string{"id"},
		pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i]}, nil }))
	rows, _ := conn.Query(ctx, "select id from users where id = any($1)", ids)
	found, err := pgx.CollectRows(rows, pgx.RowTo[oid.ID])
	fmt.Println(len(found), err)
}
