package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

// onSnapshot measures draws before, while and after a transaction of another session
// holds an old snapshot. PostgreSQL runs without fsync, because the disk would hide most
// of the difference. The draws per second are those of the median draw.
func onSnapshot(ctx context.Context) error {
	server, err := postgres.Run()
	if err != nil {
		return err
	}
	defer server.Close()
	pool, err := pgxpool.New(ctx, server.DSN)
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, statement := range []string{"ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"} {
		if _, err := pool.Exec(ctx, statement); err != nil {
			return err
		}
	}
	store := pgsequence.New(pool, "sequences")
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	seq := sequence.New(store, "k", cycling)
	// draw returns the time of a draw in the middle of n of them.
	draw := func(n int) (median time.Duration, err error) {
		took := make([]time.Duration, n)
		for i := range took {
			begin := time.Now()
			if _, err := seq.Next(ctx); err != nil {
				return 0, err
			}
			took[i] = time.Since(begin)
		}
		slices.Sort(took)
		return took[n/2], nil
	}
	if _, err := draw(500); err != nil { // connect
		return err
	}
	fmt.Printf("\nPostgreSQL without fsync: one caller, while another session holds a snapshot\n")
	head("draws since the snapshot", "draws per second", "milliseconds, p50", "database pages of the table")
	const sample = 500
	line := func(name string) error {
		var pages int
		if err := pool.QueryRow(ctx, "SELECT pg_relation_size('sequences') / current_setting('block_size')::bigint").Scan(&pages); err != nil {
			return err
		}
		p50, err := draw(sample)
		if err != nil {
			return err
		}
		row(name, count(1/p50.Seconds()), fmt.Sprintf("%.2f", ms(p50)), fmt.Sprint(pages))
		return nil
	}
	if err := line("no snapshot"); err != nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "SELECT count(*) FROM sequences"); err != nil {
		return err
	}
	made := 0
	for _, draws := range []int{1000, 5000, 10000, 20000, 40000} {
		if _, err := draw(draws - made); err != nil {
			return err
		}
		if err := line(count(float64(draws))); err != nil {
			return err
		}
		made = draws + sample
	}
	if err := tx.Rollback(ctx); err != nil {
		return err
	}
	if _, err := draw(sample); err != nil { // removes the old versions
		return err
	}
	return line("its transaction ended")
}
