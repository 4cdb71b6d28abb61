package pgsequence_test

import (
	"testing"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
)

// TestFlushThatEndsAfterItsAnswerIsAnError ends the session of a draw that has released the
// row, while it waits for a synchronous standby that doesn't come. By then, the server has
// written the answer to each statement. The numbers may be lost in a failover: nobody may
// get them.
func TestFlushThatEndsAfterItsAnswerIsAnError(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	pool := newPool(t, server.DSN)
	store := newStore(t, newPool(t, server.DSN, parameter("application_name", "drawer")))
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	newRow(t, store)
	drawShared(t, store)
	execute(t, pool, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
	execute(t, pool, "SELECT pg_reload_conf()")
	ended := make(chan error)
	go func() {
		var err error
		for ok := true; ok && err == nil; { // until the session has the new setting
			_, ok, err = store.Driver().Draw(t.Context(), shared)
		}
		ended <- err
	}()
	const waiting = "FROM pg_stat_activity WHERE application_name = 'drawer' AND wait_event = 'SyncRep'"
	until(t, func() (waits bool) {
		scan(t, pool, "SELECT count(*) > 0 "+waiting, &waits)
		return waits
	})
	execute(t, pool, "SELECT pg_terminate_backend(pid) "+waiting)
	if err := <-ended; err == nil || !store.Driver().Transient(err) {
		t.Errorf("%v, want a transient error", err)
	}
}
