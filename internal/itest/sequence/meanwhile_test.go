package sequence_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

// A meeting is a call, and another program's call that comes at one of its steps.
type meeting struct {
	name   string
	before func(ctx context.Context, b bench, s store, key string) error
	call   func(ctx context.Context, b bench, s store, key string) (any, error)
	other  func(ctx context.Context, b bench, s store, key string) (any, error)
}

// meetings are those of every store.
func meetings() []meeting {
	taken := drawnFrom(wheel9, 1, nil)
	goOn := resizing(sequence.Plan{First: 1, Last: 20, Cycle: true}, sequence.GoOn)
	draw := sequence.NumberDraw{N: 2, Kind: "never", Now: time.Now(), MaxLead: time.Hour}
	numbering := func(kind string) func(context.Context, bench, store, string) (any, error) {
		return func(ctx context.Context, _ bench, s store, key string) (any, error) {
			d := draw
			d.Kind = kind
			return s.TakeNumbers(ctx, key, d)
		}
	}
	stamping := func(width int64) func(context.Context, bench, store, string) (any, error) {
		return func(ctx context.Context, _ bench, s store, key string) (any, error) {
			_, err := s.TakeStamps(ctx, key, sequence.StampDraw{N: 3, Width: width, Tick: time.Microsecond, Now: draw.Now, MaxLead: time.Hour})
			return nil, err
		}
	}
	return []meeting{
		{"Create, Create", nil, creating(wheel9), creating(wheel9)},
		{"Create, Create of another plan", nil, creating(wheel9), creating(upTo9)},
		{"Create, numbers", nil, creating(wheel9), numbering("never")},
		{"first Take, Take", createdAs(wheel9), taking(2), taking(3)},
		{"first Take, Resize", createdAs(wheel9), taking(2), resizing(upTo9)},
		{"Take, Take", taken, taking(2), taking(3)},
		{"Take, Resize", taken, taking(2), resizing(upTo9)},
		{"Take, Resize that goes on", taken, taking(2), goOn},
		{"Take of the last, Take", drawnFrom(upTo9, 7, nil), taking(2), taking(1)},
		{"Resize, Take", taken, resizing(upTo9), taking(2)},
		{"Resize, Resize", taken, resizing(upTo9), resizing(sequence.Plan{First: 3, Last: 4, Cycle: true})},
		{"Resize that goes on, Take", taken, goOn, taking(2)},
		{"Resize that goes on, Take of a cycle", taken, goOn, taking(10)},
		{"Resize that goes on, Resize", taken, goOn, resizing(upTo9)},
		{"Resize to less that goes on, Take", drawnFrom(wheel9, 3, nil), resizing(sequence.Plan{First: 1, Last: 5, Cycle: true}, sequence.GoOn), taking(3)},
		{"Resize to less that goes on, Take of too many", drawnFrom(wheel9, 3, nil), resizing(sequence.Plan{First: 1, Last: 4}, sequence.GoOn), taking(2)},
		{"Advance, Resize", taken, advancing(5), resizing(upTo9)},
		{"first stamps, stamps", createdAs(wheel9), stamping(100), stamping(100)},
		{"first stamps, stamps of another width", createdAs(wheel9), stamping(100), stamping(10)},
		{"first numbers, numbers", nil, numbering("never"), numbering("never")},
		{"first numbers, numbers of another kind", nil, numbering("never"), numbering("year")},
		{"first numbers, Create", nil, numbering("never"), creating(wheel9)},
	}
}

// advances are meetings that mongosequence has other ends for. Numbers that are drawn
// while it advances come on top.
func advances() []meeting {
	return []meeting{
		{"Advance, Take", drawnFrom(wheel9, 1, nil), advancing(5), taking(2)},
		{"Advance, Take of more", drawnFrom(wheel9, 1, nil), advancing(3), taking(4)},
		{"Advance to the end, Take", drawnFrom(upTo9, 1, nil), advancing(9), taking(2)},
	}
}

// txMeetings are those of stores with transactions. Each transaction is committed at once.
func txMeetings() []meeting {
	nextTx := func(ctx context.Context, b bench, s store, key string) (any, error) {
		return b.nextTx(ctx, s, sequence.NewNumbering(s, key, "{0+}", sequence.WithGapFree()))
	}
	before := func(ctx context.Context, b bench, s store, key string) error {
		_, err := nextTx(ctx, b, s, key)
		return err
	}
	return []meeting{
		{"first NextTx, NextTx", nil, nextTx, nextTx},
		{"first NextTx, Create", nil, nextTx, creating(wheel9)},
		{"NextTx, NextTx", before, nextTx, nextTx},
	}
}

