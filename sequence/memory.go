package sequence

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

// Memory is a store inside the program. It is for tests, and for programs whose numbers
// only need to be unique in one run. The zero value is a store without keys.
type Memory struct {
	mu   sync.Mutex
	keys map[string]*memoryKey
}

type memoryKey struct {
	State
	stamp int64 // the last stamp drawn
	x     int64 // the count of a numbering
}

var (
	_ Store          = (*Memory)(nil)
	_ StampStore     = (*Memory)(nil)
	_ NumberingStore = (*Memory)(nil)
)

// NewMemory returns a store without keys.
func NewMemory() *Memory { return new(Memory) }

// locked calls f with the key, or nil if there is none. Only one f runs at a time.
func (m *Memory) locked(ctx context.Context, key string, f func(k *memoryKey) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckKey(key); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return f(m.keys[key])
}

// sequence is like locked, but only for a key that Create made.
func (m *Memory) sequence(ctx context.Context, key string, f func(k *memoryKey) error) error {
	return m.locked(ctx, key, func(k *memoryKey) error {
		if k == nil {
			return ErrNotFound
		}
		if k.Numbering != "" {
			return k.Accepts(Plan{})
		}
		return f(k)
	})
}

func (m *Memory) put(key string, k *memoryKey) *memoryKey {
	if m.keys == nil {
		m.keys = map[string]*memoryKey{}
	}
	m.keys[key] = k
	return k
}

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, key string, p Plan) error {
	if err := m.create(ctx, key, p); err != nil {
		return fmt.Errorf("sequence.Memory.Create(%s, %v): %w", QuoteKey(key), p, err)
	}
	return nil
}

func (m *Memory) create(ctx context.Context, key string, p Plan) error {
	if err := p.Validate(); err != nil {
		return err
	}
	return m.locked(ctx, key, func(k *memoryKey) error {
		if k != nil {
			return k.Accepts(p)
		}
		m.put(key, &memoryKey{State: State{Key: key, Plan: p}})
		return nil
	})
}

// Take implements [Store].
func (m *Memory) Take(ctx context.Context, key string, n int64) (Block, error) {
	b, err := m.take(ctx, key, n)
	if err != nil {
		return Block{}, fmt.Errorf("sequence.Memory.Take(%s, %d): %w", QuoteKey(key), n, err)
	}
	return b, nil
}

func (m *Memory) take(ctx context.Context, key string, n int64) (b Block, err error) {
	if err := CheckDraw(n); err != nil {
		return Block{}, err
	}
	err = m.sequence(ctx, key, func(k *memoryKey) error {
		if n > k.Left() {
			return ErrExhausted
		}
		k.Last += n
		b, err = NewBlock(k.Plan, k.Base, k.Last, n)
		return err
	})
	return b, err
}

// Resize implements [Store].
func (m *Memory) Resize(ctx context.Context, key string, p Plan, opts ...ResizeOption) error {
	err := m.sequence(ctx, key, func(k *memoryKey) (err error) {
		k.State, err = k.Resized(p, opts...)
		return err
	})
	if err != nil {
		return fmt.Errorf("sequence.Memory.Resize(%s, %v): %w", QuoteKey(key), p, err)
	}
	return nil
}

// State implements [Store].
func (m *Memory) State(ctx context.Context, key string) (State, error) {
	var s State
	err := m.locked(ctx, key, func(k *memoryKey) error {
		if k == nil {
			return ErrNotFound
		}
		s = k.state()
		return nil
	})
	if err != nil {
		return State{}, fmt.Errorf("sequence.Memory.State(%s): %w", QuoteKey(key), err)
	}
	return s, nil
}

func (k *memoryKey) state() State {
	if k.Numbering != "" {
		return NumberingState(k.Key, k.Numbering, k.x)
	}
	return k.State
}

// List returns the states of all keys, in the order of the keys.
func (m *Memory) List(ctx context.Context) ([]State, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("sequence.Memory.List(): %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []State
	for _, key := range slices.Sorted(maps.Keys(m.keys)) {
		all = append(all, m.keys[key].state())
	}
	return all, nil
}

// Advance implements [Store].
func (m *Memory) Advance(ctx context.Context, key string, ordinal int64) error {
	err := m.sequence(ctx, key, func(k *memoryKey) (err error) {
		k.State, err = k.Advanced(ordinal)
		return err
	})
	if err != nil {
		return fmt.Errorf("sequence.Memory.Advance(%s, %d): %w", QuoteKey(key), ordinal, err)
	}
	return nil
}

// TakeStamps implements [StampStore]. The system clock takes the place of a server's
// clock. d.Now may be ahead of it by d.MaxLead.
func (m *Memory) TakeStamps(ctx context.Context, key string, d StampDraw) (Stamps, error) {
	s, err := m.takeStamps(ctx, key, d)
	if err != nil {
		return Stamps{}, fmt.Errorf("sequence.Memory.TakeStamps(%s, %d): %w", QuoteKey(key), d.N, err)
	}
	return s, nil
}

func (m *Memory) takeStamps(ctx context.Context, key string, d StampDraw) (s Stamps, err error) {
	if err := d.Validate(); err != nil {
		return Stamps{}, err
	}
	if err := d.CheckLead(time.Now()); err != nil {
		return Stamps{}, err
	}
	start, err := d.Start()
	if err != nil {
		return Stamps{}, err
	}
	err = m.sequence(ctx, key, func(k *memoryKey) error {
		if k.Width != 0 && (k.Width != d.Width || k.Tick != d.Tick) {
			return d.Conflict(k.Width, k.Tick)
		}
		if d.N > math.MaxInt64-max(k.stamp, start) {
			return ErrExhausted
		}
		if s, err = d.Drawn(max(k.stamp+d.N, start+d.N-1), start); err != nil {
			return err
		}
		k.stamp, k.Width, k.Tick = s.Last, d.Width, d.Tick
		k.Stamp = StampAt(s.Last, d.Width, d.Tick)
		return nil
	})
	return s, err
}

// TakeNumbers implements [NumberingStore].
func (m *Memory) TakeNumbers(ctx context.Context, key string, d NumberDraw) (int64, error) {
	x, err := m.takeNumbers(ctx, key, d)
	if err != nil {
		return 0, fmt.Errorf("sequence.Memory.TakeNumbers(%s, %d): %w", QuoteKey(key), d.N, err)
	}
	return x, nil
}

func (m *Memory) takeNumbers(ctx context.Context, key string, d NumberDraw) (x int64, err error) {
	if err := d.Validate(); err != nil {
		return 0, err
	}
	if err := d.CheckLead(time.Now()); err != nil {
		return 0, err
	}
	err = m.locked(ctx, key, func(k *memoryKey) error {
		if k == nil {
			k = m.put(key, &memoryKey{State: State{Key: key, Numbering: d.Kind}})
		}
		if err := d.CheckKind(k.Numbering); err != nil {
			return err
		}
		k.x = max(k.x, d.Floor) + d.N
		x = k.x
		return nil
	})
	return x, err
}
