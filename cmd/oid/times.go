package main

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// timesHelp is the part on times in the help of a command.
const timesHelp = `Times: 2026-03-01, "2026-03-01 15:04", 2026-W12, now, yesterday, "last month",
"3 days ago", 36h, @1772323200; oid help times lists all forms.`

// timesTopic is the grammar of times: oid help times prints it.
const timesTopic = `TIMES

A time is a moment or a span. Where a command wants a moment, a span stands for its
start: --at 2026-03 is the first second of March. With one argument, oid range takes
all of the span. Times are read in the local zone, or in the one that --zone names.

Years to days
  2026            2026-Q1         Q1 2026         2026-03         Mar 2026
  March 2026      2026-W12        2026-W12-1      2026-03-01      2026-3-1
  2026/03/01      20260301        1 Mar 2026      March 1, 2026   Sun 1 Mar 2026
  today           yesterday       tomorrow
  last week       this month      next quarter    last year       last monday
  last hour (the hour before this one)

A day with a clock time, or a clock time of today
  2026-03-01 15:04                2026-03-01 15:04:05.75          17:30
  2026-03-01T15:04:05             20260301T150405                 5pm
  1 Mar 2026, 3:04 pm             yesterday at 17:30              tomorrow noon

A zone after it
  2026-03-01T15:04:05Z            2026-03-01 15:04 UTC            2026-03-01 15:04 +01:00
  2026-03-01 15:04:05 +0100 CET   Sun, 01 Mar 2026 15:04:05 GMT   Sun Mar  1 15:04:05 UTC 2026
  A zone's letters count if the zone that is read in has them: CET in Europe/Berlin.

Seconds since 1970
  @1772323200     @1772323200.5   1772323200      1772323200000 (milliseconds)

Before and after now
  now             3 days ago      an hour ago     1 month 2 days ago
  36h             7d              1h30m           -36h
  in 2 hours      5 min from now  +1 month        +90m
  last 7 days     next 2 weeks
  Units: s, min (or m), h, d, w, mo, q, y, or their names. Days and longer units go by
  the calendar: the clock shows the same then. A month without such a day ends sooner.
  In the second argument of oid range, + counts from the first.

Weeks begin on Monday. A clock time that the clocks skip or show twice is accepted, and
a note on stderr says which moment was taken.
`

// A moment is the meaning of a text that names a time.
type moment struct {
	at       time.Time // the moment: the start of a span such as March 2026
	from, to time.Time // the span
	note     string    // how a clock time that was skipped or came twice was taken
}

// parseMoment reads s as a time relative to now. The zone is that of now, unless s names
// another one.
func parseMoment(s string, now time.Time) (moment, error) {
	p := timeParser{now: now}
	text := strings.ToLower(strings.Join(strings.Fields(s), " "))
	for _, parse := range []func(string) (moment, bool){p.nowWord, p.unix, p.elapsed, p.inWords, p.date} {
		m, ok := parse(text)
		switch {
		case ok:
			m.at, m.from, m.to = m.at.In(now.Location()), m.from.In(now.Location()), m.to.In(now.Location())
			return m, nil
		case p.problem != "":
			return moment{}, fmt.Errorf("%s is not a time: %s", quote(s), p.problem)
		}
	}
	return moment{}, fmt.Errorf(`%s is not a time: write 2026-03-01, "2026-03-01 15:04", "last month" or "3 days ago"; oid help times lists all forms`, quote(s))
}

// A timeParser reads times. Its methods expect text in lower case.
type timeParser struct {
	now     time.Time
	problem string // why a text that has the form of a time is not one
}

// fail returns no moment, for the given reason.
func (p *timeParser) fail(format string, args ...any) (moment, bool) {
	p.problem = fmt.Sprintf(format, args...)
	return moment{}, false
}

// lasting returns the moment t, whose span is d long.
func lasting(t time.Time, d time.Duration) moment { return moment{at: t, from: t, to: t.Add(d)} }

func (p *timeParser) nowWord(s string) (moment, bool) { return lasting(p.now, time.Second), s == "now" }

var unixPattern = regexp.MustCompile(`^(?:@(-?\d{1,13})(?:\.(\d{1,9}))?|(\d{9,10})|@?(\d{10})(\d{3}))$`)

