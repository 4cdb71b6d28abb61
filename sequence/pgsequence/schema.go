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
//   - count only grows. For a sequence, it is how many numbers were drawn. For a
//     numbering, it is period · 2^40 + the numbers drawn in the period.
//
//   - numbering is NULL for a sequence, and otherwise the kind of the numbering. The
//     columns below have no meaning then.
//
//   - base is the value of count when the plan first..last took effect. After a resize
//     that went on, it is the value that would have led to the same serial.
//
//   - was_first..was_last is the plan before the last resize.
//
//   - stamp is the last stamp drawn. width and tick, in microseconds, are what the
//     stamps of the key are made of. Both are NULL until the first.
//
//   - draws counts the draws. If it grew by more than a program's own draws, others draw
//     too.
//
// The row with the empty key holds the version of the table in count.
//
// Every draw updates one row. Pages half empty let the new version stay on the page of
// the old one, without a change to the index.
const schema = `CREATE TABLE %s (
	key       text COLLATE "C" PRIMARY KEY,
	numbering text,
	count     bigint NOT NULL DEFAULT 0,
	base      bigint NOT NULL DEFAULT 0 CHECK (base BETWEEN 0 AND count),
	first     bigint NOT NULL DEFAULT 0,
	last      bigint NOT NULL DEFAULT 0 CHECK (last >= first),
	cycle     boolean NOT NULL DEFAULT false,
	was_first bigint,
	was_last  bigint,
	was_cycle boolean,
	stamp     bigint NOT NULL DEFAULT 0 CHECK (stamp >= 0),
	width     bigint CHECK (width > 0),
	tick      bigint CHECK (tick > 0),
	draws     bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50)`

// version is the version of the table.
const version = 1

// statements are the statements for one table.
type statements struct {
	create, edit, state, list, insertNumbering, numbering string
	take, stamp, takeNumbers                              draw
}

// A draw is a statement in two forms. One ends with onDisk, and one with early.
type draw struct{ onDisk, early string }

// onDisk is the end of a RETURNING. At its commit, the statement then waits until it is
// on disk, and on the disks of the synchronous standbys. The setting changes only for
// the running transaction, which is this one statement.
//
// The second column shows whether the table survives a crash.
const onDisk = `
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END,
	(SELECT relpersistence::text FROM pg_class WHERE oid = t.tableoid)`

// early is the end of a RETURNING too. The statement then commits without waiting for
// the disk. See [Store.drawEarly].
const early = `
	set_config('synchronous_commit', 'off', true),
	(SELECT relpersistence::text FROM pg_class WHERE oid = t.tableoid)`

func newDraw(statement string) draw { return draw{statement + onDisk, statement + early} }

func statementsFor(table string) statements {
	state := `SELECT key, numbering, count, base, first, last, cycle, was_first, was_last, was_cycle, stamp, width, tick FROM ` + table
	// clock_timestamp is read when the row is ours, after all waiting. now() would be
	// the time when the waiting began, before others drew.
	const clock = `floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`
	return statements{
		create: `INSERT INTO ` + table + ` AS t (key, first, last, cycle) VALUES ($1, $2, $3, $4)
ON CONFLICT (key) DO NOTHING RETURNING` + onDisk,

		take: newDraw(`UPDATE ` + table + ` AS t SET draws = t.draws + 1, count = t.count + $2
WHERE t.key = $1 AND t.numbering IS NULL AND (t.cycle OR t.count - t.base <= t.last - t.first + 1 - $2)
RETURNING t.draws, t.count, t.base, t.first, t.last, t.cycle,`),

		edit: `UPDATE ` + table + ` AS t SET count = $2, base = $3, first = $4, last = $5, cycle = $6,
	was_first = $7, was_last = $8, was_cycle = $9
WHERE t.key = $1 RETURNING` + onDisk,

		state: state + ` WHERE key = $1 AND key <> ''`,
		list:  state + ` WHERE key <> '' ORDER BY key`,

		// The draw that comes first sets the width and the tick.
		stamp: newDraw(`UPDATE ` + table + ` AS t SET draws = t.draws + 1, width = $3, tick = $4, stamp = GREATEST(t.stamp + $2, ` + clock + ` / $4 * $3 + $2 - 1)
WHERE t.key = $1 AND t.numbering IS NULL AND coalesce(t.width = $3 AND t.tick = $4, true)
	AND ($5::bigint < 0 OR (t.stamp + $2) / $3 - ` + clock + ` / $4 <= $5)
RETURNING t.draws, t.stamp, t.stamp / $3 - ` + clock + ` / $4,`),

		insertNumbering: `INSERT INTO ` + table + ` AS t (key, numbering) VALUES ($1, $2)
ON CONFLICT (key) DO NOTHING`,

		takeNumbers: newDraw(`UPDATE ` + table + ` AS t SET draws = t.draws + 1, count = GREATEST(t.count, $2) + $3
WHERE t.key = $1 AND t.numbering = $4 AND $5 <= ` + clock + `
RETURNING t.draws, t.count,`),

		numbering: `SELECT (SELECT coalesce(numbering, '') FROM ` + table + ` WHERE key = $1), ` + clock,
	}
}

