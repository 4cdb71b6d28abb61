// Command migrate moves two MongoDB collections to SQL tables through GORM, and back. The
// IDs don't change. The program then compares both sides: the IDs byte for byte and in
// their order, and the documents byte for byte.
//
//	go run ./examples/migrate -uri mongodb://localhost:27017                                    # to SQLite
//	go run ./examples/migrate -uri mongodb://localhost:27017 -dsn postgres://localhost/example  # to PostgreSQL
//
// It prints how many rows and documents are the same. It makes a MongoDB database with
// invented orders and two SQL tables, and drops them at the end.
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

	"github.com/glebarez/sqlite"
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
	uri    string // of a MongoDB
	dsn    string // of a PostgreSQL; SQLite if empty
	orders int
}

func main() {
	var c config
	flag.StringVar(&c.uri, "uri", "", "the `URI` of a MongoDB, such as mongodb://localhost:27017")
	flag.StringVar(&c.dsn, "dsn", "", "the `DSN` of a PostgreSQL database; SQLite in a temporary file if empty")
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
		return errors.New("-uri is missing: name a MongoDB, such as -uri mongodb://localhost:27017")
	}
	client, err := mongo.Connect(options.Client().ApplyURI(c.uri).SetRegistry(bsoncodec.NewRegistry()))
	if err != nil {
		return err
	}
	after := context.WithoutCancel(ctx) // to clean up after ctx has ended
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
			return fmt.Errorf("the database has the table of %T: name another database", table)
		}
	}
	defer func() { err = errors.Join(err, db.WithContext(after).Migrator().DropTable(&Order{}, &Customer{})) }()
	if err := db.AutoMigrate(&Customer{}, &Order{}); err != nil {
		return err
	}
	return migrate(ctx, w, docs, db, c.orders)
}

// openSQL opens the PostgreSQL database at dsn, or SQLite in a temporary folder.
func openSQL(dsn string) (db *gorm.DB, closeDB func() error, err error) {
	dir := ""
	dialector := postgres.Open(dsn)
	if dsn == "" {
		if dir, err = os.MkdirTemp("", "oidkit-migrate-"); err != nil {
			return nil, nil, err
		}
		dialector = sqlite.Open(filepath.Join(dir, "orders.db") + "?_pragma=foreign_keys(1)")
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
	if err := db.Use(gormplugin.New(gormplugin.WithModels(&Order{}))); err != nil {
		return nil, nil, errors.Join(err, closeDB())
	}
	return db, closeDB, nil
}
