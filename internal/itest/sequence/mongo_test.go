package sequence_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/oidkit/oidkit/internal/servers/legacycounter"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

// insert puts a document into the collection.
func insert(t *testing.T, coll *mongo.Collection, doc bson.D) {
	t.Helper()
	if _, err := coll.InsertOne(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
}

func stored(t *testing.T, coll *mongo.Collection, key string) string {
	t.Helper()
	raw, err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: key}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	return raw.String()
}

func TestDocumentWithoutIntegersIsRefusedUnchanged(t *testing.T) {
	p, _ := mongoDB(t)
	coll := p.collection(t)
	s := mongosequence.New(coll)
	for key, tt := range map[string]struct {
		doc  bson.D
		want string
	}{
		"double count": {bson.D{{Key: "count", Value: 1.0}, {Key: "left", Value: 9}, {Key: "first", Value: 1}, {Key: "last", Value: 9}, {Key: "cycle", Value: true}}, "field count is a double, not an integer"},
		"text count":   {bson.D{{Key: "count", Value: "1"}, {Key: "left", Value: 9}, {Key: "first", Value: 1}, {Key: "last", Value: 9}, {Key: "cycle", Value: true}}, "field count is a string, not an integer"},
		"double left":  {bson.D{{Key: "count", Value: 1}, {Key: "left", Value: 9.0}, {Key: "first", Value: 1}, {Key: "last", Value: 9}, {Key: "cycle", Value: true}}, "field left is a double, not an integer"},
		"no left":      {bson.D{{Key: "count", Value: 1}, {Key: "first", Value: 1}, {Key: "last", Value: 9}, {Key: "cycle", Value: true}}, "the document has no field left"},
		"val, maxval":  {bson.D{{Key: "val", Value: 1}, {Key: "maxval", Value: 99}}, "the document has no field first"},
	} {
		insert(t, coll, append(bson.D{{Key: "_id", Value: key}}, tt.doc...))
		before := stored(t, coll, key)
		_, err := s.Take(t.Context(), key, 1)
		if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: Take: %v, want %s", key, err, tt.want)
		}
		if err := s.Create(t.Context(), key, sequence.Plan{First: 1, Last: 9, Cycle: true}); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: Create: %v, want %s", key, err, tt.want)
		}
		if after := stored(t, coll, key); after != before {
			t.Errorf("%s: changed from %s to %s", key, before, after)
		}
	}
	// A broken plan is reported after the draw, which is then a gap.
	insert(t, coll, bson.D{{Key: "_id", Value: "plan"}, {Key: "count", Value: 1}, {Key: "left", Value: 9}, {Key: "first", Value: 1}, {Key: "last", Value: 9.0}, {Key: "cycle", Value: true}})
	if _, err := s.Take(t.Context(), "plan", 1); err == nil || !strings.HasSuffix(err.Error(), "field last is a double, not an integer") {
		t.Errorf("%v", err)
	}
	create(t, s, 0, 99)
	if _, err := sequence.NewStamper(s, "k").Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.set(t, map[string]any{"stamp": 1.0})
	if _, err := sequence.NewStamper(s, "k").Next(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "field stamp is a double, not an integer") {
		t.Errorf("%v", err)
	}
}

