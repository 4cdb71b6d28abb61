package oid_test

import (
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// The benchmarks and the allocation tests write to these, so that the compiler
// can't leave the calls out.
var (
	sinkID   oid.ID
	sinkText []byte
	sinkHex  string
	sinkInt  int
	sinkErr  error
)

func TestAllocations(t *testing.T) {
	var (
		ids    = make([]oid.ID, 100)
		buf    = make([]byte, 0, 64)
		digits = []byte(text)
		raw    = sample[:]
		moment = time.Now()
		g      = &oid.Generator{Now: func() time.Time { return moment }}
		src    = any(raw)
	)
	for _, test := range []struct {
		name string
		want float64
		call func()
	}{
		{"New", 0, func() { sinkID = oid.New() }},
		{"Fill", 0, func() { oid.Fill(ids) }},
		{"NewAt", 0, func() { sinkID, sinkErr = oid.NewAt(moment) }},
		{"Derive", 0, func() { sinkID, sinkErr = oid.Derive(moment, "orders", text) }},
		{"Split", 0, func() {
			for from := range oid.Split(sample, maxID, 16) {
				sinkID = from
			}
		}},
		{"Generator.New", 0, func() { sinkID = g.New() }},
		{"Parse", 0, func() { sinkID, sinkErr = oid.Parse(text) }},
		{"UnmarshalText", 0, func() { sinkErr = sinkID.UnmarshalText(digits) }},
		{"UnmarshalBinary", 0, func() { sinkErr = sinkID.UnmarshalBinary(raw) }},
		{"UnmarshalJSON", 0, func() { sinkErr = sinkID.UnmarshalJSON([]byte(`"` + text + `"`)) }},
		{"UnmarshalParam", 0, func() { sinkErr = sinkID.UnmarshalParam(text) }},
		{"AppendText", 0, func() { sinkText, sinkErr = sample.AppendText(buf) }},
		{"Compare", 0, func() { sinkInt = sample.Compare(maxID) }},
		{"Scan of []byte", 0, func() { sinkErr = sinkID.Scan(src) }},
		{"Scan of text", 0, func() { sinkErr = sinkID.Scan(text) }},
		{"ScanBytes", 0, func() { sinkErr = sinkID.ScanBytes(raw) }},
		{"UnmarshalBSONValue", 0, func() { sinkErr = sinkID.UnmarshalBSONValue(7, raw) }},
		{"Range", 0, func() { sinkID, sinkID = oid.Range(moment, moment.Add(time.Hour)) }},
		{"MinAt", 0, func() { sinkID = oid.MinAt(moment) }},
		{"Next", 0, func() { sinkID = sample.Next() }},
		{"Timestamp", 0, func() { sinkInt = sample.Timestamp().Second() }},
		{"Inspect", 0, func() { sinkInt = int(oid.Inspect(sample).Counter) }},
		{"Hex", 1, func() { sinkHex = sample.Hex() }},
		{"MarshalText", 1, func() { sinkText, sinkErr = sample.MarshalText() }},
		{"MarshalJSON", 1, func() { sinkText, sinkErr = sample.MarshalJSON() }},
		{"MarshalBSONValue", 1, func() { _, sinkText, sinkErr = sample.MarshalBSONValue() }},
		{"BytesValue", 1, func() { sinkText, sinkErr = sample.BytesValue() }},
	} {
		if got := testing.AllocsPerRun(1000, test.call); got != test.want {
			t.Errorf("%s makes %v allocations, want %v", test.name, got, test.want)
		}
		if sinkErr != nil {
			t.Errorf("%s: %v", test.name, sinkErr)
		}
	}
}
