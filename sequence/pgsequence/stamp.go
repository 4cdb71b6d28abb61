package pgsequence

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/oidkit/oidkit/sequence"
)

// TakeStamps implements [sequence.StampStore]. The time is the server's. d.Now is
// ignored.
func (s *Store) TakeStamps(ctx context.Context, key string, d sequence.StampDraw) (sequence.Stamps, error) {
	stamps, err := s.takeStamps(ctx, key, d)
	if err != nil {
		return sequence.Stamps{}, failed(ctx, fmt.Sprintf("TakeStamps(%s, %d)", sequence.QuoteKey(key), d.N), err)
	}
	return stamps, nil
}

func (s *Store) takeStamps(ctx context.Context, key string, d sequence.StampDraw) (sequence.Stamps, error) {
	if err := errors.Join(sequence.CheckKey(key), d.Validate()); err != nil {
		return sequence.Stamps{}, err
	}
	// More than the lead allows at once?
	if err := d.CheckStampLead(sequence.Lead((d.N-1)/d.Width, d.Tick)); err != nil {
		return sequence.Stamps{}, err
	}
	var last, lead int64 // lead in ticks
	most := int64(d.MaxStampLead / d.Tick)
	if d.MaxStampLead == 0 {
		most = -1
	}
	err := s.draw(ctx, s.sql.stamp, []any{key, d.N, d.Width, d.Tick.Microseconds(), most}, &last, &lead)
	if errors.Is(err, pgx.ErrNoRows) {
		return sequence.Stamps{}, s.stampRefused(ctx, key, d)
	}
	if err != nil {
		return sequence.Stamps{}, err
	}
	return sequence.Stamps{Last: last, Lead: sequence.Lead(max(lead, 0), d.Tick)}, nil
}

// stampRefused returns why a draw of stamps changed no row.
func (s *Store) stampRefused(ctx context.Context, key string, d sequence.StampDraw) error {
	have, err := s.state(ctx, key)
	if err != nil {
		return err
	}
	if have.Numbering != "" {
		return have.Accepts(sequence.Plan{})
	}
	if have.Width != d.Width || have.Tick != d.Tick {
		return d.Conflict(have.Width, have.Tick)
	}
	return fmt.Errorf("%w: the stamps, at %v, are ahead of it by more than %v", sequence.ErrClockLead, have.Stamp.Tick, d.MaxStampLead)
}