// TestDrawIsDurableAndInNoTransaction looks at the commands that go out.
func TestDrawIsDurableAndInNoTransaction(t *testing.T) {
	p, _ := mongoDB(t)
	var mu sync.Mutex
	var writes []bson.Raw
	client, err := mongo.Connect(options.Client().ApplyURI(p.uri).
		SetWriteConcern(writeconcern.W1()).
		SetMonitor(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
			mu.Lock()
			defer mu.Unlock()
			if e.CommandName == "findAndModify" || e.CommandName == "insert" {
				writes = append(writes, slices.Clone(e.Command))
			}
		}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Disconnect(context.Background()) })
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(t.Context())
	// The embedded server has no transactions. A command in this one would be an error.
	if err := session.StartTransaction(); err != nil {
		t.Fatal(err)
	}
	ctx := mongo.NewSessionContext(t.Context(), session)
	s := mongosequence.New(client.Database(p.name).Collection("sequences"))
	plan := sequence.Plan{First: 0, Last: 99, Cycle: true}
	if err := s.Create(ctx, "k", plan); err != nil {
		t.Fatal(err)
	}
	seq := sequence.New(s, "k")
	if _, err := seq.Next(ctx); err != nil {
		t.Error(err)
	}
	if _, err := seq.Take(ctx, 3); err != nil {
		t.Error(err)
	}
	if err := s.Resize(ctx, "k", plan); err != nil {
		t.Error(err)
	}
	if _, err := sequence.NewStamper(s, "k").Next(ctx); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, c := range writes {
		if c.Lookup("writeConcern", "w").StringValue() != "majority" || !c.Lookup("writeConcern", "j").Boolean() {
			t.Errorf("write concern of %s", c)
		}
		if _, err := c.LookupErr("txnNumber"); err == nil {
			t.Errorf("in a transaction: %s", c)
		}
	}
	if len(writes) < 6 {
		t.Errorf("%d writes", len(writes))
	}
}

func TestClockTooFarAheadIsRefused(t *testing.T) {
	p, _ := mongoDB(t)
	coll := p.collection(t)
	s := mongosequence.New(coll)
	create(t, s, 0, 99)
	var ahead time.Duration
	stamper := sequence.NewStamper(s, "k", sequence.WithClock(func() time.Time { return time.Now().Add(ahead) }))
	first, err := stamper.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := stored(t, coll, "k")
	ahead = time.Hour // the clock of this machine jumps
	if st, err := stamper.Next(t.Context()); !errors.Is(err, sequence.ErrClockLead) {
		t.Errorf("%v, %v", st, err)
	}
	if after := stored(t, coll, "k"); after != before {
		t.Errorf("changed from %s to %s", before, after)
	}
	ahead = -time.Hour
	st, err := stamper.Next(t.Context())
	if err != nil || st.Compare(first) <= 0 || st.Tick.Sub(first.Tick) > time.Minute {
		t.Errorf("%v after %v, %v", st, first, err)
	}
}

// TestLegacyDocumentThatChangesBetweenReadingAndChange delays the change, so that
// someone else is faster.
func TestLegacyDocumentThatChangesBetweenReadingAndChange(t *testing.T) {
	old := func(ctx context.Context, coll *mongo.Collection) error {
		_, _, err := legacycounter.Mongo(ctx, coll, "k")
		return err
	}
	maxval := func(n float64) func(context.Context, *mongo.Collection) error {
		return func(ctx context.Context, coll *mongo.Collection) error {
			_, err := coll.UpdateByID(ctx, "k", bson.D{{Key: "$set", Value: bson.D{{Key: "maxval", Value: n}}}})
			return err
		}
	}
	for name, tt := range map[string]struct {
		val    float64 // the last serial before, of 99
		faster func(context.Context, *mongo.Collection) error
		want   []int64
	}{
		"old writer takes the last":     {98, old, []int64{1}},
		"old writer takes one of three": {96, old, []int64{98, 99, 1}},
		"old writer begins the cycle":   {99, old, []int64{2}},
		"maxval lowered":                {50, maxval(10), []int64{1}},
		"maxval raised at the end":      {99, maxval(200), []int64{100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := mongoDB(t)
			coll := p.collection(t)
			insert(t, coll, bson.D{{Key: "_id", Value: "k"}, {Key: "val", Value: tt.val}, {Key: "maxval", Value: 99.0}})
			arrived, done := make(chan struct{}), make(chan error)
			server.Inject(func(c mongodb.Command) mongodb.Fault {
				if c.Name != "findAndModify" || c.N > 1 {
					return mongodb.Fault{}
				}
				close(arrived)
				return mongodb.Fault{Delay: 1500 * time.Millisecond}
			})
			go func() {
				<-arrived
				done <- tt.faster(t.Context(), coll)
			}()
			b, err := mongosequence.NewLegacy(coll).Take(t.Context(), "k", int64(len(tt.want)))
			if err := <-done; err != nil {
				t.Error(err)
			}
			var got []int64
			for n := range b.All() {
				got = append(got, n.Serial)
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Fatalf("got %v, %v, want %v", got, err, tt.want)
			}
			var doc struct{ Val int64 }
			if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: "k"}}).Decode(&doc); err != nil || doc.Val != got[len(got)-1] {
				t.Errorf("val %d after %v, %v", doc.Val, got, err)
			}
		})
	}
}

