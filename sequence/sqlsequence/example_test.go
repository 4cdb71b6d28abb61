package sqlsequence_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

func Example() {
	ctx := context.Background()
	db, err := sql.Open("mysql", "user:password@tcp(localhost)/shop") // with GORM: gormDB.DB()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	store := sqlsequence.New(db, "sequences", sqlsequence.MySQL)
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	invoices := sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}")
	text, err := invoices.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text) // such as INV-2026-00001
}

// A number without gaps is drawn in the transaction that stores the invoice. A rollback
// gives it back.
func ExampleStore_NextTx() {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:shop.db?_txlock=immediate")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	store := sqlsequence.New(db, "sequences", sqlsequence.SQLite)
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	invoices := sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}", sequence.WithGapFree())

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer tx.Rollback()
	number, err := store.NextTx(ctx, tx, invoices)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO invoices (number) VALUES (?)", number); err != nil {
		log.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		log.Fatal(err)
	}
}
