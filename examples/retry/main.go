// Command retry stores orders once, although answers of the database get lost. After a lost
// answer, nobody knows whether an insert was stored. The command inserts again with the same
// ID, which it made before the first try. If the database refuses the duplicate, the order was
// stored.
//
//	go run ./examples/retry                                                          # SQLite, nothing to install
//	go run ./examples/retry -postgres postgres://localhost/shop                      # your PostgreSQL
//	go run ./examples/retry -mysql 'root@tcp(localhost:3306)/shop?parseTime=true'    # your MySQL or MariaDB
//
// The command throws some answers away itself. In your database, it makes the tables orders and
// order_lines, and drops them at the end. If one of them exists, it stops. The function store is
// what you copy. shop.go also has the same for database/sql and MongoDB.
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
	"time"

	"github.com/glebarez/sqlite"
	"github.com/oidkit/oidkit/gormplugin"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

func main() {
	postgresDSN := flag.String("postgres", "", "the `DSN` of a PostgreSQL database")
	mysqlDSN := flag.String("mysql", "", "the `DSN` of a MySQL or MariaDB database")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *postgresDSN, *mysqlDSN); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "retry:", err)
		os.Exit(1)
	}
}

var errLost = errors.New("the answer was lost")

// run stores orders on SQLite, unless there is a DSN.
func run(ctx context.Context, w io.Writer, postgresDSN, mysqlDSN string) (err error) {
	dir, err := os.MkdirTemp("", "oidkit-retry-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	dialector := sqlite.Open(filepath.Join(dir, "shop.db"))
	switch {
	case postgresDSN != "":
		dialector = postgres.Open(postgresDSN)
	case mysqlDSN != "":
		dialector = mysql.Open(mysqlDSN)
	}
	db, err := openGORM(dialector)
	if err != nil {
		return err
	}
	conns, err := db.DB()
	if err != nil {
		return err
	}
	defer conns.Close()
	for _, model := range []any{&Order{}, &OrderLine{}} {
		if db.Migrator().HasTable(model) {
			return fmt.Errorf("there is a table for %T already: name another database", model)
		}
	}
	defer func() { err = errors.Join(err, db.Migrator().DropTable(&OrderLine{}, &Order{})) }()
	if err := db.AutoMigrate(&Order{}, &OrderLine{}); err != nil {
		return err
	}

	s := gormShop(db)
	insert, calls := s.insert, 0
	s.insert = func(ctx context.Context, o Order) error {
		calls++
		err := insert(ctx, o)
		switch {
		case err == nil && calls%3 != 0: // the connection breaks after the commit
			fmt.Fprintf(w, "  order %v: the answer is lost\n", o.ID)
			return errLost
		case err != nil:
			fmt.Fprintf(w, "  order %v: %v. Was it mine?\n", o.ID, err)
		}
		return err
	}
	for i := range 4 {
		o := newOrder(fmt.Sprintf("A-%d", i+1), "tea", "cup")
		if err := s.store(ctx, o); err != nil {
			return err
		}
		fmt.Fprintf(w, "order %v is stored: %s\n", o.ID, o.Number)
	}
	taken := newOrder("A-1", "pot")
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.store(ctx, taken); !isDuplicate(err) {
		return fmt.Errorf("a second order A-1: %w", err)
	}
	fmt.Fprintf(w, "order %v is not stored: another order has the number A-1\n", taken.ID)
	var orders, lines int64
	if err := errors.Join(db.Model(&Order{}).Count(&orders).Error, db.Model(&OrderLine{}).Count(&lines).Error); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d inserts, %d orders, %d lines\n", calls, orders, lines)
	return err
}

// openGORM opens a database whose errors GORM translates.
func openGORM(dialector gorm.Dialector) (*gorm.DB, error) {
	db, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard, TranslateError: true})
	if err != nil {
		return nil, err
	}
	return db, db.Use(gormplugin.New(gormplugin.WithModels(&Order{})))
}
