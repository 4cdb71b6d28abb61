package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

// A scene is a call, and what comes before it.
type scene struct {
	name   string
	before func(ctx context.Context, b bench, s store, key string) error
	call   func(ctx context.Context, b bench, s store, key string) (any, error)
	fresh  bool // each time with a new store, which knows nothing yet
}

var (
	wheel9 = sequence.Plan{First: 1, Last: 9, Cycle: true}
	upTo9  = sequence.Plan{First: 1, Last: 9}
)

func createdAs(plan sequence.Plan) func(context.Context, bench, store, string) error {
	return func(ctx context.Context, b bench, s store, key string) error { return b.others.Create(ctx, key, plan) }
}

// drawnFrom draws before the call.
func drawnFrom(plan sequence.Plan, n int64, then func(ctx context.Context, b bench, s store, key string) error) func(context.Context, bench, store, string) error {
	return func(ctx context.Context, b bench, s store, key string) error {
		err := b.others.Create(ctx, key, plan)
		if err == nil {
			_, err = s.Take(ctx, key, n)
		}
		if err == nil && then != nil {
			err = then(ctx, b, s, key)
		}
		return err
	}
}

func taking(n int64) func(context.Context, bench, store, string) (any, error) {
	return func(ctx context.Context, _ bench, s store, key string) (any, error) {
		block, err := s.Take(ctx, key, n)
		return slices.Collect(block.All()), err
	}
}

func creating(plan sequence.Plan) func(context.Context, bench, store, string) (any, error) {
	return func(ctx context.Context, _ bench, s store, key string) (any, error) {
		return nil, s.Create(ctx, key, plan)
	}
}

func resizing(plan sequence.Plan, opts ...sequence.ResizeOption) func(context.Context, bench, store, string) (any, error) {
	return func(ctx context.Context, _ bench, s store, key string) (any, error) {
		return nil, s.Resize(ctx, key, plan, opts...)
	}
}

func advancing(n int64) func(context.Context, bench, store, string) (any, error) {
	return func(ctx context.Context, _ bench, s store, key string) (any, error) {
		return nil, s.Advance(ctx, key, n)
	}
}

