package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// migrate makes the table and the sequence, if they aren't there, and checks that the
// table can hold counts. If they exist, it needs only the rights to draw.
func (t *table) migrate(ctx context.Context, conn *pgx.Conn) error {
	server, err := serverOf(ctx, conn)
	if err == nil {
		err = server.canCount(ctx, conn)
	}
	if err != nil {
		return err
	}
	// A role without the right to make tables may not even CREATE TABLE IF NOT EXISTS.
	err = t.check(ctx, conn)
	if code(err) == undefinedTable {
		if _, err = conn.Exec(ctx, t.schema); err == nil {
			err = t.check(ctx, conn)
		}
	}
	if err != nil || !server.isPostgreSQL() {
		return err
	}
	return t.makeFlusher(ctx, conn)
}

// canCount returns an error for a server on which programs would count apart.
func (s server) canCount(ctx context.Context, conn *pgx.Conn) error {
	coordinator := true
	switch {
	case strings.Contains(s.version, "Dolt"):
		return fmt.Errorf("%s merges rows that were changed at once, and so can't count", s.version)
	case s.citus:
		if err := conn.QueryRow(ctx, "SELECT citus_is_coordinator()").Scan(&coordinator); err != nil {
			return err
		}
	}
	if !coordinator {
		return errors.New("the server is a Citus worker, and each worker would count by itself: connect to the coordinator")
	}
	return nil
}

// check returns an error if nobody can draw from the table.
func (t *table) check(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SELECT key, meaning, base, x, before, version, draws FROM "+t.name+" LIMIT 0")
	if code(err) == "42703" { // undefined_column
		return fmt.Errorf("table %s was not made by Migrate: %w", t.name, err)
	}
	if err != nil {
		return err
	}
	var kind, persistence string
	err = conn.QueryRow(ctx, "SELECT relkind::text, relpersistence::text FROM pg_class WHERE oid = to_regclass($1)", t.name).Scan(&kind, &persistence)
	if err != nil {
		return err
	}
	if kind != "r" && kind != "p" { // a table, or one with partitions
		return fmt.Errorf("%s is a view or something else, not a table", t.name)
	}
	return t.lasts(persistence)
}

// makeFlusher makes the sequence that drawTogether sets, if it isn't there and the role
// may make it. Draws work without it.
func (t *table) makeFlusher(ctx context.Context, conn *pgx.Conn) error {
	var exists bool
	err := conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", t.flusher).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "CREATE SEQUENCE IF NOT EXISTS "+t.flusher)
		if err == nil { // it is dumped and dropped with the table
			_, err = conn.Exec(ctx, "ALTER SEQUENCE "+t.flusher+" OWNED BY "+t.name+".x")
		}
	}
	if refused(err) && !raced(err) {
		return nil
	}
	return err
}

// raced reports whether another program's Migrate was in the way.
func raced(err error) bool {
	switch code(err) {
	case "23505", "42P07", "42710", deadlockDetected, serializationFailure: // unique_violation in a catalog, duplicate_table, duplicate_object
		return true
	}
	return false
}
