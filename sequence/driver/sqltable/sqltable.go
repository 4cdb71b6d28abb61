// Package sqltable is what the stores of SQL databases share: their statements, the checks of
// table names, and the methods of their drivers. The package is for the authors of packages
// pgsequence and sqlsequence, and may change in any minor version.
//
// A [Table] is a driver over a [Pool], or over a transaction of the caller. The pool gets
// connections, and limits how long they are used. The table sends the statements.
package sqltable

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"sync"
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

// dialects has the name, the file of statements and the quotation mark of each dialect.
var dialects = map[Dialect]struct{ name, file, mark string }{
	MySQL:      {"MySQL", "mysql.sql", "`"},
	SQLite:     {"SQLite", "sqlite.sql", `"`},
	PostgreSQL: {"PostgreSQL", "postgres.sql", `"`},
}

// String returns the name of d.
func (d Dialect) String() string {
	return cmp.Or(dialects[d].name, fmt.Sprintf("Dialect(%d)", int(d)))
}

// A Conn runs statements. It is a connection, or a transaction of the caller.
type Conn interface {
	// Exec returns how many rows the statement changed, and on MySQL LAST_INSERT_ID.
	Exec(ctx context.Context, query string, args ...any) (rows, last int64, err error)

	// Query reads the rows of the result, and returns how many there were.
	Query(ctx context.Context, s Statement) (rows int, err error)
}

// A Batcher is a Conn that can send many statements at once.
type Batcher interface {
	// Batch returns how many rows each statement had, up to the first one that failed.
	Batch(ctx context.Context, all []Statement) (rows []int, err error)
}

// A Statement is sent to the server. Row reads a row of its result by a call of scan. Row
// can be nil in a batch, for a statement whose result has no rows.
type Statement struct {
	Query string
	Args  []any
	Row   func(scan func(...any) error) error
}

// Read reads the rows of the result of s, and returns how many there were.
func (s Statement) Read(rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}) (n int, err error) {
	for ; rows.Next(); n++ {
		if err := s.Row(rows.Scan); err != nil {
			return n, err
		}
	}
	return n, rows.Err()
}

// A Pool gets connections.
type Pool interface {
	// Run waits for a free connection, and calls f with it. The argument limit is how
	// long f may take, and 0 means no limit. If f doesn't return in time, Run may return
	// while f still runs.
	Run(ctx context.Context, limit time.Duration, f func(context.Context, Conn) error) error

	// Place returns the place of the table, without the name of the table. New calls Place.
	Place() driver.Place

	// Free reports whether a call would get a connection at once.
	Free() bool

	// Reset closes at least the connections that are idle.
	Reset()
}

// A Table is a [driver.Driver] that keeps rows in a table.
type Table struct {
	store     string // the type that users see, such as pgsequence.Store
	pool      Pool
	dialect   Dialect
	name      string // as the program wrote it
	place     driver.Place
	quoted    string
	flushName string // of PostgreSQL's sequence, quoted
	sql       map[string]string
	inTx      map[string]string // sql in a transaction, which the caller commits
	err       error             // of an argument. Each call returns it
	*learned

	// The fields below are for a table that is bound to a transaction of the caller.
	conn  Conn // nil outside of transactions
	tx    any  // what tells the transaction from others, or nil
	maybe bool // only the server knows whether a transaction has begun
	runs  *driver.Runs
}

// learned is what a table knows of its server. The results of Bound share it with their table.
type learned struct {
	flush    atomic.Pointer[flush]
	oneLevel atomic.Bool // the server has no level of isolation but its own
	commits  atomic.Bool // statements outside of transactions are committed at once
	running  sync.Map    // the *driver.Runs of each transaction of InTx
}

// A flush says whether a connection of PostgreSQL can wait until all is on disk that was
// committed before.
type flush struct {
	works   bool
	tried   time.Time // the zero Time if nobody has tried
	warning string    // if it doesn't work and that can be mended
}

//go:embed *.sql
var files embed.FS

// statements matches each statement of a file, and its name.
var statements = regexp.MustCompile(`(?s)-- name: ([^\n]+)\n(.*?);\n`)

