package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// drawPostgres makes a step, or returns nil if it is refused. If nobody else draws from
// the key, the statement waits for the disk while it holds the row. If others draw too,
// two statements draw. The first commits without waiting for the disk, which releases the
// row for others. The second waits until everything before it is on disk, and on the disks
// of the synchronous standbys. All programs wait for the same flush together. Otherwise
// each draw would need a flush of its own.
//
// The numbers are handed out only after the second statement. Its record in the log comes
// after that of the first. So they are on disk by then, and so are all that were drawn
// before. A crash between the two loses numbers that nobody got. If the second fails, the
// numbers are a gap.
func (t *table) drawPostgres(ctx context.Context, q querier, d driver.Draw) (*driver.Step, error) {
	if !d.Others || t.inTx {
		return t.step(ctx, q, d, false)
	}
	f := t.canFlush(ctx, q)
	s, err := t.step(ctx, q, d, f.works)
	if err != nil || s == nil {
		return nil, err
	}
	s.Warning = f.warning
	if f.works {
		err = t.wait(ctx, q)
	}
	return s, err
}

// step makes a step on PostgreSQL or SQLite, or returns nil if it is refused. If early is
// true, its commit doesn't wait for the disk.
func (t *table) step(ctx context.Context, q querier, d driver.Draw, early bool) (*driver.Step, error) {
	name, args := "draw", []any{d.Key, d.Version, d.Floor, d.N, d.Most - d.N, early}
	if d.Clock != nil {
		tick, width, ahead, first, last := d.Clock.Micros()
		name, args = "draw with clock", append(args, tick, width, ahead, first, last)
	}
	var s driver.Step
	var micro int64
	err := q.QueryRowContext(ctx, t.sql[name], args...).Scan(&s.Before, &s.After, &micro, new(any))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err == nil && d.Clock != nil {
		s.Now = d.Clock.Reading(s.After-d.N+1, micro)
	}
	return &s, err
}

// A flush says whether a connection of PostgreSQL can wait until all is on disk that was
// committed before.
type flush struct {
	works   bool
	tried   time.Time // the zero Time if nobody has tried
	warning string    // if it doesn't work and that can be mended
}

// again is after how long a flush that didn't work is tried again.
const again = time.Minute

// canFlush reports whether the driver can flush, and what to mend if it can't. It tries
// before the first draw that needs it. A failure in that draw would waste numbers.
func (t *table) canFlush(ctx context.Context, q querier) flush {
	if f := t.flush.Load(); !f.works && time.Since(f.tried) > again {
		t.wait(ctx, q)
	}
	return *t.flush.Load()
}

// wait returns when everything that was committed before is on disk.
func (t *table) wait(ctx context.Context, q querier) error {
	f := flush{tried: time.Now()}
	err := q.QueryRowContext(ctx, t.sql["flush"], t.flushName).Scan(&f.works, new(any))
	if err != nil && transient.Transient(err) {
		return err
	}
	if err != nil { // the sequence is missing, or this role may not set it
		f.warning = fmt.Sprintf("programs that draw from this key can't share the flushes of the disk: as the owner of the table, call Migrate, and GRANT UPDATE ON SEQUENCE %s to this role: %v", t.flushName, err)
		err = timeout("nobody knows whether the numbers are on disk: " + err.Error())
	}
	t.flush.Store(&f)
	return err
}