func TestLegacyDocuments(t *testing.T) {
	p, _ := mongoDB(t)
	coll := p.collection(t)
	s := mongosequence.NewLegacy(coll)
	serials := func(key string, n int64) []int64 {
		t.Helper()
		b, err := s.Take(t.Context(), key, n)
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		var got []int64
		for n := range b.All() {
			got = append(got, n.Serial)
		}
		return got
	}
	for key, tt := range map[string]struct {
		val, maxval any
		n           int64
		want        []int64
		after       float64
	}{
		"first":              {0.0, 99.0, 1, []int64{1}, 1},
		"last":               {98.0, 99.0, 1, []int64{99}, 99},
		"wrap":               {99.0, 99.0, 1, []int64{1}, 1},
		"after old reset":    {0.0, 99.0, 2, []int64{1, 2}, 2},
		"to the end":         {96, 99, 3, []int64{97, 98, 99}, 99},
		"over the end":       {int64(97), int64(99), 4, []int64{98, 99, 1, 2}, 2},
		"several cycles":     {2.0, 3.0, 8, []int64{3, 1, 2, 3, 1, 2, 3, 1}, 1},
		"whole cycles":       {3.0, 3.0, 6, []int64{1, 2, 3, 1, 2, 3}, 3},
		"maxval of 1":        {1.0, 1.0, 3, []int64{1, 1, 1}, 1},
		"maxval lowered":     {51.0, 10.0, 2, []int64{1, 2}, 2},
		"ints among doubles": {5, 10.0, 2, []int64{6, 7}, 7},
	} {
		insert(t, coll, bson.D{{Key: "_id", Value: key}, {Key: "val", Value: tt.val}, {Key: "maxval", Value: tt.maxval}})
		if got := serials(key, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", key, got, tt.want)
		}
		var doc struct{ Val float64 }
		if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: key}}).Decode(&doc); err != nil || doc.Val != tt.after {
			t.Errorf("%s: val %v afterwards, %v", key, doc.Val, err)
		}
	}

	for key, tt := range map[string]struct {
		doc  bson.D
		want string
	}{
		"maxval of 0":    {bson.D{{Key: "val", Value: 0.0}, {Key: "maxval", Value: 0.0}}, "maxval is 0, less than 1"},
		"maxval below 0": {bson.D{{Key: "val", Value: 0.0}, {Key: "maxval", Value: -1}}, "maxval is -1, less than 1"},
		"no maxval":      {bson.D{{Key: "val", Value: 0.0}}, "the document has no field maxval"},
		"no val":         {bson.D{{Key: "maxval", Value: 9.0}}, "the document has no field val"},
		"text":           {bson.D{{Key: "val", Value: "0"}, {Key: "maxval", Value: 9.0}}, "field val is a string, not an integer"},
		"fraction":       {bson.D{{Key: "val", Value: 0.5}, {Key: "maxval", Value: 9.0}}, "field val is 0.5, not an integer"},
		"beyond 2^53":    {bson.D{{Key: "val", Value: 0.0}, {Key: "maxval", Value: 1e17}}, "field maxval is 1e+17, not an integer"},
		"val below 0":    {bson.D{{Key: "val", Value: -1.0}, {Key: "maxval", Value: 9.0}}, "val is -1, less than 0"},
	} {
		insert(t, coll, append(bson.D{{Key: "_id", Value: key}}, tt.doc...))
		before := stored(t, coll, key)
		if _, err := s.Take(t.Context(), key, 1); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", key, err, tt.want)
		}
		if after := stored(t, coll, key); after != before {
			t.Errorf("%s: changed from %s to %s", key, before, after)
		}
	}

	if _, err := s.Take(t.Context(), "none", 1); !errors.Is(err, sequence.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if err := s.Create(t.Context(), "first", sequence.Plan{First: 1, Last: 100, Cycle: true}); !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("%v", err)
	}
	create(t, s, 1, 5)
	create(t, s, 1, 5)
	if err := s.Create(t.Context(), "l", sequence.Plan{First: 0, Last: 5, Cycle: true}); err == nil {
		t.Error("a plan from 0")
	}
	serials("k", 4)
	if err := s.Resize(t.Context(), "k", sequence.Plan{First: 1, Last: 3, Cycle: true}); err != nil {
		t.Fatal(err)
	}
	if got := serials("k", 4); !slices.Equal(got, []int64{1, 2, 3, 1}) {
		t.Errorf("after the resize: %v", got)
	}
	if err := s.Resize(t.Context(), "none", sequence.Plan{First: 1, Last: 3, Cycle: true}); !errors.Is(err, sequence.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if _, err := sequence.NewStamper(s, "k").Next(t.Context()); err != nil {
		t.Errorf("its stamps: %v", err)
	}
	if got := serials("k", 1); got[0] != 2 {
		t.Errorf("after a stamp: %v", got)
	}
}

