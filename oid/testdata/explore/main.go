// Command explore runs package oid's generator through every interleaving of its
// atomic steps, with clocks that step both ways. The test TestEveryInterleaving of
// package oid builds it with a generator.go whose imports of sync, sync/atomic
// and the clock lead to package step, and says more. An argument names the only
// scenario to run.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"explore/oid"
	"explore/step"
)

// draws is how often a generator of a scenario draws bits, at most. The counters of
// two draws are far apart: an ID with the process value of one and the counter of
// the other shows.
const draws = 4

// random is a source of the process values p, p+1, … and of counters shortly
// before their wrap.
type random struct{ c *check }

func (r random) Read(b []byte) (int, error) {
	n := r.c.drawn
	r.c.drawn++
	if t := step.Thread(); t >= 0 {
		r.c.drawnBy[t] = n
	}
	binary.BigEndian.PutUint64(b[:8], (0x0102030400+uint64(n))<<24|counter(n))
	binary.BigEndian.PutUint64(b[8:16], (0x0202030400+uint64(n))<<25|0xfffffe<<1)
	step.Shared(mark(1, uint64(n)), mark(1, uint64(n+1)))
	return 16, nil
}

// counter returns the counter of a draw: shortly before its wrap, or far from it.
func counter(draw int) uint64 {
	if draw%2 == 0 {
		return 0xfffffe
	}
	return 0x700000
}

func mark(kind, n uint64) uint64 { return kind<<56 ^ n }

// An op is what a goroutine does in one step of its program.
type op string

const (
	opNew    op = "New"
	opFill   op = "Fill"
	opNewAt  op = "NewAt"
	opReseed op = "Reseed"
)

// A scenario is what the goroutines do.
type scenario struct {
	name     string
	ownClock bool // Generator.Now is set
	used     bool // an ID was made before
	programs [][]op
}

var scenarios = []scenario{
	{"first use", false, false, [][]op{{opNew, opNew}, {opNew}}},
	{"system clock", false, true, [][]op{{opNew, opFill}, {opFill}}},
	{"clock of its own", true, true, [][]op{{opNew, opFill}, {opFill, opNew}}},
	{"Reseed and New", false, true, [][]op{{opNew}, {opReseed, opNew}}},
	{"Reseed and Reseed", true, true, [][]op{{opReseed, opNew, opNew}, {opReseed, opFill}}},
	{"Reseed at first use", true, false, [][]op{{opNew, opNew}, {opReseed, opNew}}},
	{"NewAt", true, true, [][]op{{opNewAt, opNewAt, opNewAt}, {opNewAt, opReseed, opNewAt, opNew}}},
	{"three goroutines", true, true, [][]op{{opNew}, {opFill}, {opReseed, opNew}}},
}

// longer are the scenarios that take half a minute. They run if OIDKIT_LONG is set.
var longer = []scenario{
	{"system clock, longer", false, true, [][]op{{opNew, opFill}, {opFill, opNew}}},
	{"clock of its own, longer", true, true, [][]op{{opNew, opFill, opNew}, {opFill, opNew, opNew}}},
	{"Reseed and New, longer", false, true, [][]op{{opNew, opNew}, {opReseed, opNew}}},
}

// A check is what is known of the IDs of one run.
type check struct {
	g          *oid.Generator
	drawn      int
	ids        map[oid.ID]bool
	greatest   [draws]oid.ID // returned by New and Fill, by process value
	overall    oid.ID        // the greatest since the last Reseed began or ended
	backfilled oid.ID        // the same of NewAt
	reseeds    int           // Reseeds begun, and Reseeds ended
	active     int           // Reseeds begun and not ended
	retired    int           // draws before this one have been replaced
	drawnBy    [3]int        // the last draw of each goroutine
}

