package sqlsequence

import (
	"context"
	"database/sql"
	"errors"

	"github.com/oidkit/oidkit/sequence/driver"
)

// drawSQLite makes a step, or returns nil if it is refused. The clock is this machine's,
// so what it allows is known before.
func (t *table) drawSQLite(ctx context.Context, q querier, d driver.Draw) (*driver.Step, error) {
	if c := d.Clock; c != nil {
		d.Floor, d.Most = c.Floor(d.Floor, c.Now), c.Most(d.Most, c.Now)
	}
	var s driver.Step
	err := q.QueryRowContext(ctx, t.sql["draw"], d.Floor, d.N, d.Key, d.Version, d.Floor, d.Most-d.N).Scan(&s.Before, &s.After)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &s, err
}
