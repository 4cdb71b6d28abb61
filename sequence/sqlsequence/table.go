package sqlsequence

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"strings"
	"sync/atomic"
)

// A Dialect is the kind of server that a store uses: [MySQL] (or MariaDB), [SQLite]
// or [PostgreSQL].
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

// A table is the driver of a store.
type table struct {
	err       error // an invalid name or dialect
	name      string
	flushName string // of PostgreSQL's sequence, quoted
	names     []any  // for the statement check
	sql       map[string]string

	db      *sql.DB
	dialect Dialect
	inTx    bool
	tx      querier // of the caller

	flush    *atomic.Pointer[flush] // what is known of PostgreSQL's
	oneLevel *atomic.Bool           // the server has no level of isolation but its own
}

// A querier runs statements: a connection, or a transaction of the caller.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

var (
	//go:embed mysql.sql
	mysqlSQL string
	//go:embed sqlite.sql
	sqliteSQL string
	//go:embed postgres.sql
	postgresSQL string
)

// prepare makes the statements for the table. name is a name or schema.name.
func (t *table) prepare() error {
	parts := strings.Split(t.name, ".")
	if len(parts) > 2 {
		return fmt.Errorf("table %q: not a name or schema.name", t.name)
	}
	for _, p := range parts {
		// PostgreSQL would cut a longer name. The statements have other uses for the marks.
		if p == "" || len(p) > 63 || strings.ContainsAny(p, "\x00?{}\"`") {
			return fmt.Errorf("table %q: a name has 1 to 63 bytes, and no quotes, braces or question marks", t.name)
		}
	}
	file := map[Dialect]string{MySQL: mysqlSQL, SQLite: sqliteSQL, PostgreSQL: postgresSQL}[t.dialect]
	mark := cmp.Or(map[Dialect]string{MySQL: "`"}[t.dialect], `"`)
	quoted := mark + strings.Join(parts, mark+"."+mark) + mark
	const suffix = "_flush"
	last := &parts[len(parts)-1]
	*last = strings.ToValidUTF8((*last)[:min(len(*last), 63-len(suffix))], "") + suffix
	t.flushName = mark + strings.Join(parts, mark+"."+mark) + mark
	t.flush.Store(new(flush))
	t.names = map[Dialect][]any{MySQL: {t.name}, PostgreSQL: {quoted, t.flushName}}[t.dialect]
	t.sql = map[string]string{}
	names := strings.NewReplacer("{table}", quoted, "{flush}", t.flushName)
	for _, s := range strings.Split(file, "-- name: ")[1:] {
		name, statement, _ := strings.Cut(s, "\n")
		statement, _, _ = strings.Cut(statement, ";\n") // what follows is a comment
		t.sql[name] = names.Replace(statement)
	}
	return nil
}
