package mongosequence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/sequence/driver"
)

// NewLegacy returns the store of documents {_id, val, maxval}. A well-known function
// getNextUniqueSeq, which the server runs by eval, draws from them. val is the last
// serial handed out, and 1 comes after maxval. Programs that still use that function, or
// a compare-and-set of val, may draw from the same documents as this store. Serials are
// 1..maxval, each once per cycle.
//
// The plan of a key is {First: 1, Last: maxval, Cycle: true}. If somebody changes maxval,
// draws with the plan before return [sequence.ErrConflict]. The documents have no count
// that only grows. So the Ordinal and Cycle of a Number ascend in one program only, and
// other programs get the same ones. Resize, AdvanceToOrdinal, stamps and document numbers
// are errors for which errors.Is(err, errors.ErrUnsupported) holds: a document can't hold
// what they need.
func NewLegacy(coll *mongo.Collection) *Store { return &Store{legacy{durable(coll, legacyRow)}} }

// legacy is the layout of NewLegacy. X of a row is val. Its version is maxval, so that a
// change of maxval ends the draws that were computed with another one.
type legacy struct{ collection }

// values returns val and maxval of a document. val is at most maxval, also if somebody
// lowered maxval.
func values(doc bson.Raw) (val, maxval int64, err error) {
	if maxval, err = whole(doc, "maxval"); err != nil {
		return 0, 0, err
	}
	if maxval < 1 || maxval > math.MaxInt32 {
		return 0, 0, fmt.Errorf("maxval is %d, not from 1 to %d", maxval, math.MaxInt32)
	}
	if val, err = whole(doc, "val"); err != nil {
		return 0, 0, err
	}
	if val < 0 {
		return 0, 0, fmt.Errorf("val is %d, less than 0", val)
	}
	return min(val, maxval), maxval, nil
}

// whole returns a field of a document as an integer. The older function stored doubles,
// which are exact up to 2^53.
func whole(doc bson.Raw, name string) (int64, error) {
	v := doc.Lookup(name)
	if v.Type != bson.TypeDouble {
		return integer(doc, name)
	}
	f := v.Double()
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, fmt.Errorf("field %s is %v, not an integer", name, f)
	}
	return int64(f), nil
}

// legacyRow returns the row in a document.
func legacyRow(doc bson.Raw) (r driver.Row, err error) {
	var ok bool
	if r.Key, ok = doc.Lookup("_id").StringValueOK(); !ok {
		return r, errors.New("its _id is not a string")
	}
	r.X, r.Version, err = values(doc)
	r.Meaning = cycle(r.Version)
	return r, err
}

// cycle returns the meaning of a document, as package sequence writes it.
func cycle(maxval int64) string { return fmt.Sprintf("1..%d cycling", maxval) }

// Put implements [driver.Driver] for new documents. The version that it sets is maxval.
func (l legacy) Put(ctx context.Context, r driver.Row, was int64) (ok bool, err error) {
	plan, _, _ := strings.Cut(r.Meaning, ", ") // a Resize of a missing key names the plan before
	var maxval int32
	if _, err := fmt.Sscanf(plan, "1..%d cycling", &maxval); err != nil || was != 0 || maxval < 1 || plan != cycle(int64(maxval)) {
		return false, fmt.Errorf("%w: a document {_id, val, maxval} can't become %q: it holds a plan 1..maxval that cycles, and no Resize", errors.ErrUnsupported, r.Meaning)
	}
	err = l.ask(ctx, trip, func(ctx context.Context) (err error) {
		ok, err = l.insert(ctx, bson.D{{Key: "_id", Value: r.Key}, {Key: "val", Value: int32(0)}, {Key: "maxval", Value: maxval}})
		return err
	})
	return ok, err
}

// Draw implements [driver.Driver]. Each change names the val and maxval that it was
// computed from. So it does nothing if an older program was faster. Then Draw tries again,
// until its time is over. The programs together always make progress.
//
// Others begin cycles that nobody counts. So x is the least number from the floor on that
// has val as its serial.
func (l legacy) Draw(ctx context.Context, d driver.Draw) (s driver.Step, ok bool, err error) {
	if d.N == 0 || d.Clock != nil {
		return s, false, fmt.Errorf("%w: a document {_id, val, maxval} has no count that only grows", errors.ErrUnsupported)
	}
	err = l.ask(ctx, d.Limit, func(ctx context.Context) error {
		for try := 0; ; try++ {
			doc, there, err := l.find(ctx, d.Key)
			if err != nil || !there {
				return err
			}
			val, maxval, err := values(doc)
			if err != nil || maxval != d.Version {
				return err
			}
			if d.N > d.Most-maxval || d.Floor > d.Most-maxval-d.N {
				return nil
			}
			s.Before = val + max(0, d.Floor-val+maxval-1)/maxval*maxval
			s.After = s.Before + d.N
			filter := bson.D{{Key: "_id", Value: d.Key}, {Key: "val", Value: doc.Lookup("val")}, {Key: "maxval", Value: doc.Lookup("maxval")}}
			serial := int32((s.After-1)%maxval + 1) // JavaScript can't calculate with longer ones
			if _, ok, err = l.update(ctx, filter, bson.D{{Key: "$set", Value: bson.D{{Key: "val", Value: serial}}}}); ok || err != nil {
				return err
			}
			if try > 1 {
				time.Sleep(rand.N(5 * time.Millisecond)) // find sees whether ctx has ended
			}
		}
	})
	if !ok {
		s = driver.Step{}
	}
	return s, ok, err
}
