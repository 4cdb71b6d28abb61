package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// drawPostgres makes a step, or returns nil if it is refused. If nobody else draws from the key, the statement waits for
// the disk while it holds the row. If others draw too, two statements draw. The first
// commits without waiting for the disk, which releases the row for others. The second
// waits until everything before it is on disk, and on the disks of the synchronous
// standbys. All programs wait for the same flush together. Otherwise each draw would need
// a flush of its own.
//
// The numbers are handed out only after the second statement. Its record in the log comes
// after that of the first. So they are on disk by then, and so are all that were drawn
// before. A crash between the two loses numbers that nobody got. If the second fails, the
// numbers are a gap.
func (t *table) drawPostgres(ctx context.Context, q querier, d driver.Draw) (*driver.Step, error) {
	conn, ok := q.(*sql.Conn)
	if !ok {
		s, _, err := t.step(ctx, q, d, "")
		return s, err
	}
	commit, shared := "on", t.flush.isShared(d.Key)
	early := shared && t.mayDrawEarly(ctx, conn)
	if early {
		commit = "off"
	}
	s, draws, err := t.step(ctx, conn, d, commit)
	if sqlState(err) == "40001" {
		// The session's transactions are repeatable read or serializable. There, an update
		// that had to wait for another fails, and did nothing. In a read committed
		// transaction it waits and goes on.
		s, draws, err = t.stepReadCommitted(ctx, conn, d, commit)
	}
	if err != nil || s == nil {
		return nil, err
	}
	t.flush.drew(d.Key, draws)
	switch {
	case early:
		err = t.wait(ctx, conn)
	case shared:
		s.Warning = t.flush.warning()
	}
	return s, err
}

// step runs the statement of a draw. It also returns the row's count of draws.
func (t *table) step(ctx context.Context, q querier, d driver.Draw, commit string) (s *driver.Step, draws int64, err error) {
	name, args := "draw", []any{d.Key, d.Version, d.Floor, d.N, d.Most - d.N, commit}
	c := d.Clock
	if c != nil {
		first, last := bounds(c)
		ahead := aheadTicks(c)
		if ahead >= 0 && (d.N-1)/c.Width > ahead {
			return nil, 0, nil // too many for one time
		}
		name, args = "draw with clock", append(args, max(1, c.Tick.Microseconds()), c.Width, ahead, first, last)
	}
	s = new(driver.Step)
	var micro int64
	var setting sql.NullString
	err = q.QueryRowContext(ctx, t.sql[name], args...).Scan(&s.Before, &s.After, &draws, &micro, &setting)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, nil
	}
	if err == nil && c != nil {
		s.Now = time.UnixMicro(micro)
		if from := s.After - d.N; c.Floor(0, s.Now) > from { // a tick has begun since x was computed
			s.Now = time.UnixMicro((from + 1) / c.Width * c.Tick.Microseconds())
		}
	}
	return s, draws, err
}

func (t *table) stepReadCommitted(ctx context.Context, conn *sql.Conn, d driver.Draw, commit string) (s *driver.Step, draws int64, err error) {
	tx, err := conn.BeginTx(ctx, readCommitted)
	if err != nil {
		return nil, 0, err
	}
	defer tx.Rollback()
	if s, draws, err = t.step(ctx, tx, d, commit); err == nil {
		err = tx.Commit()
	}
	return s, draws, err
}