// unix reads seconds since 1970, with @ like date -d, and milliseconds.
func (p *timeParser) unix(s string) (moment, bool) {
	m := unixPattern.FindStringSubmatch(s)
	if m == nil {
		return moment{}, false
	}
	fraction := m[2] + m[5]
	if len(m[1]) == 13 && m[1][0] != '-' && fraction == "" { // @milliseconds
		m[1], fraction = m[1][:10], m[1][10:]
	}
	seconds, _ := strconv.ParseInt(m[1]+m[3]+m[4], 10, 64)
	nanos, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	if strings.HasPrefix(m[1], "-") {
		nanos = -nanos
	}
	return lasting(time.Unix(seconds, nanos), time.Second), true
}

func cutPrefixes(s string, prefixes ...string) (rest string, ok bool) {
	for _, prefix := range prefixes {
		if rest, ok = strings.CutPrefix(s, prefix); ok {
			return rest, true
		}
	}
	return "", false
}

// inWords reads times such as last month, this week and next year.
func (p *timeParser) inWords(s string) (moment, bool) {
	which, name, _ := strings.Cut(s, " ")
	u := unitNamed(name)
	if u == nil {
		return moment{}, false
	}
	start := u.start(p.now)
	switch which {
	case "last":
		start = u.start(start.Add(-1))
	case "this":
	case "next":
		start = u.next(start)
	default:
		return moment{}, false
	}
	return moment{at: start, from: start, to: u.next(start)}, true
}

const (
	clockText = `\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[ap]m)?|\d{1,2} ?[ap]m|noon|midnight`
	zoneText  = `z|(?:gmt|utc)?[+-]\d\d(?::?\d\d)?(?: ?\([^)]*\)| [a-z]{1,5})?|[a-z]{2,5}`
)

var (
	weekdayPattern = regexp.MustCompile(`^(mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?,? (.+)$`)
	yearAtEnd      = regexp.MustCompile(`^(\d{1,2} [a-z]{3}|[a-z]{3} \d{1,2}) (` + clockText + `)((?: (?:` + zoneText + `))?) (\d{4})$`)
	digitsOnly     = regexp.MustCompile(`^(\d{8})[t ]?(\d\d)(\d\d)(\d\d)?((?: ?(?:` + zoneText + `))?)$`)
	clockPattern   = regexp.MustCompile(`^(?:(.*?)(?:t|,? at |,? ))??(` + clockText + `)(?: ?(` + zoneText + `))?$`)
	unclearDay     = regexp.MustCompile(`^\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})$`)
	offsetPattern  = regexp.MustCompile(`^(?:gmt|utc)?([+-])(\d\d)(?::?(\d\d))?`)
)

// date reads a year, quarter, month, week or day, or a day with a clock time.
func (p *timeParser) date(s string) (moment, bool) {
	weekday := ""
	if m := weekdayPattern.FindStringSubmatch(s); m != nil {
		weekday, s = m[1], m[2]
	}
	if m := yearAtEnd.FindStringSubmatch(s); m != nil { // as date prints it
		s = m[1] + " " + m[4] + " " + m[2] + m[3]
	}
	if m := digitsOnly.FindStringSubmatch(s); m != nil {
		if m[4] == "" {
			m[4] = "00"
		}
		s = m[1] + " " + m[2] + ":" + m[3] + ":" + m[4] + m[5]
	}
	var clock, zone string
	if m := clockPattern.FindStringSubmatch(s); m != nil {
		s, clock, zone = strings.TrimSuffix(m[1], ","), m[2], m[3]
		if s == "" && weekday == "" {
			s = "today"
		}
	}
	if unclearDay.MatchString(s) {
		return p.fail("day and month could be meant either way: write 2026-03-01")
	}
	start, end, ok := p.days(s)
	if !ok {
		return moment{}, false
	}
	if weekday != "" {
		if end.Sub(start) != 24*time.Hour {
			return moment{}, false
		}
		if is := start.Weekday().String(); !strings.EqualFold(is[:3], weekday) {
			return p.fail("that day is a %s", is)
		}
	}
	if clock != "" {
		return p.clockOf(start, end, clock, zone)
	}
	m := moment{from: firstOf(start, p.now.Location()), to: firstOf(end, p.now.Location())}
	m.at = m.from
	if !m.from.Before(m.to) {
		m.note = fmt.Sprintf("%s has no %s: the calendar skips it", zoneName(p.now.Location()), start.Format(time.DateOnly))
	}
	return m, true
}

