package mongosequence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/sequence"
)

// NewLegacy returns the store of documents {_id, val, maxval}. A well-known function
// getNextUniqueSeq, which the server runs by eval, draws from them. val is the last
// serial handed out, and 1 comes after maxval. Programs that still use that function, or
// a compare-and-set of val, may draw from the same documents as this store. Serials are
// 1..maxval, each once per cycle.
//
// The documents have no count that only grows. So the Ordinal and Cycle of a Number
// describe only one draw, and repeat. Wraps are announced only for draws through this
// store. A document without a maxval of at least 1 is an error. Plans have First 1 and
// Cycle. Resize starts over at 1. With GoOn, the next serial is the one after val. The
// documents don't keep the plan before a Resize, so Create refuses it. During a rolling
// deployment that resizes, programs of the old version can't start. Advance is an error
// for which errors.Is(err, errors.ErrUnsupported) holds.
//
// The stamps of a key go into further fields, which the older function doesn't change.
func NewLegacy(coll *mongo.Collection) *Store {
	c := durable(coll)
	return &Store{coll: c, layout: legacy{c}}
}

// legacy is the layout of NewLegacy.
type legacy struct{ collection }

// whole returns a field of a document as an integer. The older function stored doubles,
// which are exact up to 2^53.
func whole(raw bson.Raw, name string) (int64, error) {
	v := raw.Lookup(name)
	if v.Type != bson.TypeDouble {
		return integer(raw, name)
	}
	f := v.Double()
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, fmt.Errorf("field %s is %v, not an integer", name, f)
	}
	return int64(f), nil
}

// number returns n in the form of the older function's documents. It is a 32-bit integer
// if it fits, because a JavaScript client can't calculate with longer ones.
func number(n int64) any {
	if n == int64(int32(n)) {
		return int32(n)
	}
	return n
}

// values returns val and maxval of a document.
func values(raw bson.Raw) (val, maxval int64, err error) {
	if maxval, err = whole(raw, "maxval"); err != nil {
		return 0, 0, err
	}
	if maxval < 1 {
		return 0, 0, fmt.Errorf("maxval is %d, less than 1", maxval)
	}
	if val, err = whole(raw, "val"); err != nil {
		return 0, 0, err
	}
	if val < 0 {
		return 0, 0, fmt.Errorf("val is %d, less than 0", val)
	}
	return val, maxval, nil
}

// take draws n serials. Each change names the val and maxval that it was computed from.
// So it does nothing if an older program or a Resize was faster.
//
// A draw that finds val changed tries again, at first without a pause. The change that
// beat it was someone else's draw, so the programs together always make progress.
func (l legacy) take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	for try := 0; ; try++ {
		raw, err := l.find(ctx, key)
		if err != nil {
			return sequence.Block{}, err
		}
		val, maxval, err := values(raw)
		if err != nil {
			return sequence.Block{}, err
		}
		last, err := l.move(ctx, key, val, maxval, n)
		if err == nil {
			return sequence.NewBlock(cycle(maxval), 0, last+n, n)
		}
		if !errors.Is(err, mongo.ErrNoDocuments) {
			return sequence.Block{}, err
		}
		if err := yield(ctx, try); err != nil {
			return sequence.Block{}, err
		}
	}
}