// scenes are the calls of every store.
func scenes() []scene {
	now := time.Now().Truncate(time.Microsecond)
	stamps := sequence.StampDraw{N: 3, Width: 100, Tick: time.Microsecond, Now: now, MaxLead: time.Hour}
	stamping := func(change func(*sequence.StampDraw)) func(context.Context, bench, store, string) (any, error) {
		d := stamps
		change(&d)
		return func(ctx context.Context, _ bench, s store, key string) (any, error) {
			got, err := s.TakeStamps(ctx, key, d)
			if _, ownClock := s.(*pgsequence.Store); ownClock && err == nil {
				return got.Last/100 >= now.UnixMicro() && got.Lead >= 0, nil
			}
			return got, err
		}
	}
	stamped := drawnFrom(wheel9, 1, func(ctx context.Context, b bench, s store, key string) error {
		d := stamps
		d.N = 100 * 60e6 // a minute of stamps
		_, err := s.TakeStamps(ctx, key, d)
		return err
	})
	numbers := sequence.NumberDraw{N: 2, Kind: "never", Now: now, MaxLead: time.Hour}
	numbering := func(change func(*sequence.NumberDraw)) func(context.Context, bench, store, string) (any, error) {
		d := numbers
		change(&d)
		return func(ctx context.Context, _ bench, s store, key string) (any, error) {
			return s.TakeNumbers(ctx, key, d)
		}
	}
	numbered := func(ctx context.Context, b bench, s store, key string) error {
		_, err := b.others.TakeNumbers(ctx, key, numbers)
		return err
	}
	same := func(*sequence.StampDraw) {}
	likewise := func(*sequence.NumberDraw) {}
	return []scene{
		{"Create", nil, creating(wheel9), false},
		{"Create again", createdAs(wheel9), creating(wheel9), false},
		{"Create with another plan", createdAs(wheel9), creating(upTo9), false},
		{"Create of a numbering", numbered, creating(wheel9), false},
		{"first Take", createdAs(wheel9), taking(2), false},
		{"Take", drawnFrom(wheel9, 1, nil), taking(2), false},
		{"Take while others draw", drawnFrom(wheel9, 1, func(ctx context.Context, b bench, s store, key string) error {
			_, err := b.others.Take(ctx, key, 1)
			if err == nil {
				_, err = s.Take(ctx, key, 1)
			}
			return err
		}), taking(2), true},
		{"Take after a resize", drawnFrom(wheel9, 1, func(ctx context.Context, b bench, _ store, key string) error {
			return b.others.Resize(ctx, key, sequence.Plan{First: 5, Last: 7, Cycle: true})
		}), taking(2), false},
		{"Take of too many", drawnFrom(upTo9, 8, nil), taking(2), false},
		{"Take from nothing", nil, taking(1), false},
		{"Take from a numbering", numbered, taking(1), false},
		{"Resize", drawnFrom(wheel9, 1, nil), resizing(upTo9), false},
		{"Resize to the same", createdAs(wheel9), resizing(wheel9), false},
		{"Resize that goes on", drawnFrom(wheel9, 12, nil), resizing(sequence.Plan{First: 1, Last: 5, Cycle: true}, sequence.GoOn), false},
		{"Resize that can't go on", drawnFrom(wheel9, 12, nil), resizing(sequence.Plan{First: 1, Last: 2, Cycle: true}, sequence.GoOn), false},
		{"Resize of nothing", nil, resizing(upTo9), false},
		{"Resize of a numbering", numbered, resizing(upTo9), false},
		{"Advance", drawnFrom(wheel9, 1, nil), advancing(20), false},
		{"Advance too far", drawnFrom(upTo9, 1, nil), advancing(20), false},
		{"Advance of a numbering", numbered, advancing(20), false},
		{"State", drawnFrom(wheel9, 1, nil), func(ctx context.Context, _ bench, s store, key string) (any, error) {
			state, err := s.State(ctx, key)
			return state.Last, err
		}, false},
		{"List", drawnFrom(wheel9, 1, nil), func(ctx context.Context, _ bench, s store, key string) (any, error) {
			list, err := s.List(ctx)
			i := slices.IndexFunc(list, func(s sequence.State) bool { return s.Key == key })
			return i >= 0, err
		}, false},
		{"first stamps", createdAs(wheel9), stamping(same), true},
		{"stamps", stamped, stamping(same), true},
		{"stamps after the last", stamped, stamping(func(d *sequence.StampDraw) { d.Now = d.Now.Add(2 * time.Minute) }), false},
		{"stamps of another width", stamped, stamping(func(d *sequence.StampDraw) { d.Width = 10 }), false},
		{"stamps of another tick", stamped, stamping(func(d *sequence.StampDraw) { d.Tick = time.Millisecond }), false},
		{"stamps too far ahead", stamped, stamping(func(d *sequence.StampDraw) { d.MaxStampLead = time.Second }), false},
		{"stamps not too far ahead", stamped, stamping(func(d *sequence.StampDraw) { d.MaxStampLead = 2 * time.Minute }), false},
		{"stamps of nothing", nil, stamping(same), false},
		{"stamps of a numbering", numbered, stamping(same), false},
		{"first numbers", nil, numbering(likewise), true},
		{"numbers", numbered, numbering(likewise), false},
		{"numbers of the next period", numbered, numbering(func(d *sequence.NumberDraw) { d.Floor = 1 << 40 }), false},
		{"numbers of another kind", numbered, numbering(func(d *sequence.NumberDraw) { d.Kind = "year" }), false},
		{"numbers of a sequence", createdAs(wheel9), numbering(likewise), false},
		{"numbers too early", numbered, numbering(func(d *sequence.NumberDraw) { d.Now = d.Now.Add(2 * time.Hour) }), true},
		{"first numbers too early", nil, numbering(func(d *sequence.NumberDraw) { d.Now = d.Now.Add(2 * time.Hour) }), false},
	}
}

