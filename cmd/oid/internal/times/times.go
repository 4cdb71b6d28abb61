// Package times reads times, and divides the calendar into the units of a chart.
package times

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
)

// Limits says which times IDs can hold.
const Limits = "IDs hold times from 1970-01-01 00:00:00 UTC to 2106-02-07 06:28:15 UTC"

// A Span is the meaning of a text that names a time. Where a moment is wanted, it is From.
type Span struct{ From, To time.Time }

// Parse reads s as a time. It is relative to now, and in the zone of now unless s has an
// offset.
func Parse(s string, now time.Time) (Span, error) {
	text := strings.ToLower(strings.TrimSpace(s))
	for _, parse := range []func(string, time.Time) (Span, error){word, unix, duration, part, date} {
		switch span, err := parse(text, now); {
		case err == nil:
			return Span{span.From.In(now.Location()), span.To.In(now.Location())}, nil
		case err != errOther:
			return Span{}, fmt.Errorf("%s is not a time: %w", format.Quote(s), err)
		}
	}
	return Span{}, fmt.Errorf(`%s is not a time: want 2026-03, 2026-03-01, "2026-03-01 15:04", 36h or 7d (ago), @SECONDS, today, yesterday or now`, format.Quote(s))
}

// errOther is the error for a text that has another form.
var errOther = errors.New("another form")

func word(s string, now time.Time) (Span, error) {
	today := civilDay(now.Year(), now.Month(), now.Day())
	switch s {
	case "now":
		return Span{now, now.Add(time.Second)}, nil
	case "today":
		return days(today, today.AddDate(0, 0, 1), now.Location())
	case "yesterday":
		return days(today.AddDate(0, 0, -1), today, now.Location())
	}
	return Span{}, errOther
}

var unixPattern = regexp.MustCompile(`^@(-?)(\d{1,12})(?:\.(\d{1,9}))?$`)

// unix reads seconds since 1970, as date -d does.
func unix(s string, _ time.Time) (Span, error) {
	m := unixPattern.FindStringSubmatch(s)
	if m == nil {
		return Span{}, errOther
	}
	seconds, _ := strconv.ParseInt(m[1]+m[2], 10, 64)
	nanos, _ := strconv.ParseInt(m[1]+(m[3] + "000000000")[:9], 10, 64)
	t := time.Unix(seconds, nanos)
	return Span{t, t.Add(time.Second)}, nil
}

var durationPattern = regexp.MustCompile(`^([+-]?)(?:(\d{1,5})w)?(?:(\d{1,6})d)?(\d[\d.hms]*[hms])?$`)

// duration reads a length of time, such as 36h or 7d12h. It means the span from so long
// ago until now, and with a + the moment so long after now. Days and weeks go by the
// calendar: the clock shows the same then.
func duration(s string, now time.Time) (Span, error) {
	m := durationPattern.FindStringSubmatch(s)
	if m == nil || s == m[1] {
		return Span{}, errOther
	}
	var clock time.Duration
	if m[4] != "" {
		var err error
		if clock, err = time.ParseDuration(m[4]); err != nil {
			return Span{}, errOther // such as 2026
		}
	}
	weeks, _ := strconv.Atoi(m[2])
	count, _ := strconv.Atoi(m[3])
	if m[1] == "+" {
		t := now.AddDate(0, 0, 7*weeks+count).Add(clock)
		return Span{t, t}, nil
	}
	return Span{now.AddDate(0, 0, -7*weeks-count).Add(-clock), now}, nil
}

var partPattern = regexp.MustCompile(`^(\d{4})-(q|w)(\d\d?)$`)

// part reads a quarter, 2026-q1, or an ISO week, 2026-w09.
func part(s string, now time.Time) (Span, error) {
	m := partPattern.FindStringSubmatch(s)
	if m == nil {
		return Span{}, errOther
	}
	year, _ := strconv.Atoi(m[1])
	n, _ := strconv.Atoi(m[3])
	if m[2] == "q" {
		if n < 1 || n > 4 {
			return Span{}, errors.New("a year has quarters 1 to 4")
		}
		first := civilDay(year, time.Month(3*n-2), 1)
		return days(first, first.AddDate(0, 3, 0), now.Location())
	}
	first := UnitNamed("week").firstDay(civilDay(year, time.January, 4)).AddDate(0, 0, 7*(n-1)) // January 4 is in the first week
	if y, week := first.ISOWeek(); y != year || week != n {
		return Span{}, errors.New("there is no such week in that year")
	}
	return days(first, first.AddDate(0, 0, 7), now.Location())
}

// zonePattern splits a clock time from the zone after it. Letters after an offset are for
// people.
var zonePattern = regexp.MustCompile(`^(.*:[\d.,]*\d) ?(?:(z|utc)|([+-])(\d\d)(?::?(\d\d))?(?: [a-z]{1,5})?)$`)

