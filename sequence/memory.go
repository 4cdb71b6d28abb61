package sequence

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// Memory is a [Store] in the memory of the program, for tests and single programs. It is
// safe for concurrent use. The zero Memory is empty and ready. It must not be copied.
type Memory struct {
	own    memory
	shared *memory   // of the Memory that a transaction belongs to, or nil
	tx     *memoryTx // nil, unless it is bound to a transaction
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return new(Memory) }

// Driver implements [Store].
func (m *Memory) Driver() driver.Driver { return memoryDriver{m.rows(), m.tx} }

func (m *Memory) rows() *memory {
	if m.shared != nil {
		return m.shared
	}
	return &m.own
}

// Tx returns the store bound to a transaction, as the stores of databases do. tx is what
// [Memory.InTx] passes.
func (m *Memory) Tx(tx *Memory) Store {
	if tx == nil {
		return &Memory{tx: &memoryTx{ended: true}}
	}
	return tx
}

// InTx runs f with a transaction. If f returns an error or panics, what was drawn in it is
// taken back. Until it ends, draws of the same keys wait for it.
func (m *Memory) InTx(ctx context.Context, f func(tx *Memory) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("sequence.Memory.InTx: %w", err)
	}
	tx := &memoryTx{before: map[*memoryRow]driver.Row{}}
	rows := m.rows()
	defer rows.end(tx)
	if err := f(&Memory{shared: rows, tx: tx}); err != nil {
		return err
	}
	tx.committed = true
	return nil
}

// memory are the rows of a [Memory].
type memory struct {
	mu   sync.Mutex
	rows map[string]*memoryRow
}

// A memoryRow is a row, which a transaction can lock. A key that doesn't exist, and that
// nobody locks, has none.
type memoryRow struct {
	driver.Row               // with Version 0 if the key doesn't exist
	owner      *memoryTx     // the transaction that has locked it, or nil
	free       chan struct{} // closed when owner ends
}

// A memoryTx is a transaction.
type memoryTx struct {
	before    map[*memoryRow]driver.Row // of the rows that it has locked
	committed bool
	ended     bool
}

// end unlocks the rows of a transaction. It takes back what tx did to them, unless tx was
// committed.
func (m *memory) end(tx *memoryTx) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tx.ended = true
	for row, before := range tx.before {
		if !tx.committed {
			row.Row = before
		}
		row.owner = nil
		close(row.free)
		if row.Version == 0 {
			delete(m.rows, before.Key)
		}
	}
}

// A memoryDriver is the driver of a [Memory].
type memoryDriver struct {
	*memory
	tx *memoryTx
}

func (d memoryDriver) Migrate(ctx context.Context) error { return ctx.Err() }
func (d memoryDriver) Transient(err error) bool          { return errors.Is(err, context.DeadlineExceeded) }
func (d memoryDriver) InTx() bool                        { return d.tx != nil }

// with calls f with the row of a key, when no transaction of others has locked it. f sees
// a row with Version 0 if the key doesn't exist.
func (d memoryDriver) with(ctx context.Context, key string, f func(row *memoryRow)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.mu.Lock()
		if d.tx != nil && d.tx.ended {
			d.mu.Unlock()
			return errors.New("the transaction is nil or has ended")
		}
		row := d.rows[key]
		if row == nil {
			row = &memoryRow{Row: driver.Row{Key: key}}
		}
		if row.owner == nil || row.owner == d.tx {
			defer d.mu.Unlock()
			d.lock(row)
			f(row)
			if row.Version != 0 || row.owner != nil {
				d.keep(key, row)
			}
			return nil
		}
		free := row.free
		d.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
		}
	}
}

// keep keeps a row that somebody has made or locked.
func (m *memory) keep(key string, row *memoryRow) {
	if m.rows == nil {
		m.rows = map[string]*memoryRow{}
	}
	m.rows[key] = row
}

// lock locks a row for the transaction of d, if there is one.
func (d memoryDriver) lock(row *memoryRow) {
	if d.tx == nil || row.owner == d.tx {
		return
	}
	row.owner, row.free = d.tx, make(chan struct{})
	d.tx.before[row] = row.Row
}

func (d memoryDriver) Read(ctx context.Context, key string) (r driver.Row, ok bool, err error) {
	if d.tx == nil { // what was committed last
		d.mu.Lock()
		defer d.mu.Unlock()
		if row := d.rows[key]; row != nil {
			r = row.committed()
		}
		return r, r.Version != 0, ctx.Err()
	}
	err = d.with(ctx, key, func(row *memoryRow) { r = row.Row })
	return r, r.Version != 0, err
}

// committed returns the row without what a transaction that is still open did to it.
func (r *memoryRow) committed() driver.Row {
	if r.owner != nil {
		return r.owner.before[r]
	}
	return r.Row
}

func (d memoryDriver) List(ctx context.Context) ([]driver.Row, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []driver.Row
	for _, row := range d.rows {
		if r := row.committed(); r.Version != 0 {
			all = append(all, r)
		}
	}
	return all, ctx.Err()
}

func (d memoryDriver) Put(ctx context.Context, r driver.Row, was int64) (ok bool, err error) {
	err = d.with(ctx, r.Key, func(row *memoryRow) {
		if ok = row.Version == was; ok {
			row.Meaning, row.Base, row.Version = r.Meaning, r.Base, r.Version
		}
	})
	return ok, err
}

func (d memoryDriver) Draw(ctx context.Context, draw driver.Draw) (s driver.Step, ok bool, err error) {
	if draw.Limit > 0 {
		limited, cancel := context.WithTimeout(ctx, draw.Limit)
		defer cancel()
		ctx = limited
	}
	err = d.with(ctx, draw.Key, func(row *memoryRow) {
		var now time.Time
		if draw.Clock != nil {
			now = draw.Clock.Now
		}
		x := max(row.X, draw.Clock.Floor(draw.Floor, now))
		ok = row.Version == draw.Version && row.Version != 0 && x <= draw.Most-draw.N && draw.Clock.Allows(x+draw.N, now)
		if ok {
			s = driver.Step{Before: row.X, After: x + draw.N}
			row.X = s.After
		}
	})
	return s, ok, err
}
