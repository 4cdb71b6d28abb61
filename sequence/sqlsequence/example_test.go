package sqlsequence_test

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// Draw numbers that many programs share.
func Example() {
	ctx := context.Background()
	var db *sql.DB // from sql.Open, or from gormDB.DB()

	store := sqlsequence.New(db, "sequences", sqlsequence.MySQL)
	if err := store.Migrate(ctx); err != nil {
		panic(err)
	}
	tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
	n, err := tickets.Next(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(n.Serial)
}

// The numbers of the invoices have no gaps, because a rollback gives the number back.
func ExampleStore_InTx() {
	ctx := context.Background()
	var db *sql.DB
	store := sqlsequence.New(db, "sequences", sqlsequence.MySQL)
	invoices := sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}", sequence.WithGapFree())

	err := store.InTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE orders SET invoiced = true WHERE id = 7"); err != nil {
			return err
		}
		number, err := invoices.NextIn(ctx, store.Tx(tx)) // as late as possible: others wait for it
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO invoices (number) VALUES (?)", number)
		return err
	})
	if err != nil {
		panic(err)
	}
}
