package main

import (
	"context"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// fill puts customers and n orders of the last two years into docs. The driver makes
// the ID of every third one, as in a collection that is older than oidkit.
func fill(ctx context.Context, docs *mongo.Database, n int, now time.Time) error {
	random := rand.New(rand.NewPCG(1, 2))
	newID := func(i int, created time.Time) (oid.ID, error) {
		if i%3 == 0 {
			return oid.ID(bson.NewObjectIDFromTimestamp(created)), nil
		}
		return oid.NewAt(created)
	}
	start := now.AddDate(-2, 0, 0)
	customers := make([]Customer, max(n/25, 1))
	for i := range customers {
		id, err := newID(i, start.Add(-time.Hour))
		if err != nil {
			return err
		}
		customers[i] = Customer{ID: id, Name: "Customer " + id.Hex()[18:]}
	}
	orders := make([]Order, n)
	for i := range orders {
		id, err := newID(i, start.Add(time.Duration(random.Int64N(int64(now.Sub(start))))))
		if err != nil {
			return err
		}
		o := Order{ID: id, CustomerID: customers[random.IntN(len(customers))].ID, Cents: 500 + random.Int64N(50_000)}
		for range 1 + random.IntN(3) {
			o.Lines = append(o.Lines, Line{Article: oid.New(), Count: 1 + random.IntN(9)})
		}
		if i > 0 && i%10 == 0 {
			o.Replaces = sqltype.ZeroNull(orders[i-1].ID)
		}
		orders[i] = o
	}
	if _, err := docs.Collection("customers").InsertMany(ctx, customers); err != nil {
		return err
	}
	_, err := docs.Collection("orders").InsertMany(ctx, orders)
	return err
}