// migrating is an advisory lock. Programs that start together take it in turn, because
// CREATE TABLE IF NOT EXISTS fails if two run it at once.
const migrating = 0x6f69646b69740001

// Migrate makes the table if it isn't there. Every program may call it at each start. If
// the table exists, Migrate needs only the rights to draw.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.migrate(ctx); err != nil {
		return failed(ctx, "Migrate()", err)
	}
	return nil
}

func (s *Store) migrate(ctx context.Context) error {
	pool, err := s.pool()
	if err != nil {
		return err
	}
	// Read committed, whatever the session's default is. Otherwise a transaction that
	// waited for another program's Migrate wouldn't see the new table.
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrating)); err != nil {
			return err
		}
		var exists bool
		if err := tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", s.table).Scan(&exists); err != nil {
			return err
		}
		if !exists {
			if _, err := tx.Exec(ctx, fmt.Sprintf(schema, s.table)); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "INSERT INTO "+s.table+" (key, count) VALUES ('', $1)", version); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "CREATE SEQUENCE IF NOT EXISTS "+s.flusher); err != nil {
				return err
			}
		}
		return s.inspect(ctx, tx)
	})
}

// inspect returns an error if nobody can draw from the table. So Migrate fails, and not
// the first draw.
func (s *Store) inspect(ctx context.Context, tx pgx.Tx) error {
	var kind string
	var l lasting
	err := tx.QueryRow(ctx, "SELECT relkind::text, relpersistence::text FROM pg_class WHERE oid = to_regclass($1)", s.table).Scan(&kind, &l.persistence)
	if err != nil {
		return err
	}
	if kind != "r" && kind != "p" {
		return fmt.Errorf("%s is a view or something else, not a table", s.table)
	}
	if _, err := tx.Exec(ctx, s.sql.list+" LIMIT 0"); err != nil {
		return err
	}
	var have int64
	err = tx.QueryRow(ctx, "SELECT coalesce(max(count), 0) FROM "+s.table+" WHERE key = ''").Scan(&have)
	if err != nil {
		return err
	}
	if have != version {
		return fmt.Errorf("table %s has version %d; this release knows version %d", s.table, have, version)
	}
	return l.check(s.table)
}

// lasting is the part of a row that onDisk returns.
type lasting struct {
	setting     *string
	persistence string
}

// check returns an error for a table that a crash empties, or that belongs to one
// session. Numbers would repeat.
func (l lasting) check(table string) error {
	switch l.persistence {
	case "p":
		return nil
	case "u":
		return fmt.Errorf("table %s is UNLOGGED: a crash would empty it", table)
	default:
		return fmt.Errorf("table %s is temporary", table)
	}
}

// quoted returns a table's name, or schema.name, quoted for SQL. It also returns the
// name of its sequence for flushing.
func quoted(table string) (name, flusher string, err error) {
	parts := strings.Split(table, ".")
	if len(parts) > 2 {
		return "", "", errors.New("not a name or schema.name")
	}
	for _, p := range parts {
		// PostgreSQL would cut a longer name.
		if p == "" || len(p) > 63 || strings.ContainsRune(p, 0) {
			return "", "", errors.New("a name has 1 to 63 bytes")
		}
	}
	name = pgx.Identifier(parts).Sanitize()
	const suffix = "_flush"
	last := &parts[len(parts)-1]
	*last = strings.ToValidUTF8((*last)[:min(len(*last), 63-len(suffix))], "") + suffix
	return name, pgx.Identifier(parts).Sanitize(), nil
}
