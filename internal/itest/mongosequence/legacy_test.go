package mongosequence_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

func insert(t *testing.T, coll *mongo.Collection, doc bson.D) {
	t.Helper()
	if _, err := coll.InsertOne(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
}

func cycle(last int64) sequence.Plan { return sequence.Plan{First: 1, Last: last, Cycle: true} }

// take draws n serials by a Sequence of its own.
func take(ctx context.Context, coll *mongo.Collection, key string, last, n int64) (serials []int64, err error) {
	b, err := sequence.New(mongosequence.NewLegacy(coll), key, cycle(last)).Take(ctx, n)
	for _, n := range b {
		serials = append(serials, n.Serial)
	}
	return serials, err
}

func TestLegacyDocumentsOfEveryForm(t *testing.T) {
	t.Parallel()
	coll := connect(t, mongodb.Start(t))
	for key, tt := range map[string]struct {
		val, maxval any
		last        int64
		want        []int64
		after       float64
	}{
		"first":              {0.0, 99.0, 99, []int64{1}, 1},
		"last":               {98.0, 99.0, 99, []int64{99}, 99},
		"wrap":               {99.0, 99.0, 99, []int64{1}, 1},
		"after old reset":    {0.0, 99.0, 99, []int64{1, 2}, 2},
		"to the end":         {96, 99, 99, []int64{97, 98, 99}, 99},
		"over the end":       {int64(97), int64(99), 99, []int64{98, 99, 1, 2}, 2},
		"several cycles":     {2.0, 3.0, 3, []int64{3, 1, 2, 3, 1, 2, 3, 1}, 1},
		"whole cycles":       {3.0, 3.0, 3, []int64{1, 2, 3, 1, 2, 3}, 3},
		"maxval of 1":        {1.0, 1.0, 1, []int64{1, 1, 1}, 1},
		"maxval lowered":     {51.0, 10.0, 10, []int64{1, 2}, 2},
		"ints among doubles": {5, 10.0, 10, []int64{6, 7}, 7},
	} {
		insert(t, coll, bson.D{{Key: "_id", Value: key}, {Key: "val", Value: tt.val}, {Key: "maxval", Value: tt.maxval}})
		got, err := take(t.Context(), coll, key, tt.last, int64(len(tt.want)))
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: Take = %v, %v, want %v", key, got, err, tt.want)
		}
		var doc struct{ Val float64 }
		if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: key}}).Decode(&doc); err != nil || doc.Val != tt.after {
			t.Errorf("%s: val %v afterwards, %v", key, doc.Val, err)
		}
	}
}

func TestLegacyDocumentThatCannotCountIsRefusedUnchanged(t *testing.T) {
	t.Parallel()
	coll := connect(t, mongodb.Start(t))
	for key, tt := range map[string]struct {
		doc  bson.D
		want string
	}{
		"maxval of 0":    {bson.D{{Key: "val", Value: 0.0}, {Key: "maxval", Value: 0.0}}, "the field maxval is 0, not from 1 to 2147483647"},
		"maxval below 0": {bson.D{{Key: "val", Value: 0.0}, {Key: "maxval", Value: -1}}, "the field maxval is -1, not from 1 to 2147483647"},
		"no maxval":      {bson.D{{Key: "val", Value: 0.0}}, "the document has no field maxval"},
		"no val":         {bson.D{{Key: "maxval", Value: 9.0}}, "the document has no field val"},
		"text":           {bson.D{{Key: "val", Value: "0"}, {Key: "maxval", Value: 9.0}}, "field val is a string, not an integer"},
		"fraction":       {bson.D{{Key: "val", Value: 0.5}, {Key: "maxval", Value: 9.0}}, "field val is a double, not an integer"},
		"beyond 2^53":    {bson.D{{Key: "val", Value: 0.0}, {Key: "maxval", Value: 1e17}}, "field maxval is a double, not an integer"},
		"val below 0":    {bson.D{{Key: "val", Value: -1.0}, {Key: "maxval", Value: 9.0}}, "the field val is -1, less than 0"},
	} {
		insert(t, coll, append(bson.D{{Key: "_id", Value: key}}, tt.doc...))
		if got, err := take(t.Context(), coll, key, 9, 1); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: Take = %v, %v, want %s", key, got, err, tt.want)
		}
		var after bson.D
		if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: key}}).Decode(&after); err != nil || fmt.Sprint(after[1:]) != fmt.Sprint(tt.doc) {
			t.Errorf("%s: changed to %v, %v", key, after, err)
		}
	}
}

