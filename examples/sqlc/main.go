// Command sqlc is an HTTP service over PostgreSQL with net/http, pgx and sqlc. The
// overrides in sqlc.yaml make sqlc use oid.ID for the column type objectid, and *oid.ID
// where the column can be NULL. The folder db holds the generated code.
//
//	go run ./examples/sqlc -dsn postgres://localhost/shop
//
// It prints the address that it listens on, and serves until Ctrl-C. It makes the tables
// customers and orders if they are missing. Try it:
//
//	curl -d '{"name": "Ada"}' http://127.0.0.1:8080/customers
//	curl -d '{"customer": "THE ID OF ADA", "cents": 1999}' http://127.0.0.1:8080/orders
//	curl 'http://127.0.0.1:8080/orders?since=2026-03-01T00:00:00Z'
//
// After a change of schema.sql or queries.sql, run sqlc generate in this folder. To copy
// the folder, change the import of the package db.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/examples/sqlc/db"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

//go:generate sqlc generate

//go:embed schema.sql
var schema string

func main() {
	dsn := flag.String("dsn", "", "the `DSN` of a PostgreSQL database, such as postgres://localhost/shop")
	addr := flag.String("addr", "127.0.0.1:8080", "listen on this `address`; port 0 takes a free one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *dsn, *addr); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "sqlc:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, w io.Writer, dsn, addr string) error {
	if dsn == "" {
		return errors.New("-dsn is missing: name a PostgreSQL database, such as -dsn postgres://localhost/shop")
	}
	pool, err := connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()

	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: newHandler(db.New(pool)), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		ended <- server.Shutdown(context.WithoutCancel(ctx))
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

// connect connects to the database, and makes the tables that are missing.
func connect(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.AfterConnect = pgxoid.AfterConnect
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	for _, ddl := range []string{sqltype.PostgresSchema(), schema} {
		if _, err := pool.Exec(ctx, ddl); err != nil {
			pool.Close()
			return nil, err
		}
	}
	pool.Reset() // new connections know the domain
	return pool, nil
}
