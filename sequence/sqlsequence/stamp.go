package sqlsequence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// TakeStamps implements [sequence.StampStore]. The time is d.Now. On MySQL and
// PostgreSQL it is compared with the server's clock. If d.Now is ahead of it by more
// than d.MaxLead, the error is [sequence.ErrClockLead].
func (s *Store) TakeStamps(ctx context.Context, key string, d sequence.StampDraw) (sequence.Stamps, error) {
	stamps, err := s.takeStamps(ctx, key, d)
	if err != nil {
		return sequence.Stamps{}, failed(ctx, fmt.Sprintf("TakeStamps(%s, %d)", sequence.QuoteKey(key), d.N), err)
	}
	return stamps, nil
}

func (s *Store) takeStamps(ctx context.Context, key string, d sequence.StampDraw) (sequence.Stamps, error) {
	if err := errors.Join(s.err, sequence.CheckKey(key), d.Validate()); err != nil {
		return sequence.Stamps{}, err
	}
	if err := s.dialect.checkLead(d.CheckLead); err != nil {
		return sequence.Stamps{}, err
	}
	start, err := d.Start()
	if err != nil {
		return sequence.Stamps{}, err
	}
	if d.N > math.MaxInt64-start {
		return sequence.Stamps{}, sequence.ErrExhausted
	}
	if _, err := d.Drawn(start+d.N-1, start); err != nil { // more than the lead allows at once
		return sequence.Stamps{}, err
	}
	conn, err := s.conn(ctx)
	if err != nil {
		return sequence.Stamps{}, err
	}
	defer conn.Close()
	tick := d.Tick.Microseconds()
	most := mostStamp(d, start)
	last, ok, err := s.update(ctx, conn, s.sql.stamp, d.Width, tick, d.N, start+d.N-1, key, d.Width, tick, most-d.N, least(d.Now, d.MaxLead))
	if err != nil {
		return sequence.Stamps{}, err
	}
	if !ok {
		return sequence.Stamps{}, s.stampRefused(ctx, conn, key, d)
	}
	return d.Drawn(last, start)
}

// mostStamp returns the last stamp that d allows.
func mostStamp(d sequence.StampDraw, start int64) int64 {
	if d.MaxStampLead <= 0 {
		return math.MaxInt64
	}
	ticks := int64(d.MaxStampLead/d.Tick) + 1
	if ticks > (math.MaxInt64-start)/d.Width {
		return math.MaxInt64
	}
	return start + ticks*d.Width - 1
}

// least returns the least time that the server's clock must show, in microseconds.
func least(now time.Time, maxLead time.Duration) int64 { return now.Add(-maxLead).UnixMicro() }

// stampRefused returns why a draw of stamps changed no row.
func (s *Store) stampRefused(ctx context.Context, q querier, key string, d sequence.StampDraw) error {
	have, err := s.read(ctx, q, key)
	if err != nil {
		return err
	}
	if have.Numbering != "" {
		return have.Accepts(sequence.Plan{})
	}
	if have.Width != 0 && (have.Width != d.Width || have.Tick != d.Tick) {
		return d.Conflict(have.Width, have.Tick)
	}
	clock, err := s.clock(ctx, q)
	if err != nil {
		return err
	}
	if err := d.CheckLead(clock); err != nil {
		return err
	}
	if d.MaxStampLead > 0 && have.Stamp.Tick.Sub(d.Now) > d.MaxStampLead-d.Tick {
		return fmt.Errorf("%w: the stamps, at %v, are ahead of it by more than %v", sequence.ErrClockLead, have.Stamp.Tick, d.MaxStampLead)
	}
	return fmt.Errorf("%w: the last stamp is at %v", sequence.ErrExhausted, have.Stamp.Tick)
}
