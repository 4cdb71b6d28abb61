// Package mongosequence_test shows what package mongosequence promises on a real server.
package mongosequence_test

import (
	"context"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/drivertest"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

func TestMain(m *testing.M) {
	daemon.AtOnce(8)
	m.Run()
}

// connect returns a collection of a server, by connections of its own.
func connect(t testing.TB, s *mongodb.Server, opts ...func(*options.ClientOptions)) *mongo.Collection {
	t.Helper()
	o := options.Client().ApplyURI(s.URI).SetServerSelectionTimeout(5 * time.Second)
	for _, set := range opts {
		set(o)
	}
	client, err := mongo.Connect(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		client.Disconnect(ctx)
	})
	return client.Database(s.Database).Collection("sequences")
}

func TestStoreKeepsTheContract(t *testing.T) {
	t.Parallel()
	s := mongodb.Start(t)
	drivertest.Run(t, func(t testing.TB) driver.Driver { return mongosequence.New(connect(t, s)).Driver() }, nil)
}