// yield waits for a random time of up to 5 ms, from the third try on.
func yield(ctx context.Context, try int) error {
	if try < 2 {
		return ctx.Err()
	}
	t := time.NewTimer(rand.N(5 * time.Millisecond))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// move adds n to val, which starts over after maxval, and returns the val before that.
// It returns ErrNoDocuments if the document has changed.
func (l legacy) move(ctx context.Context, key string, val, maxval, n int64) (last int64, err error) {
	last = min(val, maxval) // it may have been resized below val
	if n > math.MaxInt64-last {
		return 0, sequence.ErrExhausted
	}
	rest := n % maxval // whole cycles leave val where it is
	if rest == 0 && last > 0 {
		return last, nil
	}
	if rest == 0 { // but from 0, which means that nothing was drawn
		rest = maxval
	}
	filter := bson.D{{Key: "_id", Value: key}, {Key: "maxval", Value: maxval}}
	if last+rest > maxval {
		filter = append(filter, bson.E{Key: "val", Value: number(val)})
		_, err := l.update(ctx, filter, bson.D{{Key: "$set", Value: bson.D{{Key: "val", Value: number(last + rest - maxval)}}}})
		return last, err
	}
	// Up to the end of the cycle, any val is right from which the rest fits.
	filter = append(filter, bson.E{Key: "val", Value: bson.D{{Key: "$gte", Value: number(0)}, {Key: "$lte", Value: number(maxval - rest)}}})
	raw, err := l.update(ctx, filter, bson.D{{Key: "$inc", Value: bson.D{{Key: "val", Value: number(rest)}}}})
	if err != nil {
		return 0, err
	}
	val, _, err = values(raw)
	return val - rest, err
}

func cycle(maxval int64) sequence.Plan { return sequence.Plan{First: 1, Last: maxval, Cycle: true} }

func (l legacy) create(ctx context.Context, key string, p sequence.Plan) error {
	if err := check(p); err != nil {
		return err
	}
	_, err := l.InsertOne(ctx, bson.D{
		{Key: "_id", Value: key}, {Key: "val", Value: number(0)}, {Key: "maxval", Value: number(p.Last)},
	})
	if !mongo.IsDuplicateKeyError(err) {
		return err
	}
	raw, err := l.find(ctx, key)
	if err != nil {
		return err
	}
	have, err := l.state(raw)
	if err != nil {
		return err
	}
	return have.Accepts(p)
}

func (l legacy) state(raw bson.Raw) (sequence.State, error) {
	val, maxval, err := values(raw)
	if err != nil {
		return sequence.State{}, err
	}
	return sequence.State{Plan: cycle(maxval), Last: min(val, maxval)}, nil
}

func (l legacy) resize(ctx context.Context, key string, p sequence.Plan, opts []sequence.ResizeOption) error {
	if err := check(p); err != nil {
		return err
	}
	if len(opts) > 0 {
		return l.goOn(ctx, key, p, opts)
	}
	_, err := l.update(ctx, bson.D{{Key: "_id", Value: key}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "val", Value: number(0)}, {Key: "maxval", Value: number(p.Last)}}}})
	return err
}

// goOn changes maxval, and leaves val to others who draw meanwhile.
func (l legacy) goOn(ctx context.Context, key string, p sequence.Plan, opts []sequence.ResizeOption) error {
	for try := 0; ; try++ {
		raw, err := l.find(ctx, key)
		if err != nil {
			return err
		}
		val, maxval, err := values(raw)
		if err != nil {
			return err
		}
		have := sequence.State{Plan: cycle(maxval), Last: min(val, maxval)}
		if _, err := have.Resized(p, opts...); err != nil {
			return err
		}
		filter := bson.D{{Key: "_id", Value: key}, {Key: "maxval", Value: number(maxval)}}
		set := bson.D{{Key: "maxval", Value: number(p.Last)}}
		if val > maxval { // someone lowered maxval, so the cycle is complete
			filter = append(filter, bson.E{Key: "val", Value: number(val)})
			set = append(set, bson.E{Key: "val", Value: number(maxval)})
		} else {
			filter = append(filter, bson.E{Key: "val", Value: bson.D{{Key: "$lte", Value: number(min(p.Last, maxval))}}})
		}
		_, err = l.update(ctx, filter, bson.D{{Key: "$set", Value: set}})
		if !errors.Is(err, mongo.ErrNoDocuments) {
			return err
		}
		if err := yield(ctx, try); err != nil {
			return err
		}
	}
}

func (l legacy) advance(context.Context, string, int64) error {
	return fmt.Errorf("%w: a document {_id, val, maxval} has no count that only grows", errors.ErrUnsupported)
}

// check returns an error for a plan that {_id, val, maxval} can't express.
func check(p sequence.Plan) error {
	if p.First != 1 || !p.Cycle {
		return fmt.Errorf("plan %v of a document {_id, val, maxval} doesn't begin with 1 or doesn't cycle", p)
	}
	return nil
}
