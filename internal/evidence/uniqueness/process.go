package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/oidkit/oidkit/oid"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// A census counts IDs that come twice. It keeps a bit for each counter value of
// each second and process value.
type census struct {
	mu      sync.Mutex
	seen    map[[9]byte]*[1 << 24 / 64]uint64
	repeats int
}

func newCensus() *census { return &census{seen: map[[9]byte]*[1 << 24 / 64]uint64{}} }

func (c *census) add(ids []oid.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		bits, ok := c.seen[[9]byte(id[:9])]
		if !ok {
			bits = new([1 << 24 / 64]uint64)
			c.seen[[9]byte(id[:9])] = bits
		}
		counter := binary.BigEndian.Uint32(id[8:]) & 0xffffff
		if bit := uint64(1) << (counter % 64); bits[counter/64]&bit != 0 {
			c.repeats++
		} else {
			bits[counter/64] |= bit
		}
	}
}

// process counts what never happens within a process: an ID that comes twice, or
// one that is not greater than those before it.
func process(w io.Writer, random *rand.Rand) error {
	const goroutines, each = 8, 500_000
	repeats, disordered := jumpingClock(random, goroutines, each)
	at := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	const backfill = 1<<24 + 1000
	ours, theirs := newCensus(), newCensus()
	ids := make([]oid.ID, 1000)
	for done := 0; done < backfill; done += len(ids) {
		ids = ids[:min(len(ids), backfill-done)]
		for i := range ids {
			var err error
			if ids[i], err = oid.NewAt(at); err != nil {
				return err
			}
		}
		ours.add(ids)
		for i := range ids {
			ids[i] = oid.ID(bson.NewObjectIDFromTimestamp(at))
		}
		theirs.add(ids)
	}

	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tIDs\tcame twice\tout of order")
	fmt.Fprintf(table, "Generator.New, %d goroutines, a clock that jumps ±10 s\t%d\t%d\t%d\n", goroutines, goroutines*each, repeats, disordered)
	fmt.Fprintf(table, "oid.NewAt, all at one instant\t%d\t%d\t\n", backfill, ours.repeats)
	fmt.Fprintf(table, "bson.NewObjectIDFromTimestamp, the same\t%d\t%d\t\n", backfill, theirs.repeats)
	return table.Flush()
}

// jumpingClock makes IDs in several goroutines while the clock jumps, and counts
// those that came twice, and those that were not greater than the one before in
// their goroutine.
func jumpingClock(random *rand.Rand, goroutines, each int) (repeats, disordered int) {
	start := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	var jump [1 << 10]time.Duration // up to ten seconds either way
	for i := range jump {
		jump[i] = time.Duration(random.Int64N(int64(20*time.Second))) - 10*time.Second
	}
	var reading atomic.Int64
	g := oid.Generator{Now: func() time.Time { return start.Add(jump[reading.Add(1)%int64(len(jump))]) }}
	c := newCensus()
	var backwards atomic.Int64
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			ids := make([]oid.ID, 1000)
			var last oid.ID
			for done := 0; done < each; done += len(ids) {
				for i := range ids {
					ids[i] = g.New()
					if last.Compare(ids[i]) >= 0 {
						backwards.Add(1)
					}
					last = ids[i]
				}
				c.add(ids)
			}
		})
	}
	all.Wait()
	return c.repeats, int(backwards.Load())
}
