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
	if got := r.rounds["ns/op"]; len(got) != 2 || got[1] != 64.5 {
		t.Errorf("ns/op %v", got)
	}
	if got := r.rounds["allocs/op"]; len(got) != 2 || got[0] != 1 {
		t.Errorf("allocs/op %v", got)
	}
}

func TestLeast(t *testing.T) {
	for _, test := range []struct {
		in   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 5}, 1}} {
		if got := least(test.in); got != test.want {
			t.Errorf("least(%v) = %v, want %v", test.in, got, test.want)
		}
	}
}

// A machine that gets three times as fast for one round must not change a ratio.
func TestRelativeIsTheMedianOfTheRounds(t *testing.T) {
	base := &result{rounds: map[string][]float64{}}
	ours := &result{rounds: map[string][]float64{}}
	for _, round := range [][2]float64{{100, 50}, {30, 50}, {100, 60}} {
		for i := range runs {
			base.rounds["ns/op"] = append(base.rounds["ns/op"], round[0]+float64(i))
			ours.rounds["ns/op"] = append(ours.rounds["ns/op"], round[1]+float64(runs-i-1))
		}
	}
	if got := relative(ours, base); got != 0.6 {
		t.Errorf("relative = %v, want 0.6, the ratio of the third round", got)
	}
	if got := relative(&result{}, base); got != 0 {
		t.Errorf("relative of a result without rounds = %v, want 0", got)
	}
}
