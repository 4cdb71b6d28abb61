// Command service is the usual Go service: net/http, GORM, and PostgreSQL. Customers get
// invoices, whose numbers have no gaps, such as INV-2026-00001.
//
//	go run ./examples/service                                          # SQLite, nothing to install
//	go run ./examples/service -postgres postgres://localhost/shop      # your PostgreSQL
//	go run ./examples/service -demo                                    # shows some requests and their answers
//	SERVICE_ID_KEYS=$(openssl rand -base64 32) go run ./examples/service # the IDs look the same after a restart
//
// Start your own service from this one. model.go has typed IDs, which are sealed in URLs and
// JSON, and plain in the database. api.go stores an invoice
// and its number in one transaction, reads IDs from paths and queries, and lists pages
// that begin at an ID. A range of creation times is a range of the primary key. The tests
// have fixed IDs.
package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
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
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

type config struct {
	addr     string
	postgres string // SQLite in a temporary folder if empty
	keys     string // of the sealed IDs: see readKeys
	admin    string // the password of GET /admin/ids/{id}
	demo     bool
}

func main() {
	var c config
	flag.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on this `address`. Port 0 takes a free port")
	flag.StringVar(&c.postgres, "postgres", "", "the `DSN` of a PostgreSQL database")
	flag.BoolVar(&c.demo, "demo", false, "show some requests and their answers, then stop")
	flag.Parse()
	c.keys, c.admin = os.Getenv("SERVICE_ID_KEYS"), os.Getenv("SERVICE_ADMIN_PASSWORD")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, c); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, or until the demo has.
func run(ctx context.Context, w io.Writer, c config) error {
	if c.keys == "" {
		fmt.Fprint(w, "SERVICE_ID_KEYS is empty: the IDs look different after a restart\n\n")
		key := make([]byte, 32)
		rand.Read(key)
		c.keys = base64.StdEncoding.EncodeToString(key)
	}
	if err := readKeys(c.keys); err != nil {
		return fmt.Errorf("SERVICE_ID_KEYS: %w", err)
	}
	dialector, dialect := postgres.Open(c.postgres), sqlsequence.PostgreSQL
	if c.postgres == "" {
		dir, err := os.MkdirTemp("", "oidkit-service-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		dialector, dialect = openSQLite(dir), sqlsequence.SQLite
	}
	s, err := newService(ctx, dialector, dialect, new(oid.Generator))
	if err != nil {
		return err
	}
	defer s.close()
	s.admin = c.admin
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fmt.Errorf("%w: choose another address with -addr", err)
	}
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	url := "http://" + listener.Addr().String()
	if c.demo {
		err = demo(ctx, w, url)
	} else {
		fmt.Fprintf(w, "Ask it (Ctrl-C stops the server):\n\n  curl --json '{\"name\": \"Ada King\"}' %s/customers\n", url)
		select {
		case <-ctx.Done():
		case err = <-served:
			return err
		}
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(grace))
}

// openSQLite opens a database in a folder. Each transaction begins as a writer, because
// two that read first and then draw a number would refuse each other.
func openSQLite(dir string) gorm.Dialector {
	return sqlite.Open(filepath.Join(dir, "shop.db") +
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)")
}

// newService opens the database and makes its tables. The generator makes the IDs.
func newService(ctx context.Context, dialector gorm.Dialector, dialect sqlsequence.Dialect, ids *oid.Generator) (s *service, err error) {
	db, err := gorm.Open(dialector, &gorm.Config{
		Logger:         gormplugin.Logger(logger.NewSlogLogger(slog.Default(), logger.Config{LogLevel: logger.Warn, IgnoreRecordNotFoundError: true})),
		TranslateError: true, // gorm.ErrForeignKeyViolated on every database
		PrepareStmt:    true,
	})
	if err != nil {
		return nil, err
	}
	sqlDB, err := db.DB()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, sqlDB.Close())
		}
	}()
	if err := db.Use(gormplugin.New(gormplugin.WithModels(&Invoice{}), gormplugin.WithGenerator(ids))); err != nil {
		return nil, err
	}
	if err := db.WithContext(ctx).AutoMigrate(&Customer{}, &Invoice{}); err != nil {
		return nil, err
	}
	store := sqlsequence.New(sqlDB, "sequences", dialect)
	if err := store.Migrate(ctx); err != nil {
		return nil, err
	}
	return &service{db: db, store: store, numbers: invoiceNumbers(store), close: sqlDB.Close}, nil
}
