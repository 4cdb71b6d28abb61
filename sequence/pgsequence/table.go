package pgsequence

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A table has the statements for one table.
type table struct {
	name    string // quoted
	flusher string // quoted, the sequence that drawTogether sets

	schema, draw, drawClock, read, lock, list, insert, update, flush string
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

const readSQL = "SELECT key, meaning, base, x, version, clock_timestamp() FROM {table}"

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
		read: of(readSQL + " WHERE key = $1"), lock: of(readSQL + " WHERE key = $1 FOR UPDATE"), list: of(readSQL),
		flush: strings.ReplaceAll(flushBySequence, "{flusher}", strings.ReplaceAll(flusher, "'", "''")),
	}, nil
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

// missing explains the error for a table that doesn't exist.
func (t *table) missing(err error) error {
	if code(err) == undefinedTable {
		return fmt.Errorf("table %s doesn't exist: call Migrate once: %w", t.name, err)
	}
	return err
}

// rows has the methods of a driver but for Draw.
type rows struct {
	*table
	lock bool // Read locks the row
	// within calls f with a transaction.
	within func(ctx context.Context, f func(context.Context, pgx.Tx) error) error
}

// Read implements [driver.Driver].
func (r *rows) Read(ctx context.Context, key string) (row driver.Row, ok bool, err error) {
	err = r.within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		statement := r.read
		if r.lock {
			statement = r.table.lock
		}
		found, _ := tx.Query(ctx, statement, key) // its error comes with the rows
		row, err = pgx.CollectExactlyOneRow(found, scanRow)
		ok = err == nil
		return ignore(pgx.ErrNoRows, err)
	})
	return row, ok && err == nil, err
}

// List implements [driver.Driver].
func (r *rows) List(ctx context.Context) (all []driver.Row, err error) {
	err = r.within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, _ := tx.Query(ctx, r.list)
		all, err = pgx.CollectRows(found, scanRow)
		return err
	})
	return all, err
}

// Put implements [driver.Driver].
func (r *rows) Put(ctx context.Context, row driver.Row, was int64) (ok bool, err error) {
	err = r.within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		statement, args := r.insert, []any{row.Key, row.Meaning, row.Base, row.Version}
		if was != 0 {
			statement, args = r.update, append(args, was)
		}
		var persistence string
		if err := tx.QueryRow(ctx, statement, args...).Scan(nil, &persistence); err != nil {
			return ignore(pgx.ErrNoRows, err)
		}
		ok = true
		return r.lasts(persistence)
	})
	return ok && err == nil, err
}

func scanRow(row pgx.CollectableRow) (r driver.Row, err error) {
	err = row.Scan(&r.Key, &r.Meaning, &r.Base, &r.X, &r.Version, &r.Now)
	return r, err
}

// ignore returns err, or nil if it is expected.
func ignore(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}
