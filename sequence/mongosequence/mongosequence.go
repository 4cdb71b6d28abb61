// Package mongosequence keeps the counts of package sequence in a collection of
// MongoDB, through driver v2.
//
//	store := mongosequence.New(client.Database("app").Collection("sequences"))
//	err := store.Create(ctx, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
//	tickets := sequence.New(store, "tickets")
//
// A key is a document, whose _id is the key. A draw is one findAndModify with operators
// that every version of MongoDB knows. It is acknowledged by a majority and from the
// journal, whatever the collection's write concern is. A draw that a failover rolls back
// would be handed out again. For the same reason, a draw never takes part in the session
// or transaction of a context.
//
// Create makes the documents. [NewLegacy] draws from those of an older design,
// {_id, val, maxval}.
package mongosequence

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/oidkit/oidkit/sequence"
)

// A Store keeps counts in a collection. It is safe for concurrent use.
type Store struct {
	coll   collection
	layout layout

	mu     sync.Mutex
	server serverClock
}

var (
	_ sequence.Store          = (*Store)(nil)
	_ sequence.StampStore     = (*Store)(nil)
	_ sequence.NumberingStore = (*Store)(nil)
)

// A layout says what the documents look like.
type layout interface {
	create(ctx context.Context, key string, p sequence.Plan) error
	take(ctx context.Context, key string, n int64) (sequence.Block, error)
	resize(ctx context.Context, key string, p sequence.Plan, opts []sequence.ResizeOption) error
	advance(ctx context.Context, key string, ordinal int64) error
	state(raw bson.Raw) (sequence.State, error)
}

// New returns the store of a collection.
func New(coll *mongo.Collection) *Store {
	c := durable(coll)
	return &Store{coll: c, layout: counts{c}}
}

// A collection has the only way to change a document.
type collection struct{ *mongo.Collection }

// durable returns coll with the write concern and the read preference of draws.
func durable(coll *mongo.Collection) collection {
	journal := true
	return collection{coll.Clone(options.Collection().
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal}).
		SetReadPreference(readpref.Primary()))}
}

// update changes one document in one step and returns it as it is then.
func (c collection) update(ctx context.Context, filter, change bson.D) (bson.Raw, error) {
	return c.FindOneAndUpdate(ctx, filter, change,
		options.FindOneAndUpdate().SetReturnDocument(options.After)).Raw()
}

func (c collection) find(ctx context.Context, key string) (bson.Raw, error) {
	return c.FindOne(ctx, bson.D{{Key: "_id", Value: key}}).Raw()
}

// own returns ctx without the session that it may carry.
func own(ctx context.Context) context.Context { return mongo.NewSessionContext(ctx, nil) }

// Create implements [sequence.Store].
func (s *Store) Create(ctx context.Context, key string, p sequence.Plan) error {
	err := errors.Join(sequence.CheckKey(key), p.Validate())
	if err == nil {
		err = s.layout.create(own(ctx), key, p)
	}
	if err != nil {
		return failed(ctx, fmt.Sprintf("Create(%s, %v)", sequence.QuoteKey(key), p), err)
	}
	return nil
}

// Take implements [sequence.Store].
func (s *Store) Take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	b, err := s.take(ctx, key, n)
	if err != nil {
		return sequence.Block{}, failed(ctx, fmt.Sprintf("Take(%s, %d)", sequence.QuoteKey(key), n), err)
	}
	return b, nil
}

func (s *Store) take(ctx context.Context, key string, n int64) (sequence.Block, error) {
	if err := errors.Join(sequence.CheckKey(key), sequence.CheckDraw(n)); err != nil {
		return sequence.Block{}, err
	}
	return s.layout.take(own(ctx), key, n)
}

// Resize implements [sequence.Store].
func (s *Store) Resize(ctx context.Context, key string, p sequence.Plan, opts ...sequence.ResizeOption) error {
	err := errors.Join(sequence.CheckKey(key), p.Validate())
	if err == nil {
		err = s.layout.resize(own(ctx), key, p, opts)
	}
	if err != nil {
		return failed(ctx, fmt.Sprintf("Resize(%s, %v)", sequence.QuoteKey(key), p), err)
	}
	return nil
}

