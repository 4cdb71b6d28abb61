// Command httpapi is a small HTTP service over GORM and an embedded SQLite database. The
// service has oid.ID in paths, queries and JSON. It creates and gets orders, lists the
// orders of a time window in pages, and serves an OpenAPI description of itself. Its web
// page shows a chart of the orders of each day, computed from their IDs.
//
//	go run ./examples/httpapi         # until Ctrl-C
//	go run ./examples/httpapi -demo   # shows some requests and their answers
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/glebarez/sqlite"
	"github.com/oidkit/oidkit/gormplugin"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

type config struct {
	addr string
	file string // of the database. A temporary one if empty
	demo bool
}

func main() {
	var c config
	flag.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on this `address`. Port 0 takes a free port")
	flag.StringVar(&c.file, "db", "", "keep the orders in this `file`. Without it, sample orders are in a temporary file")
	flag.BoolVar(&c.demo, "demo", false, "show some requests and their answers, then stop")
	flag.Parse()
	if c.demo {
		slog.SetLogLoggerLevel(slog.LevelWarn) // the demo shows the requests itself
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, c); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "httpapi:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, or until the demo has.
func run(ctx context.Context, w io.Writer, c config) (err error) {
	file := c.file
	if file == "" {
		dir, err := os.MkdirTemp("", "oidkit-httpapi-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, "orders.db")
	}
	db, err := openDB(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDB(db)) }()
	if c.file == "" {
		if err := seed(db, time.Now()); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fmt.Errorf("%w: choose another address with -addr", err)
	}
	url := "http://" + listener.Addr().String()
	return serve(ctx, listener, newHandler(db), func(ctx context.Context) error {
		if c.demo {
			return demo(ctx, w, url)
		}
		fmt.Fprintf(w, "Open %s in a browser, or ask the API (Ctrl-C stops the server):\n\n", url)
		fmt.Fprintf(w, "  curl '%s/orders?limit=3'\n", url)
		fmt.Fprintf(w, "  curl --json '{\"customer\": \"Ada King\", \"cents\": 1999, \"currency\": \"EUR\"}' %s/orders\n", url)
		fmt.Fprintf(w, "  curl %s/orders/65b3\n", url)
		fmt.Fprintf(w, "  curl %s/openapi.yaml\n", url)
		<-ctx.Done()
		return nil
	})
}

// serve serves h on listener while do runs. Then it lets the requests under way end.
func serve(ctx context.Context, listener net.Listener, h http.Handler, do func(context.Context) error) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan error, 1)
	go func() {
		err := server.Serve(listener)
		stop(err)
		ended <- err
	}()
	err := do(ctx)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = errors.Join(err, server.Shutdown(grace))
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func openDB(file string) (*gorm.DB, error) {
	db, err := gorm.Open(sqlite.Open(file+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)"), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return nil, err
	}
	if err := db.Use(gormplugin.New()); err != nil {
		return nil, errors.Join(err, closeDB(db))
	}
	if err := db.AutoMigrate(&Order{}); err != nil {
		return nil, errors.Join(err, closeDB(db))
	}
	return db, nil
}

func closeDB(db *gorm.DB) error {
	conns, err := db.DB()
	if err != nil {
		return err
	}
	return conns.Close()
}
