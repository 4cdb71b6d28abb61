package sequence_test

import (
	"context"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

func Example() {
	ctx := context.Background()
	store := sequence.NewMemory() // or pgsequence.New(pool, "counters"), mongosequence.New(collection)
	if err := store.Create(ctx, "tickets", sequence.Plan{First: 1, Last: 3, Cycle: true}); err != nil {
		fmt.Println(err)
		return
	}
	tickets := sequence.New(store, "tickets")
	defer tickets.Close(ctx)
	for range 5 {
		n, err := tickets.Next(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("serial %d of cycle %d, the number %d in all\n", n.Serial, n.Cycle, n.Ordinal)
	}
	// Output:
	// serial 1 of cycle 0, the number 1 in all
	// serial 2 of cycle 0, the number 2 in all
	// serial 3 of cycle 0, the number 3 in all
	// serial 1 of cycle 1, the number 4 in all
	// serial 2 of cycle 1, the number 5 in all
}

func ExampleSequence_Take() {
	ctx := context.Background()
	store := sequence.NewMemory()
	if err := store.Create(ctx, "lines", sequence.Plan{First: 1, Last: 1000}); err != nil {
		fmt.Println(err)
		return
	}
	block, err := sequence.New(store, "lines").Take(ctx, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range block.All() {
		fmt.Println(n.Serial)
	}
	// Output:
	// 1
	// 2
	// 3
}

func ExampleWithWrap() {
	ctx := context.Background()
	store := sequence.NewMemory()
	if err := store.Create(ctx, "slots", sequence.Plan{First: 0, Last: 99, Cycle: true}); err != nil {
		fmt.Println(err)
		return
	}
	slots := sequence.New(store, "slots", sequence.WithWrap(func(n sequence.Number) {
		fmt.Println("all slots used, cycle", n.Cycle, "begins")
	}))
	if _, err := slots.Take(ctx, 250); err != nil {
		fmt.Println(err)
	}
	// Output:
	// all slots used, cycle 1 begins
	// all slots used, cycle 2 begins
}

func ExampleStamper() {
	ctx := context.Background()
	store := sequence.NewMemory()
	if err := store.Create(ctx, "orders", sequence.Plan{First: 0, Last: 99}); err != nil {
		fmt.Println(err)
		return
	}
	// A clock that stands still, so that the output is always the same.
	clock := func() time.Time { return time.Date(2026, 11, 20, 9, 31, 15, 123456000, time.UTC) }
	orders := sequence.NewStamper(store, "orders", sequence.WithClock(clock), sequence.WithMaxLead(1<<62))
	for range 3 {
		stamp, err := orders.Next(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(stamp)
	}
	// Output:
	// 2026112009311512345600
	// 2026112009311512345601
	// 2026112009311512345602
}

func ExampleParseStamp() {
	stamp, err := sequence.ParseStamp("2026112009311512345607")
	fmt.Println(stamp.Tick.Format(time.RFC3339Nano), stamp.Serial, err)
	_, err = sequence.ParseStamp("20261120")
	fmt.Println(err)
	// Output:
	// 2026-11-20T09:31:15.123456Z 7 <nil>
	// sequence.ParseStamp("20261120"): 8 bytes long, not 22
}
