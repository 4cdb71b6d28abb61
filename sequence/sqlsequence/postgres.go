package sqlsequence

import (
	"context"
	"database/sql"
	"errors"

	"github.com/oidkit/oidkit/sequence/driver"
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
	conn, pooled := q.(*sql.Conn)
	if !d.Others || !pooled || t.inTx {
		return t.step(ctx, q, d, false)
	}
	early, warning := t.canFlush(ctx, conn)
	s, err := t.step(ctx, conn, d, early)
	if err != nil || s == nil {
		return nil, err
	}
	s.Warning = warning
	if early {
		err = t.wait(ctx, conn)
	}
	return s, err
}

// step runs the statement of a draw. If early is true, its commit doesn't
// wait for the disk.
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
