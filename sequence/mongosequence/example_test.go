package mongosequence_test

import (
	"context"
	"fmt"
	"log"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

func Example() {
	ctx := context.Background()
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://localhost"))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Disconnect(ctx)

	store := mongosequence.New(client.Database("shop").Collection("sequences"))
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
	n, err := tickets.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n.Serial) // 1 … 99, and then 1 again
}

// A collection of the older design needs no change. Programs that draw from it without
// this package may keep running.
func ExampleNewLegacy() {
	ctx := context.Background()
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://localhost"))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Disconnect(ctx)

	// {_id: "tickets", val: 42, maxval: 99}
	store := mongosequence.NewLegacy(client.Database("shop").Collection("counters"))
	tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
	n, err := tickets.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n.Serial) // 43
}