// clockOf returns the time that clock and zone name, on the day from start to end.
func (p *timeParser) clockOf(start, end time.Time, clock, zone string) (moment, bool) {
	if end.Sub(start) != 24*time.Hour {
		return p.fail("a clock time needs a day before it")
	}
	of, width, ok := parseClock(clock)
	if !ok {
		return p.fail("there is no such clock time")
	}
	c := start.Add(of)
	local := p.now.Location()
	switch {
	case zone == "":
		t, note := resolve(c, local)
		return moment{t, t, t.Add(width), note}, true
	case zone == "z" || zone == "utc" || zone == "gmt":
		return lasting(c, width), true
	}
	if m := offsetPattern.FindStringSubmatch(zone); m != nil {
		hours, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi(m[3])
		offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
		if hours > 23 || minutes > 59 {
			return p.fail("there is no such offset from UTC")
		}
		if m[1] == "+" {
			offset = -offset
		}
		return lasting(c.Add(offset), width), true
	}
	zone = strings.ToUpper(zone)
	t, err := time.ParseInLocation("2006-01-02 15:04:05.999999999 MST", c.Format("2006-01-02 15:04:05.999999999 ")+zone, local)
	if err != nil || t.Location() != local { // Go makes up a zone for letters that it doesn't know
		return p.fail("%s is not a zone of %s: write an offset such as +01:00", zone, zoneName(local))
	}
	return lasting(t, width), true
}

// parseClock reads a time of the day. The width is its precision.
func parseClock(s string) (of, width time.Duration, ok bool) {
	switch s {
	case "noon":
		return 12 * time.Hour, time.Minute, true
	case "midnight":
		return 0, time.Minute, true
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), ",", ".")
	for _, layout := range []struct {
		text  string
		width time.Duration
	}{
		{"15:04", time.Minute}, {"15:04:05", time.Second}, {"3:04pm", time.Minute}, {"3:04:05pm", time.Second}, {"3pm", time.Hour},
	} {
		if t, err := time.Parse(layout.text, s); err == nil {
			return t.Sub(t.Truncate(24 * time.Hour)), layout.width, true
		}
	}
	return
}

var (
	dayLayouts = []string{
		"2006-1-2", "20060102", "2006/1/2",
		"2 Jan 2006", "2 January 2006", "Jan 2 2006", "January 2 2006", "Jan 2, 2006", "January 2, 2006",
	}
	monthLayouts = []string{"2006-1", "Jan 2006", "January 2006"}

	weekPattern    = regexp.MustCompile(`^(\d{4})-?w(\d{1,2})(?:-?([1-7]))?$`)
	quarterPattern = regexp.MustCompile(`^(?:(\d{4})-?q([1-4])|q([1-4]) (\d{4}))$`)
	namedDay       = regexp.MustCompile(`^(last|this|next) (mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?$`)
)

// days returns the first day that s names, and the day after the last one. Both are
// civil times.
func (p *timeParser) days(s string) (start, end time.Time, ok bool) {
	if day, ok := p.dayInWords(s); ok {
		return day, day.AddDate(0, 0, 1), true
	}
	for _, layout := range dayLayouts {
		if day, ok := p.parse(layout, s); ok {
			return day, day.AddDate(0, 0, 1), true
		}
	}
	for _, layout := range monthLayouts {
		if month, ok := p.parse(layout, s); ok {
			return month, month.AddDate(0, 1, 0), true
		}
	}
	if year, ok := p.parse("2006", s); ok {
		return year, year.AddDate(1, 0, 0), true
	}
	if m := quarterPattern.FindStringSubmatch(s); m != nil {
		year, _ := strconv.Atoi(m[1] + m[4])
		quarter, _ := strconv.Atoi(m[2] + m[3])
		start = civilDay(year, time.Month(3*quarter-2), 1)
		return start, start.AddDate(0, 3, 0), true
	}
	if m := weekPattern.FindStringSubmatch(s); m != nil {
		return p.week(m[1], m[2], m[3])
	}
	return
}

