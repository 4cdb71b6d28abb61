package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// Migrate implements [driver.Driver]. If Migrate fails because another program calls
// Migrate at the same time, it tries again. It makes at most 10 attempts.
func (t *table) Migrate(ctx context.Context) error {
	if t.inTx {
		return errors.New("call Migrate on the store, before the transaction")
	}
	for try := 1; ; try++ {
		_, err := run(ctx, t, 0, t.migrate)
		if !transient.RolledBack(err) && !exists.is(err) || try == 10 || !transient.Pause(ctx, try) {
			return err
		}
	}
}

// migrate makes the table and PostgreSQL's sequence, if they aren't there, and checks that
// the table can hold counts. A role without the right to make tables may not even CREATE
// TABLE IF NOT EXISTS.
func (t *table) migrate(ctx context.Context, q querier) (none struct{}, err error) {
	var problem sql.NullString
	var there, flushThere, citus bool
	err = q.QueryRowContext(ctx, t.sql["check"], t.names...).Scan(&problem, &there, &flushThere, &citus)
	if err == nil && problem.Valid {
		err = fmt.Errorf("table %s %s", t.name, problem.String)
	}
	if coordinator := true; err == nil && citus {
		err = q.QueryRowContext(ctx, "SELECT citus_is_coordinator()").Scan(&coordinator)
		if err == nil && !coordinator {
			err = errors.New("the server is a worker of Citus: connect to the coordinator, which all programs share")
		}
	}
	if err == nil && !there {
		_, err = q.ExecContext(ctx, t.sql["create"])
		if transient.SQLState(err) == unsupported { // Aurora DSQL has no storage parameters
			create, _, _ := strings.Cut(t.sql["create"], " WITH (")
			_, err = q.ExecContext(ctx, create)
		}
	}
	if err != nil {
		return none, err
	}
	if _, err := q.ExecContext(ctx, t.sql["columns"]); err != nil {
		return none, fmt.Errorf("table %s can't be read, or Migrate didn't make it, or the dialect isn't %v: %w", t.name, t.dialect, err)
	}
	if flushThere {
		return none, nil
	}
	_, err = q.ExecContext(ctx, t.sql["create flush"])
	if err == nil {
		_, err = q.ExecContext(ctx, t.sql["own flush"])
	}
	if transient.SQLState(err) != "" && !transient.Transient(err) && !exists.is(err) {
		err = nil // a role that may only draw. Step.Warning tells
	}
	return none, err
}
