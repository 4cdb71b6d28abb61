package sequence_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oidkit/oidkit/sequence"
)

// TestObserverHearsOfATransactionThatLosesConflicts has the server take a transaction back
// for more than three seconds.
func TestObserverHearsOfATransactionThatLosesConflicts(t *testing.T) {
	t.Parallel()
	for kind, conflict := range map[string]error{
		"sqlite":   errors.New("Error 3101 (40000): Plugin instructed the server to rollback the current transaction."),
		"postgres": &pgconn.PgError{SeverityUnlocalized: "ERROR", Code: "40001"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := shared[kind](t).store(t)
			if err := s.migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			heard := make(chan sequence.Trip, 1000)
			numbers := sequence.New(s, "k", cycling(99), sequence.WithGapFree(), sequence.WithObserver(func(trip sequence.Trip) {
				if trip.Waiting > 0 {
					heard <- trip
				}
			}))
			begin, runs, ended, shortest := time.Now(), 0, time.Now(), time.Hour
			var got sequence.Number
			err := s.inTx(t.Context(), func(tx sequence.Store, _ func(string) error) (err error) {
				if runs++; runs > 9 {
					shortest = min(shortest, time.Since(ended))
				}
				got, err = numbers.NextIn(t.Context(), tx)
				ended = time.Now()
				if err == nil && (ended.Sub(begin) < 4*time.Second || runs < 12) {
					return conflict
				}
				return err
			})
			if err != nil || got.Ordinal != 1 {
				t.Errorf("InTx() = %v with the ordinal %d, want 1", err, got.Ordinal)
			}
			if shortest > 450*time.Millisecond { // pauses are at most 100 ms, and otherwise a second
				t.Errorf("the transaction ran %d times in %v, and paused for at least %v from the ninth on", runs, time.Since(begin), shortest)
			}
			trip := <-heard
			if trip.Key != "k" || trip.Waiting != 1 || trip.Took < 3*time.Second || trip.Retries < 5 || trip.Retries >= runs || trip.Err != conflict || len(heard) > 0 {
				t.Errorf("the observer heard %+v and %d more, want one of a wait of three seconds because of %v", trip, len(heard), conflict)
			}
		})
	}
}
