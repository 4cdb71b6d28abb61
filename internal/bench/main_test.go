package main

import "testing"

func TestCollectReadsWhatGoTestPrints(t *testing.T) {
	var results []*result
	for range 2 {
		results = collect(results, []byte("goos: linux\n"+
			"BenchmarkNew/bson.NewObjectID-2   \t 5136466\t        64.50 ns/op\t       0 B/op\t       1 allocs/op\n"+
			"BenchmarkNew/oid.New-2   \t 5136466\t        43 ns/op\t       0 B/op\t       0 allocs/op\n"+
			"BenchmarkPlain-2   \t 5136466\t        43 ns/op\n"+
			"PASS\n"))
	}
	if len(results) != 2 {
		t.Fatalf("%d results, want 2", len(results))
	}
	r := results[0]
	if r.group != "New" || r.variant != "bson.NewObjectID" {
		t.Errorf("%s/%s", r.group, r.variant)
	}
	if got := r.runs["ns/op"]; len(got) != 2 || got[1] != 64.5 {
		t.Errorf("ns/op %v", got)
	}
	if got := r.runs["allocs/op"]; len(got) != 2 || got[0] != 1 {
		t.Errorf("allocs/op %v", got)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		in   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}} {
		if got := median(test.in); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.in, got, test.want)
		}
	}
}

// A machine that gets three times as fast for a moment must not change a ratio.
func TestRelativeIsTheRatioOfMedians(t *testing.T) {
	times := func(ns ...float64) *result { return &result{runs: map[string][]float64{"ns/op": ns}} }
	if got := relative(times(50, 20, 60, 50, 90), times(100, 110, 30, 100, 90)); got != 0.5 {
		t.Errorf("relative = %v, want 0.5", got)
	}
	if got := relative(times(1), times()); got != 0 {
		t.Errorf("relative to a benchmark without runs = %v, want 0", got)
	}
}
