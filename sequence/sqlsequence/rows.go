package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// InTx implements [driver.Driver].
func (t *table) InTx() bool { return t.inTx }

// Transient implements [driver.Driver].
func (t *table) Transient(err error) bool { return transient.Transient(err) }

// Read implements [driver.Driver].
func (t *table) Read(ctx context.Context, key string) (r driver.Row, ok bool, err error) {
	name := "read"
	if t.inTx {
		name = "lock"
	}
	r, err = run(ctx, t, limit, func(ctx context.Context, q querier) (driver.Row, error) {
		query, args := t.statement(q, name, key)
		return t.scanRow(q.QueryRowContext(ctx, query, args...))
	})
	if errors.Is(err, sql.ErrNoRows) {
		return driver.Row{}, false, nil
	}
	return r, err == nil, err
}

// List implements [driver.Driver].
func (t *table) List(ctx context.Context) ([]driver.Row, error) {
	return run(ctx, t, limit, func(ctx context.Context, q querier) (all []driver.Row, err error) {
		conn, ok := q.(*sql.Conn)
		if !ok {
			return nil, errors.New("the list of all keys isn't for a transaction")
		}
		rows, err := conn.QueryContext(ctx, t.sql["list"])
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			r, err := t.scanRow(rows)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
		return all, rows.Err()
	})
}

// scanRow reads a row of the statements read, lock and list.
func (t *table) scanRow(row interface{ Scan(...any) error }) (r driver.Row, err error) {
	var micro sql.NullInt64
	var problem sql.NullString
	err = row.Scan(&r.Key, &r.Meaning, &r.Base, &r.X, &r.Version, &micro, &problem)
	if micro.Valid {
		r.Now = time.UnixMicro(micro.Int64)
	}
	if problem.Valid {
		err = fmt.Errorf("table %s %s", t.name, problem.String)
	}
	return r, err
}

// Put implements [driver.Driver].
func (t *table) Put(ctx context.Context, r driver.Row, was int64) (bool, error) {
	name, args := "insert", []any{r.Key, r.Meaning, r.Base, r.Version}
	if was != 0 {
		name, args = "update", []any{r.Meaning, r.Base, r.Version, r.Key, was}
	}
	n, err := run(ctx, t, limit, func(ctx context.Context, q querier) (int64, error) {
		query, args := t.statement(q, name, args...)
		res, err := q.ExecContext(ctx, query, args...)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	})
	return n == 1, err
}

// Draw implements [driver.Driver].
func (t *table) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	s, err := run(ctx, t, d.Limit, func(ctx context.Context, q querier) (*driver.Step, error) {
		switch t.dialect {
		case MySQL:
			return t.drawMySQL(ctx, q, d)
		case SQLite: // the clock is this machine's, so what it allows is known before
			d := d.At(time.Time{})
			d.Clock = nil
			return t.step(ctx, q, d, false)
		}
		return t.drawPostgres(ctx, q, d)
	})
	if s == nil || err != nil {
		return driver.Step{}, false, err
	}
	return *s, true, nil
}
