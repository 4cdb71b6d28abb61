package sequence

import (
	"sync"
	"time"
)

// A Trip is what an observer learns about one draw from the store.
type Trip struct {
	Key     string
	Numbers int64           // how many were drawn, 0 if the trip failed or goes on
	Waits   []time.Duration // how long each caller who was served waited for its number
	Waiting int             // how many callers wait for a trip that goes on, 0 when it is over
	Took    time.Duration   // including retries
	Retries int             // how many draws failed and were made again. Each may leave a gap
	Dropped int64           // how many unused numbers were dropped since the last Trip
	Lost    int64           // how far the store had gone back, such as to a backup. The draw jumped over it
	Lead    time.Duration   // how far stamps are ahead of the store's clock, 0 for numbers
	Warning string          // what makes draws slow and can be mended, such as a missing right
	Err     error           // of a trip that failed, or the last failure of one that goes on
}

// waitTold is how often the observer hears of a trip that goes on.
const waitTold = 3 * time.Second

// observing calls an observer with one Trip after the other, on a goroutine that lives
// while there are any. So the observer may draw, and nobody waits for it.
type observing struct {
	observer func(Trip)

	mu      sync.Mutex
	trips   []Trip
	running bool
}

// mostTrips is how many trips wait for a slow observer. Further ones are dropped.
const mostTrips = 1000

// tell has the observer called, if there is one.
func (o *observing) tell(t Trip) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.trips) < mostTrips {
		o.trips = append(o.trips, t)
	}
	if !o.running {
		o.running = true
		go o.run()
	}
}

func (o *observing) run() {
	for {
		o.mu.Lock()
		if len(o.trips) == 0 {
			o.running = false
			o.mu.Unlock()
			return
		}
		t := o.trips[0]
		o.trips = o.trips[1:]
		o.mu.Unlock()
		o.call(t)
	}
}

// call calls the observer. Its panic ends the goroutine that o.run runs on no more than
// its return does, and so hurts no caller.
func (o *observing) call(t Trip) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { recover() }()
		o.observer(t)
	}()
	<-done
}
