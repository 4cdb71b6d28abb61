package pgsequence

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A table has the statements for one table.
type table struct {
	name    string // quoted
	flusher string // quoted, the sequence that drawTogether sets

	schema, draw, drawClock, read, lock, list, insert, update, flushSQL string
}

var (
	//go:embed schema.sql
	schemaSQL string
	//go:embed draw.sql
	drawSQL string
	//go:embed draw_clock.sql
	drawClockSQL string
	//go:embed insert.sql
	insertSQL string
	//go:embed update.sql
	updateSQL string
)

const rowsSQL = "SELECT key, meaning, base, x, version, clock_timestamp() FROM {table}"

// newTable returns the statements for a table, which is given as name or schema.name.
func newTable(name string) (*table, error) {
	parts := strings.Split(name, ".")
	if len(parts) > 2 {
		return nil, fmt.Errorf("table %q: not a name or schema.name", name)
	}
	for _, p := range parts {
		// PostgreSQL would cut a longer name.
		if p == "" || len(p) > 63 || strings.ContainsRune(p, 0) {
			return nil, fmt.Errorf("table %q: a name has 1 to 63 bytes", name)
		}
	}
	quoted := pgx.Identifier(parts).Sanitize()
	const suffix = "_flush"
	last := &parts[len(parts)-1]
	*last = strings.ToValidUTF8((*last)[:min(len(*last), 63-len(suffix))], "") + suffix
	flusher := pgx.Identifier(parts).Sanitize()

	of := func(sql string) string { return strings.ReplaceAll(sql, "{table}", quoted) }
	return &table{
		name: quoted, flusher: flusher,
		schema: of(schemaSQL), draw: of(drawSQL), drawClock: of(drawClockSQL), insert: of(insertSQL), update: of(updateSQL),
		read: of(rowsSQL + " WHERE key = $1"), lock: of(rowsSQL + " WHERE key = $1 FOR UPDATE"), list: of(rowsSQL),
		flushSQL: strings.ReplaceAll(flushBySequence, "{flush}", strings.ReplaceAll(flusher, "'", "''")),
	}, nil
}

// A querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func scanRow(row pgx.CollectableRow) (r driver.Row, err error) {
	err = row.Scan(&r.Key, &r.Meaning, &r.Base, &r.X, &r.Version, &r.Now)
	return r, err
}

// readBy reads the row of a key by the statement read or lock.
func readBy(ctx context.Context, q querier, statement, key string) (driver.Row, bool, error) {
	rows, _ := q.Query(ctx, statement, key) // rows have its error too
	r, err := pgx.CollectExactlyOneRow(rows, scanRow)
	if errors.Is(err, pgx.ErrNoRows) {
		return driver.Row{}, false, nil
	}
	return r, err == nil, err
}

func (t *table) all(ctx context.Context, q querier) ([]driver.Row, error) {
	rows, _ := q.Query(ctx, t.list)
	return pgx.CollectRows(rows, scanRow)
}

func (t *table) put(ctx context.Context, q querier, r driver.Row, was int64) (bool, error) {
	statement, args := t.insert, []any{r.Key, r.Meaning, r.Base, r.Version}
	if was != 0 {
		statement, args = t.update, append(args, was)
	}
	var persistence string
	err := q.QueryRow(ctx, statement, args...).Scan(nil, &persistence)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err == nil {
		err = t.lasts(persistence)
	}
	return err == nil, err
}

// lasts returns an error for a table that a crash empties, or that belongs to one session.
// Numbers would repeat.
func (t *table) lasts(persistence string) error {
	switch persistence {
	case "p":
		return nil
	case "u":
		return fmt.Errorf("table %s is UNLOGGED: a crash would empty it", t.name)
	default:
		return fmt.Errorf("table %s is temporary", t.name)
	}
}

// within returns a context that ends after limit. 0 means no limit.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}
