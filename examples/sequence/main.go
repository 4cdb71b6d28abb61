// Command sequence runs a shop in three processes at once. Each process stores orders
// with numbers such as ORD-20261121-0001, and invoices with numbers such as
// INV/2026-27/0001. An invoice counts in the fiscal year, April to March, of its own date:
// in April, the shop still posts invoices of March. The numbers of invoices have no gaps.
//
//	go run ./examples/sequence
//
// The processes share only a SQLite database, so nothing has to be installed. The
// database is the file shop.db in a temporary folder, unless -db names another file. Run
// the command twice with -db shop.db, and the second run continues the numbers of the
// first. With MySQL, MariaDB or PostgreSQL, only the function open differs.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

const (
	processes = 3
	callers   = 5
	each      = 10 // orders per caller
)

func main() {
	log.SetFlags(0)
	path := flag.String("db", "", "the database, a new one unless set")
	worker := flag.Bool("worker", false, "be one of the processes")
	flag.Parse()
	work := start
	if *worker {
		work = sell
	}
	if err := work(*path); err != nil {
		log.Fatal("sequence: ", err)
	}
}

// A shop is the database and the numberings of a process.
type shop struct {
	db       *sql.DB
	store    *sqlsequence.Store
	orders   *sequence.Numbering // a count per day, drawn together by all callers
	invoices *sequence.Numbering // a count per fiscal year, without gaps
}

// open opens the database. With MySQL it is
//
//	db, err := sql.Open("mysql", "user:password@tcp(localhost)/shop")
//	store := sqlsequence.New(db, "sequences", sqlsequence.MySQL)
//
// and with GORM, db is what gormDB.DB() returns.
func open(ctx context.Context, path string) (*shop, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(30000)&_pragma=journal_mode(WAL)")
	if err != nil {
		return nil, err
	}
	store := sqlsequence.New(db, "sequences", sqlsequence.SQLite)
	if err := store.Migrate(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS orders (number TEXT PRIMARY KEY, invoice TEXT UNIQUE, issued TEXT)`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &shop{
		db:     db,
		store:  store,
		orders: sequence.NewNumbering(store, "orders", "ORD-{20060102}-{0000+}"),
		invoices: sequence.NewNumbering(store, "invoices", "INV/{2006}-{+06}/{0000}",
			sequence.WithGapFree(), sequence.WithYearStart(time.April, 1), sequence.WithDates()),
	}, nil
}

// dates are those on invoices that the shop posts at the beginning of April.
var dates = []time.Time{
	time.Date(2026, time.March, 30, 0, 0, 0, 0, time.UTC),
	time.Date(2026, time.March, 31, 0, 0, 0, 0, time.UTC),
	time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC),
}

var errChanged = errors.New("the customer changed their mind")

// sellOne stores an order and its invoice, or nothing.
func (s *shop) sellOne(ctx context.Context) error {
	// The order's number is drawn before the transaction. If that is rolled back, the
	// number is missing, and nobody minds.
	order, err := s.orders.Next(ctx)
	if err != nil {
		return err
	}
	issued := dates[rand.IntN(len(dates))]
	return s.store.InTx(ctx, func(tx *sql.Tx) error {
		// The invoice's number is drawn in the transaction. If that is rolled back, the
		// next invoice of its year gets it.
		invoice, err := s.invoices.At(issued).NextIn(ctx, s.store.Tx(tx))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO orders (number, invoice, issued) VALUES (?, ?, ?)", order, invoice, issued.Format(time.DateOnly))
		if err != nil {
			return err
		}
		if rand.IntN(5) == 0 {
			return errChanged
		}
		return nil
	})
}

// sell is the work of one process. Its callers sell until each has sold its orders.
func sell(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer s.db.Close()
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for sold := 0; sold < each && errs[i] == nil; {
				switch err := s.sellOne(ctx); {
				case err == nil:
					sold++
				case !errors.Is(err, errChanged):
					errs[i] = err
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// start starts the processes and checks the orders that they stored.
func start(path string) error {
	ctx := context.Background()
	if path == "" {
		folder, err := os.MkdirTemp("", "oidkit-sequence-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		path = filepath.Join(folder, "shop.db")
	}
	s, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer s.db.Close()
	before, err := s.count(ctx)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	errs := make([]error, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			cmd := exec.Command(program, "-worker", "-db", path)
			cmd.Stderr = os.Stderr
			errs[i] = cmd.Run()
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return s.report(ctx, before+processes*callers*each)
}

func (s *shop) count(ctx context.Context) (n int, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT count(*) FROM orders").Scan(&n)
	return n, err
}

// report prints the stored orders, and returns an error if they are wrong.
func (s *shop) report(ctx context.Context, want int) error {
	var n int
	var firstOrder, lastOrder string
	err := s.db.QueryRowContext(ctx, "SELECT count(*), min(number), max(number) FROM orders").Scan(&n, &firstOrder, &lastOrder)
	if err != nil {
		return err
	}
	fmt.Printf("%d orders from %s to %s: some numbers are missing, none came twice\n", n, firstOrder, lastOrder)
	if n != want {
		return fmt.Errorf("%d orders, want %d", n, want)
	}
	for _, year := range []string{"2025-26", "2026-27"} {
		var invoices int64
		var last, from, to string
		err := s.db.QueryRowContext(ctx, "SELECT count(*), max(invoice), min(issued), max(issued) FROM orders WHERE invoice LIKE ?", "INV/"+year+"/%").
			Scan(&invoices, &last, &from, &to)
		if err != nil {
			return err
		}
		_, serial, err := s.invoices.Parse(last)
		if err != nil {
			return err
		}
		if invoices != serial {
			return fmt.Errorf("%d invoices up to %s", invoices, last)
		}
		fmt.Printf("%d invoices up to %s, dated %s to %s: none is missing\n", invoices, last, from, to)
	}
	states, err := sequence.List(ctx, s.store)
	if err != nil {
		return err
	}
	for _, st := range states {
		fmt.Printf("key %s is %q, and is at %d\n", st.Key, st.Meaning, st.Last.Serial)
	}
	return nil
}
