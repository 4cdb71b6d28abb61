package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"github.com/oidkit/oidkit/sequence/driver"
)

// drawSQLite makes a step, or returns nil if it is refused. The clock is this machine's, so its bounds are known before.
func (t *table) drawSQLite(ctx context.Context, q querier, d driver.Draw) (*driver.Step, error) {
	floor, most := d.Floor, d.Most
	if c := d.Clock; c != nil {
		if !c.Allows(0, c.Now) { // x is never ahead there
			return nil, nil
		}
		floor, most = c.Floor(floor, c.Now), min(most, lastAllowed(c))
	}
	var s driver.Step
	err := q.QueryRowContext(ctx, t.sql["draw"], floor, d.N, d.Key, d.Version, floor, most-d.N).Scan(&s.Before, &s.After)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &s, err
}

// lastAllowed returns the greatest x whose tick isn't too far ahead of c.Now.
func lastAllowed(c *driver.Clock) int64 {
	if aheadTicks(c) < 0 {
		return math.MaxInt64
	}
	ticks := c.Now.UnixMicro()/c.Tick.Microseconds() + aheadTicks(c) + 1
	if ticks > math.MaxInt64/c.Width {
		return math.MaxInt64
	}
	return ticks*c.Width - 1
}

// aheadTicks returns how many ticks x may be ahead of the clock, -1 for any number.
func aheadTicks(c *driver.Clock) int64 {
	if c.Width == 0 || c.MaxAhead < 0 {
		return -1
	}
	return int64(c.MaxAhead / c.Tick)
}

// bounds returns the first and the last microsecond that c allows.
func bounds(c *driver.Clock) (first, last int64) {
	if c.NotAfter.IsZero() {
		return c.NotBefore.UnixMicro(), math.MaxInt64
	}
	return c.NotBefore.UnixMicro(), c.NotAfter.UnixMicro()
}
