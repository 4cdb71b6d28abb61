// Package mongosequence keeps the counts of package sequence in a collection of
// MongoDB, through driver v2.
//
//	store := mongosequence.New(client.Database("app").Collection("sequences"))
//	tickets := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 99, Cycle: true})
//
// Each key has one document, whose _id is the key. A draw changes the document by one
// findAndModify with plain operators. The draw waits for a majority of the servers and for the
// journal, whatever the write concern of the collection is. Otherwise a failover could roll
// the draw back, and its number could be handed out twice. In a transaction, a rollback could
// do the same. A draw therefore never takes part in the session or transaction that its
// context carries, and NextIn returns an error.
//
// [NewLegacy] draws from documents {_id, val, maxval}, which a well-known older design
// uses.
package mongosequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

// A Store keeps counts in a collection. A Store is safe for concurrent use.
type Store struct{ d driver.Driver }

var _ sequence.Store = (*Store)(nil)

// New returns the store that keeps its counts in coll.
func New(coll *mongo.Collection) *Store { return &Store{rows{durable(coll, fields)}} }

// Driver implements [sequence.Store].
func (s *Store) Driver() driver.Driver { return s.d }

// Migrate changes nothing. It checks that this program may update the collection, and
// that the server has a journal. It also checks that the collection is not a view and,
// if the role may list collections, is not capped and has no collation. Every program
// may call Migrate at each start. MongoDB makes the collection when the first
// key is added.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.d.Migrate(ctx); err != nil {
		return fmt.Errorf("mongosequence.Store.Migrate(): %w", err)
	}
	return nil
}

// rows is the layout of New. The fields of a document:
//
//	_id            the key
//	meaning, base  what package sequence makes of x
//	x, version     the count and the version, int64
type rows struct{ collection }

// trip is how long a Read, a Put or a Migrate may take.
const trip = 5 * time.Second

// errNoAnswer is the error after a time limit that isn't the caller's. It doesn't match
// context.DeadlineExceeded, because no deadline of the caller was missed.
var errNoAnswer = errors.New("no answer")

// within calls f with a time limit, and without the session that ctx may carry. No limit
// is set if it is 0.
func within(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	limited, cancel := mongo.NewSessionContext(ctx, nil), func() {}
	if limit > 0 {
		limited, cancel = context.WithTimeout(limited, limit)
	}
	defer cancel()
	err := f(limited)
	if err != nil && mongo.IsTimeout(err) && ctx.Err() == nil && limit > 0 {
		return fmt.Errorf("%w within %v: %v", errNoAnswer, limit, err)
	}
	return err
}

// A collection has all that the layouts share.
type collection struct {
	*mongo.Collection
	fields func(doc bson.Raw, r *driver.Row) error // reads the fields of a document but _id
	clock  *atomic.Pointer[reading]
}

// durable returns coll with the write concern and the read preference of draws.
func durable(coll *mongo.Collection, fields func(bson.Raw, *driver.Row) error) collection {
	journal := true
	return collection{coll.Clone(options.Collection().
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal}).
		SetReadPreference(readpref.Primary())), fields, new(atomic.Pointer[reading])}
}

// update changes one document in one step, and returns it as it was before. ok is false if
// none fits the filter.
//
// If the answer is lost, the driver may send the same findAndModify again. On a replica
// set, its txnNumber makes it one step: the server gives the answer of the first time. On
// servers without that, such as FerretDB, the driver sends nothing twice. A step that was
// made twice all the same would be a gap, because each answer tells of its own step.
func (c collection) update(ctx context.Context, filter, change bson.D) (before bson.Raw, ok bool, err error) {
	return found(c.FindOneAndUpdate(ctx, filter, change).Raw())
}

// find returns the document of a key.
func (c collection) find(ctx context.Context, key string) (doc bson.Raw, ok bool, err error) {
	return found(c.FindOne(ctx, bson.D{{Key: "_id", Value: key}}).Raw())
}

func found(doc bson.Raw, err error) (bson.Raw, bool, error) {
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, false, nil
	}
	return doc, err == nil, err
}

// ask is within. If it gets no answer, perhaps all connections of the
// client are silent, such as after a firewall forgot them. Then each call would find that
// out for one of them. So ask pings the server on many connections at once. The driver
// closes those that don't answer.
func (c collection) ask(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	err := within(ctx, limit, f)
	for n := 16; errors.Is(err, errNoAnswer) && n <= 128 && c.silent(ctx, n); n *= 2 {
	}
	return err
}

// silent reports whether one of n connections doesn't answer within a second.
func (c collection) silent(ctx context.Context, n int) bool {
	ping := func(ctx context.Context) error { return c.Database().Client().Ping(ctx, readpref.Primary()) }
	answers := make(chan error, n)
	for range n {
		go func() { answers <- within(ctx, time.Second, ping) }()
	}
	var failed error
	for range n {
		failed = cmp.Or(failed, <-answers)
	}
	return failed != nil
}

