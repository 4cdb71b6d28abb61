package main

import (
	"context"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

// The ways must draw what the table says that they draw.
func TestEveryWayIsExact(t *testing.T) {
	server := mongodb.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Disconnect(context.Background()) })
	*slow, *fast, *last = 100, 1000, 20
	for _, w := range ours(mongosequence.New(client.Database(server.Database).Collection("sequences"))) {
		c, err := w.open(t.Context(), w.name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := run(t.Context(), c, w.draws)
		if err != nil || !r.exact || r.trips == 0 || r.p99 < r.p50 {
			t.Errorf("%s: %+v, %v", w.name, r, err)
		}
	}
}
