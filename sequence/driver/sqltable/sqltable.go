// Package sqltable is what the stores of SQL databases share: their statements, the names
// of tables, and the methods of their drivers. The package is for the authors of packages
// pgsequence and sqlsequence, and may change in any minor version.
//
// A [Table] is a driver over a [Pool]. The pool gets connections, limits how long they are
// used, and binds a table to a transaction. The table sends the statements.
package sqltable

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// A Dialect is the kind of server that has the table.
type Dialect int

const (
	MySQL      Dialect = iota + 1 // MySQL 8 and later, and MariaDB
	SQLite                        // SQLite 3.35 and later
	PostgreSQL                    // PostgreSQL 12 and later
)

// String returns the name of d.
func (d Dialect) String() string {
	return cmp.Or(map[Dialect]string{MySQL: "MySQL", SQLite: "SQLite", PostgreSQL: "PostgreSQL"}[d], fmt.Sprintf("Dialect(%d)", int(d)))
}

// A Conn runs statements. It is a connection, or a transaction of the caller.
type Conn interface {
	// Exec returns how many rows the statement changed, and MySQL's LAST_INSERT_ID.
	Exec(ctx context.Context, query string, args ...any) (rows, last int64, err error)

	// Query calls each for each row of the result. The function scan reads the row.
	Query(ctx context.Context, query string, args []any, each func(scan func(...any) error) error) error
}

// A Batcher is a Conn that sends many statements in one round trip.
type Batcher interface {
	// Batch returns how many statements succeeded, up to the first that failed. It returns
	// [ErrNoRow] for a statement that should have a row and has none.
	Batch(ctx context.Context, all []Statement) (succeeded int, err error)
}

// A Statement is a part of a batch. If Row isn't nil, Row reads the statement's only row.
type Statement struct {
	Query string
	Args  []any
	Row   func(scan func(...any) error) error
}

// ErrNoRow is what [Batcher] returns for a missing row.
var ErrNoRow = fmt.Errorf("no row")

// A Pool gets connections.
type Pool interface {
	// Run calls f with the caller's transaction, or with a connection, when one is free.
	// Then the time limit begins. 0 means no limit. If f doesn't return in time, Run may
	// return while f still runs.
	Run(ctx context.Context, limit time.Duration, f func(context.Context, Conn) error) error

	// Place returns the place of the table, but for its name. New calls it.
	Place() driver.Place

	// InTx reports whether the pool has only the caller's transaction.
	InTx() bool

	driver.Looker
	driver.Repeater
}

// A Table is a [driver.Driver] that keeps rows in a table.
type Table struct {
	pool      Pool
	dialect   Dialect
	name      string // as the program wrote it
	place     driver.Place
	quoted    string
	flushName string // of PostgreSQL's sequence, quoted
	sql       map[string]string
	*learned
}

// learned is what a table knows of its server. Tables that are bound to transactions share it.
type learned struct {
	flush    atomic.Pointer[flush]
	oneLevel atomic.Bool // the server has no level of isolation but its own
	commits  atomic.Bool // statements outside of transactions are committed at once
}

//go:embed *.sql
var files embed.FS

// fileOf has the name of each dialect's file, and its quotation mark.
var fileOf = map[Dialect][2]string{MySQL: {"mysql.sql", "`"}, SQLite: {"sqlite.sql", `"`}, PostgreSQL: {"postgres.sql", `"`}}

// New returns the table called name, which has the form table or schema.table. It sends
// nothing. The table is nil if the name is invalid.
func New(pool Pool, dialect Dialect, name string) (*Table, error) {
	const most = 63 // PostgreSQL would cut a longer name
	parts := strings.Split(name, ".")
	if len(parts) > 2 {
		return nil, fmt.Errorf("table %q: not a name or schema.name", name)
	}
	for _, p := range parts {
		if p == "" || len(p) > most || strings.ContainsAny(p, "\x00?{}\"`") {
			return nil, fmt.Errorf("table %q: a name has 1 to %d bytes, and no quotes, braces or question marks", name, most)
		}
	}
	file, err := files.ReadFile(fileOf[dialect][0])
	if err != nil {
		return nil, err
	}
	quote := func() string {
		mark := fileOf[dialect][1]
		return mark + strings.Join(parts, mark+"."+mark) + mark
	}
	place := pool.Place()
	place.Name = cmp.Or(place.Name, "the store") + ", table " + name
	t := &Table{pool: pool, dialect: dialect, name: name, place: place, quoted: quote(), sql: map[string]string{}, learned: new(learned)}
	const suffix = "_flush"
	last := &parts[len(parts)-1]
	*last = strings.ToValidUTF8((*last)[:min(len(*last), most-len(suffix))], "") + suffix
	t.flushName = quote()
	t.flush.Store(new(flush))
	hash := fnv.New64a()
	hash.Write([]byte(name))
	before, statements, _ := strings.Cut(string(file), "-- name: ")
	_, now, _ := strings.Cut(before, "-- {now} is ")
	now, _, _ = strings.Cut(now, "\n")
	names := strings.NewReplacer("{table}", t.quoted, "{flush}", t.flushName, "{now}", now, "{check}", fmt.Sprintf("oidkit_%x", hash.Sum64()))
	for _, s := range strings.Split(statements, "-- name: ") {
		name, statement, _ := strings.Cut(s, "\n")
		statement, _, _ = strings.Cut(statement, ";\n") // what follows is a comment
		t.sql[name] = names.Replace(statement)
	}
	return t, nil
}

// Bound returns the same table in the transaction of pool.
func (t *Table) Bound(pool Pool) *Table {
	bound := *t
	bound.pool = pool
	return &bound
}

// SQL returns a statement of the dialect's file.
func (t *Table) SQL(name string) string { return t.sql[name] }

// Place implements [driver.Driver].
func (t *Table) Place() driver.Place { return t.place }

// InTx implements [driver.Driver].
func (t *Table) InTx() bool { return t.pool.InTx() }

// Free implements [driver.Looker].
func (t *Table) Free() bool { return t.pool.Free() }

// Transaction implements [driver.Looker].
func (t *Table) Transaction() any { return t.pool.Transaction() }

// Runs implements [driver.Repeater].
func (t *Table) Runs() *driver.Runs { return t.pool.Runs() }

// Transient implements [driver.Driver].
func (t *Table) Transient(err error) bool { return transient.Transient(err) }

// limit is how long a call may take that isn't a draw.
const limit = 5 * time.Second

// run has the pool call f. f may go on after run has returned.
func run[T any](ctx context.Context, t *Table, limit time.Duration, f func(context.Context, Conn) (T, error)) (T, error) {
	done := new(T)
	err := t.pool.Run(ctx, limit, func(ctx context.Context, c Conn) error {
		v, err := f(ctx, c)
		*done = v
		return err
	})
	if err != nil {
		return *new(T), t.Explained(err)
	}
	return *done, nil
}

// query reads the row of a statement that has one row at most.
func query(ctx context.Context, c Conn, statement string, args []any, dest ...any) (found bool, err error) {
	err = c.Query(ctx, statement, args, func(scan func(...any) error) error {
		err := scan(dest...)
		found = err == nil
		return err
	})
	return found, err
}
