//go:build unix

package pgsequence_test

import (
	"context"
	"sync"
	"syscall"
	"testing"
	"time"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
)

// TestFailoverToASynchronousStandbyRepeatsNothing has programs draw together, kills the
// primary and goes on with the standby. The sessions have synchronous_commit at local.
// PostgreSQL itself would then not wait for the standby.
func TestFailoverToASynchronousStandbyRepeatsNothing(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	pool := newPool(t, server.DSN)
	if err := newStore(t, pool).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := server.Restart(); err != nil { // or skip, where the server isn't ours
		t.Fatal(err)
	}
	standby := pgserver.StartStandby(t, server.DSN)
	pool = newPool(t, server.DSN)
	execute(t, pool, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	execute(t, pool, "SELECT pg_reload_conf()")
	until(t, func() bool {
		var state string
		scan(t, pool, "SELECT coalesce(max(sync_state), '') FROM pg_stat_replication", &state)
		return state == "sync"
	})

	plan := sequence.Plan{First: 1, Last: 99, Cycle: true}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := newRegister()
	var wg sync.WaitGroup
	for range 8 {
		own := newStore(t, newPool(t, server.DSN, parameter("synchronous_commit", "local")))
		numbers, stamper := sequence.New(own, "numbers", plan), sequence.NewStamper(own, "stamps")
		for range 2 {
			wg.Go(func() {
				for n, err := numbers.Next(ctx); err == nil; n, err = numbers.Next(ctx) {
					got.number(t, n.Ordinal)
				}
			})
		}
		wg.Go(func() {
			for st, err := stamper.Next(ctx); err == nil; st, err = stamper.Next(ctx) {
				got.stamp(t, st)
			}
		})
	}
	until(t, func() bool { return got.drawn() > 2000 })
	// The standby stops listening. A number that a caller gets now came too early.
	replica := newPool(t, standby)
	var receiver int
	scan(t, replica, "SELECT pid FROM pg_stat_wal_receiver", &receiver)
	if err := syscall.Kill(receiver, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(receiver, syscall.SIGCONT)
	for stopped, begin := got.drawn(), time.Now(); got.drawn() < stopped+1000 && time.Since(begin) < time.Second; {
		time.Sleep(time.Millisecond)
	}
	server.Kill()
	syscall.Kill(receiver, syscall.SIGCONT)
	cancel()
	wg.Wait()

	execute(t, replica, "SELECT pg_promote(false)")
	until(t, func() bool { // the replay may cancel the query
		var replaying bool
		err := replica.QueryRow(t.Context(), "SELECT pg_is_in_recovery()").Scan(&replaying)
		return err == nil && !replaying
	})
	s := newStore(t, replica)
	numbers, stamper := sequence.New(s, "numbers", plan), sequence.NewStamper(s, "stamps")
	for range 500 {
		n, err := numbers.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got.number(t, n.Ordinal)
	}
	st, err := stamper.Next(t.Context())
	if err != nil || st.Compare(got.newest) <= 0 {
		t.Errorf("stamp %v after %v, %v", st, got.newest, err)
	}
	t.Logf("%d numbers", got.drawn())
}