// wantOf returns how the result of a scene begins.
func wantOf(name string) string {
	for err, names := range map[error][]string{
		sequence.ErrNotFound: {"Take from nothing", "Resize of nothing", "Resize that goes on from nothing", "stamps of nothing"},
		sequence.ErrConflict: {"Create with another plan", "Create of a numbering", "Take from a numbering", "Resize that can't go on", "Resize of a numbering",
			"Advance of a numbering", "stamps of another width", "stamps of another tick", "stamps of a numbering",
			"numbers of another kind", "numbers of a sequence", "NextTx of a sequence"},
		sequence.ErrExhausted: {"Take of too many", "Advance too far"},
		sequence.ErrClockLead: {"stamps too far ahead", "numbers too early", "first numbers too early"},
	} {
		if slices.Contains(names, name) {
			return err.Error()
		}
	}
	return ""
}

// txScenes are the calls of stores with transactions.
func txScenes() []scene {
	number := func(s store, key string) *sequence.Numbering {
		return sequence.NewNumbering(s, key, "{0+}", sequence.WithGapFree())
	}
	nextTx := func(ctx context.Context, b bench, s store, key string) (any, error) {
		return b.nextTx(ctx, s, number(s, key))
	}
	migrate := func(ctx context.Context, _ bench, s store, _ string) (any, error) {
		return nil, s.(interface{ Migrate(context.Context) error }).Migrate(ctx)
	}
	return []scene{
		{"Migrate", nil, migrate, true},
		{"first Migrate", func(ctx context.Context, b bench, s store, key string) error { return b.drop(ctx) }, migrate, true},
		{"first NextTx", nil, nextTx, false},
		{"NextTx", func(ctx context.Context, b bench, s store, key string) error {
			_, err := b.nextTx(ctx, s, number(s, key))
			return err
		}, nextTx, false},
		{"NextTx of a sequence", createdAs(wheel9), nextTx, false},
	}
}

// result is what a call gave, in words. Of an error, it is what errors.Is finds.
func result(got any, err error) string {
	for _, sentinel := range []error{sequence.ErrNotFound, sequence.ErrConflict, sequence.ErrExhausted, sequence.ErrClockLead, sequence.ErrTransient} {
		if errors.Is(err, sentinel) {
			return sentinel.Error()
		}
	}
	if err != nil {
		return fmt.Sprint("no error of the package: ", err)
	}
	return fmt.Sprint(got)
}

// state is what the store knows about the key, in words.
func (b bench) state(t *testing.T, key string) string {
	t.Helper()
	state, err := b.others.State(t.Context(), key)
	if err != nil && !errors.Is(err, sequence.ErrNotFound) {
		t.Fatal(err)
	}
	if _, ownClock := b.others.(*pgsequence.Store); ownClock {
		state.Stamp = sequence.Stamp{}
	}
	state.Key = ""
	return fmt.Sprintf("%+v", state)
}

