package sequence

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Stamp is a time and a serial in one. The stamps of a key are unique and ascend. The
// text is the time in UTC, down to the tick, followed by the serial. It has a fixed
// number of digits. 2026112009311512345607 is the stamp 07 of 2026-11-20
// 09:31:15.123456. Texts sort in the same order as stamps.
type Stamp struct {
	// Tick is the time, in UTC, a whole number of ticks of the stamper.
	Tick time.Time

	// Serial counts the stamps of one tick from 0.
	Serial int

	// format is the zero value for the layout of 22 digits. So stamps that were made by
	// hand or by ParseStamp equal those of a Stamper.
	format format
}

var (
	_ encoding.TextAppender    = Stamp{}
	_ encoding.TextMarshaler   = Stamp{}
	_ encoding.TextUnmarshaler = (*Stamp)(nil)
	_ fmt.Stringer             = Stamp{}
)

// ParseStamp returns the stamp whose text is s, which has 22 digits. [Stamper.Parse]
// reads stamps of another layout or width.
func ParseStamp(s string) (Stamp, error) {
	st, err := format{}.parse(s)
	if err != nil {
		return Stamp{}, badText("sequence.ParseStamp", s, err)
	}
	return st, nil
}

// Compare returns -1, 0 or 1 as s is before, equal to or after t.
func (s Stamp) Compare(t Stamp) int {
	return cmp.Or(s.Tick.Compare(t.Tick), cmp.Compare(s.Serial, t.Serial))
}

// String returns the text of s. If s has none, String returns the error.
func (s Stamp) String() string {
	b, err := s.AppendText(nil)
	if err != nil {
		return "%!(" + err.Error() + ")"
	}
	return string(b)
}

// AppendText appends the text of s to b. It returns an error if s has none. A stamp made
// by hand may have too large a serial or year, or a time between two ticks.
func (s Stamp) AppendText(b []byte) ([]byte, error) {
	text, err := s.format.append(b, s)
	if err != nil {
		return b, fmt.Errorf("sequence.Stamp.AppendText: %w", err)
	}
	return text, nil
}

// MarshalText returns the text of s, as AppendText does.
func (s Stamp) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText sets s to the stamp whose text is b. If s came from a Stamper, b has the
// layout of that Stamper. Otherwise it has 22 digits. After an error s is unchanged.
func (s *Stamp) UnmarshalText(b []byte) error {
	st, err := s.format.parse(string(b))
	if err != nil {
		return badText("sequence.Stamp.UnmarshalText", string(b), err)
	}
	*s = st
	return nil
}

// badText returns the error of call(text), with the text cut.
func badText(call, text string, err error) error {
	const most = 32
	if len(text) > most {
		return fmt.Errorf("%s(%q…): %w", call, text[:most], err)
	}
	return fmt.Errorf("%s(%q): %w", call, text, err)
}

// A format is the layout of a stamp's text. The zero value is 22 digits.
type format struct {
	seconds string // the layout of package time, down to the second
	length  int    // the length of a text of seconds
	sub     int    // digits below the second
	serial  int    // digits of the serial
}

const (
	defaultLayout = "20060102150405000000"
	defaultWidth  = 100
)

// orDefault returns f, or the 22 digits that the zero value stands for.
func (f format) orDefault() format {
	if f == (format{}) {
		return format{seconds: "20060102150405", length: 14, sub: 6, serial: 2}
	}
	return f
}

// newFormat returns the format of a layout as WithLayout describes it, for width serials
// per tick.
func newFormat(layout string, width int64) (format, error) {
	f := format{seconds: strings.TrimRight(layout, "0")}
	f.sub = len(layout) - len(f.seconds)
	if f.sub > 6 {
		return format{}, fmt.Errorf("layout %q has a tick below a microsecond", layout)
	}
	if width < 1 {
		return format{}, fmt.Errorf("width %d is less than 1", width)
	}
	// A stamp is a number below 2^63, about the ticks since 1970 times the width.
	ticks := lastYear.Unix() * f.perSecond()
	if most := math.MaxInt64 / ticks; width > most {
		return format{}, fmt.Errorf("width %d: with a tick of %v, at most %d serials fit until the year %d",
			width, f.tick(), most, lastYear.Year())
	}
	f.serial = len(strconv.FormatInt(width-1, 10))
	if err := f.check(); err != nil {
		return format{}, fmt.Errorf("layout %q %w", layout, err)
	}
	if f == (format{}).orDefault() {
		return format{}, nil
	}
	return f, nil
}