// do runs an operation and checks what it returns.
func (c *check) do(o op) {
	var (
		least      [draws]oid.ID
		overall    oid.ID
		backfilled oid.ID
		reseeds    int
		alone      bool // no Reseed at the time
		retired    int
	)
	begin := func() {
		if o == opReseed {
			c.reset(1)
		}
		least, overall, backfilled, reseeds, retired = c.greatest, c.overall, c.backfilled, c.reseeds, c.retired
		alone = c.active == 0
		for _, id := range append(least[:], overall, backfilled) {
			step.Note(number(id))
		}
		step.Note(uint64(reseeds)<<32 | uint64(c.active)<<16 | uint64(retired))
	}
	step.Begin(begin)
	var ids []oid.ID
	switch o {
	case opNew:
		ids = []oid.ID{c.g.New()}
	case opFill:
		ids = make([]oid.ID, 3)
		c.g.Fill(ids)
	case opNewAt:
		id, err := c.g.NewAt(time.Unix(100, 0))
		if err != nil {
			step.Fail("NewAt: %v", err)
		}
		ids = []oid.ID{id}
	case opReseed:
		c.g.Reseed()
		c.reset(-1)
		if d := c.drawnBy[step.Thread()]; d > c.retired {
			step.Shared(mark(7, uint64(c.retired)), mark(7, uint64(d)))
			c.retired = d
		}
		return
	}
	for _, id := range ids {
		if c.ids[id] {
			step.Fail("%v twice", id)
		}
		c.ids[id] = true
		step.Shared(0, mark(2, number(id)))
	}
	if o == opNewAt {
		id := ids[0]
		if alone && reseeds == c.reseeds {
			if id.Compare(backfilled) <= 0 {
				step.Fail("NewAt = %v, but %v was there before", id, backfilled)
			}
			if id.Compare(c.backfilled) > 0 {
				step.Shared(mark(3, number(c.backfilled)), mark(3, number(id)))
				c.backfilled = id
			}
		}
		return
	}
	for i := range ids[1:] {
		if ids[i+1] != ids[i].Next() && oid.Inspect(ids[i]).Counter != 0xffffff {
			step.Fail("Fill gives %v after %v", ids[i+1], ids[i])
		}
		if ids[i+1].Compare(ids[i]) <= 0 {
			step.Fail("Fill gives %v after %v", ids[i+1], ids[i])
		}
	}
	first, last := ids[0], ids[len(ids)-1]
	f := oid.Inspect(first)
	draw := int(f.Process[4])
	if f.Process != [5]byte{1, 2, 3, 4, byte(draw)} || draw >= c.drawn {
		step.Fail("%s = %v, whose process value was never drawn", o, first)
		return
	}
	if (uint64(f.Counter)-counter(draw)-1)&0xffffff > 64 {
		step.Fail("%s = %v, with the counter of another state", o, first)
	}
	if draw < retired {
		step.Fail("%s = %v, a process value that Reseed had replaced before", o, first)
	}
	if first.Compare(least[draw]) <= 0 {
		step.Fail("%s = %v, but %v was there before", o, first, least[draw])
	}
	if last.Compare(c.greatest[draw]) > 0 {
		step.Shared(mark(4, number(c.greatest[draw])), mark(4, number(last)))
		c.greatest[draw] = last
	}
	if alone && reseeds == c.reseeds { // no Reseed in the meantime
		if first.Compare(overall) <= 0 {
			step.Fail("%s = %v, but %v was there before, and no Reseed since", o, first, overall)
		}
		if last.Compare(c.overall) > 0 {
			step.Shared(mark(5, number(c.overall)), mark(5, number(last)))
			c.overall = last
		}
	}
}

// reset notes that a Reseed begins, by 1, or ends, by -1.
func (c *check) reset(by int) {
	step.Shared(mark(6, uint64(c.reseeds)), mark(6, uint64(c.reseeds+1)))
	c.reseeds++
	step.Shared(mark(8, uint64(c.active)), mark(8, uint64(c.active+by)))
	c.active += by
	step.Shared(mark(5, number(c.overall)), mark(5, 0))
	c.overall = oid.ID{}
	step.Shared(mark(3, number(c.backfilled)), mark(3, 0))
	c.backfilled = oid.ID{}
}

// number returns a number that tells the IDs of a run apart.
func number(id oid.ID) uint64 {
	return binary.BigEndian.Uint64(id[:8])<<32 ^ binary.BigEndian.Uint64(id[4:])
}

func main() {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "scenario\tgoroutines\tstates\tfailures")
	if os.Getenv("OIDKIT_LONG") != "" {
		scenarios = append(scenarios, longer...)
	}
	for _, s := range scenarios {
		if len(os.Args) > 1 && os.Args[1] != s.name {
			continue
		}
		states, failure := step.Explore(func() []func() {
			c := &check{ids: map[oid.ID]bool{}, g: new(oid.Generator)}
			c.g.Rand = random{c}
			if s.ownClock {
				c.g.Now = func() time.Time { return time.Unix(step.Clock(), 0) }
			}
			if s.used {
				c.do(opNew)
			}
			var bodies []func()
			for _, program := range s.programs {
				bodies = append(bodies, func() {
					for _, o := range program {
						c.do(o)
					}
				})
			}
			return bodies
		})
		if failure != "" {
			fmt.Printf("%s: %s", s.name, failure)
			os.Exit(1)
		}
		fmt.Fprintf(table, "%s\t%v\t%d\t0\n", s.name, s.programs, states)
	}
	table.Flush()
}
