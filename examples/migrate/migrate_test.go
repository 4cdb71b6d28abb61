package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
)

// testRun runs the program against the database at dsn.
func testRun(t *testing.T, dsn, dialect string) {
	t.Helper()
	uri := mongodb.Start(t).URI
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var out bytes.Buffer
	if err := run(t.Context(), &out, config{uri: uri, dsn: dsn, orders: 250}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		`(?m)^MongoDB to ` + dialect + `$`,
		`(?m)^  customers    10 rows have the same IDs in the same order: SHA-256 [0-9a-f]{12}…$`,
		`(?m)^  orders      250 rows have the same IDs in the same order: SHA-256 [0-9a-f]{12}…$`,
		`(?m)^  customers    10 documents have the same \d+ bytes$`,
		`(?m)^  orders      250 documents have the same \d{5} bytes$`,
		`(?m)^Orders of the last 30 days, by ranges of IDs: [1-9]\d* on both sides$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("the output has no line %s:\n%s", want, out.String())
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSQLite(t *testing.T) { testRun(t, "", "sqlite") }

func TestPostgreSQL(t *testing.T) {
	dsn := postgres.Database(t)
	testRun(t, dsn, "postgres")
	db, closeDB, err := openSQL(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB()
	if db.Migrator().HasTable(&Customer{}) || db.Migrator().HasTable(&Order{}) {
		t.Error("left tables behind")
	}
}

// open returns both sides of a migration of n orders that has just been made.
func open(t *testing.T, n int) (*mongo.Database, *gorm.DB) {
	t.Helper()
	server := mongodb.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI).SetRegistry(bsoncodec.NewRegistry()))
	if err != nil {
		t.Fatal(err)
	}
	docs := client.Database(server.Database)
	t.Cleanup(func() {
		if err := errors.Join(docs.Drop(context.Background()), client.Disconnect(context.Background())); err != nil {
			t.Error(err)
		}
	})
	db, closeDB, err := openSQL("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeDB(); err != nil {
			t.Error(err)
		}
	})
	if err := db.AutoMigrate(&Customer{}, &Order{}); err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), io.Discard, docs, db, n); err != nil {
		t.Fatal(err)
	}
	return docs, db
}

// TestDifferencesAreFound shows that the comparisons can fail.
func TestDifferencesAreFound(t *testing.T) {
	docs, db := open(t, 50)
	var first, last Order
	if err := errors.Join(db.First(&first).Error, db.Last(&last).Error); err != nil {
		t.Fatal(err)
	}
	orders, back := docs.Collection("orders"), docs.Collection("orders_back")
	ids := func() error { return compareIDs[Order](t.Context(), io.Discard, docs, "orders", db) }
	documents := func() error { return compareDocuments(t.Context(), io.Discard, docs, "orders") }
	set := func(c *mongo.Collection, id oid.ID, cents int64) error {
		_, err := c.UpdateByID(t.Context(), id, bson.D{{Key: "$set", Value: bson.D{{Key: "cents", Value: cents}}}})
		return err
	}
	rename := func(from, to oid.ID) error {
		return db.Exec("UPDATE oidkit_migrate_orders SET id = ? WHERE id = ?", to, from).Error
	}
	remove := func(c *mongo.Collection, id oid.ID) error {
		_, err := c.DeleteOne(t.Context(), bson.D{{Key: "_id", Value: id}})
		return err
	}
	insert := func(c *mongo.Collection, o Order) error {
		_, err := c.InsertOne(t.Context(), o)
		return err
	}
	for _, tt := range []struct {
		name         string
		change, undo func() error
		compare      func() error
		want         string
	}{
		{"id", func() error { return rename(last.ID, last.ID.Next()) }, func() error { return rename(last.ID.Next(), last.ID) }, ids, "number 49 is"},
		{"row", func() error { return db.Delete(&Order{}, "id = ?", last.ID).Error }, func() error { return db.Create(&last).Error }, ids, "after the last one of SQL"},
		{"document", func() error { return remove(orders, last.ID) }, func() error { return insert(orders, last) }, ids, "after the last one of MongoDB"},
		{"content", func() error { return set(back, first.ID, 1) }, func() error { return set(back, first.ID, first.Cents) }, documents, "came back as"},
		{"missing", func() error { return remove(back, last.ID) }, func() error { return insert(back, last) }, documents, "did not come back"},
		{"extra", func() error { return insert(back, Order{ID: last.ID.Next()}) }, func() error { return remove(back, last.ID.Next()) }, documents, "was not there before"},
	} {
		if err := tt.change(); err != nil {
			t.Fatal(tt.name, err)
		}
		if err := tt.compare(); !errors.Is(err, errDiffer) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		if err := tt.undo(); err != nil {
			t.Fatal(tt.name, err)
		}
		if err := tt.compare(); err != nil {
			t.Errorf("%s, undone: %v", tt.name, err)
		}
	}
}

// TestRowsKeepTheirMeaning shows that a missing field is NULL in a row, and that the
// database checks foreign keys.
func TestRowsKeepTheirMeaning(t *testing.T) {
	docs, db := open(t, 50)
	var null, missing int64
	if err := db.Model(&Order{}).Where("replaces IS NULL").Count(&null).Error; err != nil {
		t.Fatal(err)
	}
	missing, err := docs.Collection("orders").CountDocuments(t.Context(), bson.D{{Key: "replaces", Value: bson.D{{Key: "$exists", Value: false}}}})
	if err != nil || null != missing || null != 46 {
		t.Errorf("%d rows have NULL and %d documents nothing, %v, want 46", null, missing, err)
	}
	if err := db.Create(&Order{CustomerID: oid.New()}).Error; err == nil {
		t.Error("an order without a customer was stored")
	}
}

// TestOwnTablesOnly shows that the program changes no table of others.
func TestOwnTablesOnly(t *testing.T) {
	dsn := postgres.Database(t)
	db, closeDB, err := openSQL(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB()
	if err := db.AutoMigrate(&Customer{}); err != nil {
		t.Fatal(err)
	}
	if err := db.Create(&Customer{Name: "Ada King"}).Error; err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), io.Discard, config{uri: mongodb.Start(t).URI, dsn: dsn, orders: 10}); err == nil || !strings.Contains(err.Error(), "name another database") {
		t.Errorf("error %v", err)
	}
	var n int64
	if err := db.Model(&Customer{}).Count(&n).Error; err != nil || n != 1 {
		t.Errorf("%d customers, %v, want 1", n, err)
	}
}

// TestInterrupted shows that a program that is stopped leaves nothing behind.
func TestInterrupted(t *testing.T) {
	uri := mongodb.Start(t).URI
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if err := run(t.Context(), io.Discard, config{}); err == nil || !strings.Contains(err.Error(), "-uri is missing") {
		t.Errorf("without -uri: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := run(ctx, io.Discard, config{uri: uri, orders: 5000}); err == nil {
		t.Error("run went on after its context ended")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
