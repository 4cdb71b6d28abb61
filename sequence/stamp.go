package sequence

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// A Stamp is a time and a serial in one number. While the store keeps its data, the stamps
// of a key are unique and ascend. The text of a stamp has 22 digits: the time in UTC, down
// to the microsecond, followed by the serial. For example, 2026112009311512345607 is the
// stamp with the time 2026-11-20 09:31:15.123456 and the serial 7. The texts of stamps sort
// in the order of the stamps.
type Stamp struct {
	// Tick is the time, in UTC, in whole microseconds.
	Tick time.Time

	// Serial counts the stamps of one microsecond from 0 to 99.
	Serial int
}

var (
	_ encoding.TextAppender    = Stamp{}
	_ encoding.TextMarshaler   = Stamp{}
	_ encoding.TextUnmarshaler = (*Stamp)(nil)
)

const (
	tick        = time.Microsecond
	perTick     = 100
	stampLayout = "20060102150405" // then come 6 digits of microseconds and 2 of the serial
	stampLength = len(stampLayout) + 6 + 2
)

// stampAt returns the stamp of a count of a store.
func stampAt(x int64) Stamp {
	return Stamp{Tick: time.UnixMicro(x / perTick).UTC(), Serial: int(x % perTick)}
}

// leadOf returns how far the stamp of a count is ahead of the clock. It is 0 if it isn't.
func leadOf(x int64, now time.Time) time.Duration {
	return max(0, stampAt(x).Tick.Sub(now.Truncate(tick)))
}

// Compare returns -1, 0 or 1 if s is before, equal to or after t.
func (s Stamp) Compare(t Stamp) int {
	return cmp.Or(s.Tick.Compare(t.Tick), cmp.Compare(s.Serial, t.Serial))
}

// String returns the text of s.
func (s Stamp) String() string {
	return fmt.Sprintf("%s%06d%02d", s.Tick.UTC().Format(stampLayout), s.Tick.Nanosecond()/1000, s.Serial)
}

// AppendText appends the text of s to b. The year of s.Tick must have four digits,
// s.Tick must be a whole microsecond, and s.Serial must be from 0 to 99. Otherwise
// AppendText returns b unchanged and an error.
func (s Stamp) AppendText(b []byte) ([]byte, error) {
	text := s.String()
	if back, err := parseStamp(text); err != nil || back.Compare(s) != 0 {
		return b, fmt.Errorf("sequence.Stamp.AppendText: %v with serial %d is not a stamp: want whole microseconds, a year of 4 digits, and a serial from 0 to 99", s.Tick, s.Serial)
	}
	return append(b, text...), nil
}

// MarshalText returns the text of s, or an error in the same cases as [Stamp.AppendText].
func (s Stamp) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText reads the text of a stamp. If UnmarshalText returns an error, s is
// unchanged.
func (s *Stamp) UnmarshalText(b []byte) error {
	st, err := parseStamp(string(b))
	if err != nil {
		return failed("Stamp", "UnmarshalText", string(b), err)
	}
	*s = st
	return nil
}

func parseStamp(text string) (Stamp, error) {
	if len(text) != stampLength {
		return Stamp{}, fmt.Errorf("%d bytes, want %d", len(text), stampLength)
	}
	t, timeErr := time.Parse(stampLayout, text[:len(stampLayout)])
	n, err := strconv.Atoi(text[len(stampLayout):])
	s := Stamp{Tick: t.Add(time.Duration(n/perTick) * tick), Serial: n % perTick}
	if err != nil || timeErr != nil || n < 0 || s.String() != text {
		return Stamp{}, errors.New("want a time of 20 digits, such as 20261120093115123456, and a serial of 2 digits")
	}
	return s, nil
}

// stampMeaning is the Meaning of the key of a [Stamper].
const stampMeaning = "stamps of 100 per 1us"