// lastYear begins the year that stamps must reach.
var lastYear = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// check returns an error if the texts of f.seconds differ in length, don't sort by time,
// or can't be read back. It sets f.length.
func (f *format) check() error {
	var last string
	for i, t := range probes() {
		text := t.Format(f.seconds)
		if i == 0 {
			f.length = len(text)
		}
		if len(text) != f.length {
			return fmt.Errorf("makes texts of different lengths: %q, %q", last, text)
		}
		if text <= last { // before the first there is ""
			return fmt.Errorf("doesn't sort by time: %q comes before %q", last, text)
		}
		if back, err := time.Parse(f.seconds, text); err != nil || !back.Equal(t) {
			return fmt.Errorf("can't be read back: %q", text)
		}
		if t.Add(time.Second-1).Format(f.seconds) != text {
			return errors.New("has a fraction of a second that isn't its end, all zeros")
		}
		last = text
	}
	return nil
}

// probes returns ascending times. They have each value of each field of a date and of a
// time of day, and each year that stamps must reach. Each field goes from its last value
// to its first.
func probes() []time.Time {
	var ts []time.Time
	add := func(year, month, day, hour, minute, second int) {
		ts = append(ts, time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC))
	}
	year := 1999
	for second := range 60 {
		add(year, 1, 1, 0, 0, second)
	}
	for minute := 1; minute < 60; minute++ {
		add(year, 1, 1, 0, minute, 0)
	}
	for hour := 1; hour < 24; hour++ {
		add(year, 1, 1, hour, 0, 0)
	}
	for day := 2; day <= 31; day++ {
		add(year, 1, day, 0, 0, 0)
	}
	for month := 2; month <= 12; month++ {
		add(year, month, 1, 0, 0, 0)
	}
	for year < lastYear.Year() {
		year++
		add(year, 1, 1, 0, 0, 0)
	}
	return ts
}

// perSecond returns how many ticks a second has.
func (f format) perSecond() int64 {
	n := int64(1)
	for range f.sub {
		n *= 10
	}
	return n
}

// tick returns the length of a tick.
func (f format) tick() time.Duration { return time.Second / time.Duration(f.perSecond()) }

func (f format) append(b []byte, s Stamp) ([]byte, error) {
	f = f.orDefault()
	t := s.Tick.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return nil, fmt.Errorf("the year %d has no four digits", t.Year())
	}
	if t.Nanosecond()%int(f.tick()) != 0 {
		return nil, fmt.Errorf("%s lies between two ticks of %v", t.Format(time.RFC3339Nano), f.tick())
	}
	if s.Serial < 0 || len(strconv.Itoa(s.Serial)) > f.serial {
		return nil, fmt.Errorf("serial %d has no %d digits", s.Serial, f.serial)
	}
	b = t.AppendFormat(b, f.seconds)
	if f.sub > 0 {
		b = fmt.Appendf(b, "%0*d", f.sub, t.Nanosecond()/int(f.tick()))
	}
	return fmt.Appendf(b, "%0*d", f.serial, s.Serial), nil
}

func (f format) parse(text string) (Stamp, error) {
	stamp := Stamp{format: f}
	f = f.orDefault()
	if want := f.length + f.sub + f.serial; len(text) != want {
		return Stamp{}, fmt.Errorf("%d bytes long, not %d", len(text), want)
	}
	seconds, rest := text[:f.length], text[f.length:]
	t, err := time.Parse(f.seconds, seconds)
	t = t.UTC() // a layout may have an offset
	if err != nil || t.Format(f.seconds) != seconds {
		return Stamp{}, errors.New("not a time")
	}
	sub, ok := digits(rest[:f.sub])
	serial, ok2 := digits(rest[f.sub:])
	if !ok || !ok2 || serial > math.MaxInt {
		return Stamp{}, errors.New("the end is not all digits")
	}
	stamp.Tick = t.Add(time.Duration(sub) * f.tick())
	stamp.Serial = int(serial)
	return stamp, nil
}

// digits returns the number whose digits are s. The empty string stands for 0.
func digits(s string) (n int64, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}
