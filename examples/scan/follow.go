package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/oidkit/oidkit/oid"
)

const (
	writers  = 8
	writeFor = 2 * time.Second
	delay    = time.Second / 2 // a writer commits at most this long after it made the ID
	lag      = 2 * time.Second // so a reader stays this far behind the clock
)

// follow reads new rows in two ways, while eight writers add rows.
func follow(ctx context.Context, w io.Writer, t *table, _ config) error {
	_, after, err := t.bounds(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		writing, reading sync.WaitGroup
		mu               sync.Mutex
		written          = map[oid.ID]bool{}
	)
	end := time.Now().Add(writeFor)
	for range writers {
		writing.Go(func() {
			var process oid.Generator // each writer acts as a process of its own
			for time.Now().Before(end) && ctx.Err() == nil {
				id := process.New()
				time.Sleep(rand.N(delay)) // the rest of its transaction
				if err := t.exec(ctx, "INSERT INTO events (id, account, cents) VALUES ($1, 1, 1)", id); err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				written[id] = true
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	naive, settled := map[oid.ID]int{}, map[oid.ID]int{}
	reading.Go(func() { cancelIf(cancel, readAfterTheLast(ctx, t, after, done, naive)) })
	reading.Go(func() { cancelIf(cancel, readSettled(ctx, t, after, done, settled)) })
	writing.Wait()
	close(done)
	reading.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	fmt.Fprintf(w, "  %d writers commit %s rows, each up to %v after its ID was made\n", writers, thousands(len(written)), delay)
	for _, reader := range []struct {
		name string
		seen map[oid.ID]int
	}{
		{"id > the last ID seen", naive},
		{fmt.Sprintf("id < oid.MinAt(now - %v)", lag), settled},
	} {
		missed, again := 0, 0
		for id := range written {
			switch n := reader.seen[id]; {
			case n == 0:
				missed++
			case n > 1:
				again++
			}
		}
		fmt.Fprintf(w, "  a reader with %-28s misses %4d rows, reads %d twice\n", reader.name, missed, again)
	}
	return nil
}

func cancelIf(cancel context.CancelCauseFunc, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		cancel(err)
	}
}

// readSettled reads the rows in the order of their IDs. It reads only rows that are so old
// that nobody can still commit a row before them.
func readSettled(ctx context.Context, t *table, from oid.ID, done <-chan struct{}, seen map[oid.ID]int) error {
	var ended time.Time
	for {
		to := oid.MinAt(time.Now().Add(-lag))
		ids, err := t.ids(ctx, "SELECT id FROM events WHERE id >= $1 AND id < $2 ORDER BY id", from, to)
		if err != nil {
			return err
		}
		for _, id := range ids {
			seen[id]++
		}
		if from.Compare(to) < 0 {
			from = to // the checkpoint: every row before it was read
		}
		if isClosed(done) && ended.IsZero() {
			ended = time.Now()
		}
		if !ended.IsZero() && to.Timestamp().After(ended) {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// readAfterTheLast reads the rows after the last ID that it has seen. This is wrong,
// because a row with a smaller ID can be committed later.
func readAfterTheLast(ctx context.Context, t *table, from oid.ID, done <-chan struct{}, seen map[oid.ID]int) error {
	for last := false; !last; {
		last = isClosed(done)
		ids, err := t.ids(ctx, "SELECT id FROM events WHERE id >= $1 ORDER BY id", from)
		if err != nil {
			return err
		}
		for _, id := range ids {
			seen[id]++
			from = id.Next()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
