package pgsequence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// TestMemoryForKeysIsBounded has a store see more keys than it remembers.
func TestMemoryForKeysIsBounded(t *testing.T) {
	s := new(Store)
	for i := range 3*mostKeys + 1 {
		s.remember(fmt.Sprint(i), 1)
		if n := len(s.others); n != i%mostKeys+1 {
			t.Fatalf("after %d keys, the store remembers %d", i+1, n)
		}
	}
}

// TestOwnPoolSendsNoNamedStatements has a pool of each mode of pgx. Nobody connects.
func TestOwnPoolSendsNoNamedStatements(t *testing.T) {
	for mode, want := range map[pgx.QueryExecMode]pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement: pgx.QueryExecModeExec,
		pgx.QueryExecModeCacheDescribe:  pgx.QueryExecModeExec,
		pgx.QueryExecModeDescribeExec:   pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec:           pgx.QueryExecModeExec,
		pgx.QueryExecModeSimpleProtocol: pgx.QueryExecModeSimpleProtocol,
	} {
		cfg, err := pgxpool.ParseConfig("host=127.0.0.1 port=1")
		if err != nil {
			t.Fatal(err)
		}
		cfg.ConnConfig.DefaultQueryExecMode = mode
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		s := New(pool, "t")
		own, err := s.pool()
		if err != nil {
			t.Fatal(err)
		}
		if got := own.Config().ConnConfig.DefaultQueryExecMode; got != want {
			t.Errorf("a pool of mode %v is used in mode %v, want %v", mode, got, want)
		}
		s.Close()
		if err := own.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "closed pool") {
			t.Errorf("after Close, the pool of the store's own: %v", err)
		}
	}
}

func TestClosedStoreDrawsNothing(t *testing.T) {
	s := New(nil, "t")
	s.Close()
	_, flushErr := s.tryFlush(t.Context())
	for _, err := range []error{flushErr, s.drawEarly(t.Context(), draw{}, nil, nil)} {
		if err == nil || err.Error() != "the store is closed" {
			t.Errorf("got %v, want that the store is closed", err)
		}
	}
}
