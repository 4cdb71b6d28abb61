package sequence_test

import (
	"fmt"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/internal/servers/legacycounter"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

// These are the two tests of the original counter, on every store. 20 callers draw 100
// numbers each.

func TestTwentyCallersDrawEachSerialOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) { twentyCallers(t, p.mustOpen(t), 2000) })
}

func TestTwentyCallersDrawEachSerialOfACycleTwentyTimes(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) { twentyCallers(t, p.mustOpen(t), 100) })
}

func twentyCallers(t *testing.T, s sequence.Store, last int64) {
	t.Helper()
	var mu sync.Mutex
	wraps := map[int64]int{}
	for _, how := range []struct {
		name string
		opts []sequence.Option
	}{
		{"coalesced", []sequence.Option{sequence.WithWrap(func(n sequence.Number) {
			mu.Lock()
			defer mu.Unlock()
			wraps[n.Cycle]++
		})}},
		{"lease", []sequence.Option{sequence.WithLease(10, 0)}},
	} {
		if err := s.Create(t.Context(), how.name, sequence.Plan{First: 1, Last: last, Cycle: true}); err != nil {
			t.Fatal(err)
		}
		seq := sequence.New(s, how.name, how.opts...)
		wantEach(t, how.name, last, 2000/int(last), drawAll(t, 100, func(int) (int64, error) {
			n, err := seq.Next(t.Context())
			return n.Serial, err
		}))
		if unused, err := seq.Close(t.Context()); err != nil || unused != 0 && how.name == "coalesced" {
			t.Errorf("%d unused, %v", unused, err)
		}
	}
	for cycle := int64(1); cycle < 2000/last; cycle++ {
		if wraps[cycle] != 1 {
			t.Errorf("wrap into cycle %d announced %d times", cycle, wraps[cycle])
		}
	}
}

// drawAll returns how often each serial came in 20 callers' draws.
func drawAll(t *testing.T, each int, draw func(caller int) (int64, error)) map[int64]int {
	t.Helper()
	times := map[int64]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for caller := range 20 {
		wg.Go(func() {
			for range each {
				serial, err := draw(caller)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				times[serial]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return times
}

// wantEach fails unless each of 1..last came want times.
func wantEach(t *testing.T, name string, last int64, want int, times map[int64]int) {
	t.Helper()
	for serial := int64(1); serial <= last; serial++ {
		if times[serial] != want {
			t.Errorf("%s: serial %d came %d times, want %d", name, serial, times[serial], want)
		}
	}
	if len(times) != int(last) {
		t.Errorf("%s: %d different serials, want %d", name, len(times), last)
	}
}

// TestLegacyDocumentsWhileOldWritersDraw draws from one document with 20 callers. Two of
// them use the older loop, the others mongosequence.
func TestLegacyDocumentsWhileOldWritersDraw(t *testing.T) {
	p, _ := mongoDB(t)
	for _, maxval := range []int64{100, 5} { // the short one goes round in each trip
		whileOldWritersDraw(t, p.collection(t), fmt.Sprint(maxval), maxval)
	}
}

func whileOldWritersDraw(t *testing.T, coll *mongo.Collection, key string, maxval int64) {
	t.Helper()
	if err := legacycounter.MongoCreate(t.Context(), coll, key, maxval); err != nil {
		t.Fatal(err)
	}
	store := mongosequence.NewLegacy(coll)
	if err := store.Create(t.Context(), key, sequence.Plan{First: 1, Last: maxval, Cycle: true}); err != nil { // does nothing
		t.Fatal(err)
	}
	seq := sequence.New(store, key)
	wantEach(t, "legacy", maxval, 400/int(maxval), drawAll(t, 20, func(caller int) (int64, error) {
		if caller < 2 {
			serial, _, err := legacycounter.Mongo(t.Context(), coll, key)
			return serial, err
		}
		n, err := seq.Next(t.Context())
		return n.Serial, err
	}))
}
