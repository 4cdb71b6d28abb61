package pgsequence

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oidkit/oidkit/sequence/driver"
)

// Draw implements [driver.Driver]. It is one UPDATE … RETURNING, which commits at once.
// If nobody else draws from the key, it waits for the disk while it holds the row. If
// others draw too, drawTogether releases the row first.
func (c *conns) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	conn, err := c.acquire(ctx)
	if err != nil {
		return driver.Step{}, false, err
	}
	defer conn.Release()
	limited, cancel := limitedBy(ctx, d.Limit)
	defer cancel()

	var s step
	together := c.others.expected(d.Key)
	if !together {
		s, err = c.drawAlone(limited, conn.Conn(), d)
		together = code(err) == serializationFailure // others were there, and nothing was drawn
	}
	if together {
		s, err = c.drawTogether(limited, conn.Conn(), d)
	}
	if err != nil {
		return driver.Step{}, false, c.failed(ctx, ignore(pgx.ErrNoRows, err))
	}
	c.others.learn(d.Key, s.draws)
	return s.Step, true, nil
}

// limitedBy returns a context that ends after limit. 0 means no limit.
func limitedBy(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// drawAlone draws in a statement that is on disk when it ends, and on the disks of the
// synchronous standbys.
func (t *table) drawAlone(ctx context.Context, q querier, d driver.Draw) (step, error) {
	sql, args := t.drawing(d, false)
	return t.scanStep(d, q.QueryRow(ctx, sql, args...))
}

// A querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
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
//
// The first is READ COMMITTED, whatever the session's default is. Above it, an update that
// had to wait for another fails.
func (c *conns) drawTogether(ctx context.Context, conn *pgx.Conn, d driver.Draw) (step, error) {
	flush, err := c.finder.find(ctx, c.table, conn)
	if err != nil {
		return step{}, err
	}
	sql, args := c.drawing(d, flush.sql != "")
	var b pgx.Batch
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	b.Queue(sql, args...)
	b.Queue("COMMIT")
	if flush.sql != "" {
		b.Queue(flush.sql)
	}
	results := conn.SendBatch(ctx, &b)
	defer results.Close()
	if _, err := results.Exec(); err != nil { // BEGIN
		return step{}, err
	}
	s, err := c.scanStep(d, results.QueryRow())
	if err != nil {
		return step{}, err // Release closes the connection, if its transaction is still open
	}
	if _, err := results.Exec(); err != nil { // COMMIT
		return step{}, err
	}
	s.Warning = flush.warning
	if flush.sql == "" {
		return s, nil
	}
	if _, err = results.Exec(); refused(err) { // somebody dropped the sequence, or revoked the right
		c.finder.forget()
		return step{}, transient{fmt.Errorf("the way to wait for the disk is gone: %w", err)}
	}
	return s, err
}

// A step is a step that was made, and the row's count of draws after it.
type step struct {
	driver.Step
	draws int64
}

// drawing returns the statement of a draw, and its arguments. If early is true, its commit
// doesn't wait for the disk.
func (t *table) drawing(d driver.Draw, early bool) (sql string, args []any) {
	args = []any{d.Key, d.Version, d.Floor, d.N, d.Most, early}
	c := d.Clock
	if c == nil {
		return t.draw, args
	}
	ahead := int64(-1) // no bound
	if c.Width > 0 && c.MaxAhead >= 0 {
		ahead = int64(c.MaxAhead / c.Tick)
	}
	if ahead >= 0 && (d.N-1)/c.Width > ahead { // N numbers alone are too many
		args[4] = int64(-1) // nothing is at most -1
	}
	notBefore, notAfter := int64(math.MinInt64), int64(math.MaxInt64)
	if !c.NotBefore.IsZero() {
		notBefore = c.NotBefore.Add(time.Microsecond - 1).UnixMicro() // rounded up, as the server counts microseconds
	}
	if !c.NotAfter.IsZero() {
		notAfter = c.NotAfter.UnixMicro()
	}
	return t.drawClock, append(args, max(c.Tick.Microseconds(), 1), c.Width, ahead, notBefore, notAfter)
}

// scanStep scans the row that a statement of drawing returns.
func (t *table) scanStep(d driver.Draw, row pgx.Row) (step, error) {
	var s step
	var clock int64
	var persistence string
	if err := row.Scan(&s.Before, &s.After, &s.draws, &clock, nil, &persistence); err != nil {
		return step{}, err
	}
	if c := d.Clock; c != nil {
		s.Now = time.UnixMicro(clock).UTC()
		if from := s.After - d.N; c.Floor(0, s.Now) > from {
			// A tick has begun since the statement computed x.
			s.Now = time.UnixMicro((from + 1) / c.Width * c.Tick.Microseconds()).UTC()
		}
	}
	return s, t.lasts(persistence)
}

// others knows from which keys other programs draw too.
type others struct {
	mu   sync.Mutex
	keys map[string]seen
}

// seen is what a store saw of a key.
type seen struct {
	draws    int64 // the row's count of draws after our last one
	expected int   // for how many more draws others are expected
}

const (
	expectedFor = 16    // draws after others drew
	mostKeys    = 10000 // are remembered
)

// expected reports whether others will probably draw from the key meanwhile.
func (o *others) expected(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.keys[key].expected > 0
}

// learn keeps the row's count of draws after one of ours. If it grew by more than one,
// others draw too.
func (o *others) learn(key string, draws int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.keys[key]
	if k.draws != 0 && draws != k.draws+1 {
		k.expected = expectedFor
	} else {
		k.expected = max(k.expected-1, 0)
	}
	k.draws = draws
	if o.keys == nil || len(o.keys) >= mostKeys {
		o.keys = map[string]seen{} // later draws find out again
	}
	o.keys[key] = k
}
