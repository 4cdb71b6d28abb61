package sqltable

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// learnLevel reports whether err says that the server lacks READ COMMITTED, as Aurora DSQL
// does. The table remembers that.
func (t *Table) learnLevel(err error) bool {
	lacks := unsupported(err) && strings.Contains(err.Error(), "isolation level")
	if lacks {
		t.oneLevel.Store(true)
	}
	return lacks
}

// A Begin begins a transaction. If readCommitted is true, the level is READ COMMITTED,
// except on SQLite, which has only one level. If readCommitted is false, the level is the
// server's default. The function end rolls back what wasn't committed, and frees the
// connection. The function commit sets unknown to true if the server's answer doesn't say
// whether the transaction was stored. If unknown is false, InTx learns from err whether it
// was stored.
type Begin[T any] func(ctx context.Context, readCommitted bool) (tx T, commit func() (unknown bool, err error), end func(), err error)

// InTx runs f in a transaction. InTx tries again if the transaction couldn't begin because
// of a transient error, or if the server rolled the transaction back because of another
// transaction. InTx gives up when ctx ends. If the answer to a commit is lost, the error
// says that the transaction may have been committed.
func InTx[T any](ctx context.Context, t *Table, begin Begin[T], f func(tx T) error) error {
	name := t.store + ".InTx()"
	if t.err != nil {
		return fmt.Errorf("%s: %w", name, t.err)
	}
	once := func(runs *driver.Runs) (begun bool, err error) {
		tx, commit, end, err := begin(ctx, !t.oneLevel.Load())
		if t.learnLevel(err) {
			tx, commit, end, err = begin(ctx, false)
		}
		if err != nil {
			return false, fmt.Errorf("%s: begin: %w", name, t.explained(err))
		}
		defer end() // also after a panic
		t.running.Store(tx, runs)
		defer t.running.Delete(tx)
		if err := f(tx); err != nil {
			return true, err
		}
		unknown, err := commit()
		switch {
		case err == nil:
			return true, nil
		case unknown || !rolledBack(err) && (ctx.Err() != nil || transient.Transient(err)):
			return true, fmt.Errorf("%s: the transaction may have been committed: check before you run it again: commit: %w", name, err)
		}
		return true, fmt.Errorf("%s: commit: %w", name, err)
	}
	for runs := (&driver.Runs{Begun: time.Now()}); ; runs.Again++ {
		begun, err := once(runs)
		if err == nil || begun && !rolledBack(err) || ctx.Err() == nil && !begun && !transient.Transient(err) {
			return err
		}
		if !transient.Pause(ctx, runs.Again+1, err) {
			return fmt.Errorf("%w, last error: %w", ctx.Err(), err)
		}
		runs.Failure = err
	}
}

// mustCommit returns an error if what c sends isn't committed at once. Nothing that such a
// connection draws would ever be stored, and each program would begin at 1.
func (t *Table) mustCommit(ctx context.Context, c Conn) error {
	in, err := t.inTransaction(ctx, c)
	switch {
	case in:
		return errors.New("the connection doesn't commit each statement at once, so draws would be lost: it has autocommit = 0, or the pool begins a transaction on each connection: set autocommit = 1 in the DSN or on the server, and let no hook begin a transaction")
	case err != nil && !refused(err): // a server may lack these statements
		return err
	}
	t.commits.Store(true)
	return nil
}