// wantOneAfterTheOther has another program's call come at each step of a call. The two must
// end as if one had come after the other.
func wantOneAfterTheOther(t *testing.T, b bench, meetings []meeting) {
	t.Helper()
	s, end := b.open()
	defer end()
	for number, m := range meetings {
		// play lets the other call come at a step of the call, before it, or with 0 after it.
		const first = -1
		play := func(nth int) (outcome string, came bool) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			key := fmt.Sprintf("%d meets %d", number, nth)
			if m.before != nil {
				if err := m.before(ctx, b, s, key); err != nil {
					t.Fatalf("before %s: %v", m.name, err)
				}
			}
			done := make(chan string, 1)
			other := func() error {
				got, err := m.other(ctx, b, b.others, key)
				done <- result(got, err)
				return nil
			}
			if nth == first {
				other()
			}
			b.at(nth, func() error {
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					other()
				}()
				select {
				case <-ended:
				case <-time.After(20 * time.Millisecond): // it waits for a lock that the call has
				}
				return nil
			})
			got, err := m.call(ctx, b, s, key)
			if came, _ = b.at(0, nil); !came && nth != first {
				other()
			}
			return fmt.Sprintf("%s; %s; %s", result(got, err), <-done, b.state(t, key)), came
		}
		call, _ := play(first)
		other, _ := play(0)
		for nth := 1; nth < 100; nth++ {
			got, came := play(nth)
			if got != call && got != other {
				t.Errorf("%s at step %d: %s\nwant %s\nor   %s", m.name, nth, got, call, other)
			}
			if !came {
				break
			}
		}
	}
}

func TestCallsThatMeetComeOneAfterTheOtherInPgsequence(t *testing.T) {
	wantOneAfterTheOther(t, pgBench(t, postgres(t)), slices.Concat(meetings(), advances(), txMeetings()))
}

func TestCallsThatMeetComeOneAfterTheOtherInSqlsequence(t *testing.T) {
	onEachSQL(t, func(t *testing.T, p place) {
		wantOneAfterTheOther(t, sqlBench(t, p), slices.Concat(meetings(), advances(), txMeetings()))
	})
}

// legacyMeetings are those of documents {_id, val, maxval}.
func legacyMeetings() []meeting {
	short := sequence.Plan{First: 1, Last: 4, Cycle: true}
	long := sequence.Plan{First: 1, Last: 20, Cycle: true}
	return []meeting{
		{"Create, Create of another plan", nil, creating(wheel9), creating(short)},
		{"Take, Take", drawnFrom(wheel9, 1, nil), taking(2), taking(3)},
		{"Take to the end, Take", drawnFrom(wheel9, 7, nil), taking(2), taking(1)},
		{"Take over the end, Take", drawnFrom(wheel9, 8, nil), taking(3), taking(2)},
		{"Take, Take over the end", drawnFrom(wheel9, 7, nil), taking(2), taking(3)},
		{"Take, Resize", drawnFrom(wheel9, 3, nil), taking(2), resizing(short)},
		{"Take, Resize that goes on", drawnFrom(wheel9, 3, nil), taking(2), resizing(short, sequence.GoOn)},
		{"Take over the end, Resize that goes on", drawnFrom(wheel9, 8, nil), taking(2), resizing(long, sequence.GoOn)},
		{"Resize, Take", drawnFrom(wheel9, 3, nil), resizing(short), taking(2)},
		{"Resize that goes on, Take", drawnFrom(wheel9, 3, nil), resizing(short, sequence.GoOn), taking(1)},
		{"Resize that goes on, Take of too many", drawnFrom(wheel9, 3, nil), resizing(short, sequence.GoOn), taking(2)},
		{"Resize that goes on, Take of a cycle", drawnFrom(wheel9, 8, nil), resizing(long, sequence.GoOn), taking(3)},
		{"Resize that goes on, Resize", drawnFrom(wheel9, 3, nil), resizing(long, sequence.GoOn), resizing(short)},
	}
}

func TestCallsThatMeetComeOneAfterTheOtherInLegacyDocuments(t *testing.T) {
	p, server := mongoDB(t)
	wantOneAfterTheOther(t, mongoBench(t, p, server, mongosequence.NewLegacy), legacyMeetings())
}

func TestCallsThatMeetComeOneAfterTheOtherInMongosequence(t *testing.T) {
	p, server := mongoDB(t)
	wantOneAfterTheOther(t, mongoBench(t, p, server, mongosequence.New), meetings())
}