// TestLegacyResizeStartsOverOrGoesOn has a document and a Memory do the same. Each plan
// can hold the serials drawn before, so that only starting over leads to 1.
func TestLegacyResizeStartsOverOrGoesOn(t *testing.T) {
	p, _ := mongoDB(t)
	coll := p.collection(t)
	s := mongosequence.NewLegacy(coll)
	cycle := func(last int64) sequence.Plan { return sequence.Plan{First: 1, Last: last, Cycle: true} }
	for name, tt := range map[string]struct {
		last, drawn, to int64
		opts            []sequence.ResizeOption
		want            int64 // the next serial, or 0 for ErrConflict
	}{
		"starts over in more":         {9, 4, 99, nil, 1},
		"starts over in less":         {99, 4, 9, nil, 1},
		"starts over in as many":      {9, 4, 9, nil, 1},
		"starts over in one":          {9, 4, 1, nil, 1},
		"goes on in more":             {9, 4, 99, []sequence.ResizeOption{sequence.GoOn}, 5},
		"goes on in less":             {99, 4, 9, []sequence.ResizeOption{sequence.GoOn}, 5},
		"goes on in a later cycle":    {9, 22, 99, []sequence.ResizeOption{sequence.GoOn}, 5},
		"goes on after a full cycle":  {9, 9, 99, []sequence.ResizeOption{sequence.GoOn}, 10},
		"goes on in as many as drawn": {9, 4, 4, []sequence.ResizeOption{sequence.GoOn}, 1},
		"goes on before the first":    {9, 0, 99, []sequence.ResizeOption{sequence.GoOn}, 1},
		"goes on in fewer than drawn": {9, 4, 3, []sequence.ResizeOption{sequence.GoOn}, 0},
		"refuses unknown options":     {9, 4, 99, []sequence.ResizeOption{77}, -1},
	} {
		for _, s := range []sequence.Store{s, sequence.NewMemory()} {
			if err := s.Create(t.Context(), name, cycle(tt.last)); err != nil {
				t.Fatal(err)
			}
			if tt.drawn > 0 {
				if _, err := s.Take(t.Context(), name, tt.drawn); err != nil {
					t.Fatal(err)
				}
			}
			err := s.Resize(t.Context(), name, cycle(tt.to), tt.opts...)
			if (err != nil) != (tt.want < 1) || errors.Is(err, sequence.ErrConflict) != (tt.want == 0) {
				t.Errorf("%s: %T.Resize: %v", name, s, err)
			}
			b, err := s.Take(t.Context(), name, 1)
			want := tt.want
			if want < 1 {
				want = tt.drawn + 1 // nothing changed
			}
			if err != nil || b.At(0).Serial != want {
				t.Errorf("%s: %T drew %v afterwards, %v, want serial %d", name, s, b, err, want)
			}
		}
	}
}