// Advance implements [sequence.Store].
func (s *Store) Advance(ctx context.Context, key string, ordinal int64) error {
	err := sequence.CheckKey(key)
	if err == nil {
		err = s.layout.advance(own(ctx), key, ordinal)
	}
	if err != nil {
		return failed(ctx, fmt.Sprintf("Advance(%s, %d)", sequence.QuoteKey(key), ordinal), err)
	}
	return nil
}

// State implements [sequence.Store].
func (s *Store) State(ctx context.Context, key string) (sequence.State, error) {
	st, err := s.state(ctx, key)
	if err != nil {
		return sequence.State{}, failed(ctx, fmt.Sprintf("State(%s)", sequence.QuoteKey(key)), err)
	}
	return st, nil
}

func (s *Store) state(ctx context.Context, key string) (sequence.State, error) {
	if err := sequence.CheckKey(key); err != nil {
		return sequence.State{}, err
	}
	raw, err := s.coll.find(own(ctx), key)
	if err != nil {
		return sequence.State{}, err
	}
	return s.read(raw)
}

// List returns the states of all keys, sorted by key.
func (s *Store) List(ctx context.Context) ([]sequence.State, error) {
	all, err := s.list(own(ctx))
	if err != nil {
		return nil, failed(ctx, "List()", err)
	}
	return all, nil
}

func (s *Store) list(ctx context.Context) ([]sequence.State, error) {
	cursor, err := s.coll.Find(ctx, bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
	if err != nil {
		return nil, err
	}
	defer cursor.Close(ctx)
	var all []sequence.State
	for cursor.Next(ctx) {
		st, err := s.read(cursor.Current)
		if err != nil {
			return nil, fmt.Errorf("document %v: %w", cursor.Current.Lookup("_id"), err)
		}
		all = append(all, st)
	}
	return all, cursor.Err()
}

// read returns the state in a document.
func (s *Store) read(raw bson.Raw) (sequence.State, error) {
	key, ok := raw.Lookup("_id").StringValueOK()
	if !ok {
		return sequence.State{}, errors.New("its _id is not a string")
	}
	if kind, ok := raw.Lookup("numbering").StringValueOK(); ok {
		x, err := integer(raw, "x")
		if err != nil {
			return sequence.State{}, err
		}
		return valid(sequence.NumberingState(key, kind, x))
	}
	st, err := s.layout.state(raw)
	if err != nil {
		return sequence.State{}, err
	}
	st.Key = key
	if raw.Lookup("width").Type == 0 {
		return valid(st)
	}
	stamp, err := integer(raw, "stamp")
	if err != nil {
		return sequence.State{}, err
	}
	if st.Width, err = integer(raw, "width"); err != nil {
		return sequence.State{}, err
	}
	tick, err := integer(raw, "tick")
	if err != nil {
		return sequence.State{}, err
	}
	st.Tick = time.Duration(tick) * time.Microsecond
	st.Stamp = sequence.StampAt(stamp, st.Width, st.Tick)
	return valid(st)
}

// valid returns s, or an error if no draw can have left it.
func valid(s sequence.State) (sequence.State, error) {
	if err := s.Validate(); err != nil {
		return sequence.State{}, fmt.Errorf("the document was changed by hand: %w", err)
	}
	return s, nil
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
func failed(ctx context.Context, call string, err error) error {
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		err = sequence.ErrNotFound
	case ctx.Err() == nil && transient(err):
		err = fmt.Errorf("%w: %w", sequence.ErrTransient, err)
	}
	return fmt.Errorf("mongosequence.Store.%s: %w", call, err)
}

// transient reports whether a draw may succeed if it is made again. The driver says so,
// or found no server. The write may have been done all the same. A deadline in err isn't
// the caller's, because failed has checked the caller's context.
func transient(err error) bool {
	var labeled mongo.LabeledError
	return mongo.IsNetworkError(err) || mongo.IsTimeout(err) ||
		errors.As(err, &labeled) &&
			(labeled.HasErrorLabel("RetryableWriteError") || labeled.HasErrorLabel("TransientTransactionError"))
}
