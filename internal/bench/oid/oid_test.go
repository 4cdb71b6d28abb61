// Package oid compares package oid with the libraries that people come from.
package oid

import (
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/internal/bench/processor"
	"github.com/oidkit/oidkit/oid"
)

// The benchmarks write to these, so that the compiler can't leave the calls out.
var (
	sinkID   oid.ID
	sinkBSON bson.ObjectID
	sinkText []byte
	sinkHex  string
	sinkErr  error
)

// generators makes one ID with each library.
var generators = []struct {
	name string
	make func()
}{
	{"bson.NewObjectID", func() { bson.NewObjectID() }},
	{"primitive.NewObjectID", func() { primitive.NewObjectID() }},
	{"oid.New", func() { oid.New() }},
	{"xid.New", func() { xid.New() }},
	{"uuid.NewRandom", func() { uuid.NewRandom() }},
	{"uuid.NewV7", func() { uuid.NewV7() }},
	{"ulid.Make", func() { ulid.Make() }},
	{"ksuid.New", func() { ksuid.New() }},
}

func BenchmarkNew(b *testing.B) {
	for _, g := range generators {
		b.Run(g.name, func(b *testing.B) {
			defer processor.Time(b)()
			for b.Loop() {
				g.make()
			}
		})
	}
}

func BenchmarkNewOnAllCores(b *testing.B) {
	for _, g := range generators {
		b.Run(g.name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					g.make()
				}
			})
		})
	}
}

// A batch of 1000: the times are those of all thousand.
func BenchmarkFill1000(b *testing.B) {
	ids, native := make([]oid.ID, 1000), make([]bson.ObjectID, 1000)
	b.Run("bson.NewObjectID", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			for i := range native {
				native[i] = bson.NewObjectID()
			}
		}
	})
	b.Run("oid.New", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			for i := range ids {
				ids[i] = oid.New()
			}
		}
	})
	b.Run("oid.Fill", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			oid.Fill(ids)
		}
	})
}

// An ID that a row's texts always give; the UUID of version 5 is the peer.
func BenchmarkDerive(b *testing.B) {
	created := time.Now()
	b.Run("uuid.NewSHA1", func(b *testing.B) {
		space, name := uuid.NameSpaceOID, []byte("orders/4711")
		defer processor.Time(b)()
		for b.Loop() {
			uuid.NewSHA1(space, name)
		}
	})
	b.Run("oid.Derive", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			sinkID, sinkErr = oid.Derive(created, "orders", "4711")
		}
	})
}

func BenchmarkHex(b *testing.B) {
	native, id := bson.NewObjectID(), oid.New()
	b.Run("bson.ObjectID", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			sinkHex = native.Hex()
		}
	})
	b.Run("oid.ID", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			sinkHex = id.Hex()
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text := oid.New().Hex()
	b.Run("bson.ObjectIDFromHex", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			sinkBSON, sinkErr = bson.ObjectIDFromHex(text)
		}
	})
	b.Run("oid.Parse", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			sinkID, sinkErr = oid.Parse(text)
		}
	})
}

func BenchmarkAppendText(b *testing.B) {
	id, buf := oid.New(), make([]byte, 0, 64)
	b.Run("hex.AppendEncode", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			sinkText = hex.AppendEncode(buf, id[:])
		}
	})
	b.Run("oid.ID.AppendText", func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			sinkText, sinkErr = id.AppendText(buf)
		}
	})
}

// order is a document with IDs as JSON APIs have them.
type order[ID any] struct {
	ID       ID
	Customer ID
	Total    int
	Items    []ID
}

func newOrder[ID any](make func() ID) order[ID] {
	return order[ID]{make(), make(), 1999, []ID{make(), make(), make()}}
}

func BenchmarkJSONMarshal(b *testing.B) {
	b.Run("bson.ObjectID", func(b *testing.B) { marshalJSON(b, newOrder(bson.NewObjectID)) })
	b.Run("oid.ID", func(b *testing.B) { marshalJSON(b, newOrder(oid.New)) })
	b.Run("no-work", func(b *testing.B) { marshalJSON(b, newOrder(func() (id idle) { return id })) })
}

// idle is an ID whose methods do no work. What is left is the time of encoding/json, so no
// type with these methods takes less. encoding/json looks up the methods, and checks and
// copies what they return.
type idle [12]byte

var idleJSON = []byte(`"65b3f7edd9bfca00daa6e3b1"`)

func (idle) MarshalJSON() ([]byte, error) { return idleJSON, nil }
func (*idle) UnmarshalJSON([]byte) error  { return nil }

func marshalJSON(b *testing.B, v any) {
	defer processor.Time(b)()
	for b.Loop() {
		if sinkText, sinkErr = json.Marshal(v); sinkErr != nil {
			b.Fatal(sinkErr)
		}
	}
}

func BenchmarkJSONUnmarshal(b *testing.B) {
	data, err := json.Marshal(newOrder(oid.New))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("bson.ObjectID", func(b *testing.B) { unmarshalJSON(b, data, new(order[bson.ObjectID])) })
	b.Run("oid.ID", func(b *testing.B) { unmarshalJSON(b, data, new(order[oid.ID])) })
	b.Run("no-work", func(b *testing.B) { unmarshalJSON(b, data, new(order[idle])) })
}

func unmarshalJSON(b *testing.B, data []byte, v any) {
	defer processor.Time(b)()
	for b.Loop() {
		if sinkErr = json.Unmarshal(data, v); sinkErr != nil {
			b.Fatal(sinkErr)
		}
	}
}
