// Package mongosequence keeps the counts of package sequence in a collection of
// MongoDB, through driver v2.
//
//	store := mongosequence.New(client.Database("app").Collection("sequences"))
//	err := store.Create(ctx, "orders", sequence.Plan{First: 1, Last: 99})
//	orders := sequence.New(store, "orders")
//
// A key is one document, its _id the key. A draw is one findAndModify with
// operators that every version of MongoDB knows. It is acknowledged by a majority
// and from the journal, whatever the collection's write concern is, as a draw that
// a failover rolls back would be handed out again. It never takes part in a
// session or transaction of the context that it is given: the rollback of that one
// would do the same.
//
// Documents are made by Create. Those of the older design, {_id, val, maxval},
// are drawn from with [Legacy].
package mongosequence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/oidkit/oidkit/sequence"
)

// A Store keeps counts in a collection. It is safe for concurrent use.
type Store struct {
	coll   *mongo.Collection
	legacy bool

	mu     sync.Mutex
	server serverClock
}

var (
	_ sequence.Store      = (*Store)(nil)
	_ sequence.StampStore = (*Store)(nil)
)

// An Option is for [New].
type Option func(*Store)

// New returns the store of a collection.
func New(coll *mongo.Collection, opts ...Option) *Store {
	journal := true
	s := &Store{coll: coll.Clone(options.Collection().
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal}).
		SetReadPreference(readpref.Primary()))}
	for _, o := range opts {
		o(s)
	}
	return s
}

// The fields of a document, all int64:
//
//	count      numbers drawn, ever
//	inPlan     numbers drawn since the plan took effect: a resize sets it to 0,
//	           and every draw adds to both, so that count - inPlan is the base
//	first last the plan
//	stamp      the last stamp drawn; with it come
//	width tick what stamps are made of, tick in microseconds
//
// counted keeps a draw from a document that has no such count. $inc would make
// one there, and on a double it would stand still past 2^53, which is repeating
// numbers.
var counted = bson.D{{Key: "$type", Value: bson.A{"int", "long"}}}

// Create implements [sequence.Store].
func (s *Store) Create(ctx context.Context, key string, p sequence.Plan) error {
	err := p.Validate()
	if err == nil && s.legacy {
		err = s.createLegacy(own(ctx), key, p)
	} else if err == nil {
		err = s.create(own(ctx), key, p)
	}
	if err != nil {
		return failed(fmt.Sprintf("Create(%q, %v)", key, p), err)
	}
	return nil
}

func (s *Store) create(ctx context.Context, key string, p sequence.Plan) error {
	_, err := s.coll.InsertOne(ctx, bson.D{
		{Key: "_id", Value: key},
		{Key: "count", Value: int64(0)}, {Key: "inPlan", Value: int64(0)},
		{Key: "first", Value: p.First}, {Key: "last", Value: p.Last},
	})
	if !mongo.IsDuplicateKeyError(err) {
		return err
	}
	raw, err := s.find(ctx, key)
	if err != nil {
		return err
	}
	have, _, _, err := state(raw)
	if err == nil && have != p {
		err = fmt.Errorf("%w: %v", sequence.ErrConflict, have)
	}
	return err
}

// Take implements [sequence.Store].
func (s *Store) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	err := sequence.CheckDraw(n)
	var b sequence.Block
	if err == nil && s.legacy {
		b, err = s.takeLegacy(own(ctx), key, n)
	} else if err == nil {
		b, err = s.take(own(ctx), key, n)
	}
	if err != nil {
		return sequence.Block{}, failed(fmt.Sprintf("Take(%q, %d)", key, n), err)
	}
	return b, nil
}

func (s *Store) take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	raw, err := s.update(ctx,
		bson.D{{Key: "_id", Value: key}, {Key: "count", Value: counted}, {Key: "inPlan", Value: counted}},
		bson.D{{Key: "$inc", Value: bson.D{{Key: "count", Value: n}, {Key: "inPlan", Value: n}}}})
	if err != nil {
		return sequence.Block{}, s.explain(ctx, key, "count", n, err)
	}
	p, count, inPlan, err := state(raw)
	if err != nil {
		return sequence.Block{}, err
	}
	return sequence.NewBlock(p, count-inPlan, count, n)
}

