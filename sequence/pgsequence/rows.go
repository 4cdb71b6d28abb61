package pgsequence

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

// InTx implements [driver.Driver].
func (t *table) InTx() bool { return t.inTx }

// Transient implements [driver.Driver].
func (t *table) Transient(err error) bool { return sequence.IsTransient(err) }

// Read implements [driver.Driver].
func (t *table) Read(ctx context.Context, key string) (r driver.Row, ok bool, err error) {
	name := "read"
	if t.inTx {
		name = "lock"
	}
	err = t.run(ctx, limit, func(ctx context.Context, q querier) error {
		found, _ := q.Query(ctx, t.sql[name], key) // its error comes with the rows
		r, err = pgx.CollectExactlyOneRow(found, t.scanRow)
		ok = err == nil
		return ignore(pgx.ErrNoRows, err)
	})
	return r, ok, err
}

// List implements [driver.Driver].
func (t *table) List(ctx context.Context) (all []driver.Row, err error) {
	err = t.run(ctx, limit, func(ctx context.Context, q querier) error {
		found, _ := q.Query(ctx, t.sql["list"])
		all, err = pgx.CollectRows(found, t.scanRow)
		return err
	})
	return all, err
}

// scanRow reads a row of the statements read, lock and list.
func (t *table) scanRow(row pgx.CollectableRow) (r driver.Row, err error) {
	var micro int64
	var problem *string
	err = row.Scan(&r.Key, &r.Meaning, &r.Base, &r.X, &r.Version, &micro, &problem)
	r.Now = time.UnixMicro(micro)
	if problem != nil {
		err = fmt.Errorf("table %s %s", t.name, *problem)
	}
	return r, err
}

// Put implements [driver.Driver]. If Put begins a transaction, it asks for the level READ
// COMMITTED, unless the server has only another level. At a higher level, a statement
// fails if it had to wait for a transaction that changed the same row.
func (t *table) Put(ctx context.Context, r driver.Row, was int64) (ok bool, err error) {
	name, args := "insert", []any{r.Key, r.Meaning, r.Base, r.Version}
	if was != 0 {
		name, args = "update", []any{r.Meaning, r.Base, r.Version, r.Key, was}
	}
	err = t.run(ctx, limit, func(ctx context.Context, q querier) error {
		put := func(tx pgx.Tx) error {
			done, err := tx.Exec(ctx, t.sql[name], args...)
			ok = done.RowsAffected() == 1
			return err
		}
		if conn, pooled := q.(*pgx.Conn); pooled {
			return pgx.BeginTxFunc(ctx, conn, t.level(), put)
		}
		return put(t.tx)
	})
	if !t.inTx && t.learnLevel(err) {
		return t.Put(ctx, r, was)
	}
	return ok && err == nil, err
}

// level is READ COMMITTED, or the level of a server that has only one.
func (t *table) level() pgx.TxOptions {
	if t.oneLevel.Load() {
		return pgx.TxOptions{}
	}
	return pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
}

// learnLevel reports whether err says that the server lacks READ COMMITTED, as Aurora DSQL
// does. The store remembers that.
func (t *table) learnLevel(err error) bool {
	lacks := code(err) == "0A000" && strings.Contains(err.Error(), "isolation level")
	if lacks {
		t.oneLevel.Store(true)
	}
	return lacks
}
