package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// schema makes the table %s.
//
//   - count only grows. base is what count was when the plan first..last took
//     effect, 0 or the last resize.
//   - stamp is the last stamp drawn, width and tick, in microseconds, what the
//     stamps of the key are made of; both are NULL until the first.
//
// Every draw updates one row. Pages half empty let the new version stay on the
// page of the old one, without a change to the index.
const schema = `CREATE TABLE %s (
	key   text COLLATE "C" PRIMARY KEY,
	count bigint NOT NULL DEFAULT 0,
	base  bigint NOT NULL DEFAULT 0 CHECK (base BETWEEN 0 AND count),
	first bigint NOT NULL,
	last  bigint NOT NULL CHECK (last >= first),
	stamp bigint NOT NULL DEFAULT 0 CHECK (stamp >= 0),
	width bigint CHECK (width > 0),
	tick  bigint CHECK (tick > 0)
) WITH (fillfactor = 50)`

// migrating is the advisory lock that programs which start together take in turn:
// CREATE TABLE IF NOT EXISTS fails if two run it at once.
const migrating = 0x6f69646b69740001

// Migrate makes the table if it isn't there. It may be called by every program at
// each start, and then needs no rights but those for drawing.
func (s *Store) Migrate(ctx context.Context) error {
	if s.err != nil {
		return s.failed("Migrate()", s.err)
	}
	// Read committed, whatever the session's default is: a transaction that goes
	// on seeing what was there before it waited wouldn't find the new table.
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrating)); err != nil {
			return err
		}
		var there bool
		if err := tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", s.table).Scan(&there); err != nil {
			return err
		}
		if !there {
			if _, err := tx.Exec(ctx, fmt.Sprintf(schema, s.table)); err != nil {
				return err
			}
		}
		// A table of this name that is something else is told now, not at
		// the first draw.
		if _, err := tx.Exec(ctx, "SELECT key, count, base, first, last, stamp, width, tick FROM "+s.table+" LIMIT 0"); err != nil {
			return err
		}
		var persistence string
		err := tx.QueryRow(ctx, "SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass($1)", s.table).Scan(&persistence)
		if err != nil {
			return err
		}
		return s.lasting(persistence)
	})
	if err != nil {
		return s.failed("Migrate()", err)
	}
	return nil
}

// lasting returns an error for a table that a crash empties, or that is one
// session's alone: numbers would repeat.
func (s *Store) lasting(persistence string) error {
	switch persistence {
	case "p":
		return nil
	case "u":
		return fmt.Errorf("table %s is UNLOGGED: a crash would empty it", s.table)
	default:
		return fmt.Errorf("table %s is temporary", s.table)
	}
}

// quoted returns a table's name, or schema.name, as SQL has it.
func quoted(table string) (string, error) {
	parts := strings.Split(table, ".")
	if len(parts) > 2 {
		return "", errors.New("not a name or schema.name")
	}
	for _, p := range parts {
		// PostgreSQL would cut a longer name.
		if p == "" || len(p) > 63 || strings.ContainsRune(p, 0) {
			return "", errors.New("a name has 1 to 63 bytes")
		}
	}
	return pgx.Identifier(parts).Sanitize(), nil
}
