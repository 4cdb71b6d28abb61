package sqltable

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// Migrate implements [driver.Driver]. If Migrate fails because of another transaction, such
// as that of a Migrate at the same time, it tries again. It makes at most 10 attempts, and
// begins none after about 10 seconds. An attempt may take a minute.
func (t *Table) Migrate(ctx context.Context) error {
	if t.InTx() {
		return errors.New("call Migrate on the store, before the transaction")
	}
	start := time.Now()
	for try := 1; ; try++ {
		_, err := run(ctx, t, time.Minute, t.migrate)
		switch {
		case err == nil:
			return nil
		case !rolledBack(err) && !exists(err) || try == 10 || time.Since(start) > 10*time.Second || !transient.Pause(ctx, try, err):
			return fmt.Errorf("%s.Migrate(): %w", t.store, err)
		}
	}
}

// migrate makes the table and PostgreSQL's sequence, if they aren't there, and checks that
// the table can hold counts. A role without the right to make tables may not even CREATE
// TABLE IF NOT EXISTS.
func (t *Table) migrate(ctx context.Context, c Conn) (none struct{}, err error) {
	var problem *string
	var there, flushThere, citus bool
	names := map[Dialect][]any{MySQL: {t.name, t.name, t.name}, PostgreSQL: {t.quoted, t.flushName}}[t.dialect]
	err = query(ctx, c, t.sql["check"], names, &problem, &there, &flushThere, &citus)
	if citus && problem == nil {
		err = query(ctx, c, t.sql["check citus"], nil, &problem)
	}
	if problem != nil {
		return none, fmt.Errorf("table %s %s", t.name, *problem)
	}
	if err == nil {
		err = t.mustCommit(ctx, c)
	}
	if err == nil && !there {
		_, _, err = c.Exec(ctx, t.sql["create"])
		if unsupported(err) { // Aurora DSQL has no storage parameters
			create, _, _ := strings.Cut(t.sql["create"], " WITH (")
			_, _, err = c.Exec(ctx, create)
		}
	}
	if err != nil {
		return none, err
	}
	if _, _, err := c.Exec(ctx, t.sql["columns"]); err != nil {
		return none, fmt.Errorf("table %s can't be read, or has other columns than Migrate makes, or dialect %v is wrong: %w", t.name, t.dialect, err)
	}
	if flushThere {
		return none, nil
	}
	_, _, err = c.Exec(ctx, t.sql["create flush"])
	if err == nil {
		_, _, err = c.Exec(ctx, t.sql["own flush"])
	}
	if refused(err) && !exists(err) {
		err = nil // a role that may only draw. Step.Warning tells
	}
	return none, err
}
