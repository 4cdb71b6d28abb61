package main

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// The orders of a new database, and the days over which samples are spread.
const (
	seedOrders = 3500
	seedDays   = 91
)

// seed fills db with the same orders in every run, but for the day of now.
func seed(db *gorm.DB, now time.Time) error {
	orders, err := samples(rand.New(rand.NewPCG(1, 2)), seedOrders, now)
	if err != nil {
		return err
	}
	return db.CreateInBatches(orders, 1000).Error
}

// samples returns n orders of the days before now, in the order of their IDs. There
// are more on later days, on working days and at noon. The ID of each order is dated
// as the order is.
func samples(random *rand.Rand, n int, now time.Time) ([]Order, error) {
	customers := []string{"Ada King", "Grace Hill", "Alan Moss", "Edith Clark", "Niels Berg", "Mary Fox", "Carl Vogt", "Joan Reed"}
	currencies := []string{"EUR", "EUR", "EUR", "USD", "GBP"}
	today := now.UTC().Truncate(24 * time.Hour)
	orders := make([]Order, 0, n)
	for len(orders) < n {
		ago := random.IntN(seedDays)
		if random.IntN(3*seedDays) < ago { // a third fewer on the first day
			continue
		}
		day := today.AddDate(0, 0, -ago)
		if weekend := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday; weekend && random.IntN(3) > 0 {
			continue
		}
		hour := min(max(12.5+3.5*random.NormFloat64(), 0), 23.99)
		created := day.Add(time.Duration(hour * float64(time.Hour)))
		if created.After(now) {
			continue
		}
		id, err := oid.NewAt(created)
		if err != nil {
			return nil, err
		}
		orders = append(orders, Order{
			ID:       id,
			Customer: customers[random.IntN(len(customers))],
			Cents:    500 + random.Int64N(20_000),
			Currency: currencies[random.IntN(len(currencies))],
		})
	}
	slices.SortFunc(orders, func(a, b Order) int { return a.ID.Compare(b.ID) })
	return orders, nil
}
