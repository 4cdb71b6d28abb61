package sequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// Memory is a [Store] in the memory of one program. Use a Memory in tests, or if the
// counts may be lost when the program ends. A Memory is safe for concurrent use. The zero
// Memory is an empty store. A Memory must not be copied after first use.
type Memory struct {
	mu    sync.Mutex
	rows  map[string]driver.Row // as the last commit left them
	locks map[string]*memoryTx  // of the keys that a transaction has locked

	of *Memory   // the Memory that this transaction belongs to, or nil
	tx *memoryTx // the transaction that this Memory is bound to, or nil
}

// A memoryTx is a transaction.
type memoryTx struct {
	rows  map[string]driver.Row // the rows that it has locked, as it sees them. nil at its end
	waits *memoryTx             // the transaction that it waits for
	ended chan struct{}
}

// Driver implements [Store].
func (m *Memory) Driver() driver.Driver { return memoryDriver{cmp.Or(m.of, m), m.tx} }

// Tx returns a Store for draws in the transaction tx, which [Memory.InTx] passes to its
// function.
func (m *Memory) Tx(tx *Memory) Store {
	if tx == nil || tx.of != cmp.Or(m.of, m) {
		return &Memory{of: m, tx: &memoryTx{}}
	}
	return tx
}

// InTx begins a transaction, calls f with the transaction, and commits it. If f returns
// an error or panics, InTx takes back the numbers that f drew in the transaction. Once f
// has drawn from a key, draws from this key outside the transaction wait until the
// transaction ends. If two transactions wait for each other, a draw fails in one of them.
// If f returns this error, InTx takes back the numbers of this transaction and calls f
// again.
func (m *Memory) InTx(ctx context.Context, f func(tx *Memory) error) error {
	for retries := 1; ; retries++ {
		if err := cmp.Or(ctx.Err(), unless(m != nil, "the store is nil")); err != nil {
			return fmt.Errorf("sequence.Memory.InTx(): %w", err)
		}
		err := cmp.Or(m.of, m).once(f)
		if !errors.Is(err, errDeadlock) {
			return err
		}
		transient.Pause(ctx, retries, err)
	}
}

// once runs f in a transaction. Then it unlocks the keys, and keeps the rows if f returned
// nil.
func (m *Memory) once(f func(tx *Memory) error) (err error) {
	tx := &memoryTx{rows: map[string]driver.Row{}, ended: make(chan struct{})}
	err = errors.New("f panicked")
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		for key, row := range tx.rows {
			if err == nil && row.Version != 0 {
				m.rows[key] = row
			}
			delete(m.locks, key)
		}
		tx.rows = nil
		close(tx.ended)
	}()
	return f(&Memory{of: m, tx: tx})
}

var errDeadlock = errors.New("a deadlock: two transactions lock the same keys in different orders")

// A memoryDriver is the driver of a [Memory].
type memoryDriver struct {
	*Memory
	tx *memoryTx // nil outside of transactions, where each step is committed at once
}

func (d memoryDriver) Migrate(ctx context.Context) error { return ctx.Err() }
func (d memoryDriver) InTx() bool                        { return d.tx != nil }
func (d memoryDriver) Place() driver.Place {
	return driver.Place{Server: d.Memory, Name: fmt.Sprintf("the Memory %p", d.Memory)}
}
func (d memoryDriver) Transient(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errDeadlock)
}

// with calls f with the row of a key, when no other transaction has locked it. f sees a row
// with Version 0 if the key doesn't exist. A transaction locks the key.
func (d memoryDriver) with(ctx context.Context, key string, f func(row *driver.Row)) error {
	for {
		holder, err := d.try(ctx, key, f)
		if holder == nil || err != nil {
			return err
		}
		select {
		case <-holder.ended:
		case <-ctx.Done():
		}
	}
}

// try does the work of with, once. If another transaction has locked the key, try returns
// that transaction, and doesn't call f.
func (d memoryDriver) try(ctx context.Context, key string, f func(row *driver.Row)) (holder *memoryTx, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rows == nil {
		d.rows, d.locks = map[string]driver.Row{}, map[string]*memoryTx{}
	}
	if err := cmp.Or(ctx.Err(), unless(d.tx == nil || d.tx.rows != nil, "the transaction is nil, has ended, or belongs to another Memory")); err != nil {
		return nil, err
	}
	row := d.rows[key]
	if holder = d.locks[key]; holder != nil && holder == d.tx {
		row, holder = holder.rows[key], nil
	}
	for tx := holder; tx != nil; tx = tx.waits {
		if tx == d.tx {
			return nil, errDeadlock
		}
	}
	if d.tx != nil {
		d.tx.waits = holder
	}
	if holder != nil {
		return holder, nil
	}
	row.Key = key
	f(&row)
	if d.tx != nil {
		d.locks[key], d.tx.rows[key] = d.tx, row
	} else if row.Version != 0 {
		d.rows[key] = row
	}
	return nil, nil
}

func (d memoryDriver) Read(ctx context.Context, key string) (r driver.Row, ok bool, err error) {
	if d.tx == nil { // nobody waits for a transaction to read
		d.mu.Lock()
		defer d.mu.Unlock()
		r, ok = d.rows[key]
		return r, ok, ctx.Err()
	}
	err = d.with(ctx, key, func(row *driver.Row) { r = *row })
	return r, r.Version != 0, err
}

func (d memoryDriver) List(ctx context.Context) (all []driver.Row, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(d.rows)), ctx.Err()
}

func (d memoryDriver) Put(ctx context.Context, r driver.Row, was int64) (ok bool, err error) {
	err = d.with(ctx, r.Key, func(row *driver.Row) {
		if ok = row.Version == was; ok {
			row.Meaning, row.Base, row.Version = r.Meaning, r.Base, r.Version
		}
	})
	return ok, err
}

func (d memoryDriver) Draw(ctx context.Context, draw driver.Draw) (s driver.Step, ok bool, err error) {
	limited, cancel := context.WithTimeout(ctx, cmp.Or(draw.Limit, 1<<62))
	defer cancel()
	draw = draw.At(time.Time{})
	err = d.with(limited, draw.Key, func(row *driver.Row) {
		x := max(row.X, draw.Floor)
		if ok = row.Version == draw.Version && row.Version != 0 && x <= draw.Most-draw.N; ok {
			s = driver.Step{Before: row.X, After: x + draw.N}
			row.X = s.After
		}
	})
	return s, ok, err
}
