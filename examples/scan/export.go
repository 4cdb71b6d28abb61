package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oidkit/oidkit/oid"
)

const (
	pageSize  = 5000
	spansEach = 16 // spans per worker; a worker that has finished one takes the next

	planFile     = "plan.json"
	pausedFile   = "paused"
	verifiedFile = "verified"
)

// A part is one span of the export. Its rows are in the file part-000.ndjson. Its
// checkpoint, part-000.json, says how much of that file is complete.
type part struct {
	number int
	span
	Next  oid.ID // the first ID after those in the file
	Rows  int
	Bytes int64
}

func (p *part) file(dir, suffix string) string {
	return filepath.Join(dir, fmt.Sprintf("part-%03d.%s", p.number, suffix))
}

// plan returns the parts of an export with their checkpoints. The first call splits the
// table and stores the spans. Later calls use the same spans.
func plan(ctx context.Context, t *table, c config) ([]*part, error) {
	var spans []span
	data, err := os.ReadFile(filepath.Join(c.dir, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		lo, hi, err := t.bounds(ctx)
		if err != nil {
			return nil, err
		}
		spans = evenInTime(lo, hi, c.workers*spansEach)
		if err := writeJSON(filepath.Join(c.dir, planFile), spans); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	} else if err := json.Unmarshal(data, &spans); err != nil {
		return nil, err
	}
	parts := make([]*part, len(spans))
	for i, s := range spans {
		p := &part{number: i, span: s, Next: s.From}
		parts[i] = p
		data, err := os.ReadFile(p.file(c.dir, "json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, p); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// exported returns how many rows the checkpoints have.
func exported(dir string) (int, error) {
	files, err := filepath.Glob(filepath.Join(dir, "part-*.json"))
	if err != nil {
		return 0, err
	}
	rows := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		var p part
		if err := json.Unmarshal(data, &p); err != nil {
			return 0, err
		}
		rows += p.Rows
	}
	return rows, nil
}

// export exports the rows after the checkpoints.
func export(ctx context.Context, w io.Writer, t *table, c config) error {
	parts, err := plan(ctx, t, c)
	if err != nil {
		return err
	}
	before := 0
	for _, p := range parts {
		before += p.Rows
	}
	total, _, err := t.count(ctx)
	if err != nil {
		return err
	}
	start := time.Now()
	e := &exporter{t: t, c: c, progress: newBar(w, total, before)}
	e.done.Store(int64(before))
	defer e.progress.end()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan *part, len(parts))
	for _, p := range parts {
		queue <- p
	}
	close(queue)
	var workers sync.WaitGroup
	for range c.workers {
		workers.Go(func() {
			for p := range queue {
				if err := e.export(ctx, p); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e.progress.end()
	rows := int(e.done.Load()) - before
	seconds := time.Since(start).Seconds()
	fmt.Fprintf(w, "  %s rows exported in %.1f s, %s per second\n", thousands(rows), seconds, thousands(int(float64(rows)/seconds)))
	return nil
}

type exporter struct {
	t        *table
	c        config
	progress *bar
	done     atomic.Int64
}

// export exports the rest of p.
func (e *exporter) export(ctx context.Context, p *part) error {
	f, err := os.OpenFile(p.file(e.c.dir, "ndjson"), os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	// Drop what a killed export wrote after its last checkpoint.
	if err := f.Truncate(p.Bytes); err != nil {
		return err
	}
	if _, err := f.Seek(p.Bytes, io.SeekStart); err != nil {
		return err
	}
	for p.Next.Compare(p.To) < 0 {
		if err := e.page(ctx, p, f); err != nil {
			return err
		}
	}
	return f.Close()
}

// page exports the next rows of p. It then writes the checkpoint.
func (e *exporter) page(ctx context.Context, p *part, f *os.File) error {
	rows, err := e.t.db.QueryContext(ctx, e.t.query("SELECT id, account, cents FROM events WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3"),
		p.Next, p.To, e.c.page)
	if err != nil {
		return err
	}
	defer rows.Close()
	out := bufio.NewWriter(f)
	lines := json.NewEncoder(out)
	n := 0
	var last oid.ID
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.ID, &r.Account, &r.Cents); err != nil {
			return err
		}
		if err := lines.Encode(r); err != nil {
			return err
		}
		last = r.ID
		n++
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if e.c.pauseAt > 0 && e.done.Load()+int64(n) >= int64(e.c.pauseAt) {
		return e.pause(ctx) // after the rows, and before the checkpoint
	}
	if err := f.Sync(); err != nil {
		return err
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	p.Rows, p.Bytes = p.Rows+n, at
	p.Next = p.To // this was the last page
	if n == e.c.page {
		p.Next = last.Next()
	}
	if err := writeJSON(p.file(e.c.dir, "json"), p); err != nil {
		return err
	}
	e.done.Add(int64(n))
	e.progress.add(n)
	return nil
}

// pause waits for the kill.
func (e *exporter) pause(ctx context.Context) error {
	e.progress.end()
	if err := os.WriteFile(filepath.Join(e.c.dir, pausedFile), nil, 0o666); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// writeJSON replaces a file in one step. Nobody sees half a file.
func writeJSON(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", data, 0o666); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// verify reads the export, and compares it with the table.
func verify(ctx context.Context, w io.Writer, t *table, c config) error {
	parts, err := plan(ctx, t, c)
	if err != nil {
		return err
	}
	rows, cents := 0, 0
	var last oid.ID
	for _, p := range parts {
		f, err := os.Open(p.file(c.dir, "ndjson"))
		if err != nil {
			return err
		}
		lines := json.NewDecoder(bufio.NewReader(f))
		for {
			var r row
			if err := lines.Decode(&r); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				f.Close()
				return err
			}
			if r.ID.Compare(last) <= 0 {
				f.Close()
				return fmt.Errorf("%s: %v after %v: a row is twice in the file, or out of order", f.Name(), r.ID, last)
			}
			last = r.ID
			rows++
			cents += r.Cents
		}
		f.Close()
	}
	wantRows, wantCents, err := t.count(ctx)
	if err != nil {
		return err
	}
	if rows != wantRows || cents != wantCents {
		return fmt.Errorf("the files have %d rows with %d cents, the table has %d with %d", rows, cents, wantRows, wantCents)
	}
	if err := os.WriteFile(filepath.Join(c.dir, verifiedFile), nil, 0o666); err != nil {
		return err
	}
	fmt.Fprintf(w, "  %d files have %s rows, each once and in order, as the table has\n", len(parts), thousands(rows))
	return nil
}