// parse reads s by layout. If s has the form of a day that doesn't exist, it stores the
// reason in p.problem.
func (p *timeParser) parse(layout, s string) (time.Time, bool) {
	t, err := time.Parse(layout, s)
	if bad := (*time.ParseError)(nil); errors.As(err, &bad) && strings.HasSuffix(bad.Message, "out of range") {
		p.problem = "there is no such day"
	}
	return t, err == nil
}

// week returns the first and the last day of an ISO week, or one day of it.
func (p *timeParser) week(year, week, day string) (start, end time.Time, ok bool) {
	y, _ := strconv.Atoi(year)
	w, _ := strconv.Atoi(week)
	january4 := civilDay(y, time.January, 4) // in week 1
	start = january4.AddDate(0, 0, 7*(w-1)-daysSinceMonday(january4))
	if _, got := start.ISOWeek(); got != w {
		p.problem = fmt.Sprintf("%s has no week %s", year, week)
		return
	}
	if day == "" {
		return start, start.AddDate(0, 0, 7), true
	}
	d, _ := strconv.Atoi(day)
	start = start.AddDate(0, 0, d-1)
	return start, start.AddDate(0, 0, 1), true
}

// dayInWords returns the day that s names, as a civil time: today, last monday.
func (p *timeParser) dayInWords(s string) (time.Time, bool) {
	c := civil(p.now)
	today := civilDay(c.Year(), c.Month(), c.Day())
	switch s {
	case "today":
		return today, true
	case "yesterday":
		return today.AddDate(0, 0, -1), true
	case "tomorrow":
		return today.AddDate(0, 0, 1), true
	}
	m := namedDay.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	wanted := slices.Index([]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, m[2])
	day := today.AddDate(0, 0, wanted-daysSinceMonday(today)) // of this week
	switch {
	case m[1] == "last" && !day.Before(today):
		day = day.AddDate(0, 0, -7)
	case m[1] == "next" && !day.After(today):
		day = day.AddDate(0, 0, 7)
	}
	return day, true
}

// civil returns what the clock shows at t, as a time in UTC.
func civil(t time.Time) time.Time {
	return t.Add(time.Duration(offsetAt(t)) * time.Second).UTC()
}

// civilDay returns the start of a day as a civil time.
func civilDay(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// offsetAt returns the seconds by which the clock is ahead of UTC at t.
func offsetAt(t time.Time) int {
	_, offset := t.Zone()
	return offset
}

// offsetBefore returns the offset from UTC up to t.
func offsetBefore(t time.Time) int { return offsetAt(t.Add(-1)) }

// resolve returns the time at which the clock in zone shows c, a civil time. If the
// clock skips c, the time is as long after the change as c is. If the clock shows c twice,
// it is the first time. In both cases resolve returns a note.
func resolve(c time.Time, zone *time.Location) (t time.Time, note string) {
	t = time.Date(c.Year(), c.Month(), c.Day(), c.Hour(), c.Minute(), c.Second(), c.Nanosecond(), zone)
	since, until := t.ZoneBounds()
	at := func(offset int) time.Time { return c.Add(-time.Duration(offset) * time.Second).In(zone) }
	offset := offsetAt(t)
	shown := map[int64]time.Time{} // the times at which the clock shows c
	for _, near := range []int{offsetBefore(since), offset, offsetAt(until)} {
		if candidate := at(near); civil(candidate).Equal(c) {
			shown[candidate.Unix()] = candidate
		}
	}
	seconds := slices.Sorted(maps.Keys(shown))
	clock := c.Format("2006-01-02 15:04:05")
	switch len(seconds) {
	case 1:
		return shown[seconds[0]], ""
	case 0:
		if civil(t).After(c) { // time.Date used the offset before the change
			offset = offsetBefore(since)
		}
		t = at(offset)
		return t, fmt.Sprintf("the clocks of %s skip %s; taken as %s", zoneName(zone), clock, formatTime(t))
	}
	t = shown[seconds[0]]
	return t, fmt.Sprintf("the clocks of %s show %s twice; taken as the first, %s, and not %s",
		zoneName(zone), clock, formatTime(t), formatTime(shown[seconds[1]]))
}
