package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/olebedev/when"
	"github.com/olebedev/when/rules"
	"github.com/olebedev/when/rules/en"
)

// timesHelp says what parseTime takes.
const timesHelp = `2026-03-01, 2026-03-01T15:04:05+01:00, "2026-03-01 15:04", "1 Mar 2026",
now, today, "yesterday at 17:30", "last monday", "3 days ago", 36h, 7d (ago) or @1772323200`

// parseTime returns the time that s stands for at the moment now, in the zone of
// now unless s says another. Exact forms come first and are never guessed at.
func parseTime(s string, now time.Time) (time.Time, error) {
	text := strings.ToLower(strings.Join(strings.Fields(s), " "))
	for _, parse := range []func(string, time.Time) (time.Time, bool){
		parseExact, parseUnix, parseDuration, parseElapsed, parseDay,
	} {
		if t, ok := parse(text, now); ok {
			return t.In(now.Location()), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is not a time: write %s", quote(s), strings.ReplaceAll(timesHelp, "\n", " "))
}

// The exact forms: those that name a day, a month or year, and a moment. Go reads
// month names in either case, and fractions of a second after each "05".
var (
	dayLayouts = []string{
		"2006-01-02",
		"2 Jan 2006", "2 January 2006", "Jan 2 2006", "January 2 2006", "Jan 2, 2006", "January 2, 2006",
	}
	monthLayouts  = []string{"2006-01", "2006", "Jan 2006", "January 2006"}
	momentLayouts = []string{
		"2006-01-02t15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00",
		"2006-01-02t15:04Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02 15:04 Z07:00",
		"2006-01-02t15:04:05", "2006-01-02 15:04:05", "2006-01-02t15:04", "2006-01-02 15:04",
	}
)

// parseExact reads RFC 3339, ISO dates down to a year, dates with the month in
// letters, and what formatTime writes. What is left out is the first of it.
func parseExact(s string, now time.Time) (time.Time, bool) {
	if before, ok := strings.CutSuffix(s, " utc"); ok {
		s = before + "z"
	}
	s = zoneNamePattern.ReplaceAllString(s, "$1")
	if day, ok := parseLayouts(s, time.UTC, slices.Concat(dayLayouts, monthLayouts)); ok {
		return firstOf(day, now.Location()), true
	}
	return parseLayouts(strings.Replace(s, "z", "Z", 1), now.Location(), momentLayouts)
}

func parseLayouts(s string, zone *time.Location, layouts []string) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseUnix reads @seconds, as date -d does.
func parseUnix(s string, now time.Time) (time.Time, bool) {
	digits, ok := strings.CutPrefix(s, "@")
	seconds, err := strconv.ParseInt(digits, 10, 48)
	if !ok || err != nil {
		return time.Time{}, false
	}
	return time.Unix(seconds, 0).In(now.Location()), true
}

var (
	zoneNamePattern = regexp.MustCompile(`([+-]\d\d:\d\d) [a-z]{1,5}$`) // the name beside an offset
	daysPattern     = regexp.MustCompile(`^(\d{1,6})([dw])$`)
	elapsedPattern  = regexp.MustCompile(`^(in )?(an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,6}) ?` +
		`([smhdwy]|(?:sec|second|min|minute|hour|day|week|month|year)s?)( ago| from now)?$`)
	clockPattern = regexp.MustCompile(`^(?:(.*?) ?(?:\bat )?)?(\d{1,2}(?::\d\d){0,2} ?(?:am|pm)|\d{1,2}:\d\d(?::\d\d)?|noon|midnight)$`)
)

// numbers holds the number words of elapsedPattern.
var numbers = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
	"seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}

// parseDuration reads a duration before now, 36h or 1h30m or 7d or 2w, or after
// it with a plus sign.
func parseDuration(s string, now time.Time) (time.Time, bool) {
	s, after := strings.CutPrefix(s, "+")
	if !after {
		s = strings.TrimPrefix(s, "-")
	}
	if m := daysPattern.FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1])
		if !after {
			n = -n
		}
		return addUnits(now, n, m[2]), true
	}
	d, err := time.ParseDuration(s)
	if err != nil || s == "0" || strings.ContainsAny(s[:1], "+-") { // no second sign
		return time.Time{}, false
	}
	if !after {
		d = -d
	}
	return now.Add(d), true
}

