package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

// errLost is a failure that slow calls transient.
var errLost = errors.New("connection lost")

// slow is a Memory at the other end of a wire. It is used inside a synctest bubble, where
// its time costs none.
type slow struct {
	driver.Driver
	trip func(draw int) time.Duration
	fail func(draw int) (before, after error) // the errors on the way there and back

	mu    sync.Mutex
	draws []int64
}

func newSlow() *slow {
	return &slow{Driver: new(sequence.Memory).Driver(), trip: func(int) time.Duration { return 10 * time.Millisecond }}
}

// A storeOf is the store of a driver.
type storeOf struct{ d driver.Driver }

func (s storeOf) Driver() driver.Driver { return s.d }

func (s *slow) Transient(err error) bool { return errors.Is(err, errLost) }

func (s *slow) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	s.mu.Lock()
	draw := len(s.draws)
	s.draws = append(s.draws, d.N)
	s.mu.Unlock()
	var before, after error
	if s.fail != nil {
		before, after = s.fail(draw)
	}
	t := time.NewTimer(s.trip(draw))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		return driver.Step{}, false, ctx.Err()
	}
	if before != nil {
		return driver.Step{}, false, before
	}
	step, ok, err := s.Driver.Draw(ctx, d)
	if after != nil {
		return driver.Step{}, false, after
	}
	return step, ok, err
}

// existing makes the key k in s, so that the first draw of a test isn't refused.
func existing(t *testing.T, s *slow, p sequence.Plan) storeOf {
	t.Helper()
	if err := sequence.New(storeOf{s.Driver}, "k", p).AdvanceToOrdinal(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	return storeOf{s}
}

// cycling returns a plan from 1 to last, which never ends.
func cycling(last int64) sequence.Plan { return sequence.Plan{First: 1, Last: last, Cycle: true} }

func closed(t *testing.T, s *sequence.Sequence) int64 {
	t.Helper()
	unused, err := s.Close(t.Context())
	if err != nil {
		t.Error(err)
	}
	return unused
}

func wantDraws(t *testing.T, s *slow, want ...int64) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.draws, want) {
		t.Errorf("draws of %v numbers, want %v", s.draws, want)
	}
}

// wantNext draws from s and compares the number.
func wantNext(t *testing.T, s *sequence.Sequence, want sequence.Number) {
	t.Helper()
	if n, err := s.Next(t.Context()); n != want || err != nil {
		t.Errorf("Next() = %+v, %v, want %+v", n, err, want)
	}
}

// wantError compares the text of an error.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
