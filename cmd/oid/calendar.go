package main

import "time"

// A unit is a span of the calendar.
type unit struct {
	name string

	// start returns the start of the unit that t is in, and next the start of
	// the one after that which starts at t.
	start, next func(t time.Time) time.Time

	label string // the layout of a start
	most  int    // bars of a chart that are still easy to read
}

// units are those that a chart can have, from the finest.
var units = []*unit{
	{"minute", floor(time.Minute), func(t time.Time) time.Time { return t.Add(time.Minute) }, "2006-01-02 15:04 -07:00", 60},
	{"hour", floor(time.Hour), func(t time.Time) time.Time { return floor(time.Hour)(t.Add(time.Hour)) }, "2006-01-02 15:04 -07:00", 72},
	{"day", startOfDay, func(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day()+1, t) }, "2006-01-02 Mon", 92},
	{"month", func(t time.Time) time.Time { return date(t.Year(), t.Month(), 1, t) },
		func(t time.Time) time.Time { return date(t.Year(), t.Month()+1, 1, t) }, "2006-01", 120},
	{"year", func(t time.Time) time.Time { return date(t.Year(), 1, 1, t) },
		func(t time.Time) time.Time { return date(t.Year()+1, 1, 1, t) }, "2006", 137},
}

// quarter is a quarter of an hour: every zone's hours and days start with one.
var quarter = &unit{name: "quarter", start: floor(15 * time.Minute),
	next: func(t time.Time) time.Time { return t.Add(15 * time.Minute) }}

func unitNamed(name string) *unit {
	for _, u := range units {
		if u.name == name {
			return u
		}
	}
	return nil
}

// floor returns the function that rounds a time down by the local clock. It goes
// by the offset at that time, so that the hour which the clock shows twice in
// autumn is two hours.
func floor(d time.Duration) func(time.Time) time.Time {
	step := int64(d / time.Second)
	return func(t time.Time) time.Time {
		_, offset := t.Zone()
		local := t.Unix() + int64(offset)
		return time.Unix(t.Unix()-((local%step)+step)%step, 0).In(t.Location())
	}
}

func startOfDay(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day(), t) }

func date(year int, month time.Month, day int, t time.Time) time.Time {
	return firstOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), t.Location())
}

// firstOf returns the moment at which the day begins in zone, the date of which day
// shows in UTC. Where the clocks change at midnight that is not what time.Date
// returns: it may return a time of the day before if the clock skips midnight,
// and either one if the clock shows midnight twice.
func firstOf(day time.Time, zone *time.Location) time.Time {
	t := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	since, until := t.ZoneBounds()
	if t.Day() != day.Day() { // skipped
		return until
	}
	if !since.IsZero() {
		_, offset := since.Add(-1).Zone()
		if earlier := time.Unix(day.Unix()-int64(offset), 0); earlier.Before(since) {
			return earlier.In(zone)
		}
	}
	return t
}

// between returns the starts of the units from the one that first is in to the
// one that last is in, and the start after them; nil if they are more than most.
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
