package sqltable

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// callLimit is how long a Read or a Put on a connection of the pool may take.
const callLimit = 5 * time.Second

// run has the pool or the transaction of the caller call f. f may go on after run has
// returned an error.
func run[T any](ctx context.Context, t *Table, limit time.Duration, f func(context.Context, Conn) (T, error)) (T, error) {
	var v T
	call := func(ctx context.Context, c Conn) (err error) {
		v, err = f(ctx, c)
		return err
	}
	err := t.err
	if t.maybe {
		if in, unknown := t.inTransaction(ctx, t.conn); in || unknown != nil {
			err = unknown
		}
	}
	switch {
	case err != nil:
	case t.InTx():
		err = call(ctx, t.conn) // it may wait for others for as long as ctx allows
	default:
		if err = t.pool.Run(ctx, limit, call); err != nil && ctx.Err() == nil {
			err = t.failed(err)
		}
	}
	if err != nil {
		return *new(T), t.explained(err)
	}
	return v, nil
}

// inTransaction reports whether what c sends now is part of a transaction that somebody has
// begun. It is for a Conn of which nothing else tells that.
//
// PostgreSQL forgets a setting at the end of the transaction for which it was made. MySQL
// keeps savepoints only within transactions. SQLite turns defer_foreign_keys off at each
// commit, and each SELECT outside of a transaction is one.
func (t *Table) inTransaction(ctx context.Context, c Conn) (in bool, err error) {
	ask := func(statement string) string { // nothing after an error
		var answer sql.NullString
		if err == nil {
			err = query(ctx, c, statement, nil, &answer)
		}
		return answer.String
	}
	switch t.dialect {
	case MySQL:
		ask("SAVEPOINT oidkit")
		ask("RELEASE SAVEPOINT oidkit")
		if in = err == nil; noSavepoint(err) {
			err = nil
		}
	case SQLite:
		off := ask("PRAGMA defer_foreign_keys") == "0"
		if off {
			ask("PRAGMA defer_foreign_keys = ON")
		}
		ask("SELECT count(*) FROM sqlite_master")
		in = ask("PRAGMA defer_foreign_keys") == "1"
		if in && off {
			ask("PRAGMA defer_foreign_keys = OFF")
		}
	case PostgreSQL:
		ask("SELECT set_config('oidkit.transaction', 'open', true)")
		in = ask("SELECT current_setting('oidkit.transaction', true)") == "open"
	}
	return in, err
}

// failed returns the error of a call that the caller's ctx didn't end. A server that is
// read-only may have been the primary until a failover. Other connections may lead to it too.
// If there was no answer, others may be silent too, and each would cost a draw as much time.
func (t *Table) failed(err error) error {
	late := errors.Is(err, context.DeadlineExceeded)
	lost := t.dialect == PostgreSQL && transient.Transient(err) && transient.SQLState(err) == ""
	if late || lost || readOnly(err) {
		t.pool.Reset()
	}
	if late {
		return Timeout("no answer in time: " + err.Error())
	}
	return err
}

// Each of these functions reports whether an error is of one kind.
var (
	readOnly = failure(`^25006|\bError (1290|1836)\b`)            // such as a primary that a failover has demoted
	busy     = failure(`\bdatabase (table |schema )?is locked\b`) // SQLite

	missingTable  = failure(`^42P01|\bError 1146\b|\bno such table\b`)
	exists        = failure(`^(42P07|42710|23505)|\bError 1050\b`) // 23505 comes from two CREATEs at once
	syntax        = failure(`^(42601|42883)|\bError 1064\b|\bsyntax error\b|\bunrecognized token\b|\bno such column\b`)
	unsupported   = failure(`^0A000`)
	serialization = failure(`^40001`)
	noSavepoint   = failure(`\bError 1305\b`)
)

// failure returns a function that reports whether an error is one that pattern matches. The
// text that pattern matches begins with the SQLSTATE on PostgreSQL, and with a space elsewhere.
func failure(pattern string) func(error) bool {
	known := regexp.MustCompile(pattern)
	return func(err error) bool {
		return err != nil && known.MatchString(transient.SQLState(err)+" "+err.Error())
	}
}

// rolledBack reports whether the server said that it took the whole transaction back because
// of another one. A transaction that found SQLite busy wasn't stored, also at its commit.
func rolledBack(err error) bool { return transient.RolledBack(err) || busy(err) }

// refused reports whether PostgreSQL refused a statement, and will refuse it again.
func refused(err error) bool { return transient.SQLState(err) != "" && !transient.Transient(err) }

// explained returns err with its remedy, if there is one.
func (t *Table) explained(err error) error {
	switch {
	case missingTable(err) && t.InTx():
		return fmt.Errorf("table %s doesn't exist: call Migrate once, and pass a transaction of the same database: %w", t.name, err)
	case missingTable(err):
		return fmt.Errorf("table %s doesn't exist: call Migrate once: %w", t.name, err)
	case busy(err) && t.InTx():
		return fmt.Errorf("%w: use InTx, or open the database with _txlock=immediate and a busy_timeout", err)
	case busy(err):
		return fmt.Errorf("%w: perhaps your own transaction holds the lock: draw before that transaction begins, or call NextIn in it", err)
	case syntax(err):
		return fmt.Errorf("%w: check that the dialect of this server is %v", err, t.dialect)
	}
	return err
}

// A Timeout is a transient error, such as for a time limit that isn't the caller's. A
// Timeout wraps nothing, so it doesn't match context.DeadlineExceeded.
type Timeout string

func (e Timeout) Error() string { return string(e) }

// Timeout returns true, which makes e a transient error.
func (e Timeout) Timeout() bool { return true }
