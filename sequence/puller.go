package sequence

import (
	"context"
	"math/rand/v2"
	"time"
)

// A puller makes trips to the store. After a transient failure, it draws again.
//
// It draws new numbers then. The lost reply may have held some, but nobody can tell
// which: reading the count would find those of others. So the lost ones are a gap. A guess
// could repeat a number.
type puller struct {
	counter *counter
	retries int // negative means no limit
	observe *observing
}

// newPuller returns what makes the trips of c.
func newPuller(c *counter, cfg config) puller {
	p := puller{counter: c, retries: cfg.retries}
	if cfg.observe != nil {
		p.observe = &observing{observer: cfg.observe}
	}
	return p
}

// pull draws. After each failure, wanted returns how many numbers are still wanted, and a
// negative number gives up.
func (p puller) pull(ctx context.Context, want draw, wanted func(failure error) int64) (s span, retries int, err error) {
	for {
		s, err = call(ctx, p.counter.d, func(ctx context.Context) (span, error) { return p.counter.draw(ctx, p.counter.d, want) })
		if err == nil || !IsTransient(err) || p.retries >= 0 && retries >= p.retries || ctx.Err() != nil {
			return s, retries, err
		}
		if want.n = wanted(err); want.n < 0 {
			return s, retries, err
		}
		if pause(ctx, retries); ctx.Err() != nil {
			return s, retries, ended(ctx, err)
		}
		retries++
	}
}

// take makes a trip for one caller.
func (p puller) take(ctx context.Context, want draw) (span, error) {
	if err := ctx.Err(); err != nil {
		return span{}, err
	}
	begin := time.Now()
	var last error
	s, retries, err := p.pull(ctx, want, func(failure error) int64 {
		last = failure
		return want.n
	})
	if err != nil && ctx.Err() != nil {
		err = ended(ctx, last)
	}
	t := Trip{Key: p.counter.key, Took: time.Since(begin), Retries: retries, Err: err}
	if err == nil {
		t.Waits = []time.Duration{t.Took}
		t.Numbers, t.Lost, t.Lead, t.Warning = s.n, s.lost, s.lead, s.warning
	}
	p.observe.tell(t)
	return s, err
}

// pause waits before the retry after so many retries. It doesn't wait before the first,
// and then waits from 10 ms up to a second. A random part makes the pause shorter, so that
// programs that failed together don't come back together.
func pause(ctx context.Context, retries int) {
	if retries == 0 {
		return
	}
	most := min(10*time.Millisecond<<min(retries-1, 10), time.Second)
	t := time.NewTimer(most/2 + rand.N(most/2))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
