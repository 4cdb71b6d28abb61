package sqltable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

// Read implements [driver.Driver].
func (t *Table) Read(ctx context.Context, key string) (driver.Row, bool, error) {
	all, err := run(ctx, t, callLimit, func(ctx context.Context, c Conn) ([]driver.Row, error) {
		if !t.InTx() && !t.commits.Load() {
			if err := t.mustCommit(ctx, c); err != nil {
				return nil, err
			}
		}
		if level := t.sql["level of read"]; level != "" && !t.InTx() {
			c.Exec(ctx, level) // if a transaction is open, it fails, and the read says so
		}
		return t.rows(ctx, c, "read", key)
	})
	if len(all) == 0 {
		return driver.Row{}, false, err
	}
	return all[0], true, nil
}

// List implements [driver.Driver].
func (t *Table) List(ctx context.Context) ([]driver.Row, error) {
	if t.InTx() {
		return nil, errors.New("List isn't for the store of a transaction: pass the store itself")
	}
	return run(ctx, t, 0, func(ctx context.Context, c Conn) ([]driver.Row, error) { return t.rows(ctx, c, "list") })
}

// rows reads the rows of the statements read and list.
func (t *Table) rows(ctx context.Context, c Conn, name string, args ...any) (all []driver.Row, err error) {
	_, err = c.Query(ctx, Statement{t.sql[name], args, func(scan func(...any) error) error {
		var r driver.Row
		var micro int64
		var problem *string
		if err := scan(&r.Key, &r.Meaning, &r.Base, &r.X, &r.Version, &micro, &problem); err != nil {
			return err
		}
		if problem != nil {
			return fmt.Errorf("table %s %s", t.name, *problem)
		}
		r.Now = time.UnixMicro(micro)
		all = append(all, r)
		return nil
	}})
	return all, err
}

// Put implements [driver.Driver].
func (t *Table) Put(ctx context.Context, r driver.Row, was int64) (bool, error) {
	name, args := "insert", []any{r.Key, r.Meaning, r.Base, r.Version}
	if was != 0 {
		name, args = "update", []any{r.Meaning, r.Base, r.Version, r.Key, was}
	}
	n, err := run(ctx, t, callLimit, func(ctx context.Context, c Conn) (int64, error) {
		n, _, err := c.Exec(ctx, t.sql[name], args...)
		return n, err
	})
	return n == 1, err
}
