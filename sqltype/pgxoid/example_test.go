package pgxoid_test

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/oid"
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
	ids := []oid.ID{oid.New(), oid.New()}
	rows, err := conn.Query(ctx, "select id from users where id = any($1)", ids)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[oid.ID])
	fmt.Println(found, err)
}
