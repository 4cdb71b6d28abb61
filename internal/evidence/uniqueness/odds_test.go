package main

import (
	"math"
	"testing"
)

// near reports whether got is within a millionth of want.
func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want) }

func TestOddsOfSmallFleetsByHand(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fleet fleet
		want  chances
	}{
		// A single process meets nobody.
		{"one", fleet{processes: 1, rate: 5, seconds: 10}, chances{meet: anyOf(10, 9.0/(1<<24))}},
		// The parts of an ObjectId.
		{"an ObjectId", fleet{processes: 2, rate: 1, seconds: 1}, chances{0x1p-40, 0x1p-24, 0x1p-64, 0x1p-64}},
		// Two processes, two values, two counters, one ID in one second.
		{"two", fleet{2, 1, 1, 1, 1}, chances{0.5, 0.5, 0.25, 0.25}},
		// The same for two seconds: they miss each other with a chance of 1/4.
		{"longer", fleet{2, 1, 2, 1, 1}, chances{0.5, 0.75, 0.375, 0.5}},
		// Every other second an ID: both make one in a quarter of the seconds.
		{"slow", fleet{2, 0.5, 1, 1, 1}, chances{0.5, 0.125, 0.0625, 0.0625}},
		// Faster than half of the counters: every pair meets each second.
		{"full", fleet{3, 2, 1, 1, 1}, chances{0.875, 1, 0.875, 3}},
	} {
		got := tt.fleet.odds()
		if !near(got.sameProcess, tt.want.sameProcess) || !near(got.meet, tt.want.meet) || !near(got.collision, tt.want.collision) || !near(got.repeats, tt.want.repeats) {
			t.Errorf("%s: odds() = %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestCollisionNeverExceedsSameProcess(t *testing.T) {
	for _, processes := range []float64{2, 1e3, 1e6, 1e9} {
		for _, rate := range []float64{0.001, 1, 1e4, 1 << 24} {
			c := fleet{processes: processes, rate: rate, seconds: 10 * yearSeconds}.odds()
			if c.collision > c.sameProcess || c.collision <= 0 || c.sameProcess > 1 {
				t.Errorf("%g processes at %g/s: %+v", processes, rate, c)
			}
		}
	}
}

func TestOddsOfDerivedIDs(t *testing.T) {
	for _, tt := range []struct{ n, seconds, want float64 }{
		{1, 1, 0}, {1, 1e9, 0}, {2, 1, 0x1p-64}, {2, 10, 10 * 0x1p-64}, {1e6, 1, 1e12 / 0x1p65}, {1e12, 1, 1},
	} {
		// N²/2^65 counts N pairs of an ID with itself too.
		if got := derivedOdds(tt.n, tt.seconds); math.Abs(got-tt.want) > 2e-6*tt.want {
			t.Errorf("derivedOdds(%g, %g) = %g, want %g", tt.n, tt.seconds, got, tt.want)
		}
	}
}
