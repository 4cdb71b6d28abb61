package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// march2025 finds the orders of March 2025 by a range of the primary key.
func march2025(db *gorm.DB, w io.Writer, counts map[month]int) error {
	from := time.Date(2025, time.March, 1, 0, 0, 0, 0, time.UTC)
	lo, hi := oid.Range(from, from.AddDate(0, 1, 0))
	fmt.Fprintf(w, "\nThe orders of March 2025\n")
	fmt.Fprintf(w, "  SELECT … FROM orders WHERE id >= x'%s' AND id < x'%s'\n", lo, hi)

	inMarch := db.Model(&Order{}).Where("id >= ? AND id < ?", lo, hi)
	plan, err := explain(db, inMarch.Session(&gorm.Session{DryRun: true}).Find(&[]Order{}).Statement)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  %s\n", plan)
	if !strings.HasPrefix(plan, "SEARCH orders USING INDEX sqlite_autoindex_orders_1 (id>? AND id<?)") {
		return fmt.Errorf("the query does not use the primary key: %s", plan)
	}

	var totals []struct {
		Currency string
		Orders   int
		Cents    int64
	}
	err = inMarch.Select("currency, count(*) AS orders, sum(cents) AS cents").Group("currency").Order("currency").Scan(&totals).Error
	if err != nil {
		return err
	}
	found := 0
	for _, t := range totals {
		fmt.Fprintf(w, "  %s %4d orders %12s\n", t.Currency, t.Orders, decimal(t.Cents))
		found += t.Orders
	}
	if want := counts[month(from)]; found != want {
		return fmt.Errorf("found %d orders of March 2025 by ID, but the CSV file has %d", found, want)
	}
	fmt.Fprintf(w, "  all %4d orders, as many as in the CSV file\n", found)
	return nil
}

// explain returns SQLite's plan for the query of stmt.
func explain(db *gorm.DB, stmt *gorm.Statement) (string, error) {
	var steps []struct{ Detail string }
	err := db.Raw("EXPLAIN QUERY PLAN "+stmt.SQL.String(), stmt.Vars...).Scan(&steps).Error
	var details []string
	for _, step := range steps {
		details = append(details, step.Detail)
	}
	return strings.Join(details, "; "), err
}

// allMonths counts the orders of each month by ranges of the primary key. It compares
// the numbers with those of the file.
func allMonths(db *gorm.DB, w io.Writer, counts map[month]int) error {
	fmt.Fprintf(w, "\nOrders per month, by ranges of the primary key\n  %-10s %8s %8s\n", "", "2024", "2025")
	for m := time.January; m <= time.December; m++ {
		fmt.Fprintf(w, "  %-10s", m)
		for year := 2024; year <= 2025; year++ {
			from := time.Date(year, m, 1, 0, 0, 0, 0, time.UTC)
			lo, hi := oid.Range(from, from.AddDate(0, 1, 0))
			var found int64
			if err := db.Model(&Order{}).Where("id >= ? AND id < ?", lo, hi).Count(&found).Error; err != nil {
				return err
			}
			if want := counts[month(from)]; int(found) != want {
				return fmt.Errorf("found %d orders of %s by ID, but the CSV file has %d", found, from.Format("January 2006"), want)
			}
			fmt.Fprintf(w, " %8d", found)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// decimal returns hundredths as a decimal number.
func decimal(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
