package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/daemon"
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

// Each method must draw, in each store, with several programs.
func TestEveryMethodDraws(t *testing.T) {
	*each, *crowdList = 10*time.Millisecond, "1x1,2x3"
	for name, measure := range map[string]func(context.Context) error{
		"postgres": postgresPrograms, "mysql": mysqlPrograms, "sqlite": sqlitePrograms, "mongo": mongoPrograms, "nextin": onNextIn,
	} {
		t.Run(name, func(t *testing.T) {
			if err := measure(t.Context()); errors.Is(err, daemon.ErrNotInstalled) {
				daemon.Skip(t, err)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBadCrowdsAreRefused(t *testing.T) {
	for _, text := range []string{"", "4", "x", "4x", "0x1", "1x0", "1x1,", "-1x3"} {
		if crowds, err := parseCrowds(text); err == nil {
			t.Errorf("parseCrowds(%q) = %v, want an error", text, crowds)
		}
	}
}

func TestCountsHaveCommas(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 999.4: "999", 999.6: "1,000", 22568: "22,568", 1234567: "1,234,567"} {
		if got := count(n); got != want {
			t.Errorf("count(%v) = %q, want %q", n, got, want)
		}
	}
}
