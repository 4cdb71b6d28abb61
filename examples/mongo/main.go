// Command mongo is a REST API over a MongoDB collection of orders.
//
//	go run ./examples/mongo -uri mongodb://localhost:27017
//
// It prints the address that it listens on, and serves until Ctrl-C. The orders are in
// the database oidkit_example. Try it:
//
//	curl -d '{"customer": "65b3f7a2c1d4e5f6a7b8c9d0", "cents": 1999}' http://127.0.0.1:8080/orders
//	curl 'http://127.0.0.1:8080/orders?limit=10'
//	curl 'http://127.0.0.1:8080/orders?since=2026-03-01T00:00:00Z&until=2026-04-01T00:00:00Z'
package main

import (
	"context"
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

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec"
)

func main() {
	uri := flag.String("uri", "", "the `URI` of a MongoDB, such as mongodb://localhost:27017")
	addr := flag.String("addr", "127.0.0.1:8080", "listen on this `address`; port 0 takes a free one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *uri, *addr); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "mongo:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, w io.Writer, uri, addr string) error {
	if uri == "" {
		return errors.New("-uri is missing: name a MongoDB, such as -uri mongodb://localhost:27017")
	}
	client, err := connect(ctx, uri)
	if err != nil {
		return err
	}
	defer client.Disconnect(context.WithoutCancel(ctx))

	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "listening on http://%s/orders\n", listener.Addr())
	server := &http.Server{
		Handler:           newHandler(client.Database("oidkit_example").Collection("orders")),
		ReadHeaderTimeout: 10 * time.Second,
	}
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

// connect connects to a MongoDB. SetRegistry is the one line that IDs need.
func connect(ctx context.Context, uri string) (*mongo.Client, error) {
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(bsoncodec.NewRegistry()))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := client.Ping(ctx, nil); err != nil {
		return nil, errors.Join(err, client.Disconnect(context.WithoutCancel(ctx)))
	}
	return client, nil
}
