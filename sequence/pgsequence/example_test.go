package pgsequence_test

import (
	"context"
	"fmt"
	"log"
	"os"

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
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	if err := store.Create(ctx, "orders", sequence.Plan{First: 0, Last: 99}); err != nil {
		log.Fatal(err)
	}
	orders := sequence.NewStamper(store, "orders")
	order, err := orders.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order) // such as 2026112009311512345607
}
