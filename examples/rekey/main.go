// Command rekey gives the tables of a running PostgreSQL program new keys. It does this
// twice: for tables with integer keys, and for tables with UUID keys. Each file in the
// folder sql is one step. Both kinds of keys stay side by side until the last step, so a
// rollback loses nothing.
//
//	go run ./examples/rekey -dsn postgres://localhost/test
//
// The command prints each step, and compares the orders of each customer before and after
// the step. It works in a schema of its own, and drops the schema at the end. For your
// tables, change the names in the files, and run the same steps with psql or your
// migration tool.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

func main() {
	dsn := flag.String("dsn", "", "the `DSN` of a PostgreSQL database, such as postgres://localhost/test")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *dsn, 5000); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "rekey:", err)
		os.Exit(1)
	}
}

// run moves tables with n orders from integer keys, and then from UUID keys.
func run(ctx context.Context, w io.Writer, dsn string, n int) error {
	if dsn == "" {
		return errors.New("-dsn is missing: name a PostgreSQL database, such as -dsn postgres://localhost/test")
	}
	for _, keys := range []string{"integer", "uuid"} {
		fmt.Fprintf(w, "%s keys\n", keys)
		err := withSchema(ctx, dsn, func(pool *pgxpool.Pool) error {
			return migrate(ctx, w, pool, keys, n)
		})
		if err != nil {
			return fmt.Errorf("%s keys: %w", keys, err)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// withSchema calls f with connections to a new schema, and drops the schema.
func withSchema(ctx context.Context, dsn string, f func(*pgxpool.Pool) error) (err error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return err
	}
	schema := "oidkit_rekey_" + oid.New().Hex()
	config.ConnConfig.RuntimeParams["search_path"] = schema
	config.AfterConnect = pgxoid.AfterConnect
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
		return err
	}
	defer func() {
		_, dropErr := pool.Exec(context.WithoutCancel(ctx), "DROP SCHEMA "+schema+" CASCADE")
		err = errors.Join(err, dropErr)
	}()
	if _, err := pool.Exec(ctx, sqltype.PostgresSchema()); err != nil {
		return err
	}
	return f(pool)
}
