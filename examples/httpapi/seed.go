package main

import (
	"math/rand/v2"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

const seedDays = 90

// seed fills db with orders of the 90 days before now, more on working days and
// at noon. Each id is dated as its order is.
func seed(db *gorm.DB, now time.Time) error {
	random := rand.New(rand.NewPCG(1, 2))
	customers := []string{"Ada King", "Grace Hill", "Alan Moss", "Edith Clark", "Niels Berg", "Mary Fox", "Carl Vogt", "Joan Reed"}
	currencies := []string{"EUR", "EUR", "EUR", "USD", "GBP"}
	today := now.UTC().Truncate(24 * time.Hour)
	var orders []Order
	for day := range seedDays {
		date := today.AddDate(0, 0, day-seedDays+1)
		n := 28 + day/4 + random.IntN(18)
		if weekday := date.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
			n /= 3
		}
		for range n {
			hour := min(max(12.5+3.5*random.NormFloat64(), 0), 23.99)
			created := date.Add(time.Duration(hour * float64(time.Hour)))
			if created.After(now) {
				continue
			}
			id, err := oid.NewAt(created)
			if err != nil {
				return err
			}
			orders = append(orders, Order{
				ID:       id,
				Customer: customers[random.IntN(len(customers))],
				Cents:    500 + random.Int64N(20_000),
				Currency: currencies[random.IntN(len(currencies))],
			})
		}
	}
	return db.Transaction(func(tx *gorm.DB) error { return tx.CreateInBatches(orders, 250).Error })
}
