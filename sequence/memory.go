package sequence

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// Memory is a store inside the program, for tests and for programs that need
// their numbers to be unique in one run only.
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
func NewMemory() *Memory { return &Memory{keys: map[string]*memoryKey{}} }

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, key string, p Plan) error {
	err := ctx.Err()
	if err == nil {
		err = p.Validate()
	}
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		switch k := m.keys[key]; {
		case k == nil:
			m.keys[key] = &memoryKey{plan: p}
		case k.plan != p:
			err = fmt.Errorf("%w: %v", ErrConflict, k.plan)
		}
	}
	if err != nil {
		return fmt.Errorf("sequence.Memory.Create(%q, %v): %w", key, p, err)
	}
	return nil
}

// Take implements [Store].
func (m *Memory) Take(ctx context.Context, key string, n int64) (b Block, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("sequence.Memory.Take(%q, %d): %w", key, n, err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return Block{}, err
	}
	if err := CheckDraw(n); err != nil {
		return Block{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.keys[key]
	if k == nil {
		return Block{}, ErrNotFound
	}
	if n > math.MaxInt64-k.count {
		return Block{}, ErrExhausted
	}
	k.count += n
	return NewBlock(k.plan, k.base, k.count, n)
}

// Resize implements [Store].
func (m *Memory) Resize(ctx context.Context, key string, p Plan) error {
	err := ctx.Err()
	if err == nil {
		err = p.Validate()
	}
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if k := m.keys[key]; k != nil {
			k.plan, k.base = p, k.count
		} else {
			err = ErrNotFound
		}
	}
	if err != nil {
		return fmt.Errorf("sequence.Memory.Resize(%q, %v): %w", key, p, err)
	}
	return nil
}

// TakeStamps implements [StampStore]. The system clock stands for that of a
// server: d.Now may be ahead of it by d.MaxLead.
func (m *Memory) TakeStamps(ctx context.Context, key string, d StampDraw) (last int64, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("sequence.Memory.TakeStamps(%q, %d): %w", key, d.N, err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := d.Validate(); err != nil {
		return 0, err
	}
	if err := d.CheckLead(time.Now()); err != nil {
		return 0, err
	}
	start, err := d.Start()
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.keys[key]
	if k == nil {
		return 0, ErrNotFound
	}
	if k.width == 0 {
		k.width, k.tick = d.Width, d.Tick
	}
	if k.width != d.Width || k.tick != d.Tick {
		return 0, d.Conflict(k.width, k.tick)
	}
	if d.N > math.MaxInt64-max(k.stamp, start) {
		return 0, ErrExhausted
	}
	k.stamp = max(k.stamp+d.N, start+d.N-1)
	return k.stamp, nil
}
