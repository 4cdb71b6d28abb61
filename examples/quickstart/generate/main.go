// Command generate writes orders.csv of the quickstart. The command invents the orders of
// a small shop in two years. The orders are the same in every run.
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"time"
)

const seed = 20240101

func main() {
	log.SetFlags(0)
	out := flag.String("o", "orders.csv", "the `file` to write")
	flag.Parse()
	f, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	if err := write(f); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// write writes the file. It calculates only with integers, so the file is the same on
// every machine.
func write(w io.Writer) error {
	fmt.Fprintf(w, "# Invented orders, written by examples/quickstart/generate (seed %d). Don't edit: go generate ./examples/quickstart\n", seed)
	out := csv.NewWriter(w)
	out.Write([]string{"number", "customer", "amount", "currency", "created_at"})

	r := rand.New(rand.NewPCG(seed, 0))
	first := time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(2025, time.December, 31, 0, 0, 0, 0, time.UTC)
	number := 0
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		for _, second := range seconds(r, ordersOn(r, day, first)) {
			number++
			out.Write([]string{
				fmt.Sprintf("A%05d", number),
				customers[min(r.IntN(len(customers)), r.IntN(len(customers)))], // some customers buy more often
				amount(r),
				currencies[r.IntN(len(currencies))],
				day.Add(time.Duration(second) * time.Second).Format(time.RFC3339),
			})
		}
	}
	out.Flush()
	return out.Error()
}

// ordersOn returns the number of orders of a day. There are more as the shop grows, before
// Christmas, and from Monday to Friday.
func ordersOn(r *rand.Rand, day, first time.Time) int {
	mean := 450 + int(day.Sub(first)/(24*time.Hour))/3 // hundredths
	switch day.Month() {
	case time.November, time.December:
		mean += mean / 2
	case time.August:
		mean -= mean / 4
	}
	if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		mean /= 2
	}
	return (r.IntN(mean) + r.IntN(mean) + r.IntN(100)) / 100
}

// seconds returns n seconds of a day in ascending order. Most are in the afternoon.
func seconds(r *rand.Rand, n int) []int {
	taken := make(map[int]bool)
	for len(taken) < n {
		taken[6*3600+r.IntN(9*3600)+r.IntN(9*3600-1)] = true
	}
	var list []int
	for second := range 24 * 3600 {
		if taken[second] {
			list = append(list, second)
		}
	}
	return list
}

// amount returns a price between 4.00 and about 900. Most are small.
func amount(r *rand.Rand) string {
	cents := 400 + r.IntN(300)*r.IntN(300) + r.IntN(100)
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

var currencies = []string{"EUR", "EUR", "EUR", "EUR", "EUR", "EUR", "GBP", "GBP", "USD", "USD"}

var customers = []string{
	"Adler & Sons", "Amara Diallo", "Anna Lindqvist", "Baker, Lee and Co.", "Beatriz Gómez", "Blue Door Café",
	"Carla Neumann", "Chen Wei", "Citybooks", "Daniel O'Brien", "Dunja Horvat", "Edwin Mensah", "Elena Petrova",
	"Fjord Outdoor", "Giulia Ferrari", "Grażyna Nowak", "Green Lane School", "Hanna Virtanen", "Ines Rocha",
	"Ismail Yıldız", "Jonas Weber", "Kamal Haddad", "Kateřina Dvořák", "Lighthouse Hotel", "Lucas Moreau",
	"Maria Papadaki", "Mateus Silva", "Nadia Rahman", "Noor de Vries", "North Star Garage", "Oskar Nilsen",
	"Paula Schmidt", "Petra Novak", "Quay Street Press", "Rania Aziz", "Riverside Dental", "Samuel Cohen",
	"Sara Johansson", "Sofia Marin", "Tomás Ruiz", "Urban Cycles", "Vera Ivanova", "Walter Brandt", "Yuki Tanaka", "Zoë Martin",
}