// wantErrorsOfSteps plays the scenes once as they are, and then with a failure at each
// step. The failure must be the call's error, which comes without a result. The same call
// must then do what it would have done.
func wantErrorsOfSteps(t *testing.T, b bench, scenes []scene) {
	t.Helper()
	shared, end := b.open()
	defer end()
	for number, scene := range scenes {
		play := func(nth int) (text string, failed bool) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			key := fmt.Sprintf("%d-%d", number, nth)
			s := shared
			if scene.fresh {
				fresh, end := b.open()
				defer end()
				s = fresh
			}
			if scene.before != nil {
				if err := scene.before(ctx, b, s, key); err != nil {
					t.Fatalf("before %s: %v", scene.name, err)
				}
			}
			b.at(nth, fail)
			got, err := scene.call(ctx, b, s, key)
			failed, late := b.at(0, nil)
			if !failed {
				return result(got, err) + "; " + b.state(t, key), false
			}
			if err == nil || !strings.Contains(err.Error(), errStep.Error()) {
				t.Errorf("%s, step %d fails: got %v, want that error", scene.name, nth, err)
			}
			if got != nil && !reflect.ValueOf(got).IsZero() {
				t.Errorf("%s, step %d fails: got %v besides the error", scene.name, nth, got)
			}
			got, err = scene.call(ctx, b, s, key)
			text = result(got, err) + "; " + b.state(t, key)
			if late { // it may be done
				text = ""
			}
			return text, true
		}
		want, _ := play(0)
		if err := wantOf(scene.name); !strings.HasPrefix(want, err) {
			t.Errorf("%s: %s, want %v", scene.name, want, err)
		}
		for nth := 1; nth < 100; nth++ {
			got, failed := play(nth)
			if got != want && got != "" {
				t.Errorf("%s, after step %d failed: %s\nwant %s", scene.name, nth, got, want)
			}
			if !failed {
				if nth == 1 {
					t.Errorf("%s has no steps", scene.name)
				}
				break
			}
		}
	}
}

func TestFailureAtAnyStepIsTheErrorInPgsequence(t *testing.T) {
	wantErrorsOfSteps(t, pgBench(t, postgres(t)), append(scenes(), txScenes()...))
}

func TestFailureAtAnyStepIsTheErrorInSqlsequence(t *testing.T) {
	onEachSQL(t, func(t *testing.T, p place) {
		wantErrorsOfSteps(t, sqlBench(t, p), append(scenes(), txScenes()...))
	})
}

// legacyScenes are the calls of a store whose documents are {_id, val, maxval}.
func legacyScenes() []scene {
	short := sequence.Plan{First: 1, Last: 3, Cycle: true}
	lowered := func(ctx context.Context, b bench, s store, key string) error {
		err := drawnFrom(wheel9, 7, nil)(ctx, b, s, key)
		if err == nil { // by a program that knows nothing of cycles
			_, err = b.coll.UpdateByID(ctx, key, bson.D{{Key: "$set", Value: bson.D{{Key: "maxval", Value: 5}}}})
		}
		return err
	}
	return []scene{
		{"Create", nil, creating(wheel9), false},
		{"Create again", createdAs(wheel9), creating(wheel9), false},
		{"Create with another plan", createdAs(wheel9), creating(short), false},
		{"first Take", createdAs(wheel9), taking(2), false},
		{"Take over the end", drawnFrom(wheel9, 8, nil), taking(3), false},
		{"Take of whole cycles", drawnFrom(wheel9, 8, nil), taking(18), false},
		{"first Take of whole cycles", createdAs(wheel9), taking(18), false},
		{"Take after the end came nearer", lowered, taking(2), false},
		{"Take from nothing", nil, taking(1), false},
		{"Resize", drawnFrom(wheel9, 2, nil), resizing(short), false},
		{"Resize that goes on", drawnFrom(wheel9, 2, nil), resizing(short, sequence.GoOn), false},
		{"Resize that can't go on", drawnFrom(wheel9, 4, nil), resizing(short, sequence.GoOn), false},
		{"Resize that goes on after the end came nearer", lowered, resizing(wheel9, sequence.GoOn), false},
		{"Resize that goes on from nothing", nil, resizing(short, sequence.GoOn), false},
		{"State after the end came nearer", lowered, func(ctx context.Context, _ bench, s store, key string) (any, error) {
			state, err := s.State(ctx, key)
			return state.Last, err
		}, false},
	}
}

func TestFailureAtAnyStepIsTheErrorInLegacyDocuments(t *testing.T) {
	p, server := mongoDB(t)
	wantErrorsOfSteps(t, mongoBench(t, p, server, mongosequence.NewLegacy), legacyScenes())
}

func TestFailureAtAnyStepIsTheErrorInMongosequence(t *testing.T) {
	p, server := mongoDB(t)
	wantErrorsOfSteps(t, mongoBench(t, p, server, mongosequence.New), scenes())
}
