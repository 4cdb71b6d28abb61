// Package times reads times, and divides the calendar into the units of a chart.
package times

import (
	"cmp"
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
	problem := errOther
	for _, f := range forms {
		if m := f.pattern.FindStringSubmatch(text); m != nil {
			var span Span
			if span, problem = f.parse(m, now); problem == nil {
				return Span{span.From.In(now.Location()), span.To.In(now.Location())}, nil
			}
			break
		}
	}
	return Span{}, fmt.Errorf("%s is not a time: %w", format.Quote(s), problem)
}

// errOther is the error for a text that has no form of a time.
var errOther = errors.New(`want 2026-03, 2026-03-01, "2026-03-01 15:04", 36h or 7d (ago), @SECONDS, today, yesterday or now`)

// forms are the forms of a time. The parts of a text that matches are read by parse.
var forms = []struct {
	pattern *regexp.Regexp
	parse   func(parts []string, now time.Time) (Span, error)
}{
	{regexp.MustCompile(`^(now|today|yesterday)$`), word},
	{regexp.MustCompile(`^@(-?)(\d{1,12})(?:\.(\d{1,9}))?$`), unix},
	{regexp.MustCompile(`^([+-]?)(?:(\d{1,5})w)?(?:(\d{1,6})d)?(\d[\d.hms]*[hms])?$`), duration},
	{regexp.MustCompile(`^(\d{4})-(q|w)(\d\d?)$`), part},
	// Letters after an offset are for people.
	{regexp.MustCompile(`^([^:]*:[\d.,:]*\d|[^:]*)(?: ?(?:z|utc|([+-])(\d\d)(?::?(\d\d))?(?: [a-z]{1,5})?))?$`), date},
}

func word(m []string, now time.Time) (Span, error) {
	today := civilDay(now.Year(), now.Month(), now.Day())
	switch m[0] {
	case "now":
		return Span{now, now.Add(time.Second)}, nil
	case "yesterday":
		today = today.AddDate(0, 0, -1)
	}
	return UnitNamed("day").span(today, now.Location())
}

// unix reads seconds since 1970, as date -d does.
func unix(m []string, _ time.Time) (Span, error) {
	seconds, _ := strconv.ParseInt(m[1]+m[2], 10, 64)
	nanos, _ := strconv.ParseInt(m[1]+(m[3] + "000000000")[:9], 10, 64)
	t := time.Unix(seconds, nanos)
	return Span{t, t.Add(time.Second)}, nil
}

// duration reads a length of time, such as 36h or 7d12h. It means the span from so long
// ago until now, and with a + the moment so long after now. Days and weeks go by the
// calendar: the clock shows the same then.
func duration(m []string, now time.Time) (Span, error) {
	clock, err := time.ParseDuration(cmp.Or(m[4], "0"))
	if err != nil || m[0] == m[1] { // a sign without a number
		return Span{}, errOther
	}
	weeks, _ := strconv.Atoi(m[2])
	days, _ := strconv.Atoi(m[3])
	if days += 7 * weeks; m[1] == "+" {
		t := now.AddDate(0, 0, days).Add(clock)
		return Span{t, t}, nil
	}
	return Span{now.AddDate(0, 0, -days).Add(-clock), now}, nil
}

// part reads a quarter, 2026-q1, or an ISO week, 2026-w09.
func part(m []string, now time.Time) (Span, error) {
	year, _ := strconv.Atoi(m[1])
	n, _ := strconv.Atoi(m[3])
	if m[2] == "q" {
		if n < 1 || n > 4 {
			return Span{}, errors.New("a year has quarters 1 to 4")
		}
		return UnitNamed("quarter").span(civilDay(year, time.Month(3*n-2), 1), now.Location())
	}
	week := UnitNamed("week")
	first := week.firstDay(civilDay(year, time.January, 4+7*(n-1))) // January 4 is in the first week
	if y, w := first.ISOWeek(); y != year || w != n {
		return Span{}, errors.New("there is no such week in that year")
	}
	return week.span(first, now.Location())
}

// layouts are the layouts of a date, with the unit that each names.
var layouts = []struct {
	text string
	unit *Unit
}{
	{"2006", UnitNamed("year")}, {"2006-01", UnitNamed("month")}, {"2006-01-02", UnitNamed("day")},
	{"2006-01-02 15:04", UnitNamed("minute")}, {"2006-01-02 15:04:05", &Unit{clock: time.Second}},
}

// date reads a year, a month, a day, or a day with a clock time.
func date(m []string, now time.Time) (span Span, err error) {
	zone := now.Location()
	if m[0] != m[1] {
		if zone, err = fixed(m[2], m[3], m[4]); err != nil {
			return Span{}, err
		}
	}
	for _, l := range layouts {
		c, err := time.Parse(l.text, strings.Replace(m[1], "t", " ", 1))
		if bad := (*time.ParseError)(nil); errors.As(err, &bad) && strings.HasSuffix(bad.Message, "out of range") {
			return Span{}, errors.New("there is no such date or clock time")
		}
		if err == nil {
			return l.unit.span(c, zone)
		}
	}
	return Span{}, errOther
}

// local returns the moment at which the clock in zone shows c, a civil time. If there is
// none, or if there are two, it returns an error.
func local(c time.Time, zone *time.Location) (time.Time, error) {
	t, shown := moments(c, zone)
	switch len(shown) {
	case 1:
		return shown[0], nil
	case 0:
		return t, fmt.Errorf("the clocks of %s skip it; add an offset, such as %s", format.Zone(zone), t.Format("-07:00"))
	}
	return t, fmt.Errorf("the clocks of %s show it twice; add the offset, %s or %s", format.Zone(zone), shown[0].Format("-07:00"), shown[1].Format("-07:00"))
}

// midnight returns the moment at which a day begins in zone. The argument day is a civil
// time. If the clock skips midnight, the day begins when the clocks change.
func midnight(day time.Time, zone *time.Location) time.Time {
	t, shown := moments(day, zone)
	since, until := t.ZoneBounds()
	switch {
	case len(shown) > 0:
		return shown[0]
	case civil(t).Before(day):
		return until
	}
	return since
}

// moments returns the moments at which the clock in zone shows c, a civil time: one, none
// or two. Near them is t.
func moments(c time.Time, zone *time.Location) (t time.Time, shown []time.Time) {
	t = time.Date(c.Year(), c.Month(), c.Day(), c.Hour(), c.Minute(), c.Second(), c.Nanosecond(), zone)
	since, until := t.ZoneBounds()
	for _, near := range []time.Time{since.Add(-1), t, until} { // before and after a change of the clocks
		moment := c.Add(-offset(near)).In(zone)
		if civil(moment).Equal(c) && !slices.ContainsFunc(shown, moment.Equal) {
			shown = append(shown, moment)
		}
	}
	slices.SortFunc(shown, time.Time.Compare)
	return t, shown
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
