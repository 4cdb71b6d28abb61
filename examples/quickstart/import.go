package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

const batchSize = 250

var header = []string{"number", "customer", "amount", "currency", "created_at"}

// A month is the first moment of a month in UTC.
type month time.Time

func monthOf(t time.Time) month {
	t = t.UTC()
	return month(time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC))
}

// importOrders reads orders from r into db. Each gets an ID with the time of the order.
// It returns the number of orders per month, counted by the dates in the file. The
// queries by ID must find as many.
func importOrders(db *gorm.DB, w io.Writer, name string, r io.Reader) (map[month]int, error) {
	start := time.Now()
	fmt.Fprintf(w, "Import of %s\n", name)
	counts := make(map[month]int)
	total := 0
	var first, last time.Time
	err := db.Transaction(func(tx *gorm.DB) error {
		var batch []Order
		flush := func() error {
			if len(batch) == 0 {
				return nil
			}
			if err := tx.Create(batch).Error; err != nil {
				return err
			}
			total += len(batch)
			batch = batch[:0]
			progress(w, total)
			return nil
		}
		err := readOrders(name, r, func(o Order, created time.Time) error {
			counts[monthOf(created)]++
			if first.IsZero() || created.Before(first) {
				first = created
			}
			if created.After(last) {
				last = created
			}
			if batch = append(batch, o); len(batch) == batchSize {
				return flush()
			}
			return nil
		})
		if err != nil {
			return err
		}
		return flush()
	})
	if err != nil {
		progress(w, 0)
		return nil, err
	}
	if total == 0 {
		return nil, fmt.Errorf("%s: no orders", name)
	}
	progress(w, 0)
	fmt.Fprintf(w, "  %d orders in %.2f s, from %s to %s: each ID has the time of its order\n",
		total, time.Since(start).Seconds(), first.UTC().Format(time.DateOnly), last.UTC().Format(time.DateOnly))
	return counts, nil
}

// readOrders calls add for each order in a CSV file. Its errors name the line.
func readOrders(name string, r io.Reader, add func(Order, time.Time) error) error {
	in := csv.NewReader(r)
	in.Comment = '#'
	in.FieldsPerRecord = len(header)
	in.ReuseRecord = true
	for row := 0; ; row++ {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return fmt.Errorf("%s:%d: %w", name, syntax.Line, syntax.Err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if row == 0 {
			if !slices.Equal(record, header) {
				return fmt.Errorf("%s: the columns are %q, want %q", name, record, header)
			}
			continue
		}
		o, created, err := parseOrder(record)
		if err != nil {
			line, _ := in.FieldPos(0)
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if err := add(o, created); err != nil {
			return err
		}
	}
}

// parseOrder makes an order from a row of the file. Its ID has the time of the order.
func parseOrder(record []string) (Order, time.Time, error) {
	cents, err := parseAmount(record[2])
	if err != nil {
		return Order{}, time.Time{}, err
	}
	if len(record[3]) != 3 {
		return Order{}, time.Time{}, fmt.Errorf("currency %q, want three letters", record[3])
	}
	created, err := time.Parse(time.RFC3339, record[4])
	if err != nil {
		return Order{}, time.Time{}, fmt.Errorf("created_at %q, want a time such as 2025-03-01T12:00:00Z", record[4])
	}
	id, err := oid.NewAt(created)
	if err != nil {
		return Order{}, time.Time{}, err
	}
	return Order{
		ID:       id,
		Number:   strings.Clone(record[0]),
		Customer: strings.Clone(record[1]),
		Cents:    cents,
		Currency: strings.Clone(record[3]),
	}, created, nil
}

// parseAmount reads an amount such as 129.90. It returns hundredths.
func parseAmount(s string) (int64, error) {
	whole, fraction, ok := strings.Cut(s, ".")
	cents, err := strconv.ParseUint(whole+fraction, 10, 50)
	if err != nil || !ok || whole == "" || len(fraction) != 2 {
		return 0, fmt.Errorf("amount %q, want one such as 129.90", s)
	}
	return int64(cents), nil
}

// progress shows the number of imported orders, if w is a terminal. Zero clears the line.
func progress(w io.Writer, done int) {
	f, ok := w.(*os.File)
	if !ok {
		return
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return
	}
	if done == 0 {
		fmt.Fprintf(f, "\r%30s\r", "")
		return
	}
	fmt.Fprintf(f, "\r  %d orders", done)
}
