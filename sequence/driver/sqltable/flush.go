package sqltable

import (
	"context"
	"fmt"
	"time"
)

// again is after how long a flush that didn't work is tried again.
const again = time.Minute

// canFlush reports whether the driver can flush, and what to mend if it can't. It tries
// before the first draw that needs it. A failure in that draw would waste numbers.
func (t *Table) canFlush(ctx context.Context, c Conn) flush {
	if f := t.flush.Load(); !f.works && time.Since(f.tried) > again {
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
	f := flush{works: works, tried: time.Now()}
	if err != nil { // the sequence is missing, or this role may not set it
		f.works = false
		f.warning = fmt.Sprintf("programs that draw from this key can't share flushes of the disk: let the owner of the table call Migrate, and run GRANT UPDATE ON SEQUENCE %s TO this role: %v", t.flushName, err)
		err = Timeout("it is unknown whether the numbers are on disk: " + err.Error())
	}
	t.flush.Store(&f)
	return err
}
