// Package driver is the contract between package sequence and its stores. The package is
// for authors of stores, and may change in any minor version. Programs that draw numbers
// don't need this package. Package drivertest has tests for stores.
//
// A store keeps rows. A row has a key and an integer x that only grows. The method Draw
// of a [Driver] increases x. A store doesn't have to know plans, periods or kinds of
// counts, because package sequence gives x its meaning.
package driver

import (
	"cmp"
	"context"
	"math"
	"sync/atomic"
	"time"
)

// A Row is a key and its count.
type Row struct {
	Key     string // 1 to 255 bytes of UTF-8 without NUL
	Meaning string // what X counts, such as "1..99 cycling". Stores keep it and don't interpret it
	Base    int64  // a number that belongs to Meaning. Stores keep it and don't interpret it
	X       int64  // at least 0. Only Draw changes it
	Version int64  // greater than 0. Put sets it

	// Now is the time of the store's clock when the row was read. Now is the zero Time if
	// the store has no clock of its own. List doesn't have to set Now.
	Now time.Time
}

// A Draw is one atomic step of a row:
//
//	x = max(x, Floor) + N
//
// The step is made only if the version of the row is Version, and if the new x is at most
// Most. A Clock can raise Floor, and can refuse the step.
type Draw struct {
	Key     string
	Version int64
	N       int64 // how many numbers to draw, at least 0
	Floor   int64 // from 0 to Most
	Most    int64
	Clock   *Clock // nil for a step that needs no clock

	// Others is true if other programs seem to draw from the key at the same time. If
	// Others is true, a store may release the row before the step is durable, and then
	// wait until the step is durable.
	Others bool

	// Limit is how long the step may take. A store doesn't have to count the wait for a
	// connection. 0 means no limit.
	Limit time.Duration
}

// A Clock makes a draw depend on the clock of the store. A store without a clock of its
// own uses Now instead.
type Clock struct {
	Now time.Time // what the clock of this machine shows

	// If Width isn't 0, Floor becomes at least t*Width - 1, where t is how many ticks have
	// passed since 1970. Tick is then the length of a tick, at least a microsecond.
	Tick  time.Duration
	Width int64

	// If Width isn't 0, the new x divided by Width is its tick. The step is refused if
	// this tick begins more than MaxAhead after the current tick begins. A negative MaxAhead
	// sets no bound.
	MaxAhead time.Duration

	// The step is refused if the clock of the store shows a time before NotBefore or after
	// NotAfter. The zero Time sets no bound.
	NotBefore, NotAfter time.Time
}

// At returns a copy of d with the Floor and the Most that d.Clock, if any, gives. At is
// for stores whose statements can't read a clock. Pass the time of the store's clock. If
// the store has no clock of its own, pass the zero Time, and At uses d.Clock.Now. The
// Floor of the copy is at least d.Floor, and is the greatest int64 if there are too many
// ticks to count. The Most of the copy is at most d.Most, and is -1 if the time is before
// NotBefore or after NotAfter.
func (d Draw) At(now time.Time) Draw {
	c := d.Clock
	if c == nil {
		return d
	}
	now = cmp.Or(now, c.Now)
	ticks := c.ticks(now)
	if c.Width > 0 && ticks >= 0 {
		floor := int64(math.MaxInt64)
		if ticks <= math.MaxInt64/c.Width {
			floor = ticks*c.Width - 1
		}
		d.Floor = max(d.Floor, floor)
	}
	switch {
	case !c.NotBefore.IsZero() && now.Before(c.NotBefore), !c.NotAfter.IsZero() && now.After(c.NotAfter):
		d.Most = -1
	case c.Width > 0 && c.MaxAhead >= 0:
		if last := ticks + int64(c.MaxAhead/c.Tick) + 1; ticks < last && last <= math.MaxInt64/c.Width {
			d.Most = min(d.Most, last*c.Width-1)
		}
	}
	return d
}

// ticks returns how many ticks have passed since 1970.
func (c *Clock) ticks(now time.Time) int64 {
	if c.Width == 0 || now.Unix() > math.MaxInt64/1_000_000-1 {
		return math.MaxInt64
	}
	return now.UnixMicro() / c.Tick.Microseconds()
}

// Micros returns the fields of c except Now, for an SQL statement. The result tick is the
// length of a tick in microseconds. The result ahead is how many ticks the new x may be
// ahead of the clock, or -1 for no limit. The step is allowed from the time first to the
// time last, both in microseconds since 1970.
func (c *Clock) Micros() (tick, width, ahead, first, last int64) {
	ahead, first, last = -1, c.NotBefore.Add(time.Microsecond-1).UnixMicro(), math.MaxInt64
	if c.Width > 0 && c.MaxAhead >= 0 {
		ahead = int64(c.MaxAhead / c.Tick)
	}
	if !c.NotAfter.IsZero() {
		last = c.NotAfter.UnixMicro()
	}
	return max(1, c.Tick.Microseconds()), c.Width, ahead, first, last
}