// TestLegacyResizeWhileOldWritersDraw resizes a document of doubles, from which the older
// loop goes on.
func TestLegacyResizeWhileOldWritersDraw(t *testing.T) {
	p, _ := mongoDB(t)
	coll := p.collection(t)
	s := mongosequence.NewLegacy(coll)
	cycle := func(last int64) sequence.Plan { return sequence.Plan{First: 1, Last: last, Cycle: true} }
	for name, tt := range map[string]struct {
		val, maxval float64
		to          int64
		opts        []sequence.ResizeOption
		want        []int64
	}{
		"starts over":                  {57, 99, 999, nil, []int64{1, 2}},
		"goes on":                      {57, 99, 999, []sequence.ResizeOption{sequence.GoOn}, []int64{58, 59}},
		"goes on at the end":           {99, 99, 999, []sequence.ResizeOption{sequence.GoOn}, []int64{100, 101}},
		"goes on to the end":           {57, 99, 58, []sequence.ResizeOption{sequence.GoOn}, []int64{58, 1}},
		"goes on after a lower maxval": {57, 10, 20, []sequence.ResizeOption{sequence.GoOn}, []int64{11, 12}},
	} {
		insert(t, coll, bson.D{{Key: "_id", Value: name}, {Key: "val", Value: tt.val}, {Key: "maxval", Value: tt.maxval}})
		if err := s.Resize(t.Context(), name, cycle(tt.to), tt.opts...); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []int64
		for range tt.want {
			serial, _, err := legacycounter.Mongo(t.Context(), coll, name)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, serial)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: the old loop drew %v, want %v", name, got, tt.want)
		}
	}
	for _, opts := range [][]sequence.ResizeOption{nil, {sequence.GoOn}} {
		if err := s.Resize(t.Context(), "none", cycle(3), opts...); !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("Resize of a missing key, %v: %v", opts, err)
		}
	}
}

// TestLegacyResizeThatGoesOnWhileOthersDraw lengthens the plan step by step. Ten callers
// of ours and two of the older loop draw meanwhile. No serial comes twice or is missing.
func TestLegacyResizeThatGoesOnWhileOthersDraw(t *testing.T) {
	p, _ := mongoDB(t)
	coll := p.collection(t)
	s := mongosequence.NewLegacy(coll)
	create(t, s, 1, 100000)
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	seq := sequence.New(s, "k")
	for caller := range 12 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				n, err := sequence.Number{}, error(nil)
				if caller < 2 {
					n.Serial, _, err = legacycounter.Mongo(t.Context(), coll, "k")
				} else {
					n, err = seq.Next(t.Context())
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if seen[n.Serial] {
					t.Errorf("serial %d came twice", n.Serial)
				}
				seen[n.Serial] = true
				mu.Unlock()
			}
		})
	}
	for last := int64(100001); last <= 100020; last++ {
		if err := s.Resize(t.Context(), "k", sequence.Plan{First: 1, Last: last, Cycle: true}, sequence.GoOn); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	for serial := int64(1); serial <= int64(len(seen)); serial++ {
		if !seen[serial] {
			t.Errorf("serial %d is missing", serial)
		}
	}
}
