// Command stampsim makes 2 million IDs and counts how many come twice. First, machines
// make them from their own clock and a serial of a perfect shared counter. Then they
// draw stamps of package sequence.
//
//	go run ./stampsim
//
// Machines draw at random moments. A random latency passes after the counter hands out a
// serial. Then the machine reads its clock, or the store of the stamps reads the
// proposed time. Every machine's clock is off by a fixed random amount within the skew.
// Time is simulated, but the stamps come from a real sequence.Memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

var (
	ids  = flag.Int("ids", 2_000_000, "ids of each run")
	last = flag.Int64("last", 99, "serials are 1..last")
)

type world struct {
	tick     time.Duration
	machines int
	skew     time.Duration // clocks are off by up to this, either way
	latency  time.Duration // on average, exponential
	rate     float64       // draws a second, of all machines
}

func main() {
	flag.Parse()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Printf("IDs that came twice, of %d, with seeds 1, 2, 3\n\n", *ids)
	fmt.Fprintln(w, "tick\tmachines\tskew ±\tlatency\tids/s\tclock + serial\t\t\tstamps\t\t\t")
	for _, world := range []world{
		{time.Microsecond, 1, 0, 0, 10e3},
		{time.Microsecond, 4, 0, 5 * time.Millisecond, 10e3},
		{time.Microsecond, 4, 50 * time.Millisecond, 500 * time.Microsecond, 10e3},
		{time.Microsecond, 8, 10 * time.Millisecond, 500 * time.Microsecond, 50e3},
		{time.Millisecond, 4, 5 * time.Millisecond, 500 * time.Microsecond, 10e3},
		{time.Millisecond, 8, 10 * time.Millisecond, 500 * time.Microsecond, 50e3},
	} {
		fmt.Fprintf(w, "%v\t%d\t%v\t%v\t%.0f\t", world.tick, world.machines, world.skew, world.latency, world.rate)
		var stamps []int
		for seed := range uint64(3) {
			draws := world.draws(seed + 1)
			fmt.Fprintf(w, "%d\t", clockAndSerial(draws, world.tick))
			n, err := stamped(draws, world.tick)
			if err != nil {
				fmt.Fprintln(os.Stderr, "stampsim:", err)
				os.Exit(1)
			}
			stamps = append(stamps, n)
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t\n", stamps[0], stamps[1], stamps[2])
	}
	w.Flush()
}

// A draw makes one ID. The counter counts in the order of the draws. The machine's clock
// shows read when it is read for this ID.
type draw struct{ read time.Time }

// draws returns the draws of a run, in the order in which the counter sees them.
func (w world) draws(seed uint64) []draw {
	r := rand.New(rand.NewPCG(seed, 0))
	begin := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	off := make([]time.Duration, w.machines)
	for i := range off {
		off[i] = time.Duration((2*r.Float64() - 1) * float64(w.skew))
	}
	all := make([]draw, *ids)
	at := 0.0 // seconds
	for i := range all {
		at += r.ExpFloat64() / w.rate
		wait := r.ExpFloat64() * w.latency.Seconds()
		all[i] = draw{begin.Add(time.Duration((at + wait) * 1e9)).Add(off[r.IntN(w.machines)])}
	}
	return all
}

// clockAndSerial returns how many IDs came twice of the clocks' readings and a
// cyclic serial.
func clockAndSerial(draws []draw, tick time.Duration) int {
	made := make([]int64, len(draws))
	for i, d := range draws {
		made[i] = d.read.UnixNano()/int64(tick)**last + int64(i)%*last
	}
	return twice(made)
}

// stamped returns how many stamps came twice. The proposals are the readings that
// the other design takes. It draws by the step that a sequence.Stamper makes, because that
// has a tick of a microsecond.
func stamped(draws []draw, tick time.Duration) (int, error) {
	ctx := context.Background()
	store := sequence.NewMemory().Driver()
	if _, err := store.Put(ctx, driver.Row{Key: "k", Version: 1}, 0); err != nil {
		return 0, err
	}
	made := make([]int64, len(draws))
	for i, d := range draws {
		step, ok, err := store.Draw(ctx, driver.Draw{Key: "k", Version: 1, N: 1, Most: math.MaxInt64,
			Clock: &driver.Clock{Now: d.read, Tick: tick, Width: *last, MaxAhead: -1}})
		if err != nil || !ok {
			return 0, fmt.Errorf("draw %d: %v, %w", i, ok, err)
		}
		made[i] = step.After
	}
	return twice(made), nil
}

// twice returns how many of made had been there before.
func twice(made []int64) int {
	slices.Sort(made)
	return len(made) - len(slices.Compact(made))
}
