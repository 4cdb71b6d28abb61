package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// Migrate implements [driver.Driver].
func (t *table) Migrate(ctx context.Context) error {
	_, err := run(ctx, t, 0, func(ctx context.Context, q querier) (any, error) {
		conn, ok := q.(*sql.Conn)
		if !ok {
			return nil, errors.New("a table isn't made in a transaction")
		}
		return nil, t.migrate(ctx, conn)
	})
	return err
}

func (t *table) migrate(ctx context.Context, conn *sql.Conn) error {
	if err := t.checkCitus(ctx, conn); err != nil {
		return err
	}
	existed, err := t.exists(ctx, conn)
	if err == nil && !existed {
		err = t.create(ctx, conn, "create")
	}
	if err == nil {
		err = t.check(ctx, conn)
	}
	if err != nil || t.dialect != PostgreSQL {
		return err
	}
	err = t.create(ctx, conn, "create flush")
	if existed && sqlState(err) != "" && !transient.Transient(err) {
		return nil // a role that may only draw. Step.Warning tells
	}
	return err
}

// exists reports whether there is such a table. It returns an error for one with other
// columns.
func (t *table) exists(ctx context.Context, conn *sql.Conn) (bool, error) {
	_, err := conn.ExecContext(ctx, t.sql["list"]+" LIMIT 0")
	if err == nil || isMissingTable(err) {
		return err == nil, nil
	}
	if ctx.Err() != nil || transient.Transient(err) {
		return false, err
	}
	return false, fmt.Errorf("table %s can't be read, or Migrate didn't make it, or the dialect isn't %v: %w", t.name, t.dialect, err)
}

// create runs a CREATE ... IF NOT EXISTS. It fails if two programs run it at once, and is
// tried again then.
func (t *table) create(ctx context.Context, conn *sql.Conn, name string) error {
	for try := 1; ; try++ {
		_, err := conn.ExecContext(ctx, t.sql[name])
		if err == nil || try == 5 || !isRace(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try) * 20 * time.Millisecond):
		}
	}
}

// isRace reports whether a CREATE failed because another program ran it too.
func isRace(err error) bool {
	switch sqlState(err) {
	case "23505", "42P07", "42710": // in PostgreSQL's catalog, or the name is taken by now
		return true
	}
	return transient.RolledBack(err) || strings.HasPrefix(err.Error(), "Error 1050 ")
}

// check returns an error for a table whose numbers could repeat.
func (t *table) check(ctx context.Context, conn *sql.Conn) error {
	if t.dialect == SQLite {
		return nil
	}
	var problem sql.NullString
	if err := conn.QueryRowContext(ctx, t.sql["check"], map[Dialect]string{MySQL: t.name, PostgreSQL: t.quoted}[t.dialect]).Scan(&problem); err != nil {
		return err
	}
	if problem.Valid {
		return fmt.Errorf("table %s %s", t.name, problem.String)
	}
	if t.dialect == MySQL {
		return checkFlush(ctx, conn)
	}
	return nil
}

// checkCitus returns an error on a worker of Citus. Its tables are its own, so programs
// on several workers wouldn't count together.
func (t *table) checkCitus(ctx context.Context, conn *sql.Conn) error {
	if t.dialect != PostgreSQL {
		return nil
	}
	var coordinator bool
	err := conn.QueryRowContext(ctx, "SELECT citus_is_coordinator()").Scan(&coordinator)
	if sqlState(err) == "42883" { // undefined_function, so this isn't Citus
		return nil
	}
	if err == nil && !coordinator {
		return errors.New("the server is a worker of Citus: connect to the coordinator, which all programs share")
	}
	return err
}