// layouts are the forms of a date, with the length of the span that each names.
var layouts = []struct {
	text                string
	years, months, days int
	clock               time.Duration
}{
	{"2006", 1, 0, 0, 0}, {"2006-01", 0, 1, 0, 0}, {"2006-01-02", 0, 0, 1, 0},
	{"2006-01-02 15:04", 0, 0, 0, time.Minute}, {"2006-01-02t15:04", 0, 0, 0, time.Minute},
	{"2006-01-02 15:04:05", 0, 0, 0, time.Second}, {"2006-01-02t15:04:05", 0, 0, 0, time.Second},
}

// date reads a year, a month, a day, or a day with a clock time.
func date(s string, now time.Time) (span Span, err error) {
	zone := now.Location()
	if m := zonePattern.FindStringSubmatch(s); m != nil {
		s = m[1]
		if zone, err = fixed(m[3], m[4], m[5]); err != nil {
			return Span{}, err
		}
	}
	for _, l := range layouts {
		c, err := time.Parse(l.text, s)
		if bad := (*time.ParseError)(nil); errors.As(err, &bad) && strings.HasSuffix(bad.Message, "out of range") {
			return Span{}, errors.New("there is no such date or clock time")
		}
		if err != nil {
			continue
		}
		if l.clock == 0 {
			return days(c, c.AddDate(l.years, l.months, l.days), zone)
		}
		t, err := local(c, zone)
		return Span{t, t.Add(l.clock)}, err
	}
	return Span{}, errOther
}

// days returns the span from the start of one day until the start of another. Both are
// civil times.
func days(from, to time.Time, zone *time.Location) (Span, error) {
	span := Span{midnight(from, zone), midnight(to, zone)}
	if !span.From.Before(span.To) {
		return Span{}, fmt.Errorf("the calendar of %s skips that day", format.Zone(zone))
	}
	return span, nil
}

// local returns the moment at which the clock in zone shows c, a civil time. If there is
// none, or if there are two, it returns an error.
func local(c time.Time, zone *time.Location) (time.Time, error) {
	t := time.Date(c.Year(), c.Month(), c.Day(), c.Hour(), c.Minute(), c.Second(), c.Nanosecond(), zone)
	since, until := t.ZoneBounds()
	var shown []time.Time
	for _, near := range []time.Time{since.Add(-1), t, until} { // before and after a change of the clocks
		moment := c.Add(-offset(near)).In(zone)
		if civil(moment).Equal(c) && !slices.ContainsFunc(shown, moment.Equal) {
			shown = append(shown, moment)
		}
	}
	slices.SortFunc(shown, time.Time.Compare)
	switch len(shown) {
	case 1:
		return shown[0], nil
	case 0:
		return t, fmt.Errorf("the clocks of %s skip it; add an offset, such as %s", format.Zone(zone), t.Format("-07:00"))
	}
	return t, fmt.Errorf("the clocks of %s show it twice; add the offset, %s or %s", format.Zone(zone), shown[0].Format("-07:00"), shown[1].Format("-07:00"))
}

// offset returns how far the clock is ahead of UTC at t.
func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// civil returns what the clock shows at t, as a time in UTC.
func civil(t time.Time) time.Time { return t.Add(offset(t)).UTC() }

// civilDay returns the start of a day as a civil time.
func civilDay(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

var offsetPattern = regexp.MustCompile(`^([+-])(\d\d):?(\d\d)?$`)

// Zone returns the zone with a name, or with an offset such as +05:30. That of "" is local.
func Zone(name string) (*time.Location, error) {
	switch strings.ToLower(name) {
	case "", "local":
		return time.Local, nil
	case "utc":
		return time.UTC, nil
	}
	if m := offsetPattern.FindStringSubmatch(name); m != nil {
		return fixed(m[1], m[2], m[3])
	}
	return time.LoadLocation(name)
}

// fixed returns the zone with an offset of hours and minutes.
func fixed(sign, hours, minutes string) (*time.Location, error) {
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	if h > 23 || m > 59 {
		return nil, errors.New("there is no such offset from UTC")
	}
	seconds := (h*60 + m) * 60
	if sign == "-" {
		seconds = -seconds
	}
	return time.FixedZone(fmt.Sprintf("%s%02d:%02d", sign, h, m), seconds), nil
}

// midnight returns the moment at which a day begins in zone. The argument day is a civil
// time. If the clocks change at midnight, time.Date may return another moment: a time of
// the day before if the clock skips midnight, and either midnight if the clock shows it
// twice.
func midnight(day time.Time, zone *time.Location) time.Time {
	t := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	since, until := t.ZoneBounds()
	if t.Day() != day.Day() { // skipped
		return until
	}
	if earlier := day.Add(-offset(since.Add(-1))); !since.IsZero() && earlier.Before(since) {
		return earlier.In(zone)
	}
	return t
}
