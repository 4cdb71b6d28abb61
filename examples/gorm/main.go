// Command gorm is a small shop on GORM: customers, orders, items and tags. It runs on
// SQLite, PostgreSQL, MySQL and MariaDB. Only the dialector differs: see openDB.
//
//	go run ./examples/gorm                                                          # SQLite, nothing to install
//	go run ./examples/gorm -postgres postgres://localhost/shop                      # your PostgreSQL
//	go run ./examples/gorm -mysql 'root@tcp(localhost:3306)/shop?parseTime=true'    # your MySQL or MariaDB
//
// The program prints each step, the SQL of the step, and what the step found. In your
// database, the program makes five tables, and drops them at the end. If one of these
// tables exists already, the program stops.
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
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

type config struct {
	postgres, mysql string // SQLite if both are empty
}

func main() {
	var c config
	flag.StringVar(&c.postgres, "postgres", "", "the `DSN` of a PostgreSQL database")
	flag.StringVar(&c.mysql, "mysql", "", "the `DSN` of a MySQL or MariaDB database, with parseTime=true")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, c); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "gorm:", err)
		os.Exit(1)
	}
}

// openDB connects to the database. SQLite keeps its file in dir.
func openDB(c config, dir string) (*gorm.DB, error) {
	dialector := sqlite.Open(filepath.Join(dir, "shop.db") + "?_pragma=foreign_keys(1)")
	switch {
	case c.postgres != "":
		dialector = postgres.Open(c.postgres)
	case c.mysql != "":
		dialector = mysql.Open(c.mysql)
	}
	db, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return nil, err
	}
	// WithModels takes the models that are related to Order too. It gives their keys
	// the right column on every database.
	return db, db.Use(gormplugin.New(gormplugin.WithModels(&Order{})))
}

// run makes the tables, goes through the steps, and removes what it has made.
func run(ctx context.Context, w io.Writer, c config) (err error) {
	dir, err := os.MkdirTemp("", "oidkit-gorm-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := openDB(c, dir)
	if err != nil {
		return err
	}
	conns, err := db.DB()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conns.Close()) }()

	tables := []any{&Customer{}, &Tag{}, &Order{}, &Item{}, "order_tags"}
	for _, table := range tables {
		if db.Migrator().HasTable(table) {
			return fmt.Errorf("the database has the table of %v: name an empty database", table)
		}
	}
	clean := db.WithContext(context.WithoutCancel(ctx))
	defer func() { err = errors.Join(err, clean.Migrator().DropTable(tables...)) }()
	db = db.WithContext(ctx)
	if err := db.AutoMigrate(&Customer{}, &Tag{}, &Order{}, &Item{}); err != nil {
		return err
	}
	if err := importOrders(db); err != nil {
		return err
	}

	shop := shop{db.Session(&gorm.Session{Logger: gormplugin.Logger(sqlLog{logger.Discard, w})}), w}
	for _, step := range []func() error{shop.create, shop.find, shop.upsert, shop.pages, shop.report, shop.remove} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// importOrders stores 60 orders of the first half of 2025, three days apart. Their IDs
// have these dates.
func importOrders(db *gorm.DB) error {
	ada := Customer{Name: "Ada", Email: "ada@example.com"}
	if err := db.Create(&ada).Error; err != nil {
		return err
	}
	var orders []Order
	for i := range 60 {
		id, err := oid.NewAt(time.Date(2025, time.January, 1+3*i, 10, 0, 0, 0, time.UTC))
		if err != nil {
			return err
		}
		orders = append(orders, Order{
			Model:      gormplugin.Model{ID: id},
			Number:     fmt.Sprintf("A%03d", i+1),
			CustomerID: ada.ID,
			Items:      []Item{{Article: "tea", Count: int64(1 + i%3), Cents: 450}, {Article: "cup", Count: 1, Cents: 1290}},
		})
	}
	return db.CreateInBatches(orders, 20).Error
}

type shop struct {
	db *gorm.DB
	w  io.Writer
}

func (s shop) headline(format string, args ...any) { fmt.Fprintf(s.w, "\n"+format+"\n", args...) }

// create stores a customer with an order, its items and tags in one call.
func (s shop) create() error {
	s.headline("A customer, an order, its items and tags: one call stores them all")
	bob := Customer{Name: "Bob", Email: "bob@example.com", Orders: []Order{{
		Number: "B001",
		Items:  []Item{{Article: "tea", Count: 2, Cents: 450}, {Article: "pot", Count: 1, Cents: 3900}},
		Tags:   []Tag{{Name: "gift"}, {Name: "express"}},
	}}}
	return s.db.Create(&bob).Error
}

