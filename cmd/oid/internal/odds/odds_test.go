package odds

import (
	"math"
	"testing"
)

// near reports whether got is within a millionth of want.
func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want) }

func TestOddsOfSmallFleetsByHand(t *testing.T) {
	for _, test := range []struct {
		name  string
		fleet Fleet
		want  Result
	}{
		// A single process meets nobody.
		{"one", Fleet{Processes: 1, Rate: 5, Seconds: 10}, Result{IDs: 50, Meet: anyOf(10, 9.0/(1<<24))}},
		// The parts of an ObjectId.
		{"an ObjectId", Fleet{Processes: 2, Rate: 1, Seconds: 1},
			Result{IDs: 2, Pairs: 1, SameProcess: 0x1p-40, Meet: 0x1p-24, Collision: 0x1p-64, Repeats: 0x1p-64}},
		// Two processes, two values, two counters, one ID in one second.
		{"two", Fleet{Processes: 2, Rate: 1, Seconds: 1, ProcessBits: 1, CounterBits: 1},
			Result{IDs: 2, Pairs: 1, SameProcess: 0.5, Meet: 0.5, Collision: 0.25, Repeats: 0.25}},
		// The same for two seconds: they miss each other with a chance of 1/4.
		{"longer", Fleet{Processes: 2, Rate: 1, Seconds: 2, ProcessBits: 1, CounterBits: 1},
			Result{IDs: 4, Pairs: 1, SameProcess: 0.5, Meet: 0.75, Collision: 0.375, Repeats: 0.5}},
		// Every other second an ID: both make one in a quarter of the seconds.
		{"slow", Fleet{Processes: 2, Rate: 0.5, Seconds: 1, ProcessBits: 1, CounterBits: 1},
			Result{IDs: 1, Pairs: 1, SameProcess: 0.5, Meet: 0.125, Collision: 0.0625, Repeats: 0.0625}},
		// Faster than half of the counters: every pair meets each second.
		{"full", Fleet{Processes: 3, Rate: 2, Seconds: 1, ProcessBits: 1, CounterBits: 1},
			Result{IDs: 6, Pairs: 3, SameProcess: 0.875, Meet: 1, Collision: 0.875, Repeats: 3}},
	} {
		got := test.fleet.Odds()
		for _, f := range []struct {
			name      string
			got, want float64
		}{
			{"IDs", got.IDs, test.want.IDs},
			{"Pairs", got.Pairs, test.want.Pairs},
			{"SameProcess", got.SameProcess, test.want.SameProcess},
			{"Meet", got.Meet, test.want.Meet},
			{"Collision", got.Collision, test.want.Collision},
			{"Repeats", got.Repeats, test.want.Repeats},
		} {
			if !near(f.got, f.want) {
				t.Errorf("%s: %s = %v, want %v", test.name, f.name, f.got, f.want)
			}
		}
	}
}

func TestCollisionNeverExceedsSameProcess(t *testing.T) {
	for _, processes := range []float64{2, 1e3, 1e6, 1e9} {
		for _, rate := range []float64{0.001, 1, 1e4, 1 << 24} {
			r := Fleet{Processes: processes, Rate: rate, Seconds: 10 * YearSeconds}.Odds()
			if r.Collision > r.SameProcess || r.Collision <= 0 || r.SameProcess > 1 {
				t.Errorf("%g processes at %g/s: collision %g, same process %g", processes, rate, r.Collision, r.SameProcess)
			}
		}
	}
}

func TestOddsOfDerivedIDs(t *testing.T) {
	for _, test := range []struct{ n, seconds, want float64 }{
		{1, 1, 0},
		{1, 1e9, 0},
		{2, 1, math.Ldexp(1, -64)},
		{2, 10, 10 * math.Ldexp(1, -64)},
		{1e6, 1, 1e12 / math.Ldexp(1, 65)},
		{1e12, 1, 1},
	} {
		// N²/2^65 counts N pairs of an ID with itself too.
		if got := Derived(test.n, test.seconds); math.Abs(got-test.want) > 2e-6*test.want {
			t.Errorf("Derived(%g, %g) = %g, want %g", test.n, test.seconds, got, test.want)
		}
	}
}
