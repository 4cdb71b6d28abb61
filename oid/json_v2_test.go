//go:build go1.27 && goexperiment.jsonv2

package oid_test

import (
	"encoding/json/v2"
	"math"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

var _ json.MarshalerTo = oid.ID{}

func TestJSONv2AgreesWithMarshalJSON(t *testing.T) {
	for range 1000 {
		id := randomID()
		want, err := id.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(id)
		if err != nil || string(got) != string(want) {
			t.Fatalf("json.Marshal(%v) = %s, %v, want %s", id, got, err, want)
		}
		var back oid.ID
		if err := json.Unmarshal(got, &back); err != nil || back != id {
			t.Fatalf("json.Unmarshal(%s) = %v, %v", got, back, err)
		}
	}
}

func TestJSONv2AllocatesNothingForAnID(t *testing.T) {
	doc := struct{ A, B, C oid.ID }{sample, sample, sample}
	count := func(v any) float64 { // the least of some runs: under the race detector, a sync.Pool loses items
		least := math.Inf(1)
		for range 50 {
			least = min(least, testing.AllocsPerRun(1, func() { sinkText, sinkErr = json.Marshal(v) }))
		}
		return least
	}
	one, three := count(&struct{ A oid.ID }{sample}), count(&doc)
	if three > one {
		t.Errorf("%v allocations with three ids, %v with one", three, one)
	}
}

// byMarshalJSON is an ID without MarshalJSONTo.
type byMarshalJSON oid.ID

func (id byMarshalJSON) MarshalJSON() ([]byte, error) { return oid.ID(id).MarshalJSON() }

func BenchmarkJSONv2(b *testing.B) {
	type doc struct{ A, B, C oid.ID }
	in := &doc{sample, sample, sample}
	data, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("MarshalJSON", func(b *testing.B) {
		type doc struct{ A, B, C byMarshalJSON }
		in := &doc{byMarshalJSON(sample), byMarshalJSON(sample), byMarshalJSON(sample)}
		for b.Loop() {
			sinkText, sinkErr = json.Marshal(in)
		}
	})
	b.Run("MarshalJSONTo", func(b *testing.B) {
		for b.Loop() {
			sinkText, sinkErr = json.Marshal(in)
		}
	})
	b.Run("UnmarshalJSON", func(b *testing.B) {
		for b.Loop() {
			sinkErr = json.Unmarshal(data, in)
		}
	})
}
