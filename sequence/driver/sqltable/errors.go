package sqltable

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// A failure is known by its SQLSTATE on PostgreSQL, and by its text elsewhere.
type failure struct {
	states string
	text   *regexp.Regexp
}

// The failures that stores know.
var (
	readOnly = failure{"25006", regexp.MustCompile(`\bError (1290|1836)\b`)}                  // a primary that a failover has demoted
	busy     = failure{"none", regexp.MustCompile(`\bdatabase (table |schema )?is locked\b`)} // SQLite, by another connection

	missingTable  = failure{"42P01", regexp.MustCompile(`\bError 1146\b|\bno such table\b`)}
	exists        = failure{"42P07 42710 23505", regexp.MustCompile(`\bError 1050\b`)} // the last is of a catalog
	syntax        = failure{"42601 42883", regexp.MustCompile(`\bError 1064\b|\bsyntax error\b|\bunrecognized token\b|\bno such column\b`)}
	unsupported   = failure{"0A000", regexp.MustCompile(`^never$`)}
	serialization = failure{"40001", regexp.MustCompile(`^never$`)}
	noSavepoint   = failure{"none", regexp.MustCompile(`\bError 1305\b`)}
)

// is reports whether err is f.
func (f failure) is(err error) bool {
	if state := transient.SQLState(err); state != "" {
		return strings.Contains(f.states, state)
	}
	return err != nil && f.text.MatchString(err.Error())
}

// rolledBack reports whether the server said that it took the whole transaction back because
// of another one. A transaction that found SQLite busy wasn't stored, also at its commit.
func rolledBack(err error) bool { return transient.RolledBack(err) || busy.is(err) }

// refused reports whether PostgreSQL refused a statement, and will refuse it again.
func refused(err error) bool { return transient.SQLState(err) != "" && !transient.Transient(err) }

// explained returns err with its remedy, if there is one.
func (t *Table) explained(err error) error {
	switch {
	case missingTable.is(err) && t.InTx():
		return fmt.Errorf("table %s doesn't exist: call Migrate once, and pass a transaction of the same database: %w", t.name, err)
	case missingTable.is(err):
		return fmt.Errorf("table %s doesn't exist: call Migrate once: %w", t.name, err)
	case busy.is(err) && t.InTx():
		return fmt.Errorf("%w: use InTx, or open the database with _txlock=immediate and a busy_timeout", err)
	case busy.is(err):
		return fmt.Errorf("%w: perhaps your own transaction holds the lock: draw before that transaction begins, or call NextIn in it", err)
	case syntax.is(err):
		return fmt.Errorf("%w: check that sqlsequence.%v is the dialect of this server", err, t.dialect)
	}
	return err
}

// A Timeout is a transient error, such as for a time limit that isn't the caller's. It
// wraps nothing, so a caller without a deadline never sees context.DeadlineExceeded.
type Timeout string

func (e Timeout) Error() string { return string(e) }

// Timeout returns true, which makes e a transient error.
func (e Timeout) Timeout() bool { return true }
