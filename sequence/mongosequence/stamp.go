package mongosequence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/sequence"
)

// TakeStamps implements [sequence.StampStore]. MongoDB can't put its own clock, to the
// microsecond, into a number. So the time is d.Now, after a look at the server's clock.
// If d.Now is ahead of it by more than d.MaxLead, TakeStamps returns
// [sequence.ErrClockLead] and draws nothing.
func (s *Store) TakeStamps(ctx context.Context, key string, d sequence.StampDraw) (sequence.Stamps, error) {
	stamps, err := s.takeStamps(own(ctx), key, d)
	if err != nil {
		return sequence.Stamps{}, failed(ctx, fmt.Sprintf("TakeStamps(%s, %d)", sequence.QuoteKey(key), d.N), err)
	}
	return stamps, nil
}

func (s *Store) takeStamps(ctx context.Context, key string, d sequence.StampDraw) (sequence.Stamps, error) {
	if err := errors.Join(sequence.CheckKey(key), d.Validate()); err != nil {
		return sequence.Stamps{}, err
	}
	if err := s.checkLead(ctx, d.CheckLead); err != nil {
		return sequence.Stamps{}, err
	}
	start, err := d.Start()
	if err != nil {
		return sequence.Stamps{}, err
	}
	if d.N > math.MaxInt64-start {
		return sequence.Stamps{}, sequence.ErrExhausted
	}
	if _, err := d.Drawn(start+d.N-1, start); err != nil { // more than the lead allows at once
		return sequence.Stamps{}, err
	}
	last, err := s.moveStamp(ctx, key, d, start)
	if errors.Is(err, mongo.ErrNoDocuments) { // or the key's first stamps
		if err := s.settle(ctx, key, d); err != nil {
			return sequence.Stamps{}, err
		}
		last, err = s.moveStamp(ctx, key, d, start)
	}
	if errors.Is(err, mongo.ErrNoDocuments) {
		return sequence.Stamps{}, s.stampRefused(ctx, key, d)
	}
	if err != nil {
		return sequence.Stamps{}, err
	}
	return d.Drawn(last, start)
}

// moveStamp sets stamp to max(stamp + n, start + n - 1). It takes one step if the clock
// has passed the last stamp, and otherwise two. Each is atomic, and right whatever
// others do between them. The first moves stamp only from below start, and the second
// adds n. Both give the n stamps up to the new one, all greater than the old.
func (s *Store) moveStamp(ctx context.Context, key string, d sequence.StampDraw, start int64) (int64, error) {
	filter := bson.D{
		{Key: "_id", Value: key},
		{Key: "width", Value: d.Width}, {Key: "tick", Value: d.Tick.Microseconds()},
		{Key: "stamp", Value: bson.D{{Key: "$lt", Value: start}, isInteger[0]}},
	}
	raw, err := s.coll.update(ctx, filter, bson.D{{Key: "$set", Value: bson.D{{Key: "stamp", Value: start + d.N - 1}}}})
	if errors.Is(err, mongo.ErrNoDocuments) {
		// Not from 0, because a key that was made since the first try begins there.
		filter[3].Value = between(start, s.mostStamp(d, start)-d.N)
		raw, err = s.coll.update(ctx, filter, bson.D{{Key: "$inc", Value: bson.D{{Key: "stamp", Value: d.N}}}})
	}
	if err != nil {
		return 0, err
	}
	return integer(raw, "stamp")
}

// mostStamp returns the last stamp that d allows.
func (s *Store) mostStamp(d sequence.StampDraw, start int64) int64 {
	if d.MaxStampLead <= 0 {
		return math.MaxInt64
	}
	ticks := int64(d.MaxStampLead/d.Tick) + 1
	if ticks > (math.MaxInt64-start)/d.Width {
		return math.MaxInt64
	}
	return start + ticks*d.Width - 1
}

// settle sets the width and the tick of a key that has no stamps.
func (s *Store) settle(ctx context.Context, key string, d sequence.StampDraw) error {
	_, err := s.coll.update(ctx,
		bson.D{{Key: "_id", Value: key}, {Key: "stamp", Value: bson.D{{Key: "$exists", Value: false}}},
			{Key: "numbering", Value: bson.D{{Key: "$exists", Value: false}}}},
		bson.D{{Key: "$set", Value: bson.D{
			{Key: "stamp", Value: int64(0)}, {Key: "width", Value: d.Width}, {Key: "tick", Value: d.Tick.Microseconds()},
		}}})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil // it has some, or isn't there
	}
	return err
}

