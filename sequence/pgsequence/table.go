package pgsequence

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/sequence"
)

// A table is the driver of a store.
type table struct {
	err       error // an invalid name or option
	name      string
	flushName string // of the sequence that drawEarly sets
	sql       map[string]string

	maxConns int
	own      *pgxpool.Pool // of the driver's own connections
	inTx     bool
	tx       pgx.Tx // of the caller

	flush    *atomic.Pointer[flush] // what is known of it
	oneLevel *atomic.Bool           // the server has no level of isolation but its own
}

//go:embed postgres.sql
var postgresSQL string

// newTable returns the driver of a table, which is given as name or schema.name. It isn't
// connected.
func newTable(name string) *table {
	t := &table{maxConns: 4, flush: new(atomic.Pointer[flush]), oneLevel: new(atomic.Bool)}
	t.flush.Store(new(flush))
	parts := strings.Split(name, ".")
	if len(parts) > 2 {
		t.err = fmt.Errorf("table %q: not a name or schema.name", name)
	}
	for _, p := range parts {
		// PostgreSQL would cut a longer name.
		if p == "" || len(p) > 63 || strings.ContainsRune(p, 0) {
			t.err = fmt.Errorf("table %q: a name has 1 to 63 bytes", name)
		}
	}
	t.name = pgx.Identifier(parts).Sanitize()
	const suffix = "_flush"
	last := &parts[len(parts)-1]
	*last = strings.ToValidUTF8((*last)[:min(len(*last), 63-len(suffix))], "") + suffix
	t.flushName = pgx.Identifier(parts).Sanitize()
	t.sql = map[string]string{}
	names := strings.NewReplacer("{table}", t.name, "{flush}", t.flushName)
	for _, s := range strings.Split(postgresSQL, "-- name: ")[1:] {
		name, statement, _ := strings.Cut(s, "\n")
		statement, _, _ = strings.Cut(statement, ";\n") // what follows is a comment
		t.sql[name] = names.Replace(statement)
	}
	return t
}

// code returns the SQLSTATE of an error that the server sent, "" for others.
func code(err error) string {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code
	}
	return ""
}

// refused reports whether the server refused a statement, and will refuse it again.
func refused(err error) bool { return code(err) != "" && !sequence.IsTransient(err) }

// ignore returns err, or nil if it is expected.
func ignore(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}
