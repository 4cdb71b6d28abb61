package sequence

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// Memory is a store inside the program, for tests and for programs that need
// their numbers to be unique in one run only. The zero value is a store without
// keys.
type Memory struct {
	mu   sync.Mutex
	keys map[string]*memoryKey
}

type memoryKey struct {
	plan  Plan
	base  int64
	count int64

	stamp int64 // the last stamp drawn
	width int64
	tick  time.Duration
}

var (
	_ Store      = (*Memory)(nil)
	_ StampStore = (*Memory)(nil)
)

// NewMemory returns a store without keys.
func NewMemory() *Memory { return new(Memory) }

// locked calls f with the key, nil if there is none, while nobody else has it.
func (m *Memory) locked(ctx context.Context, key string, f func(k *memoryKey) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return f(m.keys[key])
}

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, key string, p Plan) error {
	err := p.Validate()
	if err == nil {
		err = m.locked(ctx, key, func(k *memoryKey) error {
			if k == nil {
				if m.keys == nil {
					m.keys = map[string]*memoryKey{}
				}
				m.keys[key] = &memoryKey{plan: p}
			} else if k.plan != p {
				return fmt.Errorf("%w: %v", ErrConflict, k.plan)
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("sequence.Memory.Create(%q, %v): %w", key, p, err)
	}
	return nil
}

// Take implements [Store].
func (m *Memory) Take(ctx context.Context, key string, n int64) (b Block, err error) {
	if err = CheckDraw(n); err == nil {
		err = m.locked(ctx, key, func(k *memoryKey) error {
			if k == nil {
				return ErrNotFound
			}
			if n > math.MaxInt64-k.count {
				return ErrExhausted
			}
			k.count += n
			b, err = NewBlock(k.plan, k.base, k.count, n)
			return err
		})
	}
	if err != nil {
		return Block{}, fmt.Errorf("sequence.Memory.Take(%q, %d): %w", key, n, err)
	}
	return b, nil
}

// Resize implements [Store].
func (m *Memory) Resize(ctx context.Context, key string, p Plan) error {
	err := p.Validate()
	if err == nil {
		err = m.locked(ctx, key, func(k *memoryKey) error {
			if k == nil {
				return ErrNotFound
			}
			k.plan, k.base = p, k.count
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("sequence.Memory.Resize(%q, %v): %w", key, p, err)
	}
	return nil
}

// TakeStamps implements [StampStore]. The system clock stands for that of a
// server: d.Now may be ahead of it by d.MaxLead.
func (m *Memory) TakeStamps(ctx context.Context, key string, d StampDraw) (last int64, err error) {
	if err = d.Validate(); err == nil {
		err = d.CheckLead(time.Now())
	}
	var start int64
	if err == nil {
		start, err = d.Start()
	}
	if err == nil {
		err = m.locked(ctx, key, func(k *memoryKey) error {
			if k == nil {
				return ErrNotFound
			}
			if k.width == 0 {
				k.width, k.tick = d.Width, d.Tick
			}
			if k.width != d.Width || k.tick != d.Tick {
				return d.Conflict(k.width, k.tick)
			}
			if d.N > math.MaxInt64-max(k.stamp, start) {
				return ErrExhausted
			}
			k.stamp = max(k.stamp+d.N, start+d.N-1)
			last = k.stamp
			return nil
		})
	}
	if err != nil {
		return 0, fmt.Errorf("sequence.Memory.TakeStamps(%q, %d): %w", key, d.N, err)
	}
	return last, nil
}