// parseElapsed reads "3 days ago", "an hour ago", "in 2 weeks".
//
// This is not left to the date parser: it counts a day as 24 hours, which is an
// hour off where the clocks change, and its months stay in one year.
func parseElapsed(s string, now time.Time) (time.Time, bool) {
	m := elapsedPattern.FindStringSubmatch(s)
	if m == nil || (m[1] == "") == (m[4] == "") { // one of the two says the direction
		return time.Time{}, false
	}
	n, ok := numbers[m[2]]
	if !ok {
		n, _ = strconv.Atoi(m[2])
	}
	if m[4] == " ago" {
		n = -n
	}
	return addUnits(now, n, m[3]), true
}

// addUnits returns the time n units after t. Days and longer go by the calendar:
// the clock shows the same then. Where a month has no such day, it is its last.
func addUnits(t time.Time, n int, unit string) time.Time {
	switch unit {
	case "s", "sec", "secs", "second", "seconds":
		return t.Add(time.Duration(n) * time.Second)
	case "m", "min", "mins", "minute", "minutes":
		return t.Add(time.Duration(n) * time.Minute)
	case "h", "hour", "hours":
		return t.Add(time.Duration(n) * time.Hour)
	case "d", "day", "days":
		return t.AddDate(0, 0, n)
	case "w", "week", "weeks":
		return t.AddDate(0, 0, 7*n)
	case "y", "year", "years":
		n *= 12
	}
	then := t.AddDate(0, n, 0)
	if then.Day() != t.Day() {
		then = then.AddDate(0, 0, -then.Day())
	}
	return then
}

// parseDay reads a day in words, a time of the day, or both.
func parseDay(s string, now time.Time) (time.Time, bool) {
	if s == "now" {
		return now, true
	}
	var clock time.Time
	if m := clockPattern.FindStringSubmatch(s); m != nil {
		var ok bool
		if clock, ok = parseClock(m[2]); !ok {
			return time.Time{}, false
		}
		s = strings.TrimSpace(m[1])
		if s == "" {
			s = "today"
		}
	}
	day, ok := dayInWords(s, now)
	if !ok {
		if day, ok = parseLayouts(s, time.UTC, dayLayouts); !ok {
			return time.Time{}, false
		}
	}
	if clock.IsZero() {
		return firstOf(day, now.Location()), true
	}
	return time.Date(day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, now.Location()), true
}

// parseClock reads a time of the day.
func parseClock(s string) (time.Time, bool) {
	switch s {
	case "noon":
		s = "12:00"
	case "midnight":
		s = "00:00"
	}
	for _, layout := range []string{"15:04", "15:04:05", "3pm", "3:04pm", "3:04:05pm"} {
		if t, err := time.Parse(layout, strings.ReplaceAll(s, " ", "")); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// dayInWords returns the day that s names: today, yesterday, "last monday".
//
// The date parser finds a date somewhere in a text, and ignores the rest. So it
// gets one rule at a time, and what it found must be all of s. It also counts a
// day as 24 hours: UTC, where that is so, stands for the local clock meanwhile.
// "tonight" and "last night", its eleven o'clock, are not a day.
func dayInWords(s string, now time.Time) (time.Time, bool) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	for _, rule := range []rules.Rule{en.CasualDate(rules.Override), en.Weekday(rules.Override)} {
		parser := when.New(nil)
		parser.Add(rule)
		if found, err := parser.Parse(s, midnight); err == nil && found != nil && found.Text == s && found.Time.Hour() == 0 {
			return found.Time, true
		}
	}
	return time.Time{}, false
}