// find finds an order by its ID, with its customer, items and tags.
func (s shop) find() error {
	var id oid.ID
	if err := s.db.Session(&gorm.Session{Logger: logger.Discard}).Model(&Order{}).Select("id").Where("number = ?", "B001").Row().Scan(&id); err != nil {
		return err
	}
	s.headline("db.First(&order, id) finds the order with this ID")
	var order Order
	if err := s.db.Preload("Customer").Preload("Items").Preload("Tags").First(&order, id).Error; err != nil {
		return err
	}
	fmt.Fprintf(s.w, "  order %s of %s: %d items, %d tags, referrer NULL: %t\n",
		order.Number, order.Customer.Name, len(order.Items), len(order.Tags), order.ReferrerID.IsZero())

	s.headline("A foreign key that can be NULL: sqltype.ZeroNull")
	var ada Customer
	if err := s.db.Where("email = ?", "ada@example.com").Take(&ada).Error; err != nil {
		return err
	}
	bare := Order{Model: gormplugin.Model{ID: id}}
	if err := s.db.Model(&bare).Update("referrer_id", sqltype.ZeroNull(ada.ID)).Error; err != nil {
		return err
	}
	return s.db.Model(&bare).Association("Referrer").Clear()
}

// upsert stores a customer whose email exists already.
func (s shop) upsert() error {
	s.headline("An upsert: the struct gets the ID of the stored row")
	robert := Customer{Name: "Robert", Email: "bob@example.com"}
	err := s.db.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "email"}},
		DoUpdates: clause.AssignmentColumns([]string{"name"}),
	}).Create(&robert).Error
	if err != nil {
		return err
	}
	var stored Customer
	if err := s.db.Take(&stored, robert.ID).Error; err != nil {
		return err
	}
	fmt.Fprintf(s.w, "  %s is stored under the ID of Bob\n", stored.Name)

	s.headline("DoNothing: a skipped row has no ID")
	again := Customer{Name: "Bobby", Email: "bob@example.com"}
	tx := s.db.Clauses(clause.OnConflict{DoNothing: true}).Create(&again)
	if tx.Error != nil {
		return tx.Error
	}
	fmt.Fprintf(s.w, "  %d rows, zero ID: %t\n", tx.RowsAffected, again.ID.IsZero())
	return nil
}

// pages reads the orders of May, page by page.
func (s shop) pages() error {
	s.headline("The orders of May in pages of four, newest first")
	from := time.Date(2025, time.May, 1, 0, 0, 0, 0, time.UTC)
	last := oid.Until(from.AddDate(0, 1, 0)) // the next page ends before it
	for page := 1; ; page++ {
		var orders []Order
		if err := s.db.Where("id >= ? AND id < ?", oid.MinAt(from), last).Order("id DESC").Limit(4).Find(&orders).Error; err != nil {
			return err
		}
		if len(orders) == 0 {
			return nil
		}
		fmt.Fprintf(s.w, "  page %d:", page)
		for _, o := range orders {
			fmt.Fprintf(s.w, " %s (%s)", o.Number, o.ID.Timestamp().Format("2 Jan"))
		}
		fmt.Fprintln(s.w)
		last = orders[len(orders)-1].ID
	}
}

// report adds up the orders of each month. A month is a range of the primary key.
func (s shop) report() error {
	s.headline("A report by month, by ranges of the primary key")
	quiet := s.db.Session(&gorm.Session{Logger: logger.Discard})
	for month := time.January; month <= time.June; month++ {
		from := time.Date(2025, month, 1, 0, 0, 0, 0, time.UTC)
		var sum struct{ Orders, Cents int64 }
		err := quiet.Model(&Order{}).
			Select("count(DISTINCT orders.id) AS orders, sum(items.count * items.cents) AS cents").
			Joins("JOIN items ON items.order_id = orders.id").
			Where(gormplugin.CreatedBetween(from, from.AddDate(0, 1, 0))).
			Scan(&sum).Error
		if err != nil {
			return err
		}
		fmt.Fprintf(s.w, "  %-8s %2d orders %8d.%02d EUR\n", month, sum.Orders, sum.Cents/100, sum.Cents%100)
	}
	return nil
}

// remove deletes an order softly, and shows which deletes are refused.
func (s shop) remove() error {
	s.headline("db.Delete(&Order{}, id) deletes one order, softly")
	var order Order
	if err := s.db.Where("number = ?", "A060").Take(&order).Error; err != nil {
		return err
	}
	if err := s.db.Delete(&Order{}, order.ID).Error; err != nil {
		return err
	}
	var left, all int64
	quiet := s.db.Session(&gorm.Session{Logger: logger.Discard})
	if err := errors.Join(quiet.Model(&Order{}).Count(&left).Error, quiet.Unscoped().Model(&Order{}).Count(&all).Error); err != nil {
		return err
	}
	fmt.Fprintf(s.w, "  %d orders are left, %d are in the table\n", left, all)

	s.headline("A delete that names no row deletes nothing")
	var unset oid.ID // a value that no row has
	tx := s.db.Delete(&Order{}, unset)
	if tx.Error != nil || tx.RowsAffected != 0 {
		return fmt.Errorf("a delete by the zero ID deleted %d rows: %w", tx.RowsAffected, tx.Error)
	}
	var number any = 0 // an any, because oidvet refuses a plain int here
	err := quiet.Delete(&Order{}, number).Error
	if err == nil {
		return fmt.Errorf("a delete by 0 was not refused")
	}
	fmt.Fprintf(s.w, "  %v\n", err)
	var none []oid.ID
	return s.db.Delete(&Order{}, gormplugin.IDs(none...)).Error
}
