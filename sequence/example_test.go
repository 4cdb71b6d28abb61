package sequence_test

import (
	"context"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// In India, the fiscal year begins in April. An invoice gets a number of the fiscal year
// of its date.
func ExampleWithDates() {
	invoices := sequence.NewNumbering(new(sequence.Memory), "invoices", "INV/{2006}-{+06}/{0000}",
		sequence.WithYearStart(time.April, 1), sequence.WithDates())
	for _, issued := range []string{"2027-03-30", "2027-04-02", "2027-03-31"} {
		date, err := time.Parse(time.DateOnly, issued)
		if err != nil {
			panic(err)
		}
		number, err := invoices.At(date).Next(context.Background())
		fmt.Println(issued, number, err)
	}
	// Output:
	// 2027-03-30 INV/2026-27/0001 <nil>
	// 2027-04-02 INV/2027-28/0001 <nil>
	// 2027-03-31 INV/2026-27/0002 <nil>
}

// The fields {+2006} and {+06} show the year in which the fiscal year ends.
func ExampleWithYearStart() {
	clock := sequence.WithClock(func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) })
	for _, pattern := range []string{"INV-{2006}-{+06}-{000}", "FY{+06}-{000}", "{+2006}Q{Q}-{000}"} {
		n := sequence.NewNumbering(new(sequence.Memory), "invoices", pattern, clock, sequence.WithYearStart(time.October, 1),
			sequence.WithMaxLead(1<<62)) // the clock of the example is not that of the machine
		fmt.Println(n.Next(context.Background()))
	}
	// Output:
	// INV-2026-27-001 <nil>
	// FY27-001 <nil>
	// 2027Q1-001 <nil>
}

func ExampleNumbering_Take() {
	labels := sequence.NewNumbering(new(sequence.Memory), "labels", "L{0000}")
	fmt.Println(labels.Take(context.Background(), 3))
	// Output: [L0001 L0002 L0003] <nil>
}
