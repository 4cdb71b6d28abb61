package sequence_test

import (
	"math"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// TestClocksThatDifferOverMidnight has programs whose clocks differ by minutes, and jump
// to and fro. Their days last for two seconds, and the first midnight comes after one, so
// that they draw over many midnights. Each day begins with 1, has no hole, and never begins
// again.
func TestClocksThatDifferOverMidnight(t *testing.T) {
	parallel(t)
	const day = 2 * time.Second
	for _, kind := range withLikeMySQL("postgres", "sql postgres", "sqlite", "mongo") {
		t.Run(kind, func(t *testing.T) {
			parallel(t)
			p := shared[kind](t)
			if err := p.store(t).migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			noon := start.UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)
			h := &history{fault: "clocks differ by 21 minutes", place: p, programs: 4, callers: pick(4, 16), pause: pick(15*time.Millisecond, 0)}
			h.clock = func(program int) []sequence.Option {
				skew := time.Duration(program) * 7 * time.Minute
				return []sequence.Option{sequence.WithMaxLead(math.MaxInt64), sequence.WithClock(func() time.Time {
					since := time.Since(start)
					now := noon.Add(since * time.Duration(24*time.Hour/day))
					if since/(700*time.Millisecond)%2 == 1 {
						return now.Add(-skew)
					}
					return now.Add(skew)
				})}
			}
			h.start(t)
			time.Sleep(pick(5*time.Second/2, 25*time.Second))
			h.more(t, 4*h.programs*h.callers) // of the second day, also where draws are slow
			v := h.clean(t)
			if v.days < 2 || v.gaps != 0 && h.again.Load() == 0 {
				t.Errorf("%d days, %d holes", v.days, v.gaps)
			}
			t.Logf("%d days", v.days)
		})
	}
}
