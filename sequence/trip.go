package sequence

import (
	"cmp"
	"log/slog"
	"sync"
	"time"
)

// A Trip describes one trip to the store. The package passes a Trip to the function
// of [WithObserver].
type Trip struct {
	Key     string
	Numbers int64           // how many numbers were drawn, 0 if the trip failed or is not over
	Waits   []time.Duration // how long each caller who got a number waited for it
	Waiting int             // how many callers wait while the trip is not over, 0 after the trip
	Took    time.Duration   // how long the trip took, including retries

	// Retries is how many failed draws were retried, or 0 if the trip is not over. Each
	// retry may leave a gap. For NextIn and TakeIn, Retries is 0, with one exception. While
	// InTx of pgsequence or sqlsequence runs a transaction again and again, its draws make a
	// Trip with Waiting 1 every few seconds. The Retries of this Trip is how often InTx has run
	// the transaction again.
	Retries int

	Dropped int64 // how many unused numbers were dropped since the last Trip

	// Lost is how far the count of the store was behind what this program had seen, for
	// example because a backup was restored. The draw skipped these numbers. For stamps, and
	// if the count of a Numbering went back to an earlier period, Lost is much greater than
	// the number of lost stamps or numbers, because these counts contain the time. Lost is
	// always 0 for NextIn and TakeIn, for stamps on MySQL and MariaDB, and for the store of
	// mongosequence.NewLegacy.
	Lost int64

	// Lead is how far stamps are ahead of the store's clock. On MySQL and MariaDB, Lead is
	// how far stamps are ahead of this machine's clock.
	Lead time.Duration

	Warning string // what makes draws slow and can be fixed, such as a missing right
	Err     error  // the error of a failed trip, or the last one of a trip that is not over
}

// waitTold is the time between two Trips about the same trip, which is not over yet.
const waitTold = 3 * time.Second

// observing calls an observer with one Trip after the other, on goroutines that live
// while there are any. So the observer may draw, and nobody waits for it.
type observing struct {
	observe func(Trip) // nil for one that logs

	mu     sync.Mutex
	trips  []Trip // the first one is with the observer
	warned string // the last warning that was logged
}

// mostTrips is how many Trips can wait for a slow observer. Further Trips are dropped.
const mostTrips = 1000

// tell has the observer called.
func (o *observing) tell(t Trip) {
	if o.observe == nil && t.Waiting == 0 && t.Lost == 0 && t.Warning == "" {
		return // nothing to log
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.trips) > mostTrips {
		return
	}
	if o.trips = append(o.trips, t); len(o.trips) == 1 {
		go o.hear(t)
	}
}

// hear calls the observer with t, which is the first trip, and has itself called for the next
// one. The observer may panic or end the goroutine.
func (o *observing) hear(t Trip) {
	defer func() {
		recover()
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.trips = o.trips[1:]; len(o.trips) > 0 {
			go o.hear(o.trips[0])
		}
	}()
	if o.observe != nil {
		o.observe(t)
	} else {
		o.log(t)
	}
}

// log is the observer where the program has none.
func (o *observing) log(t Trip) {
	switch {
	case t.Waiting > 0:
		slog.Warn("sequence: callers wait for the store", "key", t.Key, "callers", t.Waiting, "for", t.Took.Round(time.Millisecond), "error", cmp.Or[any](t.Err, "none yet"))
	case t.Lost > 0:
		slog.Warn("sequence: the store went back to an older state, and this program skipped the numbers that the store lost", "key", t.Key, "lost", t.Lost)
	case t.Warning != o.warned:
		o.warned = t.Warning
		slog.Warn("sequence: draws are slow", "key", t.Key, "reason", t.Warning)
	}
}