// stampRefused returns why no stamps were drawn.
func (s *Store) stampRefused(ctx context.Context, key string, d sequence.StampDraw) error {
	have, err := s.state(ctx, key)
	if err != nil {
		return err
	}
	if have.Numbering != "" {
		return have.Accepts(sequence.Plan{})
	}
	if have.Width != d.Width || have.Tick != d.Tick {
		return d.Conflict(have.Width, have.Tick)
	}
	lead := have.Stamp.Tick.Sub(d.Now)
	if d.MaxStampLead > 0 && lead > d.MaxStampLead-d.Tick {
		return fmt.Errorf("%w: the stamps, at %v, are ahead of it by more than %v", sequence.ErrClockLead, have.Stamp.Tick, d.MaxStampLead)
	}
	return fmt.Errorf("%w: the last stamp is at %v", sequence.ErrExhausted, have.Stamp.Tick)
}

// TakeNumbers implements [sequence.NumberingStore]. A key is a document {_id, numbering,
// x}, with the kind and the count. d.Now is compared with the server's clock.
func (s *Store) TakeNumbers(ctx context.Context, key string, d sequence.NumberDraw) (int64, error) {
	x, err := s.takeNumbers(own(ctx), key, d)
	if err != nil {
		return 0, failed(ctx, fmt.Sprintf("TakeNumbers(%s, %d)", sequence.QuoteKey(key), d.N), err)
	}
	return x, nil
}

func (s *Store) takeNumbers(ctx context.Context, key string, d sequence.NumberDraw) (int64, error) {
	if err := errors.Join(sequence.CheckKey(key), d.Validate()); err != nil {
		return 0, err
	}
	if err := s.checkLead(ctx, d.CheckLead); err != nil {
		return 0, err
	}
	x, err := s.moveNumbers(ctx, key, d)
	if !errors.Is(err, mongo.ErrNoDocuments) {
		return x, err
	}
	_, err = s.coll.InsertOne(ctx, bson.D{{Key: "_id", Value: key}, {Key: "numbering", Value: d.Kind}, {Key: "x", Value: int64(0)}})
	if err != nil && !mongo.IsDuplicateKeyError(err) {
		return 0, err
	}
	if x, err = s.moveNumbers(ctx, key, d); !errors.Is(err, mongo.ErrNoDocuments) {
		return x, err
	}
	raw, err := s.coll.find(ctx, key)
	if err != nil {
		return 0, err
	}
	kind, _ := raw.Lookup("numbering").StringValueOK()
	if err := d.CheckKind(kind); err != nil {
		return 0, err
	}
	_, err = integer(raw, "x")
	return 0, errors.Join(err, sequence.ErrExhausted)
}

// moveNumbers sets x to max(x, floor) + n, in the same way as moveStamp.
func (s *Store) moveNumbers(ctx context.Context, key string, d sequence.NumberDraw) (int64, error) {
	filter := bson.D{
		{Key: "_id", Value: key}, {Key: "numbering", Value: d.Kind},
		{Key: "x", Value: bson.D{{Key: "$lt", Value: d.Floor}, isInteger[0]}},
	}
	raw, err := s.coll.update(ctx, filter, bson.D{{Key: "$set", Value: bson.D{{Key: "x", Value: d.Floor + d.N}}}})
	if errors.Is(err, mongo.ErrNoDocuments) {
		// Not from 0, because a key that was made since the first try begins there.
		filter[2].Value = between(d.Floor, math.MaxInt64-d.N)
		raw, err = s.coll.update(ctx, filter, bson.D{{Key: "$inc", Value: bson.D{{Key: "x", Value: d.N}}}})
	}
	if err != nil {
		return 0, err
	}
	return integer(raw, "x")
}

// A serverClock is the last reading of the server's clock. The time since then is
// measured by the monotonic clock of this machine, which no change of the wall clock
// moves.
type serverClock struct {
	showed time.Time
	asked  time.Time
}

// lookEvery is how old a look at the server's clock may be.
const lookEvery = time.Minute

// checkLead calls check with the server's time. It asks the server about once a minute,
// and again before it returns an error.
func (s *Store) checkLead(ctx context.Context, check func(server time.Time) error) error {
	s.mu.Lock()
	c := s.server
	s.mu.Unlock()
	if age := time.Since(c.asked); !c.asked.IsZero() && age < lookEvery && check(c.showed.Add(age)) == nil {
		return nil
	}
	// The time of the answer isn't counted. So the computed clock lags by that much at
	// most.
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
	return check(c.showed)
}
