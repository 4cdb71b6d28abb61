package sequence

import (
	"context"
	"fmt"
	"math"
	"time"
)

// A StampStore also keeps stamps. A stamp is one integer,
//
//	x = ticks since 1970 · width + serial
//
// and drawing n of them is one atomic step,
//
//	x = max(x + n, now·width + n − 1)
//
// after which the n integers up to x are the caller's. Each step adds at least n,
// so no integer comes twice and all ascend, whatever now is. Time and serial are
// read off the same integer, so they can't disagree.
type StampStore interface {
	// TakeStamps draws the next d.N stamps of the key. The key must exist. Its numbers
	// and its plan are independent of its stamps. The first draw sets the width and the
	// tick. If a later draw has others, the error is ErrConflict.
	TakeStamps(ctx context.Context, key string, d StampDraw) (Stamps, error)
}

// A StampDraw is a request of a [Stamper] to its store.
type StampDraw struct {
	N       int64         // the number of stamps, at least 1
	Width   int64         // serials per tick
	Tick    time.Duration // 1 µs to 1 s, in powers of ten
	Now     time.Time     // the clock of this machine. Stores prefer the server's clock
	MaxLead time.Duration // how far Now may be ahead of the server's clock

	// MaxStampLead limits how far the last stamp may be ahead of the clock that the
	// store uses. Beyond it the error is ErrClockLead. 0 means no limit.
	MaxStampLead time.Duration
}

// Stamps is what a [StampStore] returns.
type Stamps struct {
	Last int64         // the last of the stamps, as an integer
	Lead time.Duration // how far it is ahead of the clock that the store used, or 0
}

// Validate returns an error unless d can be drawn.
func (d StampDraw) Validate() error {
	if err := CheckDraw(d.N); err != nil {
		return err
	}
	if d.Width < 1 {
		return fmt.Errorf("width %d is less than 1", d.Width)
	}
	if d.Tick < time.Microsecond || time.Second%d.Tick != 0 {
		return fmt.Errorf("invalid tick %v", d.Tick)
	}
	return nil
}

// Start returns the stamp 0 of the tick of d.Now, as an integer.
func (d StampDraw) Start() (int64, error) {
	perSecond := int64(time.Second / d.Tick)
	seconds := max(d.Now.Unix(), 0)
	if seconds >= math.MaxInt64/d.Width/perSecond {
		return 0, fmt.Errorf("%w: the year %d is too late", ErrExhausted, d.Now.Year())
	}
	ticks := seconds*perSecond + int64(d.Now.Nanosecond())/int64(d.Tick)
	return ticks * d.Width, nil
}

// Drawn returns the stamps up to last. start is the stamp 0 of the clock's tick. If the
// stamps run too far ahead of it, Drawn returns an error. A store calls it with the
// values that it is about to write.
func (d StampDraw) Drawn(last, start int64) (Stamps, error) {
	s := Stamps{Last: last, Lead: Lead(max(last/d.Width-start/d.Width, 0), d.Tick)}
	return s, d.CheckStampLead(s.Lead)
}

// Lead returns the duration of so many ticks, or the longest there is.
func Lead(ticks int64, tick time.Duration) time.Duration {
	if ticks > math.MaxInt64/int64(tick) {
		return math.MaxInt64
	}
	return time.Duration(ticks) * tick
}

// CheckStampLead returns ErrClockLead if stamps that are ahead by lead break d's limit.
func (d StampDraw) CheckStampLead(lead time.Duration) error {
	if d.MaxStampLead > 0 && lead > d.MaxStampLead {
		return fmt.Errorf("%w: the stamps are %v ahead of it, which is more than %v", ErrClockLead, lead, d.MaxStampLead)
	}
	return nil
}

// CheckLead returns ErrClockLead if d.Now is too far ahead of the server's time.
func (d StampDraw) CheckLead(server time.Time) error { return checkLead(d.Now, d.MaxLead, server) }

func checkLead(now time.Time, most time.Duration, server time.Time) error {
	if lead := now.Sub(server); lead > most {
		return fmt.Errorf("%w of the server's by %v, which is more than %v", ErrClockLead, lead, most)
	}
	return nil
}

// Conflict returns the error for a key whose stamps have another width or tick.
func (d StampDraw) Conflict(width int64, tick time.Duration) error {
	return fmt.Errorf("%w: its stamps have a width of %d and a tick of %v, not %d and %v",
		ErrConflict, width, tick, d.Width, d.Tick)
}

// StampAt returns the stamp that the integer x is. It returns the zero Stamp for a
// width or a tick that stamps can't have.
func StampAt(x, width int64, tick time.Duration) Stamp {
	if (StampDraw{N: 1, Width: width, Tick: tick}).Validate() != nil {
		return Stamp{}
	}
	perSecond := int64(time.Second / tick)
	ticks := x / width
	return Stamp{
		Tick:   time.Unix(ticks/perSecond, ticks%perSecond*int64(tick)).UTC(),
		Serial: int(x % width),
	}
}
