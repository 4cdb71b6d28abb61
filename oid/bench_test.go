package oid_test

import (
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// Module internal/bench compares these with other libraries.

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		sinkID = oid.New()
	}
}

func BenchmarkNewParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			oid.New()
		}
	})
}

func BenchmarkFill1000(b *testing.B) {
	ids := make([]oid.ID, 1000)
	for b.Loop() {
		oid.Fill(ids)
	}
}

func BenchmarkNewAt(b *testing.B) {
	t := time.Now()
	for b.Loop() {
		sinkID, sinkErr = oid.NewAt(t)
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		sinkID, sinkErr = oid.Parse(text)
	}
}

func BenchmarkHex(b *testing.B) {
	for b.Loop() {
		sinkHex = sample.Hex()
	}
}

func BenchmarkAppendText(b *testing.B) {
	buf := make([]byte, 0, 64)
	for b.Loop() {
		sinkText, sinkErr = sample.AppendText(buf)
	}
}

func BenchmarkScan(b *testing.B) {
	src := any(sample[:])
	for b.Loop() {
		sinkErr = sinkID.Scan(src)
	}
}

func BenchmarkScanBytes(b *testing.B) {
	src := sample[:]
	for b.Loop() {
		sinkErr = sinkID.ScanBytes(src)
	}
}

func BenchmarkUnmarshalJSON(b *testing.B) {
	data := []byte(`"` + text + `"`)
	for b.Loop() {
		sinkErr = sinkID.UnmarshalJSON(data)
	}
}
