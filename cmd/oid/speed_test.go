package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// BenchmarkCSV runs commands on a file of 200 MB, with 3 million rows of one year:
//
//	go test -run '^$' -bench CSV -benchtime 3x ./cmd/oid
func BenchmarkCSV(b *testing.B) {
	const rows = 3_000_000
	path := filepath.Join(b.TempDir(), "orders.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "id,customer,note")
	for i := range rows {
		id := oid.MinAt(time.Date(2026, time.January, 1, 0, 0, 10*i, 0, time.UTC))
		fmt.Fprintf(w, "%s,customer %d,a note of the order %d\n", id, i%10_000, i)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	for _, args := range []string{
		"filter --from 2026-03 --to 2026-04 --column id",
		"filter --from 2026-03 --to 2026-04",
		"histogram",
		"histogram --column id",
		"convert --column id --to uuid",
	} {
		b.Run(strings.ReplaceAll(args, " ", "_"), func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				var errs bytes.Buffer
				cmd := command(append(strings.Fields(args), path)...)
				cmd.Stderr = &errs
				if err := cmd.Run(); err != nil {
					b.Fatalf("%v: %s", err, &errs)
				}
			}
		})
	}
}