// TestLegacyDocumentsHoldNothingElse asks for what {_id, val, maxval} can't hold.
func TestLegacyDocumentsHoldNothingElse(t *testing.T) {
	t.Parallel()
	coll := connect(t, mongodb.Start(t))
	store := mongosequence.NewLegacy(coll)
	insert(t, coll, bson.D{{Key: "_id", Value: "k"}, {Key: "val", Value: 5.0}, {Key: "maxval", Value: 9.0}})
	seq := sequence.New(store, "k", cycle(9))
	for name, call := range map[string]func() error{
		"a plan from 0": func() error {
			_, err := sequence.New(store, "l", sequence.Plan{Last: 9, Cycle: true}).Next(t.Context())
			return err
		},
		"a plan that ends": func() error {
			_, err := sequence.New(store, "l", sequence.Plan{First: 1, Last: 9}).Next(t.Context())
			return err
		},
		"stamps":             func() error { _, err := sequence.NewStamper(store, "l").Next(t.Context()); return err },
		"documents":          func() error { _, err := sequence.NewNumbering(store, "l", "A{00}").Next(t.Context()); return err },
		"Resize":             func() error { return sequence.New(store, "k", cycle(99)).Resize(t.Context(), cycle(9)) },
		"AdvanceToOrdinal":   func() error { return seq.AdvanceToOrdinal(t.Context(), 7) },
		"a missing document": func() error { _, err := sequence.New(store, "l", cycle(9)).Next(t.Context()); return err },
	} {
		if err := call(); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v, want an error that is errors.ErrUnsupported", name, err)
		}
	}
	if n, err := seq.Next(t.Context()); err != nil || n.Serial != 6 {
		t.Errorf("Next = %+v, %v, want serial 6", n, err)
	}
	if all, err := sequence.List(t.Context(), store); err != nil || len(all) != 1 || all[0].Plan != cycle(9) {
		t.Errorf("List = %+v, %v", all, err)
	}
}

// TestLegacyChangeOfMaxvalIsNoticed changes maxval behind a program's back.
func TestLegacyChangeOfMaxvalIsNoticed(t *testing.T) {
	t.Parallel()
	coll := connect(t, mongodb.Start(t))
	insert(t, coll, bson.D{{Key: "_id", Value: "k"}, {Key: "val", Value: 57.0}, {Key: "maxval", Value: 99.0}})
	seq := sequence.New(mongosequence.NewLegacy(coll), "k", cycle(99))
	if n, err := seq.Next(t.Context()); err != nil || n.Serial != 58 {
		t.Fatalf("Next = %+v, %v, want serial 58", n, err)
	}
	if _, err := coll.UpdateByID(t.Context(), "k", bson.D{{Key: "$set", Value: bson.D{{Key: "maxval", Value: 60.0}}}}); err != nil {
		t.Fatal(err)
	}
	if n, err := seq.Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
		t.Errorf("Next with the plan before = %+v, %v, want ErrConflict", n, err)
	}
	if got, err := take(t.Context(), coll, "k", 60, 3); err != nil || !slices.Equal(got, []int64{59, 60, 1}) {
		t.Errorf("Take with the new plan = %v, %v", got, err)
	}
}

// TestLegacyDocumentThatCannotBeReadIsAnError refuses the readings of a draw and of List.
func TestLegacyDocumentThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	server := mongodb.Start(t)
	coll := connect(t, server)
	insert(t, coll, bson.D{{Key: "_id", Value: "k"}, {Key: "val", Value: 5.0}, {Key: "maxval", Value: 9.0}})
	seq := sequence.New(mongosequence.NewLegacy(coll), "k", cycle(9))
	if n, err := seq.Next(t.Context()); err != nil || n.Serial != 6 {
		t.Fatalf("Next = %+v, %v, want serial 6", n, err)
	}
	server.Inject(func(c mongodb.Command) mongodb.Fault {
		if c.Name == "find" {
			return mongodb.Fault{Refuse: "refused by the test"}
		}
		return mongodb.Fault{}
	})
	d := mongosequence.NewLegacy(coll).Driver()
	if step, ok, err := d.Draw(t.Context(), driver.Draw{Key: "k", Version: 9, N: 1, Most: 1 << 40}); ok || err == nil || !strings.Contains(err.Error(), "refused by the test") {
		t.Errorf("Draw = %+v, %v, %v", step, ok, err)
	}
	if all, err := sequence.List(t.Context(), mongosequence.NewLegacy(coll)); err == nil || !strings.Contains(err.Error(), "refused by the test") {
		t.Errorf("List = %+v, %v", all, err)
	}
	server.Inject(nil)
	if n, err := seq.Next(t.Context()); err != nil || n.Serial != 7 {
		t.Errorf("Next afterwards = %+v, %v, want serial 7", n, err)
	}
}

