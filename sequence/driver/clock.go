package driver

import (
	"math"
	"time"
)

// Micros returns c for a statement that counts microseconds: the length of a tick, the
// width, how many ticks x may be ahead, or -1 for any number, and the first and the last
// time at which the step is allowed.
func (c *Clock) Micros() (tick, width, ahead, first, last int64) {
	ahead, first, last = -1, c.NotBefore.Add(time.Microsecond-1).UnixMicro(), math.MaxInt64
	if c.Width > 0 && c.MaxAhead >= 0 {
		ahead = int64(c.MaxAhead / c.Tick)
	}
	if !c.NotAfter.IsZero() {
		last = c.NotAfter.UnixMicro()
	}
	return max(1, c.Tick.Microseconds()), c.Width, ahead, first, last
}

// Reading returns the time of a step, which drew from x first on. micro is what the clock
// showed after the step, in microseconds. It may have gone on to another tick since the
// step computed x.
func (c *Clock) Reading(first, micro int64) time.Time {
	if now := time.UnixMicro(micro); c.Floor(0, now) < first {
		return now
	}
	return time.UnixMicro(first / c.Width * c.Tick.Microseconds())
}
