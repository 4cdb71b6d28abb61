package mongosequence

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/sequence"
)

// TakeStamps implements [sequence.StampStore]. MongoDB can't put its own clock,
// to the microsecond, into a number, so the time is d.Now, after a look at the
// server's clock: if d.Now is ahead of it by more than d.MaxLead, TakeStamps
// returns [sequence.ErrClockLead] and draws nothing.
func (s *Store) TakeStamps(ctx context.Context, key string, d sequence.StampDraw) (last int64, err error) {
	ctx = own(ctx)
	var start int64
	if err = d.Validate(); err == nil {
		err = s.checkLead(ctx, d)
	}
	if err == nil {
		start, err = d.Start()
	}
	if err == nil {
		last, err = s.takeStamps(ctx, key, d, start)
	}
	if errors.Is(err, mongo.ErrNoDocuments) { // or the key's first stamps
		if err = s.settle(ctx, key, d); err == nil {
			last, err = s.takeStamps(ctx, key, d, start)
		}
	}
	if err != nil {
		return 0, failed(fmt.Sprintf("TakeStamps(%q, %d)", key, d.N), err)
	}
	return last, nil
}

// takeStamps makes max(stamp + n, start + n - 1) of stamp, in one step where the
// clock has passed the last stamp, and else in two. Each is atomic, and right
// whatever others do between them: the first moves stamp only from below start,
// the second adds n, and both give the n stamps up to the new one, all greater
// than the old.
func (s *Store) takeStamps(ctx context.Context, key string, d sequence.StampDraw, start int64) (int64, error) {
	filter := bson.D{
		{Key: "_id", Value: key},
		{Key: "width", Value: d.Width}, {Key: "tick", Value: d.Tick.Microseconds()},
		{Key: "stamp", Value: bson.D{{Key: "$lt", Value: start}, counted[0]}},
	}
	raw, err := s.update(ctx, filter, bson.D{{Key: "$set", Value: bson.D{{Key: "stamp", Value: start + d.N - 1}}}})
	if errors.Is(err, mongo.ErrNoDocuments) {
		filter[3].Value = counted
		raw, err = s.update(ctx, filter, bson.D{{Key: "$inc", Value: bson.D{{Key: "stamp", Value: d.N}}}})
		if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
			err = s.explain(ctx, key, "stamp", d.N, err)
		}
	}
	if err != nil {
		return 0, err
	}
	return integer(raw, "stamp")
}

// settle gives a key that has no stamps their width and tick. If it has some,
// settle says what is wrong with them.
func (s *Store) settle(ctx context.Context, key string, d sequence.StampDraw) error {
	_, err := s.update(ctx,
		bson.D{{Key: "_id", Value: key}, {Key: "stamp", Value: bson.D{{Key: "$exists", Value: false}}}},
		bson.D{{Key: "$set", Value: bson.D{
			{Key: "stamp", Value: int64(0)}, {Key: "width", Value: d.Width}, {Key: "tick", Value: d.Tick.Microseconds()},
		}}})
	if !errors.Is(err, mongo.ErrNoDocuments) {
		return err
	}
	raw, err := s.find(ctx, key)
	if err != nil {
		return err
	}
	width, err := integer(raw, "width")
	if err != nil {
		return err
	}
	tick, err := integer(raw, "tick")
	if err != nil {
		return err
	}
	if _, err := integer(raw, "stamp"); err != nil {
		return err
	}
	if width != d.Width || tick != d.Tick.Microseconds() {
		return d.Conflict(width, time.Duration(tick)*time.Microsecond)
	}
	return nil // another program has settled the same
}

// A serverClock is what is known of the server's clock: what it showed, and when.
// From there on it is reckoned with the monotonic clock of this machine, which no
// change of the wall clock moves.
type serverClock struct {
	showed time.Time
	asked  time.Time
}

// lookEvery is how old a look at the server's clock may be.
const lookEvery = time.Minute

// checkLead returns ErrClockLead if d.Now is too far ahead of the server's clock.
// It asks the server about once a minute, and again before it refuses.
func (s *Store) checkLead(ctx context.Context, d sequence.StampDraw) error {
	s.mu.Lock()
	c := s.server
	s.mu.Unlock()
	if age := time.Since(c.asked); !c.asked.IsZero() && age < lookEvery && d.CheckLead(c.showed.Add(age)) == nil {
		return nil
	}
	// Of the time that the answer takes, nothing is counted: the clock that
	// is reckoned lags by that much at most.
	var hello struct {
		LocalTime time.Time `bson:"localTime"`
	}
	err := s.coll.Database().RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello)
	if err != nil {
		return err
	}
	c = serverClock{showed: hello.LocalTime, asked: time.Now()}
	s.mu.Lock()
	s.server = c
	s.mu.Unlock()
	return d.CheckLead(c.showed)
}
