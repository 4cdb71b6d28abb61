// Command migrate moves two collections of MongoDB to SQL tables through GORM and
// back, with their ids kept, and compares what arrives: ids byte for byte in the
// order that both sides sort them, and documents byte for byte.
//
//	go run ./examples/migrate                                      # nothing to install
//	go run ./examples/migrate -uri mongodb://localhost:27017       # a MongoDB of yours
//	go run ./examples/migrate -dsn postgres://localhost/example    # a PostgreSQL of yours
//
// In servers of yours it makes a database and two tables, and drops them at the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	_ "github.com/ncruces/go-sqlite3/embed"
	"github.com/ncruces/go-sqlite3/gormlite"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
)

type config struct {
	uri    string // of MongoDB; one inside the program if empty
	dsn    string // of PostgreSQL; SQLite inside the program if empty
	orders int
}

func main() {
	var c config
	flag.StringVar(&c.uri, "uri", "", "the `address` of a MongoDB; empty: one inside this program")
	flag.StringVar(&c.dsn, "dsn", "", "the `address` of a PostgreSQL; empty: SQLite inside this program")
	flag.IntVar(&c.orders, "orders", 5000, "how many `orders` to move")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, c); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "migrate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, c config) (err error) {
	if c.uri == "" {
		uri, stop, err := startServer()
		if err != nil {
			return err
		}
		defer stop()
		c.uri = uri
	}
	client, err := mongo.Connect(options.Client().ApplyURI(c.uri).SetRegistry(bsoncodec.NewRegistry()))
	if err != nil {
		return err
	}
	after := context.WithoutCancel(ctx) // cleans up when ctx has ended, too
	defer func() { err = errors.Join(err, client.Disconnect(after)) }()
	docs := client.Database("oidkit_migrate_" + oid.New().Hex())
	defer func() { err = errors.Join(err, docs.Drop(after)) }()

	db, closeDB, err := openSQL(c.dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDB()) }()
	db = db.WithContext(ctx)
	for _, table := range []any{&Customer{}, &Order{}} {
		if db.Migrator().HasTable(table) {
			return fmt.Errorf("the database has the table of %T already, and it stays as it is", table)
		}
	}
	defer func() { err = errors.Join(err, db.WithContext(after).Migrator().DropTable(&Order{}, &Customer{})) }()
	if err := db.AutoMigrate(&Customer{}, &Order{}); err != nil {
		return err
	}
	return migrate(ctx, w, docs, db, c.orders)
}

// openSQL opens PostgreSQL at dsn, or SQLite in a temporary folder, with the
// plugin.
func openSQL(dsn string) (db *gorm.DB, closeDB func() error, err error) {
	dir := ""
	dialector := postgres.Open(dsn)
	if dsn == "" {
		if dir, err = os.MkdirTemp("", "oidkit-migrate-"); err != nil {
			return nil, nil, err
		}
		// The MongoDB inside the program brings the SQLite driver of modernc.org
		// with it. glebarez/sqlite registers a driver of the same name, and so
		// can't be in one program with it; this one has another name.
		dialector = gormlite.Open("file:" + filepath.Join(dir, "orders.db"))
	}
	removeDir := func() error {
		if dir == "" {
			return nil
		}
		return os.RemoveAll(dir)
	}
	db, err = gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return nil, nil, errors.Join(err, removeDir())
	}
	conns, err := db.DB()
	if err != nil {
		return nil, nil, errors.Join(err, removeDir())
	}
	closeDB = func() error { return errors.Join(conns.Close(), removeDir()) }
	if err := db.Use(gormplugin.New()); err != nil {
		return nil, nil, errors.Join(err, closeDB())
	}
	return db, closeDB, nil
}
