package sequence

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"time"
)

// A Stamp is a time and a serial in one. The stamps of a key are unique and ascend. The
// text has 22 digits: the time in UTC, down to the microsecond, followed by the serial.
// 2026112009311512345607 is the stamp 07 of 2026-11-20 09:31:15.123456. Texts sort in
// the same order as stamps.
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
	_ fmt.Stringer             = Stamp{}
)

const (
	tick         = time.Microsecond
	perTick      = 100
	stampSeconds = "20060102150405"
	stampLength  = len(stampSeconds) + 6 + 2
)

// stampAt returns the stamp of a count of a store.
func stampAt(x int64) Stamp {
	return Stamp{Tick: time.UnixMicro(x / perTick).UTC(), Serial: int(x % perTick)}
}

// Compare returns -1, 0 or 1 if s is before, equal to or after t.
func (s Stamp) Compare(t Stamp) int {
	return cmp.Or(s.Tick.Compare(t.Tick), cmp.Compare(s.Serial, t.Serial))
}

// String returns the text of s. If s has none, it returns the reason.
func (s Stamp) String() string {
	b, err := s.AppendText(nil)
	if err != nil {
		return "%!(" + err.Error() + ")"
	}
	return string(b)
}

// AppendText implements [encoding.TextAppender]. It returns an error, and b as it was, if
// the year of s.Tick has no four digits, if s.Tick lies within a microsecond, or if
// s.Serial isn't 0 to 99.
func (s Stamp) AppendText(b []byte) ([]byte, error) {
	t := s.Tick.UTC()
	switch {
	case t.Year() < 0 || t.Year() > 9999:
		return b, fmt.Errorf("sequence.Stamp.AppendText: the year %d has no four digits", t.Year())
	case t.Nanosecond()%int(tick) != 0:
		return b, fmt.Errorf("sequence.Stamp.AppendText: %s lies between two microseconds", t.Format(time.RFC3339Nano))
	case s.Serial < 0 || s.Serial >= perTick:
		return b, fmt.Errorf("sequence.Stamp.AppendText: serial %d isn't 0 to %d", s.Serial, perTick-1)
	}
	b = t.AppendFormat(b, stampSeconds)
	return fmt.Appendf(b, "%06d%02d", t.Nanosecond()/int(tick), s.Serial), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (s Stamp) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler]. After an error, s is as it was.
func (s *Stamp) UnmarshalText(b []byte) error {
	st, err := parseStamp(string(b))
	if err != nil {
		return badText("sequence.Stamp.UnmarshalText", string(b), err)
	}
	*s = st
	return nil
}

func parseStamp(text string) (Stamp, error) {
	if len(text) != stampLength {
		return Stamp{}, fmt.Errorf("%d bytes long, not %d", len(text), stampLength)
	}
	seconds, rest := text[:len(stampSeconds)], text[len(stampSeconds):]
	t, err := time.Parse(stampSeconds, seconds)
	if err != nil || t.Format(stampSeconds) != seconds {
		return Stamp{}, errors.New("not a time")
	}
	end, ok := digits(rest)
	if !ok {
		return Stamp{}, errors.New("the end is not all digits")
	}
	return Stamp{Tick: t.Add(time.Duration(end/perTick) * tick), Serial: int(end % perTick)}, nil
}

// stampMeaning is the Meaning of the key of a [Stamper].
const stampMeaning = "stamps of 100 per 1µs"