// Reading returns the time of a step. The argument first is the first number of the step.
// The argument micro is what the clock showed after the step, in microseconds since 1970.
// The clock may have reached a later tick since the step computed x. Reading then returns
// the beginning of the tick of first.
func (c *Clock) Reading(first, micro int64) time.Time {
	if now := time.UnixMicro(micro); (Draw{Clock: c}).At(now).Floor < first {
		return now
	}
	return time.UnixMicro(first / c.Width * c.Tick.Microseconds())
}

// A Step is a draw that was made.
type Step struct {
	// Before is x before the step. A store that doesn't know this x sets Before to
	// After-N, which is the greater of this x and the Floor.
	Before int64

	// After is x after the step. The numbers drawn are After-N+1 to After.
	After int64

	// Now is the time of the store's clock at the step. Now is the zero Time if the draw
	// has no Clock, if the store has no clock of its own, or if the store doesn't know
	// the time.
	Now time.Time

	// Warning says what makes steps slow, and what to do about it. Warning is "" if the
	// store knows of nothing to do.
	Warning string
}

// A Driver keeps the rows of one store. A Driver is safe for concurrent use, unless it is
// bound to a transaction. When its context ends, a method returns an error. The errors of
// all methods but Migrate don't have to name the method and the key, because package
// sequence adds these names.
type Driver interface {
	// Migrate makes the table for the rows, if the store needs one, and checks that the
	// store can hold rows. Every program may call Migrate at each start.
	Migrate(ctx context.Context) error

	// Read returns the current row of a key, not a copy that lags. If there is no such
	// row, ok is false. Inside a transaction, Read locks the row.
	Read(ctx context.Context, key string) (r Row, ok bool, err error)

	// Outside of transactions, List returns all rows, in any order.
	List(ctx context.Context) ([]Row, error)

	// Put sets Meaning, Base and Version of the row of r.Key to those of r, if the row's
	// version equals the argument was. Put doesn't change X. If the argument was is 0, Put
	// inserts a row with X 0, unless the key has a row. If Put did nothing, ok is false.
	// Outside of transactions, the change is durable when Put returns true.
	Put(ctx context.Context, r Row, was int64) (ok bool, err error)

	// Draw makes the step d. If the step is refused, ok is false, and nothing changes. A
	// step is refused if there is no such row, if its version isn't d.Version, if x would
	// be greater than d.Most, or if d.Clock refuses the step.
	//
	// Outside of transactions, a step is durable when Draw returns true: with safe settings
	// of the server, such as fsync on, neither a crash nor a failover to a copy that the
	// store trusts can undo it. After an error, the step may have been made or not. Draw
	// never repeats a step that may have been made.
	Draw(ctx context.Context, d Draw) (s Step, ok bool, err error)

	// Transient reports whether a call that failed with err may succeed if package
	// sequence makes the call again. Package sequence doesn't call Transient when the
	// context of the caller has ended.
	Transient(err error) bool

	// InTx reports whether the driver is bound to a transaction of the caller. The steps
	// of such a driver become durable when the transaction commits, and are undone by a
	// rollback.
	InTx() bool

	// Place says where the rows are. A driver that is bound to a transaction has the place
	// of the driver that it comes from.
	Place() Place
}

// A Looker is an optional interface of a [Driver]. It reports on the driver's connections and
// transactions. Without these methods, package sequence assumes that each call gets a
// connection at once, and that nothing identifies a transaction.
type Looker interface {
	// Free reports whether a call would get a connection at once.
	Free() bool

	// Transaction returns a value that identifies the transaction that the driver is bound
	// to, or nil if there is none. Two drivers with different results that aren't nil are
	// bound to different transactions. A savepoint doesn't count as a separate transaction.
	Transaction() any

	// Runs returns the runs of the transaction that the driver is bound to, or nil if its
	// store doesn't run this transaction again.
	Runs() *Runs
}

// Runs describes how often a store has run a transaction again, because it couldn't begin
// or the server rolled it back.
type Runs struct {
	Begun   time.Time // the time of the first run
	Again   int       // how many runs came after the first one
	Failure error     // the error of the run before the current one, or nil in the first run

	told atomic.Int64 // from Begun to the last time when Remind returned true
}

// Remind reports whether it is time to tell the draw's observer that the transaction takes
// long. After the first run has failed, Remind returns true if the interval has passed
// since Begun, and since Remind last returned true.
func (r *Runs) Remind(interval time.Duration) bool {
	told, now := r.told.Load(), int64(time.Since(r.Begun))
	return r.Again > 0 && now-told >= int64(interval) && r.told.CompareAndSwap(told, now)
}

// A Place says where the rows of a driver are. Two drivers with equal places have the
// same rows. Two drivers with different places may have the same rows too, because a
// driver may not be able to see this.
type Place struct {
	Server any    // identifies the server, such as a *sql.DB. It is compared with ==
	Name   string // where the table is, and its name, for errors. It is compared too
}
