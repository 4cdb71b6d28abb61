package sqlsequence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	gormmysql "gorm.io/driver/mysql"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/gormplugin"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestPageOnSequences runs the code of docs/sequence.md. internal/contract/docs checks that each
// line of the page stands here.
func TestPageOnSequences(t *testing.T) {
	t.Parallel()
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			runPageOnSequences(t, on(e)(t).open(t))
		})
	}
}

func runPageOnSequences(t *testing.T, sqlDB *sql.DB) {
	ctx := t.Context()
	block := func(name string, run func() error) {
		t.Helper()
		if err := run(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var drawn *sequence.Sequence
	block("install", func() error {
		store := sqlsequence.New(sqlDB, "sequences", sqlsequence.MySQL) // or SQLite, PostgreSQL. With GORM: sqlDB, err := db.DB()
		err := store.Migrate(ctx)                                       // makes the table, once
		tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
		drawn = tickets
		return err
	})
	tickets, store := drawn, sqlsequence.New(sqlDB, "sequences", sqlsequence.MySQL)
	pool, err := pgxpool.New(ctx, postgres.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	block("install with pgx", func() error {
		pgStore := pgsequence.New(pool, "sequences") // with pgx, on up to 4 connections that are not the pool's
		defer pgStore.Close()
		return pgStore.Migrate(ctx)
	})
	block("number", func() error {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // without a deadline, a caller waits until the server is back
		defer cancel()
		n, err := tickets.Next(ctx) // the first draw makes the key; n.Serial: 1, 2, … 99, 1, …
		if errors.Is(err, sequence.ErrExhausted) {
			return err // a plan without Cycle is at its end
		}
		fmt.Printf("ticket %02d\n", n.Serial)
		if n.Serial != 1 {
			t.Errorf("the first ticket is %d", n.Serial)
		}
		if err != nil {
			return err
		}
		batch, err := tickets.Take(ctx, 20) // the next 20 numbers, in one round trip to the server
		if len(batch) != 20 || batch[19].Serial != 21 {
			t.Errorf("the batch after the first ticket is %v", batch)
		}
		return err
	})
	year := time.Now().UTC().Format("2006")
	block("document number", func() error {
		invoices := sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}", sequence.WithZone(time.UTC))
		number, err := invoices.Next(ctx) // INV-2026-00001; after 99999 the error is ErrExhausted
		if want := "INV-" + year + "-00001"; number != want {
			t.Errorf("%s, want %s", number, want)
		}
		if err != nil {
			return err
		}
		number, err = invoices.For("shop7").Next(ctx) // INV-2026-00001; the scope shop7 has its own count
		if want := "INV-" + year + "-00001"; number != want {
			t.Errorf("%s, want %s", number, want)
		}
		if err != nil {
			return err
		}
		daily := sequence.NewNumbering(store, "daily", "{20060102}-{000}") // 20261120-001; counts from 1 on each day
		members := sequence.NewNumbering(store, "members", "M{00+}")       // M01; M99 is followed by M100, and the count never restarts
		if number, err := daily.Next(ctx); err != nil || !strings.HasSuffix(number, "-001") || len(number) != len("20261120-001") {
			t.Errorf("the first number of the day: %s, %v", number, err)
		}
		if err := members.AdvanceTo(ctx, "M99"); err != nil {
			return err
		}
		if number, err := members.Next(ctx); err != nil || number != "M100" {
			t.Errorf("after M99: %s, %v", number, err)
		}
		return nil
	})
	if _, err := sqlDB.ExecContext(ctx, "CREATE TABLE bills (number varchar(20) PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	block("without gaps", func() error {
		bills := sequence.NewNumbering(store, "bills", "B-{2006}-{00000}", sequence.WithGapFree())
		err := store.InTx(ctx, func(tx *sql.Tx) error { // runs again after a deadlock
			number, err := bills.NextIn(ctx, store.Tx(tx))
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, "INSERT INTO bills (number) VALUES (?)", number)
			return err
		})
		return err
	})
	block("fiscal years", func() error {
		fiscal := sequence.NewNumbering(store, "fiscal", "INV/{2006}-{+06}/{0000}",
			sequence.WithYearStart(time.April, 1), sequence.WithDates(), sequence.WithGapFree())
		issued, closed := time.Date(2027, time.March, 31, 0, 0, 0, 0, time.UTC), time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
		if issued.Before(closed) {
			return errors.New("the books of this date are closed") // the library closes no period: check before you draw
		}
		err := store.InTx(ctx, func(tx *sql.Tx) error {
			number, err := fiscal.For("paris").At(issued).NextIn(ctx, store.Tx(tx)) // INV/2026-27/0001
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, "INSERT INTO bills (number) VALUES (?)", number)
			return err
		})
		if err != nil {
			return err
		}
		state, err := fiscal.For("paris").At(issued).State(ctx) // state.Text, state.Left, state.Period
		if state.Text != "INV/2026-27/0001" || state.Left != 9998 || state.Period.Format(time.DateOnly) != "2026-04-01" {
			t.Errorf("%+v", state)
		}
		if err != nil {
			return err
		}
		err = fiscal.At(issued).AdvanceTo(ctx, "INV/2026-27/0142") // without a branch, the next one is INV/2026-27/0143
		if err != nil {
			return err
		}
		err = store.InTx(ctx, func(tx *sql.Tx) error {
			number, err := fiscal.At(issued).NextIn(ctx, store.Tx(tx))
			if number != "INV/2026-27/0143" {
				t.Errorf("after AdvanceTo: %s", number)
			}
			return err
		})
		if err != nil {
			return err
		}
		invoices := sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}", sequence.WithZone(time.UTC))
		all, err := invoices.Take(ctx, 200) // 200 consecutive numbers in one trip; in your transaction, use TakeIn
		if len(all) != 200 || all[199] != "INV-"+year+"-00201" {
			t.Errorf("200 invoices end with %s", all[len(all)-1:])
		}
		return err
	})
	bills := sequence.NewNumbering(store, "bills", "B-{2006}-{00000}", sequence.WithGapFree())
	invoices := sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}", sequence.WithZone(time.UTC))
	type Order struct {
		ID     oid.ID
		Number string
	}
	db, err := gorm.Open(gormmysql.New(gormmysql.Config{Conn: sqlDB}), &gorm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Use(gormplugin.New(gormplugin.WithModels(&Order{}))), db.AutoMigrate(&Order{})); err != nil {
		t.Fatal(err)
	}
	block("without gaps, with GORM", func() error {
		err := db.Transaction(func(tx *gorm.DB) error {
			number, err := bills.NextIn(ctx, store.Tx(tx.Statement.ConnPool))
			if err != nil {
				return err
			}
			return tx.Create(&Order{Number: number}).Error
		})
		return err
	})
	var numbers []string
	db.Model(&Order{}).Pluck("number", &numbers)
	if want := []string{"B-" + year + "-00002"}; !slices.Equal(numbers, want) {
		t.Errorf("orders %v, want %v", numbers, want)
	}
	block("stamp", func() error {
		stamps := sequence.NewStamper(store, "orders")
		stamp, err := stamps.Next(ctx) // prints as 2026112009311512345607
		column := stamp.String()       // store the 22 digits as text: an int64 is too small
		if len(column) != 22 {
			t.Errorf("the stamp %s", stamp)
		}
		return err
	})
	block("rules", func() error {
		draw := func(store *sqlsequence.Store) error {
			tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true}, sequence.WithExisting()) // rule 2
			_, err := tickets.Next(ctx)
			if errors.Is(err, sequence.ErrNotFound) {
				return err // the wrong database, or somebody deleted the key
			}
			tenants := sequence.NewNumbering(store, "tenants", "INV-{2006}-{00000}", sequence.WithExisting())
			err = tenants.AdvanceTo(ctx, "INV-2026-00000") // once, at the first deployment: makes the key, and draws no number
			if err != nil {
				return err
			}
			text, err := tenants.For("shop7").Next(ctx) // a new tenant: ErrNotFound only if somebody deleted the key
			if text != "INV-"+year+"-00001" {
				t.Errorf("the first number of a tenant is %q", text)
			}
			return err
		}
		if err := draw(store); err != nil {
			return err
		}
		empty := sqlsequence.New(sqlDB, "empty", sqlsequence.MySQL)
		if err := empty.Migrate(ctx); err != nil {
			return err
		}
		if err := draw(empty); err == nil {
			t.Error("a draw from a missing key succeeded")
		}
		return nil
	})
	block("list and move", func() error {
		numbers := sequence.New(store, "numbers", sequence.Plan{First: 1, Last: 1 << 40})
		if _, err := numbers.Next(ctx); err != nil {
			return err
		}
		all, err := sequence.List(ctx, store) // every key, with its last number
		if len(all) != 14 {
			t.Errorf("the keys %v, %v", all, err)
		}
		state, err := tickets.State(ctx) // one key; draws no number
		if err != nil || state.Last.Ordinal != 22 {
			t.Errorf("%+v, %v", state, err)
		}
		err = numbers.AdvanceTo(ctx, 4711) // the next serial is at least 4712
		if err != nil {
			return err
		}
		if n, err := numbers.Next(ctx); err != nil || n.Serial != 4712 {
			t.Errorf("after AdvanceTo: %+v, %v", n, err)
		}
		err = invoices.AdvanceTo(ctx, "INV-2026-00123") // for a numbering
		if err != nil && year == "2026" {               // a year that is over can't be opened again
			return err
		}
		store := sqlsequence.New(sqlDB, "sequences", sqlsequence.MySQL)
		wide := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 999, Cycle: true})
		err = wide.Resize(ctx, sequence.Plan{First: 1, Last: 99, Cycle: true}) // tickets then go up to 999
		if err != nil {
			return err
		}
		if n, err := wide.Next(ctx); err != nil || n.Serial != 23 {
			t.Errorf("after Resize: %+v, %v", n, err)
		}
		if state, err := wide.State(ctx); err != nil || state.Plan.Last != 999 {
			t.Errorf("after Resize: %+v, %v", state, err)
		}
		return nil
	})
}
