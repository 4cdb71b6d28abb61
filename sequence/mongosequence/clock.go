package mongosequence

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	"github.com/oidkit/oidkit/sequence/driver"
)

// A clock is the last reading of the server's clock. The time since then is measured by
// the monotonic clock of this machine, which no change of the wall clock moves.
type clock struct {
	mu     sync.Mutex
	showed time.Time
	asked  time.Time
}

// lookEvery is how old a reading may be.
const lookEvery = time.Minute

// now returns the time of the server's clock, from a reading that is at most maxAge old.
// MongoDB can't put its clock into a number. The server's clock shows the millisecond, and
// the way of the answer isn't counted. So now is behind it by that much.
func (c collection) now(ctx context.Context, maxAge time.Duration) (time.Time, error) {
	c.clock.mu.Lock()
	showed, asked := c.clock.showed, c.clock.asked
	c.clock.mu.Unlock()
	if age := time.Since(asked); !asked.IsZero() && age < maxAge {
		return showed.Add(age), nil
	}
	var hello struct {
		LocalTime time.Time `bson:"localTime"`
	}
	err := c.Database().RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}, options.RunCmd().SetReadPreference(readpref.Primary())).Decode(&hello)
	if err != nil {
		return time.Time{}, err
	}
	if hello.LocalTime.IsZero() {
		return time.Time{}, errors.New("the server's answer to hello has no localTime")
	}
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	c.clock.showed, c.clock.asked = hello.LocalTime, time.Now()
	return hello.LocalTime, nil
}

// atTime returns d with the floor and the most that its clock sets when the server's clock
// shows now. allowed is false if no step is possible then.
func atTime(d driver.Draw, now time.Time) (at driver.Draw, allowed bool) {
	at, c := d, d.Clock
	at.Floor = c.Floor(d.Floor, now)
	if at.Floor > d.Most-d.N || !c.Allows(at.Floor+d.N, now) {
		return at, false
	}
	if c.Width > 0 && c.MaxAhead >= 0 {
		tick, ticks := c.Floor(0, now)+1, int64(c.MaxAhead/c.Tick)+1 // the first x of the tick that runs
		if ticks <= (math.MaxInt64-tick)/c.Width {
			at.Most = min(d.Most, tick+ticks*c.Width-1)
		}
	}
	return at, true
}
