package sequence

import (
	"context"
	"fmt"
	"time"
)

// A Stamper draws the stamps of one key. It is safe for concurrent use, and needs no
// closing.
type Stamper struct {
	key    string
	c      *coalescer[stamps]
	format format
	width  int64
	err    error // a nil store, an invalid key or option
}

// stamps are the stamps of one trip.
type stamps struct {
	span
	lead time.Duration // of the whole trip
}

func (s stamps) cut(n int64) (head, tail stamps) {
	head.span, tail.span = s.span.cut(n)
	return head, tail
}

// NewStamper returns a stamper of key in store. [Store].Create must have made the key.
// The first call reports a nil store, an invalid key or an invalid option.
func NewStamper(store StampStore, key string, opts ...Option) *Stamper {
	cfg, err := configure(byStamper, opts)
	s := &Stamper{key: key, width: cfg.width, err: err}
	if s.err == nil {
		s.err = CheckKey(key)
	}
	if s.err == nil {
		s.format, s.err = newFormat(cfg.layout, cfg.width)
	}
	if store == nil {
		s.err = errNilStore
	}
	draw := StampDraw{
		Width:        cfg.width,
		Tick:         s.format.orDefault().tick(),
		MaxLead:      cfg.maxLead,
		MaxStampLead: cfg.maxStampLead,
	}
	d := drawer[stamps]{
		key: key,
		take: func(ctx context.Context, n int64) (stamps, error) {
			draw := draw
			draw.N, draw.Now = n, cfg.now()
			got, err := store.TakeStamps(ctx, key, draw)
			if err != nil {
				return stamps{}, err
			}
			drawn, err := spanUpTo(got.Last, n)
			return stamps{drawn, got.Lead}, err
		},
		lead:    func(s stamps) time.Duration { return s.lead },
		retries: cfg.retries,
		limit:   cfg.timeout,
		observe: cfg.observing(),
	}
	// A stamp that nobody waits for grows old, and is dropped. So every stamp is drawn
	// after the call that gets it began. It is greater than all that any machine had
	// before.
	s.c = newCoalescer(d, keeping{fresh: true})
	return s
}

// Next draws a stamp. It is greater than every stamp of the key that a call of Next had
// returned, in any process, when this call began. Callers share draws in the same way as
// in [Sequence.Next].
func (s *Stamper) Next(ctx context.Context) (Stamp, error) {
	st, err := s.next(ctx)
	if err != nil {
		return Stamp{}, fmt.Errorf("sequence.Stamper.Next(%s): %w", QuoteKey(s.key), err)
	}
	return st, nil
}

func (s *Stamper) next(ctx context.Context) (Stamp, error) {
	if s.err != nil {
		return Stamp{}, s.err
	}
	got, _, err := s.c.next(ctx)
	if err != nil {
		return Stamp{}, err
	}
	st := StampAt(got.first, s.width, s.format.orDefault().tick())
	if year := st.Tick.Year(); year > 9999 {
		return Stamp{}, fmt.Errorf("%w: its stamps have reached the year %d", ErrExhausted, year)
	}
	st.format = s.format
	return st, nil
}

// Parse returns the stamp whose text is text, in the layout and width of s.
func (s *Stamper) Parse(text string) (Stamp, error) {
	st, err := s.parse(text)
	if err != nil {
		return Stamp{}, badText("sequence.Stamper.Parse", text, err)
	}
	return st, nil
}

func (s *Stamper) parse(text string) (Stamp, error) {
	if s.err != nil {
		return Stamp{}, s.err
	}
	st, err := s.format.parse(text)
	if err != nil {
		return Stamp{}, err
	}
	if int64(st.Serial) >= s.width {
		return Stamp{}, fmt.Errorf("serial %d, where a tick has %d", st.Serial, s.width)
	}
	return st, nil
}
