package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Migrate implements [driver.Driver]. If Migrate fails because another program calls
// Migrate at the same time, it tries again. It makes at most 10 attempts.
func (t *table) Migrate(ctx context.Context) error {
	if t.inTx {
		return errors.New("call Migrate on the store, before the transaction")
	}
	for try := 1; ; try++ {
		err := t.run(ctx, limit, t.migrate)
		if !raced(err) || try == 10 {
			return err
		}
		time.Sleep(rand.N(50 * time.Millisecond))
	}
}

// migrate makes the table and the sequence, if they aren't there, and checks that the
// table can hold counts. A role without the right to make tables may not even CREATE TABLE
// IF NOT EXISTS.
func (t *table) migrate(ctx context.Context, q querier) error {
	var problem *string
	var exists, flushExists, citus bool
	err := q.QueryRow(ctx, t.sql["check"], t.name, t.flushName).Scan(&problem, &exists, &flushExists, &citus)
	switch {
	case err != nil:
		return err
	case problem != nil:
		return fmt.Errorf("table %s %s", t.name, *problem)
	case citus:
		var coordinator bool
		if err := q.QueryRow(ctx, "SELECT citus_is_coordinator()").Scan(&coordinator); err != nil {
			return err
		}
		if !coordinator {
			return errors.New("the server is a worker of Citus: connect to the coordinator, which all programs share")
		}
	}
	if !exists {
		_, err := q.Exec(ctx, t.sql["create"])
		if code(err) == "0A000" { // not supported: Aurora DSQL has no storage parameters
			create, _, _ := strings.Cut(t.sql["create"], " WITH (")
			_, err = q.Exec(ctx, create)
		}
		if err != nil {
			return err
		}
	}
	if _, err := q.Exec(ctx, t.sql["columns"]); code(err) == "42703" { // no such column
		return fmt.Errorf("table %s was not made by Migrate: %w", t.name, err)
	} else if err != nil || flushExists {
		return err
	}
	_, err = q.Exec(ctx, t.sql["create flush"])
	if err == nil {
		_, err = q.Exec(ctx, t.sql["own flush"])
	}
	if refused(err) && !raced(err) {
		return nil // a role that may only draw. Step.Warning tells
	}
	return err
}

// raced reports whether another program's Migrate was in the way.
func raced(err error) bool {
	// unique_violation in a catalog, duplicate_table, duplicate_object, deadlock, serialization
	return slices.Contains([]string{"23505", "42P07", "42710", "40P01", "40001"}, code(err))
}
