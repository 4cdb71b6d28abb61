package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/oidkit/oidkit/oid"
)

// A span is a half-open range of IDs.
type span struct{ From, To oid.ID }

// evenInTime splits [lo, hi) into n spans of equal time.
func evenInTime(lo, hi oid.ID, n int) (spans []span) {
	for from, to := range oid.Split(lo, hi, n) {
		spans = append(spans, span{from, to})
	}
	return spans
}

// evenInRows splits [lo, hi) into n spans with about the same number of rows. It needs a
// sorted sample of the table's IDs.
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

// sample returns some IDs of the table, sorted.
func (t *table) sample(ctx context.Context, rows int) ([]oid.ID, error) {
	if t.postgres {
		// ANALYZE takes a sample for the planner. TABLESAMPLE SYSTEM is a worse one:
		// it takes whole pages, and the IDs of a page are neighbors.
		if err := t.exec(ctx, "ANALYZE "+t.name); err != nil {
			return nil, err
		}
		return t.ids(ctx, "SELECT unnest(histogram_bounds::text::bytea[]) FROM pg_stats WHERE tablename = $1 AND attname = 'id'", t.name)
	}
	return t.ids(ctx, "SELECT id FROM events WHERE random() % $1 = 0 ORDER BY id", max(rows/10_000, 1))
}

// compareCuts prints how many rows the spans have after either way to split the table.
func compareCuts(ctx context.Context, w io.Writer, t *table, c config) error {
	lo, hi, err := t.bounds(ctx)
	if err != nil {
		return err
	}
	sample, err := t.sample(ctx, c.rows)
	if err != nil {
		return err
	}
	const n = 16
	cuts := []struct {
		name  string
		spans []span
	}{{fmt.Sprintf("oid.Split, %d spans of equal time", n), evenInTime(lo, hi, n)}}
	if len(sample) >= n {
		cuts = append(cuts, struct {
			name  string
			spans []span
		}{fmt.Sprintf("by a sample of %s IDs", thousands(len(sample))), evenInRows(lo, hi, n, sample)})
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
