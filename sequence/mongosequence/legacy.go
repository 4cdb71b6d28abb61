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
	"github.com/oidkit/oidkit/sequence/driver"
)

// NewLegacy returns a store that draws from documents {_id, val, maxval}. A well-known
// JavaScript function getNextUniqueSeq, which old versions of MongoDB run by the command
// eval, draws from the same documents. The field val is the last serial handed out, and
// the serial after maxval is 1. Programs that still call getNextUniqueSeq, or that change
// val by compare-and-set, may draw at the same time as this store. The serials are
// 1..maxval, each at most once per cycle. The store doesn't add documents for new keys.
//
// The plan of a key is {First: 1, Last: maxval, Cycle: true}. If somebody changes maxval,
// draws with the old plan return [sequence.ErrConflict]. A Stamper or a Numbering can't
// draw from this store: for a key that exists, every draw returns ErrConflict. The
// documents don't store the number of cycles. The Ordinal and Cycle of a Number therefore
// ascend only within one Sequence, and two Sequences can get the same Ordinal. A draw from
// a missing key returns [sequence.ErrNotFound]. AdvanceToOrdinal, and a Resize that would
// change the plan of the key, return errors that match errors.ErrUnsupported.
func NewLegacy(coll *mongo.Collection) *Store { return &Store{legacy{durable(coll, legacyFields)}} }

// legacy is the layout of NewLegacy. X of a row is val. Its version is maxval, so that a
// change of maxval ends the draws that were computed with another one.
type legacy struct{ collection }

// legacyFields reads the fields of a document. The older function stored doubles, which
// are exact up to 2^53. X is at most maxval, also if somebody lowered maxval.
func legacyFields(doc bson.Raw, r *driver.Row) (err error) {
	if r.Version, err = integer(doc, "maxval", true); err != nil {
		return err
	}
	if r.Version < 1 || r.Version > math.MaxInt32 {
		return fmt.Errorf("the field maxval is %d, not from 1 to %d", r.Version, math.MaxInt32)
	}
	if r.X, err = integer(doc, "val", true); err == nil && r.X < 0 {
		err = fmt.Errorf("the field val is %d, less than 0", r.X)
	}
	r.X, r.Meaning = min(r.X, r.Version), fmt.Sprintf("1..%d cycling", r.Version)
	return err
}

// Put implements [driver.Driver].
func (l legacy) Put(_ context.Context, r driver.Row, was int64) (ok bool, err error) {
	if was == 0 {
		return false, fmt.Errorf("%w: no document {_id, val, maxval} has this _id, and this store doesn't add documents: %w", sequence.ErrNotFound, errors.ErrUnsupported)
	}
	return false, fmt.Errorf("%w: a store of documents {_id, val, maxval} can't change the plan of a key to %q", errors.ErrUnsupported, r.Meaning)
}

// Draw implements [driver.Driver]. Draw computes each update from the val and maxval that it
// read. The update changes nothing if the document has another val or maxval by then. Draw
// then begins again, with a read, until its time is over. In each such race, one of the
// programs succeeds.
//
// Nobody counts the cycles that other programs begin. Therefore x is the least number
// that is at least d.Floor and whose serial is val.
func (l legacy) Draw(ctx context.Context, d driver.Draw) (s driver.Step, ok bool, err error) {
	if d.N == 0 || d.Clock != nil {
		return s, false, fmt.Errorf("%w: the val of a document {_id, val, maxval} starts over after maxval, and this call needs a count that only grows", errors.ErrUnsupported)
	}
	err = l.ask(ctx, d.Limit, func(ctx context.Context) error {
		for {
			doc, there, err := l.find(ctx, d.Key)
			if err != nil || !there {
				return err
			}
			r, err := l.row(doc)
			maxval := r.Version
			if err != nil || maxval != d.Version || d.N > d.Most-maxval || d.Floor > d.Most-maxval-d.N {
				return err
			}
			before := r.X + max(0, d.Floor-r.X+maxval-1)/maxval*maxval
			serial := int32((before+d.N-1)%maxval + 1) // JavaScript can't calculate with longer ones
			filter := bson.D{{Key: "_id", Value: d.Key}, {Key: "val", Value: doc.Lookup("val")}, {Key: "maxval", Value: doc.Lookup("maxval")}}
			if _, ok, err = l.update(ctx, filter, bson.D{{Key: "$set", Value: bson.D{{Key: "val", Value: serial}}}}); ok {
				s = driver.Step{Before: before, After: before + d.N}
			}
			if ok || err != nil {
				return err
			}
			time.Sleep(rand.N(5 * time.Millisecond)) // find sees whether ctx has ended
		}
	})
	return s, ok, err
}
