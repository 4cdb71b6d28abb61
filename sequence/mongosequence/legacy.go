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

// Legacy has the store draw from documents {_id, val, maxval}, as a well-known
// function getNextUniqueSeq, run in the server by eval, does: val is the last
// serial handed out, and 1 comes after maxval. Programs that still use that
// function, or a compare-and-set of val, may go on beside this one; serials are
// 1..maxval, each once a cycle.
//
// The documents have no count that only grows, and so a Number's Ordinal and Cycle
// tell of one draw only: they repeat. Of the wraps, those are announced that are
// drawn through this store. A document without a maxval of at least 1 is an error.
// Plans have First 1; a Resize keeps val, and goes on with 1 if val is at the new
// end or past it.
//
// A key's stamps go into fields of their own, which the older function leaves
// alone.
func Legacy() Option { return func(s *Store) { s.legacy = true } }

// whole returns a field of a document as an integer. The older function stored
// doubles; up to 2^53 those are exact.
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

// number returns n as the older function's documents have it: short where it
// fits, as a JavaScript client can't reckon with the long form.
func number(n int64) any {
	if n == int64(int32(n)) {
		return int32(n)
	}
	return n
}

// legacyState returns val and maxval of a document.
func legacyState(raw bson.Raw) (val, maxval int64, err error) {
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

// takeLegacy draws n serials. Every change that it makes names the val and maxval
// that it was reckoned from, so that it is made to no other: by an older program,
// between the reading and the change, or by a Resize.
//
// One who finds val changed tries again. The change that beat it was a draw of
// someone else's, so that all together always come on, and a miss costs one
// reading.
func (s *Store) takeLegacy(ctx context.Context, key string, n int64) (sequence.Block, error) {
	for {
		raw, err := s.find(ctx, key)
		if err != nil {
			return sequence.Block{}, err
		}
		val, maxval, err := legacyState(raw)
		if err != nil {
			return sequence.Block{}, err
		}
		last := min(val, maxval) // it may have been resized below val
		if n > math.MaxInt64-last {
			return sequence.Block{}, sequence.ErrExhausted
		}
		filter := bson.D{{Key: "_id", Value: key}, {Key: "maxval", Value: maxval}}
		if last+n <= maxval {
			// Up to the end of the cycle any val will do from which n fit.
			filter = append(filter, bson.E{Key: "val", Value: bson.D{{Key: "$gte", Value: number(0)}, {Key: "$lte", Value: number(maxval - n)}}})
			raw, err = s.update(ctx, filter, bson.D{{Key: "$inc", Value: bson.D{{Key: "val", Value: number(n)}}}})
			if err == nil {
				if val, _, err = legacyState(raw); err == nil {
					last = val - n
				}
			}
		} else {
			filter = append(filter, bson.E{Key: "val", Value: number(val)})
			next := (last+n-1)%maxval + 1
			_, err = s.update(ctx, filter, bson.D{{Key: "$set", Value: bson.D{{Key: "val", Value: number(next)}}}})
		}
		if errors.Is(err, mongo.ErrNoDocuments) {
			continue
		}
		if err != nil {
			return sequence.Block{}, err
		}
		return sequence.NewBlock(sequence.Plan{First: 1, Last: maxval}, 0, last+n, n)
	}
}

func (s *Store) createLegacy(ctx context.Context, key string, p sequence.Plan) error {
	if err := legacyPlan(p); err != nil {
		return err
	}
	_, err := s.coll.InsertOne(ctx, bson.D{
		{Key: "_id", Value: key}, {Key: "val", Value: number(0)}, {Key: "maxval", Value: number(p.Last)},
	})
	if !mongo.IsDuplicateKeyError(err) {
		return err
	}
	raw, err := s.find(ctx, key)
	if err != nil {
		return err
	}
	_, maxval, err := legacyState(raw)
	if err == nil && maxval != p.Last {
		err = fmt.Errorf("%w: 1..%d", sequence.ErrConflict, maxval)
	}
	return err
}

func (s *Store) resizeLegacy(ctx context.Context, key string, p sequence.Plan) error {
	if err := legacyPlan(p); err != nil {
		return err
	}
	_, err := s.update(ctx, bson.D{{Key: "_id", Value: key}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "maxval", Value: number(p.Last)}}}})
	return err
}

// legacyPlan returns an error for a plan that {_id, val, maxval} can't say.
func legacyPlan(p sequence.Plan) error {
	if p.First != 1 {
		return fmt.Errorf("plan %v of a document {_id, val, maxval} doesn't begin with 1", p)
	}
	return nil
}
