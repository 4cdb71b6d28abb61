package mongosequence

import (
	"context"
	"errors"
	"fmt"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/sequence"
)

// counts is the layout of New. The fields of a document, all int64 but for cycle:
//
//	count       numbers drawn, ever
//	left        how many more can be drawn: a resize sets it, and every draw takes from
//	            it what it adds to count. Of a plan with cycle it begins at 2^63-1
//	first, last, cycle              the plan
//	wasFirst, wasLast, wasCycle     the plan before the last resize
//	stamp       the last stamp drawn; with it come
//	width, tick what stamps are made of, tick in microseconds
//
// The base of the plan isn't stored. It is count minus the numbers drawn in the plan,
// which follow from left. So a resize needs no compare-and-set of a field that others
// keep changing. Under load, such a loop would never end.
type counts struct{ collection }

// isInteger matches integers, so that nobody draws from a document without an integer
// count. $inc would make a count there. On a double it would stand still past 2^53, and
// numbers would repeat.
var isInteger = bson.D{{Key: "$type", Value: bson.A{"int", "long"}}}

// between matches an integer from low to high.
func between(low, high int64) bson.D {
	return bson.D{{Key: "$gte", Value: low}, {Key: "$lte", Value: high}, isInteger[0]}
}

// capacity returns the value of left when p takes effect.
func capacity(p sequence.Plan) int64 {
	if p.Cycle {
		return math.MaxInt64
	}
	return p.Size()
}

func (c counts) create(ctx context.Context, key string, p sequence.Plan) error {
	_, err := c.InsertOne(ctx, bson.D{
		{Key: "_id", Value: key}, {Key: "count", Value: int64(0)}, {Key: "left", Value: capacity(p)},
		{Key: "first", Value: p.First}, {Key: "last", Value: p.Last}, {Key: "cycle", Value: p.Cycle},
	})
	if !mongo.IsDuplicateKeyError(err) {
		return err
	}
	have, err := c.stateOf(ctx, key)
	if err != nil {
		return err
	}
	return have.Accepts(p)
}

func (c counts) take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	raw, err := c.update(ctx,
		bson.D{{Key: "_id", Value: key}, {Key: "count", Value: between(0, math.MaxInt64-n)}, {Key: "left", Value: between(n, math.MaxInt64)}},
		bson.D{{Key: "$inc", Value: bson.D{{Key: "count", Value: n}, {Key: "left", Value: -n}}}})
	if errors.Is(err, mongo.ErrNoDocuments) {
		have, err := c.stateOf(ctx, key)
		if err != nil {
			return sequence.Block{}, err
		}
		return sequence.Block{}, fmt.Errorf("%w: plan %v has %d numbers left", sequence.ErrExhausted, have.Plan, have.Left())
	}
	if err != nil {
		return sequence.Block{}, err
	}
	have, err := c.state(raw)
	if err != nil {
		return sequence.Block{}, err
	}
	return sequence.NewBlock(have.Plan, have.Base, have.Last, n)
}

// stateOf returns the state of a sequence.
func (c counts) stateOf(ctx context.Context, key string) (sequence.State, error) {
	raw, err := c.find(ctx, key)
	if err != nil {
		return sequence.State{}, err
	}
	if kind, ok := raw.Lookup("numbering").StringValueOK(); ok {
		return sequence.State{}, sequence.State{Numbering: kind}.Accepts(sequence.Plan{})
	}
	s, err := c.state(raw)
	if err != nil {
		return sequence.State{}, err
	}
	return valid(s)
}

func (c counts) state(raw bson.Raw) (s sequence.State, err error) {
	if s.Plan, err = plan(raw, "first", "last", "cycle"); err != nil {
		return sequence.State{}, err
	}
	if raw.Lookup("wasFirst").Type != 0 {
		if s.Was, err = plan(raw, "wasFirst", "wasLast", "wasCycle"); err != nil {
			return sequence.State{}, err
		}
	}
	if s.Last, err = integer(raw, "count"); err != nil {
		return sequence.State{}, err
	}
	left, err := integer(raw, "left")
	if err != nil {
		return sequence.State{}, err
	}
	s.Base = s.Last - (capacity(s.Plan) - left)
	return s, nil
}

