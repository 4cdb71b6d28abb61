package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/oidkit/oidkit/oid"
)

// A span is a half-open range of ids.
type span struct{ From, To oid.ID }

// evenInTime cuts [lo, hi) into n spans of one length.
func evenInTime(lo, hi oid.ID, n int) (spans []span) {
	for from, to := range oid.Split(lo, hi, n) {
		spans = append(spans, span{from, to})
	}
	return spans
}

// evenInRows cuts [lo, hi) into n spans that hold about equally many rows, judged
// by a sorted sample of the table's ids.
func evenInRows(lo, hi oid.ID, n int, sample []oid.ID) (spans []span) {
	from := lo
	for i := 1; i < n; i++ {
		to := sample[i*len(sample)/n]
		if from.Compare(to) < 0 && to.Compare(hi) < 0 {
			spans = append(spans, span{from, to})
			from = to
		}
	}
	return append(spans, span{from, hi})
}

// sample returns about one id in 100, sorted.
func (t *table) sample(ctx context.Context) ([]oid.ID, error) {
	if t.postgres {
		// SYSTEM reads 1 % of the pages. BERNOULLI would read them all.
		return t.ids(ctx, "SELECT id FROM events TABLESAMPLE SYSTEM (1) ORDER BY id")
	}
	return t.ids(ctx, "SELECT id FROM events WHERE random() % 100 = 0 ORDER BY id")
}

// compareCuts prints how many rows the spans hold when they are cut in either way.
func compareCuts(ctx context.Context, w io.Writer, t *table, c config) error {
	lo, hi, err := t.bounds(ctx)
	if err != nil {
		return err
	}
	sample, err := t.sample(ctx)
	if err != nil {
		return err
	}
	const n = 16
	cuts := []struct {
		name  string
		spans []span
	}{{fmt.Sprintf("oid.Split, %d spans even in time", n), evenInTime(lo, hi, n)}}
	if len(sample) >= n {
		cuts = append(cuts, struct {
			name  string
			spans []span
		}{fmt.Sprintf("by a sample of %s ids", thousands(len(sample))), evenInRows(lo, hi, n, sample)})
	}
	for _, cut := range cuts {
		var rows []int
		for _, s := range cut.spans {
			var n int
			err := t.db.QueryRowContext(ctx, t.query("SELECT count(*) FROM events WHERE id >= $1 AND id < $2"), s.From, s.To).Scan(&n)
			if err != nil {
				return err
			}
			rows = append(rows, n)
		}
		fmt.Fprintf(w, "  %-35s %9s to %9s rows each\n", cut.name, thousands(slices.Min(rows)), thousands(slices.Max(rows)))
	}
	return nil
}