// Resize implements [sequence.Store].
func (s *Store) Resize(ctx context.Context, key string, p sequence.Plan) error {
	ctx = own(ctx)
	err := p.Validate()
	if err == nil && s.legacy {
		err = s.resizeLegacy(ctx, key, p)
	} else if err == nil {
		_, err = s.update(ctx,
			bson.D{{Key: "_id", Value: key}, {Key: "count", Value: counted}},
			bson.D{{Key: "$set", Value: bson.D{
				{Key: "inPlan", Value: int64(0)}, {Key: "first", Value: p.First}, {Key: "last", Value: p.Last},
			}}})
		if err != nil {
			err = s.explain(ctx, key, "count", 0, err)
		}
	}
	if err != nil {
		return failed(fmt.Sprintf("Resize(%q, %v)", key, p), err)
	}
	return nil
}

// own returns ctx without the session that it may carry.
func own(ctx context.Context) context.Context { return mongo.NewSessionContext(ctx, nil) }

// update changes one document in one step and returns it as it is then.
func (s *Store) update(ctx context.Context, filter, change bson.D) (bson.Raw, error) {
	return s.coll.FindOneAndUpdate(ctx, filter, change,
		options.FindOneAndUpdate().SetReturnDocument(options.After)).Raw()
}

func (s *Store) find(ctx context.Context, key string) (bson.Raw, error) {
	return s.coll.FindOne(ctx, bson.D{{Key: "_id", Value: key}}).Raw()
}

// explain returns the reason why an update that adds n to a field failed with
// err: the document isn't there, the field isn't what it should be, or is too
// near its end. It reads the document after the fact, for the message alone.
func (s *Store) explain(ctx context.Context, key, name string, n int64, err error) error {
	var refused mongo.CommandError
	if passing(err) || !errors.Is(err, mongo.ErrNoDocuments) && !errors.As(err, &refused) {
		return err
	}
	raw, findErr := s.find(ctx, key)
	if findErr != nil {
		if errors.Is(findErr, mongo.ErrNoDocuments) {
			return findErr
		}
		return err
	}
	have, typeErr := integer(raw, name)
	if typeErr != nil {
		return typeErr
	}
	if n > math.MaxInt64-have {
		return sequence.ErrExhausted
	}
	if _, _, _, stateErr := state(raw); name == "count" && stateErr != nil {
		return stateErr
	}
	return err
}

// state returns what a document says.
func state(raw bson.Raw) (p sequence.Plan, count, inPlan int64, err error) {
	for _, f := range []struct {
		name string
		to   *int64
	}{{"count", &count}, {"inPlan", &inPlan}, {"first", &p.First}, {"last", &p.Last}} {
		if *f.to, err = integer(raw, f.name); err != nil {
			return sequence.Plan{}, 0, 0, err
		}
	}
	return p, count, inPlan, nil
}

// integer returns a field of a document that must be an integer.
func integer(raw bson.Raw, name string) (int64, error) {
	switch v := raw.Lookup(name); v.Type {
	case bson.TypeInt64:
		return v.Int64(), nil
	case bson.TypeInt32:
		return int64(v.Int32()), nil
	case 0:
		return 0, fmt.Errorf("the document has no field %s", name)
	default:
		return 0, fmt.Errorf("field %s is a %v, not an integer", name, v.Type)
	}
}

// failed returns the error of a call.
func failed(call string, err error) error {
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		err = sequence.ErrNotFound
	case passing(err):
		err = fmt.Errorf("%w: %w", sequence.ErrTransient, err)
	}
	return fmt.Errorf("mongosequence.%s: %w", call, err)
}

// passing reports whether the driver calls err one that passes. A write may have
// been done all the same.
func passing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var labelled mongo.LabeledError
	return mongo.IsNetworkError(err) || errors.As(err, &labelled) &&
		(labelled.HasErrorLabel("RetryableWriteError") || labelled.HasErrorLabel("TransientTransactionError"))
}
