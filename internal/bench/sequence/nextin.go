package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// onNextIn compares transactions that draw with NextIn and ones whose statement is the
// UPDATE … RETURNING of one row that people write by hand, by 1 writer and by 16.
func onNextIn(ctx context.Context) error {
	err := eachMySQL(func(e *mysqlserver.Engine, dsn string) error {
		if err := nextInSQL(ctx, e.String()+", `sqlsequence`", "mysql", dsn, sqlsequence.MySQL); err != nil || e != mysqlserver.MariaDB {
			return err
		}
		return nextInSnapshots(ctx, dsn)
	})
	if err != nil {
		return err
	}
	pg, err := postgres.Run()
	if err != nil {
		return err
	}
	defer pg.Close()
	if err := nextInSQL(ctx, "PostgreSQL, `sqlsequence` with pgx", "pgx", pg.DSN, sqlsequence.PostgreSQL); err != nil {
		return err
	}
	if err := nextInPgx(ctx, "PostgreSQL, `pgsequence`", pg.DSN); err != nil {
		return err
	}
	fmt.Println("\nTransactions per second with NextIn, divided by those with UPDATE … RETURNING, or as the row says:")
	head("store", "1 writer", "16 writers")
	for _, cells := range nextInRows {
		row(cells...)
	}
	return nil
}

// nextInRows are the rows of the table that onNextIn prints in the end.
var nextInRows [][]string

const (
	plainTable = "CREATE TABLE IF NOT EXISTS plain (k int PRIMARY KEY, x bigint)"
	plainRow   = "INSERT INTO plain SELECT 1, 0 WHERE NOT EXISTS (SELECT * FROM plain)"

	// What people write by hand, without RETURNING on MySQL.
	byHand      = "UPDATE plain SET x = x + 1 WHERE k = 1 RETURNING x"
	byHandMySQL = "UPDATE plain SET x = LAST_INSERT_ID(x + 1) WHERE k = 1"
)

func nextInSQL(ctx context.Context, title, driver, dsn string, d sqlsequence.Dialect) error {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxIdleConns(16)
	store := sqlsequence.New(db, "positions", d)
	_, table := db.ExecContext(ctx, plainTable)
	_, row := db.ExecContext(ctx, plainRow)
	if err := errors.Join(table, row, store.Migrate(ctx)); err != nil {
		return err
	}
	positions := sequence.New(store, "k", cycling, sequence.WithGapFree())
	in := func(draw func(context.Context, *sql.Tx) error) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error {
			tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
			if err == nil {
				err = draw(ctx, tx)
			}
			if err == nil {
				err = tx.Commit()
			}
			return err
		}
	}
	return nextInTurns(ctx, title, in(func(ctx context.Context, tx *sql.Tx) error {
		var x int64
		if d != sqlsequence.MySQL {
			return tx.QueryRowContext(ctx, byHand).Scan(&x)
		}
		res, err := tx.ExecContext(ctx, byHandMySQL)
		if err == nil {
			_, err = res.LastInsertId()
		}
		return err
	}), in(func(ctx context.Context, tx *sql.Tx) error {
		_, err := positions.NextIn(ctx, store.Tx(tx))
		return err
	}))
}

// nextInSnapshots compares the transactions of InTx where MariaDB refuses to change a row
// that has changed since the transaction's first read, and where it doesn't. Each reads
// something before it draws. An error of a transaction ends the measurement.
func nextInSnapshots(ctx context.Context, dsn string) error {
	var kinds []method
	for _, setting := range []string{"OFF", "ON"} {
		db, err := sql.Open("mysql", dsn+"&innodb_snapshot_isolation="+setting)
		if err != nil {
			return err
		}
		defer db.Close()
		db.SetMaxIdleConns(16)
		store := sqlsequence.New(db, "positions", sqlsequence.MySQL)
		positions := sequence.New(store, "snapshots", cycling, sequence.WithGapFree())
		kinds = append(kinds, as("innodb_snapshot_isolation="+setting, func(ctx context.Context, _ int) error {
			return store.InTx(ctx, func(tx *sql.Tx) error {
				var n int
				if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM plain").Scan(&n); err != nil {
					return err
				}
				_, err := positions.NextIn(ctx, store.Tx(tx))
				return err
			})
		}))
	}
	return withWriters(ctx, "MariaDB, `InTx` with innodb_snapshot_isolation ON, divided by OFF", kinds[0], kinds[1])
}

func nextInPgx(ctx context.Context, title, dsn string) error {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return err
	}
	cfg.MaxConns = 16
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	store := pgsequence.New(pool, "positions")
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	positions := sequence.New(store, "pgx", cycling, sequence.WithGapFree())
	in := func(draw func(context.Context, pgx.Tx) error) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error {
			return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error { return draw(ctx, tx) })
		}
	}
	return nextInTurns(ctx, title, in(func(ctx context.Context, tx pgx.Tx) error {
		var x int64
		return tx.QueryRow(ctx, byHand).Scan(&x)
	}), in(func(ctx context.Context, tx pgx.Tx) error {
		_, err := positions.NextIn(ctx, store.Tx(tx))
		return err
	}))
}

// nextInTurns compares transactions that update a row and ones that draw.
func nextInTurns(ctx context.Context, title string, update, nextIn func(context.Context, int) error) error {
	return withWriters(ctx, title, as("by hand", update), as("NextIn", nextIn))
}

// withWriters compares two kinds of transactions, with 1 writer and with 16.
func withWriters(ctx context.Context, title string, of, kind method) error {
	cells := []string{title}
	for _, writers := range []int{1, 16} {
		medians, err := crowdInTurns(ctx, title, crowd{1, writers}, []method{of, kind})
		if err != nil {
			return err
		}
		cells = append(cells, fmt.Sprintf("%.2f", medians[1]))
	}
	nextInRows = append(nextInRows, cells)
	return nil
}

// as returns a method whose programs need nothing of their own.
func as(name string, draw func(context.Context, int) error) method {
	return method{name, func(context.Context, int) (func(context.Context, int) error, func(), error) {
		return draw, func() {}, nil
	}}
}
