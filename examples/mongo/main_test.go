package main

import (
	"context"
	"fmt"
)

func Example() {
	if err := run(context.Background(), ""); err != nil {
		fmt.Println(err)
	}
	// Output:
	// inserted again, a duplicate: true
	// an id from the driver: true
	// found by their ids: 2
	// created on 3 March 2024: 4
	// page 1: 10 orders
	// page 2: 10 orders
	// page 3: 10 orders
	// orders of the customer, for this program: 2
	// orders of the customer, for the old one: 2
	// tickets found by their text, stored as ObjectId: 1
	// an empty ticket id finds nothing, but is an error: true
}
