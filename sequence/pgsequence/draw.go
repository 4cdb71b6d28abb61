package pgsequence

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oidkit/oidkit/sequence/driver"
)

// Draw implements [driver.Driver] by one UPDATE … RETURNING, which commits at once. When
// the statement ends, the draw is on the disk of the server and on the disks of its
// synchronous standbys. If no other program draws from the key, the statement keeps the
// row locked while it waits for the disk. If other programs draw from the key,
// drawTogether unlocks the row first.
func (t *table) Draw(ctx context.Context, d driver.Draw) (s driver.Step, ok bool, err error) {
	err = t.run(ctx, d.Limit, func(ctx context.Context, q querier) error {
		conn, pooled := q.(*pgx.Conn) // not the caller's transaction
		var f flush
		if pooled && d.Others {
			f = t.canFlush(ctx, conn)
		}
		if !f.works {
			query, args := t.drawing(d, false)
			s, err = scanStep(d, q.QueryRow(ctx, query, args...))
		}
		// 40001 is a serialization failure: others were there, and nothing was drawn.
		if conflict := err; f.works || pooled && code(err) == "40001" && !t.oneLevel.Load() {
			if s, err = t.drawTogether(ctx, conn, d, f.works); !f.works && t.learnLevel(err) {
				err = conflict
			}
		}
		s.Warning, ok = f.warning, err == nil
		return ignore(pgx.ErrNoRows, err)
	})
	return s, ok, err
}

// drawTogether draws in two transactions. The first draws. It commits without waiting for
// the disk, which releases the row for others. The second waits until everything before
// it is on disk, and on the disks of the synchronous standbys. All programs wait for the
// same flush together. So programs that draw from one key share the flushes of the disk.
// Otherwise each draw would need its own flush.
//
// The numbers are handed out only after the second transaction. Its record in the log
// comes after that of the first. So they are on disk by then, and so are all that were
// drawn before. A crash between the two loses numbers that nobody got. If the second
// fails, the numbers are a gap.
//
// Both are sent at once, in one round trip. In one transaction, the row would be held
// until the flush again, or, with synchronous_commit off, nobody would wait for the disk.
// If early is false, the first transaction waits for the disk, and no second one is sent.
//
// The first is READ COMMITTED, whatever the session's default is. Above it, an update that
// had to wait for another fails.
func (t *table) drawTogether(ctx context.Context, conn *pgx.Conn, d driver.Draw, early bool) (driver.Step, error) {
	var b pgx.Batch
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	query, args := t.drawing(d, early)
	b.Queue(query, args...)
	b.Queue("COMMIT")
	if early {
		b.Queue(t.sql["flush"], t.flushName)
	}
	results := conn.SendBatch(ctx, &b)
	defer results.Close()
	if _, err := results.Exec(); err != nil { // BEGIN
		return driver.Step{}, err
	}
	s, err := scanStep(d, results.QueryRow())
	if err != nil {
		return s, err // Release closes the connection, if its transaction is still open
	}
	if _, err = results.Exec(); err == nil && early { // COMMIT
		err = t.flushed(results.QueryRow())
	}
	if err == nil {
		// The server answers a statement before it commits. A flush that fails is known
		// only from what comes after all answers.
		err = results.Close()
	}
	return s, err
}

// drawing returns the statement of a draw, and its arguments. If early is true, its commit
// doesn't wait for the disk.
func (t *table) drawing(d driver.Draw, early bool) (query string, args []any) {
	args = []any{d.Key, d.Version, d.Floor, d.N, d.Most - d.N, early}
	if d.Clock == nil {
		return t.sql["draw"], args
	}
	tick, width, ahead, first, last := d.Clock.Micros()
	return t.sql["draw with clock"], append(args, tick, width, ahead, first, last)
}

// scanStep scans the row that a statement of drawing returns.
func scanStep(d driver.Draw, row pgx.Row) (s driver.Step, err error) {
	var micro int64
	err = row.Scan(&s.Before, &s.After, &micro, nil)
	if err == nil && d.Clock != nil {
		s.Now = d.Clock.Reading(s.After-d.N+1, micro)
	}
	return s, err
}

// A flush says whether a connection can wait until all is on disk that was committed
// before.
type flush struct {
	works   bool
	tried   time.Time // the zero Time if nobody has tried
	warning string    // if it doesn't work and that can be mended
}

// again is after how long a flush that didn't work is tried again.
const again = time.Minute

// canFlush reports whether the driver can flush, and what to mend if it can't. It tries
// before the first draw that needs it. A failure in that draw would waste numbers.
func (t *table) canFlush(ctx context.Context, conn *pgx.Conn) flush {
	if f := t.flush.Load(); !f.works && time.Since(f.tried) > again {
		t.flushed(conn.QueryRow(ctx, t.sql["flush"], t.flushName))
	}
	return *t.flush.Load()
}

// flushed returns nil if everything that was committed before is on disk. row is the
// answer to the statement flush.
func (t *table) flushed(row pgx.Row) error {
	f := flush{tried: time.Now()}
	err := row.Scan(&f.works, nil)
	if err != nil && !refused(err) {
		return err
	}
	if err != nil { // the sequence is missing, or this role may not set it
		f.warning = fmt.Sprintf("programs that draw from this key can't share the flushes of the disk: as the owner of the table, call Migrate, and GRANT UPDATE ON SEQUENCE %s to this role: %v", t.flushName, err)
		err = transient{fmt.Errorf("nobody knows whether the numbers are on disk: %w", err)}
	}
	t.flush.Store(&f)
	return err
}
