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

// OneLevel reports whether the server is known to have only one level of isolation.
func (t *Table) OneLevel() bool { return t.oneLevel.Load() }

// LearnLevel reports whether err says that the server lacks READ COMMITTED, as Aurora DSQL
// does. The table remembers that.
func (t *Table) LearnLevel(err error) bool {
	lacks := unsupported.Is(err) && strings.Contains(err.Error(), "isolation level")
	if lacks {
		t.oneLevel.Store(true)
	}
	return lacks
}

// Repeat calls once, which runs a transaction, until it succeeds. It calls once again if
// the transaction didn't begin and may begin later, or if the server says that it took the
// transaction back because of another one. Repeat ends when ctx ends.
func Repeat(ctx context.Context, once func(*driver.Runs) (begun bool, err error), rolledBack func(error) bool) error {
	for runs := (&driver.Runs{Begun: time.Now()}); ; runs.Again++ {
		begun, err := once(runs)
		if err == nil || begun && !rolledBack(err) || ctx.Err() == nil && !begun && !transient.Transient(err) {
			return err
		}
		if !transient.Pause(ctx, runs.Again+1, err) {
			return fmt.Errorf("%w, after: %w", ctx.Err(), err)
		}
		runs.Failure = err
	}
}

// InTransaction reports whether what c sends now is part of a transaction that somebody has
// begun. It is for a Conn of which nothing else tells that.
//
// PostgreSQL forgets a setting at the end of the transaction for which it was made. MySQL
// keeps savepoints only within transactions. SQLite turns defer_foreign_keys off at each
// commit, and each SELECT outside of a transaction is one.
func (t *Table) InTransaction(ctx context.Context, c Conn) (in bool, err error) {
	switch t.dialect {
	case MySQL:
		if _, _, err := c.Exec(ctx, "SAVEPOINT oidkit"); err != nil {
			return false, err
		}
		_, _, err := c.Exec(ctx, "RELEASE SAVEPOINT oidkit")
		if noSavepoint.Is(err) {
			return false, nil
		}
		return err == nil, err
	case SQLite:
		var was, is, n int64
		_, err := query(ctx, c, "PRAGMA defer_foreign_keys", nil, &was)
		if err == nil && was == 0 {
			_, _, err = c.Exec(ctx, "PRAGMA defer_foreign_keys = ON")
		}
		if err == nil {
			_, err = query(ctx, c, "SELECT count(*) FROM sqlite_master", nil, &n)
		}
		if err == nil {
			_, err = query(ctx, c, "PRAGMA defer_foreign_keys", nil, &is)
		}
		if err == nil && was == 0 && is == 1 {
			_, _, err = c.Exec(ctx, "PRAGMA defer_foreign_keys = OFF")
		}
		return is == 1, err
	}
	var set, still *string
	_, err = query(ctx, c, "SELECT set_config('oidkit.transaction', 'open', true)", nil, &set)
	if err == nil {
		_, err = query(ctx, c, "SELECT current_setting('oidkit.transaction', true)", nil, &still)
	}
	return still != nil && *still == "open", err
}

// mustCommit returns an error if what c sends isn't committed at once. Nothing that such a
// connection draws would ever be stored, and each program would begin at 1.
func (t *Table) mustCommit(ctx context.Context, c Conn) error {
	in, err := t.InTransaction(ctx, c)
	switch {
	case in:
		return errors.New("the connection doesn't commit each statement at once: it has autocommit = 0, or the program's pool begins a transaction on each connection. Such draws would be lost: set autocommit = 1 in the DSN or on the server, and let no hook begin a transaction")
	case err != nil && !refused(err): // a server may lack these statements
		return err
	}
	t.commits.Store(true)
	return nil
}
