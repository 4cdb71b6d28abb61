package pgsequence_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

func Example() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	store := pgsequence.New(pool, "sequences")
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	orders := sequence.NewStamper(store, "orders")
	order, err := orders.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order) // such as 2026112009311512345607
}

// The number and the invoice are stored together, or neither is.
func ExampleStore_InTx() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	store := pgsequence.New(pool, "sequences")
	invoices := sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}", sequence.WithGapFree())
	err = store.InTx(ctx, func(tx pgx.Tx) error {
		number, err := invoices.NextIn(ctx, store.Tx(tx))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO invoices (number) VALUES ($1)", number)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
}
