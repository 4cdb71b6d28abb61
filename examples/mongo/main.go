// Command mongo keeps a small collection of orders in MongoDB: ids before and after
// the insert, what was created in a day, pages, and a collection that a program with
// bson.ObjectID writes to as well.
//
//	go run ./examples/mongo                                  # nothing to install
//	go run ./examples/mongo -uri mongodb://localhost:27017   # a server of yours
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// Order is a document. Ids of customers have a type of their own, so that they
// can't be taken for those of orders.
type Order struct {
	ID       oid.ID     `bson:"_id,omitempty"`
	Customer CustomerID `bson:"customer"`
	Total    int        `bson:"total"`
}

// CustomerID is stored as an ObjectId too.
type CustomerID = oid.For[Customer]

// Customer is the owner of orders.
type Customer struct {
	ID   CustomerID `bson:"_id,omitempty"`
	Name string     `bson:"name"`
}

// TicketID holds the digits of an id. A type like this needs no import, and MongoDB
// has an ObjectId for it all the same.
type TicketID string

func main() {
	uri := flag.String("uri", "", "the server; empty: one inside this program")
	flag.Parse()
	if err := run(context.Background(), *uri); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, uri string) error {
	if uri == "" {
		here, stop, err := startServer()
		if err != nil {
			return err
		}
		defer stop()
		uri = here
	}

	// The one line that oidkit needs is SetRegistry. This program has a string type
	// for ids too.
	registry := bsoncodec.NewRegistry()
	bsoncodec.RegisterHex[TicketID](registry)
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(registry))
	if err != nil {
		return err
	}
	defer client.Disconnect(ctx)
	orders := client.Database("oidkit_example").Collection("orders")
	if err := orders.Drop(ctx); err != nil {
		return err
	}

	for _, step := range []func(context.Context, *mongo.Collection) error{insert, createdOn, pages, mixed, tickets} {
		if err := step(ctx, orders); err != nil {
			return err
		}
	}
	return orders.Drop(ctx)
}

// insert shows the two ways to know the id of a new document.
func insert(ctx context.Context, orders *mongo.Collection) error {
	// Ask for it before: then a repeated insert can't store the order twice.
	order := Order{Customer: oid.NewFor[Customer](), Total: 1999}
	id, err := bsoncodec.Assign(&order)
	if err != nil {
		return err
	}
	if _, err := orders.InsertOne(ctx, order); err != nil {
		return err
	}
	_, err = orders.InsertOne(ctx, order)
	fmt.Println("inserted again, a duplicate:", mongo.IsDuplicateKeyError(err))

	// Or take it from the result, whichever type the driver has put there.
	result, err := orders.InsertOne(ctx, Order{Customer: order.Customer, Total: 500})
	if err != nil {
		return err
	}
	other, ok := bsoncodec.FromAny(result.InsertedID)
	fmt.Println("an id from the driver:", ok && !other.IsZero())

	cursor, err := orders.Find(ctx, bsoncodec.In("_id", []oid.ID{id, other}))
	if err != nil {
		return err
	}
	var found []Order
	if err := cursor.All(ctx, &found); err != nil {
		return err
	}
	fmt.Println("found by their ids:", len(found))
	return nil
}

// createdOn finds what was created in a day by the _id alone.
func createdOn(ctx context.Context, orders *mongo.Collection) error {
	// Orders of the past get ids of their time: one every six hours, for a week.
	start := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 28 {
		id, err := oid.NewAt(start.Add(time.Duration(i) * 6 * time.Hour))
		if err != nil {
			return err
		}
		if _, err := orders.InsertOne(ctx, Order{ID: id, Customer: oid.NewFor[Customer](), Total: 100 * i}); err != nil {
			return err
		}
	}
	day := time.Date(2024, 3, 3, 0, 0, 0, 0, time.UTC)
	n, err := orders.CountDocuments(ctx, bsoncodec.CreatedBetween("_id", day, day.AddDate(0, 0, 1)))
	if err != nil {
		return err
	}
	fmt.Println("created on 3 March 2024:", n)
	return nil
}

// pages walks through orders ten at a time. Each page starts behind the last id of
// the one before, and so costs the same however far it is.
func pages(ctx context.Context, orders *mongo.Collection) error {
	after := oid.ID{}
	for page := 1; ; page++ {
		cursor, err := orders.Find(ctx,
			bsoncodec.After("_id", after),
			options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(10))
		if err != nil {
			return err
		}
		var list []Order
		if err := cursor.All(ctx, &list); err != nil {
			return err
		}
		if len(list) == 0 {
			return nil
		}
		after = list[len(list)-1].ID
		fmt.Printf("page %d: %d orders\n", page, len(list))
	}
}

// mixed shows a collection that an old program goes on writing to.
func mixed(ctx context.Context, orders *mongo.Collection) error {
	type oldOrder struct {
		ID       bson.ObjectID `bson:"_id,omitempty"`
		Customer bson.ObjectID `bson:"customer"`
		Total    int           `bson:"total"`
	}
	customer := oid.NewFor[Customer]()
	if _, err := orders.InsertOne(ctx, oldOrder{Customer: bson.ObjectID(customer), Total: 1}); err != nil {
		return err
	}
	if _, err := orders.InsertOne(ctx, Order{Customer: customer, Total: 2}); err != nil {
		return err
	}
	n, err := orders.CountDocuments(ctx, bson.D{{Key: "customer", Value: customer}})
	if err != nil {
		return err
	}
	fmt.Println("orders of the customer, for this program:", n)
	n, err = orders.CountDocuments(ctx, bson.D{{Key: "customer", Value: bson.ObjectID(customer)}})
	if err != nil {
		return err
	}
	fmt.Println("orders of the customer, for the old one:", n)
	return nil
}

// tickets shows ids that are strings in the program and ObjectIds in the database.
func tickets(ctx context.Context, orders *mongo.Collection) error {
	type ticket struct {
		ID   TicketID `bson:"_id"`
		Text string   `bson:"text"`
	}
	ask := ticket{ID: TicketID(oid.New().Hex()), Text: "Where is my order?"}
	if _, err := orders.InsertOne(ctx, ask); err != nil {
		return err
	}
	n, err := orders.CountDocuments(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$eq", Value: ask.ID}, {Key: "$type", Value: "objectId"}}}})
	if err != nil {
		return err
	}
	fmt.Println("tickets found by their text, stored as ObjectId:", n)
	_, err = orders.CountDocuments(ctx, bson.D{{Key: "_id", Value: TicketID("")}})
	fmt.Println("an empty ticket id finds nothing, but is an error:", err != nil)
	return nil
}
