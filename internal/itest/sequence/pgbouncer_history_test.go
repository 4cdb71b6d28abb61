package sequence_test

import (
	"testing"
	"time"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
)

// bouncerModes are pgx's modes for a pgbouncer in transaction mode that keeps no named
// statements.
var bouncerModes = []string{"cache_describe", "exec", "simple_protocol"}

// TestNoNumberComesTwiceThroughPgbouncer kills the server behind it. pgbouncer then waits
// for 15 s before it connects again.
func TestNoNumberComesTwiceThroughPgbouncer(t *testing.T) {
	parallel(t)
	for _, mode := range pick(bouncerModes[1:2], bouncerModes) {
		for _, store := range []string{"postgres", "sql postgres"} {
			t.Run(mode+"/"+store, func(t *testing.T) {
				parallel(t)
				server := slowFlush(t)
				direct := place{Kind: store, URI: server.DSN}
				if err := direct.store(t).migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				p := place{Kind: store, URI: pgserver.StartBouncer(t, server.DSN) + "&default_query_exec_mode=" + mode}
				h := begin(t, "pgbouncer, "+mode, p, 4, pick(4, 16), nil)
				h.suffer(t, pick(0, 1), pick(300, 10_000), func(int) error { return server.Restart() })
				h.clean(t)
			})
		}
	}
}

// TestLedgerHasNoGapThroughPgbouncer draws in transactions in each mode that works. In
// pgx's default mode, statements fail that have nothing to do with sequences too.
func TestLedgerHasNoGapThroughPgbouncer(t *testing.T) {
	parallel(t)
	fill := func(t *testing.T, store, mode string, rows int) (*ledger, time.Time) {
		direct := place{Kind: store, URI: pgserver.Database(t)}
		if err := direct.store(t).migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		execute(t, direct.db(t), ledgerTable)
		p := place{Kind: store, URI: pgserver.StartBouncer(t, direct.URI) + "&default_query_exec_mode=" + mode}
		l, begun := &ledger{place: p, programs: 4, callers: 2}, time.Now()
		if mode == "cache_statement" {
			l.fill(t, 0, func(func() int) {
				for end := time.Now().Add(time.Minute); l.failed.Load() == 0 && time.Now().Before(end); {
					time.Sleep(time.Millisecond)
				}
			})
		} else {
			l.fill(t, rows, nil)
		}
		l.place = direct
		return l, begun
	}
	for _, store := range []string{"postgres", "sql postgres"} {
		for _, mode := range bouncerModes {
			t.Run(mode+"/"+store, func(t *testing.T) {
				parallel(t)
				l, begun := fill(t, store, mode, pick(100, 5000))
				l.check(t, "ledger: pgbouncer, "+mode, store, 0, begun)
			})
		}
	}
	t.Run("cache_statement", func(t *testing.T) {
		parallel(t)
		if l, _ := fill(t, "postgres", "cache_statement", 0); l.failed.Load() == 0 {
			t.Error("pgx's default mode works: say so in the documents")
		}
	})
}
