package main

import (
	"fmt"
	"strings"
	"time"
)

// A unit is a span of the calendar.
type unit struct {
	name string

	// start returns the start of the unit that contains t. next returns the start of
	// the following unit, if t is the start of a unit.
	start, next func(t time.Time) time.Time

	label func(start time.Time) string // in a chart
	most  int                          // bars that are still easy to read; 0: a chart never chooses this unit
}

// units are the units of charts and times, from the finest.
var units = []*unit{
	{"minute", floor(time.Minute), func(t time.Time) time.Time { return t.Add(time.Minute) }, layout("2006-01-02 15:04 -07:00"), 60},
	{"hour", floor(time.Hour), func(t time.Time) time.Time { return floor(time.Hour)(t.Add(time.Hour)) }, layout("2006-01-02 15:04 -07:00"), 72},
	{"day", startOfDay, func(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day()+1, t) }, layout("2006-01-02 Mon"), 92},
	{"week", startOfWeek, func(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day()-daysSinceMonday(t)+7, t) }, weekLabel, 0},
	{"month", func(t time.Time) time.Time { return date(t.Year(), t.Month(), 1, t) },
		func(t time.Time) time.Time { return date(t.Year(), t.Month()+1, 1, t) }, layout("2006-01"), 120},
	{"quarter", func(t time.Time) time.Time { return date(t.Year(), firstOfQuarter(t), 1, t) },
		func(t time.Time) time.Time { return date(t.Year(), firstOfQuarter(t)+3, 1, t) }, quarterLabel, 0},
	{"year", func(t time.Time) time.Time { return date(t.Year(), 1, 1, t) },
		func(t time.Time) time.Time { return date(t.Year()+1, 1, 1, t) }, layout("2006"), 137},
}

// quarterHour is a unit that divides the hours and days of every zone evenly.
var quarterHour = &unit{name: "quarter of an hour", start: floor(15 * time.Minute),
	next: func(t time.Time) time.Time { return t.Add(15 * time.Minute) }}

// unitNamed returns the unit with that name, or nil.
func unitNamed(name string) *unit {
	for _, u := range units {
		if u.name == name {
			return u
		}
	}
	return nil
}

// unitNames returns the names of all units: minute, hour, … or year.
func unitNames() string {
	var b strings.Builder
	for i, u := range units {
		switch {
		case i == len(units)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(u.name)
	}
	return b.String()
}

func layout(text string) func(time.Time) string {
	return func(start time.Time) string { return start.Format(text) }
}

// weekLabel returns the ISO week and its Monday.
func weekLabel(start time.Time) string {
	year, week := start.ISOWeek()
	return fmt.Sprintf("%d-W%02d %s", year, week, start.Format("01-02"))
}

func quarterLabel(start time.Time) string {
	return fmt.Sprintf("%d-Q%d", start.Year(), start.Month()/3+1)
}

// daysSinceMonday returns 0 on a Monday and 6 on a Sunday.
func daysSinceMonday(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

func firstOfQuarter(t time.Time) time.Month { return t.Month() - (t.Month()-1)%3 }

func startOfWeek(t time.Time) time.Time {
	return date(t.Year(), t.Month(), t.Day()-daysSinceMonday(t), t)
}

// floor returns a function that rounds a time down by the local clock. It uses the
// offset at that time. So an hour that the clock shows twice, in autumn, is two hours.
func floor(d time.Duration) func(time.Time) time.Time {
	step := int64(d / time.Second)
	return func(t time.Time) time.Time {
		local := t.Unix() + int64(offsetAt(t))
		return time.Unix(t.Unix()-((local%step)+step)%step, 0).In(t.Location())
	}
}

func startOfDay(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day(), t) }

func date(year int, month time.Month, day int, t time.Time) time.Time {
	return firstOf(civilDay(year, month, day), t.Location())
}

// firstOf returns the moment at which a day begins in zone. The argument day has the
// date of that day in UTC. If the clocks change at midnight, time.Date may return another
// moment: a time of the day before if the clock skips midnight, and either midnight if
// the clock shows it twice.
func firstOf(day time.Time, zone *time.Location) time.Time {
	t := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	since, until := t.ZoneBounds()
	if t.Day() != day.Day() { // skipped
		return until
	}
	if !since.IsZero() {
		if earlier := time.Unix(day.Unix()-int64(offsetBefore(since)), 0); earlier.Before(since) {
			return earlier.In(zone)
		}
	}
	return t
}

// between returns the starts of the units from the one that contains first to the one
// that contains last, and the start after them. If there are more than most units, it
// returns nil.
func (u *unit) between(first, last time.Time, most int) (starts []time.Time) {
	t := u.start(first)
	for ; !t.After(last); t = u.next(t) {
		if len(starts) == most {
			return nil
		}
		starts = append(starts, t)
	}
	return append(starts, t)
}

// fitting returns the finest unit whose chart from first to last is easy to read.
func fitting(first, last time.Time) *unit {
	for _, u := range units {
		if u.between(first, last, u.most) != nil {
			return u
		}
	}
	return units[len(units)-1]
}