// List implements [driver.Driver].
func (c collection) List(ctx context.Context) (all []driver.Row, err error) {
	err = within(ctx, 0, func(ctx context.Context) error {
		cursor, err := c.Find(ctx, bson.D{})
		if err != nil {
			return err
		}
		defer cursor.Close(ctx)
		for cursor.Next(ctx) {
			r, err := c.row(cursor.Current)
			if err != nil {
				return fmt.Errorf("document %v: %w", cursor.Current.Lookup("_id"), err)
			}
			all = append(all, r)
		}
		return cursor.Err()
	})
	return all, err
}

// Read implements [driver.Driver].
func (c collection) Read(ctx context.Context, key string) (r driver.Row, ok bool, err error) {
	err = c.ask(ctx, trip, func(ctx context.Context) error {
		now, err := c.now(ctx, lookEvery)
		if err != nil {
			return err
		}
		doc, found, err := c.find(ctx, key)
		if ok = found; found {
			r, err = c.row(doc)
			r.Now = now
		}
		return err
	})
	return r, ok && err == nil, err
}

// Migrate checks the server: it makes a write that changes nothing, with the write concern
// that draws have. The server refuses this write if the server has no journal, if the
// collection is a view, or if this program has no right to write.
func (c collection) Migrate(ctx context.Context) error {
	return c.ask(ctx, trip, func(ctx context.Context) error {
		if err := c.check(ctx); err != nil {
			return err
		}
		nothing := bson.D{{Key: "_id", Value: ""}, {Key: "x", Value: ""}}
		_, _, err := c.update(ctx, nothing, bson.D{{Key: "$set", Value: bson.D{{Key: "x", Value: ""}}}})
		return err
	})
}

// check refuses a collection that can't keep counts. A role that may not look at the
// options of collections skips the check.
func (c collection) check(ctx context.Context) error {
	all, err := c.Database().ListCollectionSpecifications(ctx, bson.D{{Key: "name", Value: c.Name()}})
	if refused := mongo.ServerError(nil); errors.As(err, &refused) && refused.HasErrorCode(13) { // Unauthorized
		return nil
	}
	if err != nil || len(all) == 0 {
		return err
	}
	if capped, _ := all[0].Options.Lookup("capped").BooleanOK(); capped {
		return fmt.Errorf("collection %s is capped, so it drops its oldest keys: use another collection", c.Name())
	}
	if locale, ok := all[0].Options.Lookup("collation", "locale").StringValueOK(); ok && locale != "simple" {
		return fmt.Errorf("collection %s has the collation %s, for which different keys can be equal: use a collection without a collation", c.Name(), locale)
	}
	return nil
}

// InTx implements [driver.Driver].
func (collection) InTx() bool { return false }

// Place implements [driver.Driver].
func (c collection) Place() driver.Place {
	return driver.Place{Server: c.Database().Client(), Name: "collection " + c.Database().Name() + "." + c.Name()}
}

// Transient implements [driver.Driver].
func (collection) Transient(err error) bool {
	var server mongo.ServerError
	return sequence.IsTransient(err) || errors.Is(err, errNoAnswer) || mongo.IsTimeout(err) ||
		errors.As(err, &server) && slices.ContainsFunc(transientCodes, server.HasErrorCode)
}

// transientCodes are codes of transient errors. A server labels such errors, if at all, only
// for clients that have retryWrites on. The write may have been done all the same.
var transientCodes = []int{
	6, 7, 89, 9001, 64, 262, // the network, a majority that is slow to confirm, a limit of time
	91, 11600, 11602, 189, 10107, 13435, 13436, 10058, // a server that stops, or is no primary
}

// row returns the row in a document.
func (c collection) row(doc bson.Raw) (r driver.Row, err error) {
	var ok bool
	if r.Key, ok = doc.Lookup("_id").StringValueOK(); !ok {
		return r, errors.New("the _id is not a string, so another program wrote the document: keep other documents out of the collection")
	}
	return r, c.fields(doc, &r)
}

// fields reads the fields of a document of New.
func fields(doc bson.Raw, r *driver.Row) (err error) {
	var ok bool
	if r.Meaning, ok = doc.Lookup("meaning").StringValueOK(); !ok {
		return errors.New("the document has no text in the field \"meaning\", so another program wrote it: keep other documents out of the collection")
	}
	for name, field := range map[string]*int64{"base": &r.Base, "x": &r.X, "version": &r.Version} {
		if *field, err = integer(doc, name, false); err != nil {
			return err
		}
	}
	return nil
}

// integer returns a field of a document that must be an integer. If doubles is true, it may
// be a double that is exact.
func integer(doc bson.Raw, name string, doubles bool) (int64, error) {
	v := doc.Lookup(name)
	n, ok := v.AsInt64OK()
	f, double := v.DoubleOK()
	switch {
	case v.Type == 0:
		return 0, fmt.Errorf("the document has no field %s", name)
	case !ok || double && !(doubles && f == float64(n) && math.Abs(f) <= 1<<53):
		return 0, fmt.Errorf("field %s is a %v, not an integer", name, v.Type)
	}
	return n, nil
}

