package sqltable

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// Draw implements [driver.Driver]. The step is one UPDATE.
func (t *Table) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	s, err := run(ctx, t, d.Limit, func(ctx context.Context, c Conn) (*driver.Step, error) {
		switch {
		case t.dialect == MySQL:
			return t.drawMySQL(ctx, c, d)
		case t.dialect == SQLite || t.InTx():
			return t.step(ctx, c, d, flush{})
		}
		return t.drawPostgres(ctx, c, d)
	})
	return *cmp.Or(s, new(driver.Step)), s != nil, err
}

// drawMySQL makes a step, or returns nil if it is refused. If the client knows the floor,
// LAST_INSERT_ID remembers the old x. Otherwise the server's clock makes the floor, and
// LAST_INSERT_ID remembers the new x.
func (t *Table) drawMySQL(ctx context.Context, c Conn, d driver.Draw) (*driver.Step, error) {
	clock := cmp.Or(d.Clock, new(driver.Clock)) // the zero Clock allows every time
	tick, width, ahead, first, last := clock.Micros()
	most := d.Most - d.N // of x before the step
	name, args := "draw", []any{d.Floor, d.N, d.Key, d.Version, d.Floor, most}
	switch {
	case width > 0:
		name, args = "draw with clock", []any{d.Floor, tick, width, d.N,
			d.Key, d.Version, d.Floor, tick, width, most, first, last,
			ahead, d.Floor, most, d.Floor, tick, width, d.N, width, tick, ahead}
	case d.Clock != nil:
		name, args = "draw in time", append(args, first, last)
	}
	n, x, err := c.Exec(ctx, t.sql[name], args...)
	switch {
	case n == 0 || err != nil:
		return nil, err
	case width > 0:
		return &driver.Step{Before: x - d.N, After: x}, nil
	}
	return &driver.Step{Before: x, After: max(x, d.Floor) + d.N}, nil
}

// stepping returns a step, and the statement that makes it on PostgreSQL or SQLite and reads
// its row. If f works, the commit of the statement doesn't wait for the disk.
func (t *Table) stepping(d driver.Draw, f flush) (*driver.Step, Statement) {
	s := &driver.Step{Warning: f.warning}
	name, args := "draw", []any{d.Key, d.Version, d.Floor, d.N, d.Most - d.N, f.works}
	if d.Clock != nil {
		tick, width, ahead, first, last := d.Clock.Micros()
		if t.dialect == SQLite { // which knows the millisecond, and may be that much behind
			first -= min(first, 999)
		}
		name, args = "draw with clock", append(args, tick, width, ahead, first, last)
	}
	return s, Statement{t.sql[name], args, func(scan func(...any) error) error {
		var micro int64
		var setting any
		err := scan(&s.Before, &s.After, &micro, &setting)
		if err == nil && d.Clock != nil {
			s.Now = d.Clock.Reading(s.After-d.N+1, micro)
		}
		return err
	}}
}

// step makes a step on PostgreSQL or SQLite, or returns nil if it is refused.
func (t *Table) step(ctx context.Context, c Conn, d driver.Draw, f flush) (*driver.Step, error) {
	s, statement := t.stepping(d, f)
	made, err := c.Query(ctx, statement)
	if made == 0 {
		return nil, err
	}
	return s, err
}

// drawPostgres makes a step, or returns nil if it is refused. If nobody else draws from
// the key, the statement waits for the disk while it holds the row. If others draw too,
// two statements draw. The first commits without waiting for the disk, which releases the
// row for others. The second waits until everything before it is on disk, and on the disks
// of the synchronous standbys. All programs wait for the same flush together. Otherwise
// each draw would need a flush of its own.
//
// The numbers are handed out only after the second statement. Its record in the log comes
// after that of the first. So, with fsync on, these numbers and all that were drawn before
// are on disk by then. A crash between the two statements loses numbers that nobody got. If
// the second statement fails, the numbers are a gap.
func (t *Table) drawPostgres(ctx context.Context, c Conn, d driver.Draw) (*driver.Step, error) {
	var f flush
	if d.Others {
		f = t.canFlush(ctx, c)
	}
	batcher, batches := c.(Batcher)
	if f.works && batches {
		return t.together(ctx, batcher, d, f)
	}
	s, err := t.step(ctx, c, d, f)
	switch {
	case f.works && s != nil && err == nil:
		err = t.wait(ctx, c)
	case batches && serialization(err) && !t.oneLevel.Load(): // others were there, and nothing was drawn
		conflict := err
		if s, err = t.together(ctx, batcher, d, f); t.learnLevel(err) {
			err = conflict
		}
	}
	return s, err
}

// together draws in two transactions that are sent at once. In one transaction, the row
// would be held until the flush again, or, with synchronous_commit off, nobody would wait
// for the disk. If f doesn't work, the first transaction waits for the disk, and no second
// one is sent.
//
// The first is READ COMMITTED, whatever the session's default is. Above it, an update that
// had to wait for another fails.
func (t *Table) together(ctx context.Context, b Batcher, d driver.Draw, f flush) (*driver.Step, error) {
	s, statement := t.stepping(d, f)
	all := []Statement{{Query: "BEGIN ISOLATION LEVEL READ COMMITTED"}, statement, {Query: "COMMIT"}}
	var works bool
	if f.works {
		all = append(all, t.flushing(&works))
	}
	rows, err := b.Batch(ctx, all)
	switch {
	case len(rows) > 1 && rows[1] == 0: // whatever came after the step
		return nil, nil
	case f.works && len(rows) >= len(all)-1:
		err = t.flushed(works, err)
	}
	return s, err
}

// flushAgain is the time from a flush that didn't work to the next try.
const flushAgain = time.Minute

// canFlush reports whether the driver can flush, and what to mend if it can't. It tries
// before the first draw that needs it. A failure in that draw would waste numbers.
func (t *Table) canFlush(ctx context.Context, c Conn) flush {
	if f := t.flush.Load(); !f.works && time.Since(f.tried) > flushAgain {
		t.wait(ctx, c)
	}
	return *t.flush.Load()
}

// wait returns when everything that was committed before is on disk.
func (t *Table) wait(ctx context.Context, c Conn) error {
	var works bool
	_, err := c.Query(ctx, t.flushing(&works))
	return t.flushed(works, err)
}

// flushing returns the statement that flushes. Its row says whether that works.
func (t *Table) flushing(works *bool) Statement {
	name := "flush"
	if !t.flush.Load().works {
		name = "first flush"
	}
	return Statement{t.sql[name], []any{t.flushName}, func(scan func(...any) error) error {
		var setting any
		return scan(works, &setting)
	}}
}

// flushed keeps what the statement of flushing told, and returns nil if everything that was
// committed before is on disk.
func (t *Table) flushed(works bool, err error) error {
	if err != nil && !refused(err) {
		return err
	}
	f := flush{works: works && err == nil, tried: time.Now()}
	if err != nil { // the sequence is missing, or this role may not set it
		f.warning = fmt.Sprintf("programs that draw from this key can't share flushes of the disk: let the owner of the table call Migrate, and run GRANT UPDATE ON SEQUENCE %s TO this role: %v", t.flushName, err)
		err = Timeout("it is unknown whether the numbers are on disk: " + err.Error())
	}
	t.flush.Store(&f)
	return err
}
