package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// purge deletes the rows of the first 30 days. Each batch is one statement with a range of
// the primary key. After a kill, the next run continues with the rows that are left.
func purge(ctx context.Context, w io.Writer, t *table, c config) error {
	from, _, err := t.bounds(ctx)
	if err != nil {
		return err
	}
	before := oid.MinAt(from.Timestamp().AddDate(0, 0, 30))
	var rows int
	if err := t.db.QueryRowContext(ctx, t.query("SELECT count(*) FROM events WHERE id < $1"), before).Scan(&rows); err != nil {
		return err
	}
	progress := newBar(w, rows, 0)
	defer progress.end()
	deleted, batches := 0, 0
	longest, start := time.Duration(0), time.Now()
	for from.Compare(before) < 0 {
		to, n, took, err := deleteBatch(ctx, t, from, before, c.page)
		if err != nil {
			return err
		}
		from = to
		deleted += n
		batches++
		longest = max(longest, took)
		progress.add(n)
	}
	progress.end()
	if deleted != rows {
		return fmt.Errorf("%d rows deleted, want %d", deleted, rows)
	}
	fmt.Fprintf(w, "  %s rows before %s deleted in %d batches and %.1f s; the longest took %d ms\n",
		thousands(deleted), before.Timestamp().Format(time.DateOnly), batches, time.Since(start).Seconds(), longest.Milliseconds())
	return nil
}

// deleteBatch deletes the next rows, starting at from and ending before before. It deletes
// at most page rows. It returns where the next batch starts.
func deleteBatch(ctx context.Context, t *table, from, before oid.ID, page int) (to oid.ID, n int, took time.Duration, err error) {
	ends, err := t.ids(ctx, "SELECT id FROM events WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 1 OFFSET $3", from, before, page)
	if err != nil {
		return to, 0, 0, err
	}
	to = before
	if len(ends) > 0 {
		to = ends[0]
	}
	start := time.Now()
	result, err := t.db.ExecContext(ctx, t.query("DELETE FROM events WHERE id >= $1 AND id < $2"), from, to)
	if err != nil {
		return to, 0, 0, err
	}
	deleted, err := result.RowsAffected()
	return to, int(deleted), time.Since(start), err
}
