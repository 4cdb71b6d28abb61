// Command quickstart shows oidkit at work with nothing installed: it imports a
// CSV file of orders into an embedded SQLite database, adds some more, and finds
// them again by the creation time that their primary keys hold.
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart -ids | oid histogram   # the orders by their ids
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

// An Order is a row. It has no created_at: the id tells.
type Order struct {
	ID       oid.ID
	Number   string
	Customer string
	Cents    int64
	Currency string
}

func main() {
	file := flag.String("csv", "", "import this `file` instead of the orders that come with the program")
	ids := flag.Bool("ids", false, "print the ids that the imported orders get, and nothing else")
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

// run runs the program with a database in a temporary folder, and removes that.
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

	if err := db.Use(gormplugin.New()); err != nil {
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

// csvFile returns the name and content of file, or of the orders that come with
// the program if that is empty.
func csvFile(file string) (name string, data []byte, err error) {
	if file == "" {
		return "orders.csv", orders, nil
	}
	data, err = os.ReadFile(file)
	return filepath.Base(file), data, err
}

// printIDs prints an id for each order in file, dated as the order is.
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

// insertLive creates orders as a running program does: the plugin gives them
// their ids.
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
	fmt.Fprintf(w, "\nThree orders of now, ids assigned by the plugin\n")
	for _, o := range append([]*Order{&one}, two...) {
		fmt.Fprintf(w, "  %s  %s  %-10s %8s %s\n", o.ID, o.Number, o.Customer, decimal(o.Cents), o.Currency)
	}
	lo, hi := oid.Range(started, time.Now().Add(time.Second))
	var found int64
	if err := db.Model(&Order{}).Where("id >= ? AND id < ?", lo, hi).Count(&found).Error; err != nil {
		return err
	}
	if found != 3 {
		return fmt.Errorf("found %d orders made since the start of the program, want 3", found)
	}
	return nil
}

// takeApart shows what an id holds.
func takeApart(db *gorm.DB, w io.Writer) error {
	var o Order
	if err := db.Where("number = ?", "A90001").Take(&o).Error; err != nil {
		return err
	}
	f := oid.Inspect(o.ID)
	hex := o.ID.Hex()
	fmt.Fprintf(w, "\nThe id of order %s, field by field\n", o.Number)
	fmt.Fprintf(w, "  %s %s %s\n", hex[:8], hex[8:18], hex[18:])
	fmt.Fprintf(w, "  %-10s seconds since 1970: %s\n", hex[:8], f.Time.Format(time.DateTime))
	fmt.Fprintf(w, "  %-10s this process, at random\n", hex[8:18])
	fmt.Fprintf(w, "  %-10s counter: %d\n", hex[18:], f.Counter)
	return nil
}