// drawByLoop draws the next serial of the document {_id, val, maxval} of key as older programs
// do: it reads the last serial, changes it by compare-and-set, and starts again if someone
// else was faster.
func drawByLoop(ctx context.Context, coll *mongo.Collection, key string) (serial int64, err error) {
	for {
		var doc struct{ Val, Maxval float64 }
		if err := coll.FindOne(ctx, bson.D{{Key: "_id", Value: key}}).Decode(&doc); err != nil {
			return 0, err
		}
		change := bson.D{{Key: "$inc", Value: bson.D{{Key: "val", Value: 1.0}}}}
		if doc.Val >= doc.Maxval {
			change = bson.D{{Key: "$set", Value: bson.D{{Key: "val", Value: 0.0}}}}
		}
		res, err := coll.UpdateOne(ctx, bson.D{{Key: "_id", Value: key}, {Key: "val", Value: doc.Val}}, change)
		if err != nil {
			return 0, err
		}
		if res.ModifiedCount == 1 && doc.Val < doc.Maxval {
			return int64(doc.Val) + 1, nil
		}
	}
}

// TestLegacyDocumentThatChangesBetweenReadingAndChange delays the change, so that
// someone else is faster.
func TestLegacyDocumentThatChangesBetweenReadingAndChange(t *testing.T) {
	for name, tt := range map[string]struct {
		val  float64 // the last serial before, of 99
		want []int64
	}{
		"old writer takes the last":     {98, []int64{1}},
		"old writer takes one of three": {96, []int64{98, 99, 1}},
		"old writer begins the cycle":   {99, []int64{2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := mongodb.Start(t)
			coll := connect(t, server)
			insert(t, coll, bson.D{{Key: "_id", Value: "k"}, {Key: "val", Value: tt.val}, {Key: "maxval", Value: 99.0}})
			arrived, drawn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			server.Inject(func(c mongodb.Command) mongodb.Fault {
				if c.Name != "findAndModify" || c.N > 1 {
					return mongodb.Fault{}
				}
				close(arrived)
				return mongodb.Fault{Wait: drawn}
			})
			go func() {
				<-arrived
				_, err := drawByLoop(t.Context(), coll, "k")
				close(drawn)
				done <- err
			}()
			got, err := take(t.Context(), coll, "k", 99, int64(len(tt.want)))
			if err := <-done; err != nil {
				t.Error(err)
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Fatalf("Take = %v, %v, want %v", got, err, tt.want)
			}
			var doc struct{ Val int64 }
			if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: "k"}}).Decode(&doc); err != nil || doc.Val != got[len(got)-1] {
				t.Errorf("val %d after %v, %v", doc.Val, got, err)
			}
		})
	}
}

// TestLegacyDocumentsWhileOldWritersDraw draws from one document with 20 callers. Two of
// them use the older loop, the others two programs of ours. Each serial comes as often as
// any other.
func TestLegacyDocumentsWhileOldWritersDraw(t *testing.T) {
	t.Parallel()
	coll := connect(t, mongodb.Start(t))
	for _, maxval := range []int64{100, 5} { // the short one goes round in each trip
		key := fmt.Sprint(maxval)
		insert(t, coll, bson.D{{Key: "_id", Value: key}, {Key: "val", Value: 0.0}, {Key: "maxval", Value: float64(maxval)}})
		var programs [2]*sequence.Sequence
		for i := range programs {
			programs[i] = sequence.New(mongosequence.NewLegacy(coll), key, cycle(maxval))
		}
		times := map[int64]int{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for caller := range 20 {
			wg.Go(func() {
				for range 10 {
					n, err := sequence.Number{}, error(nil)
					if caller < 2 {
						n.Serial, err = drawByLoop(t.Context(), coll, key)
					} else {
						n, err = programs[caller%2].Next(t.Context())
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					times[n.Serial]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for serial := int64(1); serial <= maxval; serial++ {
			if times[serial] != 200/int(maxval) {
				t.Errorf("serial %d of %d came %d times, want %d", serial, maxval, times[serial], 200/maxval)
			}
		}
	}
}

// TestLegacyCountMovesToTheNewStore takes the steps of docs/migrating.md.
func TestLegacyCountMovesToTheNewStore(t *testing.T) {
	t.Parallel()
	coll := connect(t, mongodb.Start(t))
	insert(t, coll, bson.D{{Key: "_id", Value: "k"}, {Key: "val", Value: 98.0}, {Key: "maxval", Value: 99.0}})
	if _, err := take(t.Context(), coll, "k", 99, 1); err != nil {
		t.Fatal(err)
	}
	var doc struct{ Val int64 }
	if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: "k"}}).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	seq := sequence.New(mongosequence.New(coll.Database().Collection("new")), "k", cycle(99))
	if err := seq.AdvanceToOrdinal(t.Context(), doc.Val); err != nil {
		t.Fatal(err)
	}
	if n, err := seq.Next(t.Context()); err != nil || n.Serial != 1 {
		t.Errorf("Next = %+v, %v, want serial 1 after serial %d", n, err, doc.Val)
	}
}
