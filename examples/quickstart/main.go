// Command quickstart imports a CSV file of orders into an SQLite database, and adds three
// orders. It then finds orders by their creation time, which the primary key holds.
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart -ids | go run ./cmd/oid histogram   # a chart of the orders
//
// The command prints what it stores and finds, and the database's plan of the query for
// one month. It compares the number of orders of each month with the dates in the file.
// The database is a temporary file.
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
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
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

//go:generate go run ./generate -o orders.csv

//go:embed orders.csv
var orders []byte

// An Order is a row. It needs no column created_at: the ID holds the time.
type Order struct {
	ID       oid.ID
	Number   string
	Customer string
	Cents    int64
	Currency string
}

func main() {
	file := flag.String("csv", "", "import this `file` instead of orders.csv")
	ids := flag.Bool("ids", false, "print only the IDs of the imported orders")
	flag.Parse()
	if *ids {
		if err := printIDs(os.Stdout, *file); err != nil {
			fmt.Fprintln(os.Stderr, "quickstart:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *file); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run runs the program with a database in a temporary folder. It removes the folder.
func run(ctx context.Context, w io.Writer, file string) (err error) {
	name, data, err := csvFile(file)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "oidkit-quickstart-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	db, err := gorm.Open(sqlite.Open(filepath.Join(dir, "orders.db")), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return err
	}
	conns, err := db.DB()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conns.Close()) }()

	if err := db.Use(gormplugin.New(gormplugin.WithModels(&Order{}))); err != nil {
		return err
	}
	db = db.WithContext(ctx)
	if err := db.AutoMigrate(&Order{}); err != nil {
		return err
	}
	started := time.Now()
	counts, err := importOrders(db, w, name, bytes.NewReader(data))
	if err != nil {
		return err
	}
	if err := insertLive(db, w, started); err != nil {
		return err
	}
	if err := march2025(db, w, counts); err != nil {
		return err
	}
	if err := allMonths(db, w, counts); err != nil {
		return err
	}
	return takeApart(db, w)
}

// csvFile returns the name and the content of a file. The default is orders.csv, which is
// in the program.
func csvFile(file string) (name string, data []byte, err error) {
	if file == "" {
		return "orders.csv", orders, nil
	}
	data, err = os.ReadFile(file)
	return filepath.Base(file), data, err
}

// printIDs prints an ID for each order in the file, with the time of the order.
func printIDs(w io.Writer, file string) error {
	name, data, err := csvFile(file)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	err = readOrders(name, bytes.NewReader(data), func(o Order, _ time.Time) error {
		_, err := fmt.Fprintln(out, o.ID)
		return err
	})
	return errors.Join(err, out.Flush())
}

// insertLive creates orders as a running program does. The plugin makes their IDs.
func insertLive(db *gorm.DB, w io.Writer, started time.Time) error {
	one := Order{Number: "A90001", Customer: "Ada King", Cents: 1999, Currency: "EUR"}
	if err := db.Create(&one).Error; err != nil {
		return err
	}
	two := []*Order{
		{Number: "A90002", Customer: "Grace Hill", Cents: 4550, Currency: "GBP"},
		{Number: "A90003", Customer: "Alan Moss", Cents: 825, Currency: "USD"},
	}
	if err := db.Create(two).Error; err != nil {
		return err
	}
	fmt.Fprintf(w, "\nThree new orders, with IDs from the plugin\n")
	for _, o := range append([]*Order{&one}, two...) {
		fmt.Fprintf(w, "  %s  %s  %-10s %8s %s\n", o.ID, o.Number, o.Customer, decimal(o.Cents), o.Currency)
	}
	lo, hi := oid.Range(started, time.Now().Add(time.Second))
	var found int64
	if err := db.Model(&Order{}).Where("id >= ? AND id < ?", lo, hi).Count(&found).Error; err != nil {
		return err
	}
	if found != 3 {
		return fmt.Errorf("found %d orders since the start of the program, want 3", found)
	}
	return nil
}

// takeApart shows what an ID holds.
func takeApart(db *gorm.DB, w io.Writer) error {
	var o Order
	if err := db.Where("number = ?", "A90001").Take(&o).Error; err != nil {
		return err
	}
	f := oid.Inspect(o.ID)
	hex := o.ID.Hex()
	fmt.Fprintf(w, "\nThe parts of the ID of order %s\n", o.Number)
	fmt.Fprintf(w, "  %s %s %s\n", hex[:8], hex[8:18], hex[18:])
	fmt.Fprintf(w, "  %-10s seconds since 1970: %s\n", hex[:8], f.Time.Format(time.DateTime))
	fmt.Fprintf(w, "  %-10s a random value of this process\n", hex[8:18])
	fmt.Fprintf(w, "  %-10s counter: %d\n", hex[18:], f.Counter)
	return nil
}