// plan returns a plan from the fields of these names.
func plan(raw bson.Raw, first, last, cycle string) (p sequence.Plan, err error) {
	if p.First, err = integer(raw, first); err != nil {
		return sequence.Plan{}, err
	}
	if p.Last, err = integer(raw, last); err != nil {
		return sequence.Plan{}, err
	}
	var ok bool
	if p.Cycle, ok = raw.Lookup(cycle).BooleanOK(); !ok {
		return sequence.Plan{}, fmt.Errorf("field %s is missing or not a boolean", cycle)
	}
	return p, p.Validate()
}

// tries is how often an edit is made again. Another edit, or a draw that began a new
// cycle, can make it impossible.
const tries = 1000

// An edit is a new state of a key, and the counts for which it is right. The count may
// have moved on from have.Last, up to high, and then stays as it is.
type edit struct {
	next      sequence.State
	high      int64
	startOver bool // at any count
}

// apply changes a key as f says. The one step is right for every count that the key may
// have by then.
func (c counts) apply(ctx context.Context, key string, f func(have sequence.State) (edit, error)) error {
	for range tries {
		have, err := c.stateOf(ctx, key)
		if err != nil {
			return err
		}
		e, err := f(have)
		if err != nil || e.next == have {
			return err
		}
		_, err = c.update(ctx, e.filter(key, have), e.change(have))
		if !errors.Is(err, mongo.ErrNoDocuments) {
			return err
		}
	}
	return fmt.Errorf("%w: others changed the key %d times meanwhile", sequence.ErrTransient, tries)
}

func (e edit) filter(key string, have sequence.State) bson.D {
	count := between(have.Last, e.high)
	if e.startOver {
		count = isInteger
	}
	return bson.D{
		{Key: "_id", Value: key}, {Key: "count", Value: count}, {Key: "left", Value: isInteger},
		{Key: "first", Value: have.Plan.First}, {Key: "last", Value: have.Plan.Last}, {Key: "cycle", Value: have.Plan.Cycle},
	}
}

func (e edit) change(have sequence.State) bson.D {
	p, was := e.next.Plan, e.next.Was
	set := bson.D{{Key: "first", Value: p.First}, {Key: "last", Value: p.Last}, {Key: "cycle", Value: p.Cycle}}
	if (was != sequence.Plan{}) {
		set = append(set, bson.E{Key: "wasFirst", Value: was.First}, bson.E{Key: "wasLast", Value: was.Last}, bson.E{Key: "wasCycle", Value: was.Cycle})
	}
	if e.startOver {
		return bson.D{{Key: "$set", Value: append(set, bson.E{Key: "left", Value: capacity(p)})}}
	}
	left := (capacity(p) - (e.next.Last - e.next.Base)) - (capacity(have.Plan) - (have.Last - have.Base))
	return bson.D{
		{Key: "$set", Value: set},
		{Key: "$inc", Value: bson.D{{Key: "count", Value: e.next.Last - have.Last}, {Key: "left", Value: left}}},
	}
}

// resize starts over at any count. It goes on only while the count is in the same cycle,
// where the base stays the same.
func (c counts) resize(ctx context.Context, key string, p sequence.Plan, opts []sequence.ResizeOption) error {
	return c.apply(ctx, key, func(have sequence.State) (edit, error) {
		next, err := have.Resized(p, opts...)
		high := next.Base + min(have.Plan.Size(), p.Size(), math.MaxInt64-next.Base)
		return edit{next, high, len(opts) == 0}, err
	})
}

// advance adds the missing numbers. Numbers that are drawn meanwhile come on top.
func (c counts) advance(ctx context.Context, key string, ordinal int64) error {
	return c.apply(ctx, key, func(have sequence.State) (edit, error) {
		next, err := have.Advanced(ordinal)
		high := min(ordinal-1, have.Last+next.Left())
		return edit{next, high, false}, err
	})
}