// mostName is how many bytes a name has at most. PostgreSQL would cut a longer one.
const mostName = 63

// New returns a table. The argument name has the form table or schema.table. Errors use
// the argument store as the name of the store's type, such as pgsequence.Store. New sends
// no statement. If err isn't nil, or if the name or the dialect is invalid, each method
// that would send a statement returns the error.
func New(store string, pool Pool, dialect Dialect, name string, err error) *Table {
	parts := strings.Split(name, ".")
	if len(parts) > 2 {
		err = cmp.Or(err, fmt.Errorf("table %q: want a table name, or schema.name", name))
	}
	for _, p := range parts {
		if p == "" || len(p) > mostName || strings.ContainsAny(p, "\x00?{}\"`") {
			err = cmp.Or(err, fmt.Errorf("table %q: a name has 1 to %d bytes, and no quotes, braces or question marks", name, mostName))
		}
	}
	file, unknown := files.ReadFile(dialects[dialect].file)
	if unknown != nil {
		err = cmp.Or(err, fmt.Errorf("unknown %v", dialect))
	}
	quote := func() string {
		mark := dialects[dialect].mark
		return mark + strings.Join(parts, mark+"."+mark) + mark
	}
	place := pool.Place()
	place.Name = cmp.Or(place.Name, "the store") + ", table " + name
	t := &Table{store: store, pool: pool, dialect: dialect, name: name, place: place, quoted: quote(), sql: map[string]string{}, inTx: map[string]string{}, err: err, learned: new(learned)}
	const suffix = "_flush"
	last := &parts[len(parts)-1]
	*last = strings.ToValidUTF8((*last)[:min(len(*last), mostName-len(suffix))], "") + suffix
	t.flushName = quote()
	t.flush.Store(new(flush))
	hash := fnv.New64a()
	hash.Write([]byte(name))
	_, now, _ := strings.Cut(string(file), "-- {now} is ")
	now, _, _ = strings.Cut(now, "\n")
	names := strings.NewReplacer("{table}", t.quoted, "{flush}", t.flushName, "{now}", now, "{check}", fmt.Sprintf("oidkit_%x", hash.Sum64()))
	for _, s := range statements.FindAllStringSubmatch(string(file), -1) {
		t.sql[s[1]] = names.Replace(s[2])
		t.inTx[s[1]] = names.Replace(strings.ReplaceAll(s[2], "@@autocommit", "true")) // which is faster
	}
	t.inTx["read"] = t.sql["lock"]
	return t
}

// Bound returns the same table in a transaction of the caller. The argument tx identifies
// the transaction, or is nil if nothing does. If err isn't nil and maybe is false, each
// call returns err. If maybe is true, a call returns err only if the server says that no
// transaction has begun.
func (t *Table) Bound(c Conn, tx any, maybe bool, err error) *Table {
	in := *t
	in.sql, in.err, in.conn, in.tx, in.maybe = t.inTx, cmp.Or(t.err, err), c, tx, maybe && t.err == nil
	runs, _ := t.running.Load(tx)
	in.runs, _ = runs.(*driver.Runs)
	return &in
}

// InTx implements [driver.Driver].
func (t *Table) InTx() bool { return t.conn != nil }

// Transaction implements [driver.Looker].
func (t *Table) Transaction() any { return t.tx }

// Runs implements [driver.Looker].
func (t *Table) Runs() *driver.Runs { return t.runs }

// SQL returns a statement of t by its name in the dialect's file, such as sqlite.sql.
func (t *Table) SQL(name string) string { return t.sql[name] }

// Place implements [driver.Driver].
func (t *Table) Place() driver.Place { return t.place }

// Free implements [driver.Looker].
func (t *Table) Free() bool { return t.pool.Free() }

// Transient implements [driver.Driver].
func (t *Table) Transient(err error) bool { return transient.Transient(err) }

// query reads the row of a statement that has one row at most.
func query(ctx context.Context, c Conn, statement string, args []any, dest ...any) error {
	_, err := c.Query(ctx, Statement{statement, args, func(scan func(...any) error) error { return scan(dest...) }})
	return err
}