// Put implements [driver.Driver].
func (c rows) Put(ctx context.Context, r driver.Row, was int64) (ok bool, err error) {
	meaning := bson.D{{Key: "meaning", Value: r.Meaning}, {Key: "base", Value: r.Base}, {Key: "version", Value: r.Version}}
	err = c.ask(ctx, trip, func(ctx context.Context) error {
		if was != 0 {
			_, ok, err = c.update(ctx, bson.D{{Key: "_id", Value: r.Key}, {Key: "version", Value: was}}, bson.D{{Key: "$set", Value: meaning}})
			return err
		}
		_, err := c.InsertOne(ctx, append(bson.D{{Key: "_id", Value: r.Key}, {Key: "x", Value: int64(0)}}, meaning...))
		if ok = err == nil; mongo.IsDuplicateKeyError(err) {
			return nil
		}
		return err
	})
	return ok, err
}

// Draw implements [driver.Driver]. If d has a Clock, Draw estimates the server's time from a
// reading that is at most a minute old. If the step is refused, Draw asks the server for the
// time and tries once more.
func (c rows) Draw(ctx context.Context, d driver.Draw) (s driver.Step, ok bool, err error) {
	err = c.ask(ctx, d.Limit, func(ctx context.Context) error {
		if d.Clock == nil {
			s, ok, err = c.step(ctx, d)
			return err
		}
		for _, maxAge := range []time.Duration{lookEvery, 0} {
			now, err := c.now(ctx, maxAge)
			if err != nil {
				return err
			}
			if s, ok, err = c.step(ctx, d.At(now)); ok || err != nil {
				s.Now = now
				return err
			}
		}
		return nil
	})
	return s, ok, err
}

// isInteger matches integers, so that nobody draws from a document whose x is something
// else. On a double, $inc would stand still past 2^53, and numbers would repeat.
var isInteger = bson.E{Key: "$type", Value: bson.A{"int", "long"}}

// step makes the step x = max(x, d.Floor) + d.N. The plain operators of MongoDB can't do
// this in one statement. So there are two, of which at most one changes the document:
//
//	raise  where x is below the floor: sets x to floor + n
//	add    where x is from the floor up: adds n
//
// Each is atomic, and right whatever others do before it. x only grows. If raise finds
// nothing to change, and the version is right, then x has reached the floor and stays
// there, so that add must find it, unless n more would pass most. So if raise and then add
// change nothing, the step is refused. add comes first where it mostly fits: where no clock
// raises the floor.
func (c rows) step(ctx context.Context, d driver.Draw) (s driver.Step, ok bool, err error) {
	raise := [2]bson.D{
		bson.D{{Key: "$lt", Value: d.Floor}, isInteger},
		bson.D{{Key: "$set", Value: bson.D{{Key: "x", Value: d.Floor + d.N}}}},
	}
	add := [2]bson.D{
		bson.D{{Key: "$gte", Value: d.Floor}, {Key: "$lte", Value: d.Most - d.N}, isInteger},
		bson.D{{Key: "$inc", Value: bson.D{{Key: "x", Value: d.N}}}},
	}
	order := [][2]bson.D{add, raise, add}
	switch {
	case d.Floor > d.Most-d.N: // wherever x is
		order = nil
	case d.Clock != nil && d.Clock.Width > 0:
		order = order[1:]
	}
	for _, st := range order { // where x is so, and the change
		before, ok, err := c.update(ctx, bson.D{{Key: "_id", Value: d.Key}, {Key: "version", Value: d.Version}, {Key: "x", Value: st[0]}}, st[1])
		if ok {
			s.Before, err = integer(before, "x", false)
			s.After = max(s.Before, d.Floor) + d.N
		}
		if ok || err != nil {
			return s, err == nil, err
		}
	}
	return s, false, nil
}

// A reading is what the server's clock showed, and when it was asked. The time since then
// is measured by the monotonic clock of this machine, which no change of the wall clock
// moves.
type reading struct{ showed, asked time.Time }

// A reading is used for lookEvery, or until a step is refused.
const lookEvery = time.Minute

// now returns the time of the server's clock, from a reading that is at most maxAge old.
// Plain operators can't put the clock into numbers. The server's clock shows the
// millisecond, and the way of the answer isn't counted. So now is behind it by that much.
func (c collection) now(ctx context.Context, maxAge time.Duration) (time.Time, error) {
	if r := c.clock.Load(); r != nil && time.Since(r.asked) < maxAge {
		return r.showed.Add(time.Since(r.asked)), nil
	}
	hello, err := c.Database().RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}, options.RunCmd().SetReadPreference(readpref.Primary())).Raw()
	now, ok := hello.Lookup("localTime").TimeOK()
	if err == nil && !ok {
		err = errors.New("the server's answer to hello has no localTime")
	}
	if err == nil {
		c.clock.Store(&reading{now, time.Now()})
	}
	return now, err
}
