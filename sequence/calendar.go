package sequence

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// perPeriod is greater than every number of a period. The count of a Numbering is
// day*perPeriod + number. The day is the first one of the period, in days since 1970.
const perPeriod = 1 << 40

// A cadence says how often a count starts over.
type cadence int

const (
	never cadence = iota
	yearly
	quarterly
	monthly
	daily
)

// cadences are the names of the cadences in the Meaning of a key.
var cadences = [...]string{"never", "yearly", "quarterly", "monthly", "daily"}

func (c cadence) String() string { return cadences[c] }

// A calendar says when the periods of a count begin.
type calendar struct {
	cadence
	month time.Month // month and day are the first day of each fiscal year
	day   int
	late  int    // 1 if a fiscal year ends in the calendar year after its first day, or 0
	from  string // a part of the Meaning, such as " from 1 April"
}

// fiscal returns the year in which the fiscal year of t begins, and how many months of it are
// over at t.
func (c calendar) fiscal(t time.Time) (year, months int) {
	year, month, day := t.Date()
	t = time.Date(year, month, day+1-c.day, 0, 0, 0, 0, time.UTC) // of the month that begins on c.day
	months = 12*t.Year() + int(t.Month()-c.month)
	return months / 12, months % 12
}

// begin returns when a period begins in zone: the one with the date of t, or, if later is 1,
// the one after it. For the cadence never, the result is 1970. Where clocks are put forward
// at midnight, a day begins later than 0:00, and package time may return a time of the day
// before.
func (c calendar) begin(t time.Time, zone *time.Location, later int) time.Time {
	year, month, day := t.Date()
	switch size := [...]int{yearly: 12, quarterly: 3, monthly: 1, daily: 0}[c.cadence]; c.cadence {
	case never:
		year, month, day = 1970, 1, 1
	case daily:
		day += later
	default:
		fiscal, months := c.fiscal(t)
		year, month, day = fiscal, c.month+time.Month(months-months%size+later*size), c.day
	}
	began := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if began.Day() != time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() {
		_, began = began.ZoneBounds()
	}
	return began
}

// date returns a date with the values of fields. The years are those in which fiscal years
// begin. If the values contradict each other, the fields of the date have other values.
func (c calendar) date(values map[string]int) time.Time {
	year := cmp.Or(values["2006"], 2000+(values["06"]+100)%100)
	month, day := c.month+time.Month(3*max(values["Q"]-1, 0)), c.day
	if m := values["01"]; m > 0 {
		month, day = time.Month(m), max(values["02"], 1)
	}
	if d := values["002"]; d > 0 {
		month, day = time.January, d
	}
	if month < c.month || month == c.month && day < c.day {
		year++
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// dayStart returns when a day since 1970 began, in UTC.
func dayStart(day int64) time.Time { return time.Unix(day*86400, 0).UTC() }

// zoneName returns what names a time zone on every machine. It is the name in the IANA
// database, such as Europe/Berlin. A zone that has none, such as time.Local, is named by
// its offsets on 1 January and 1 July 2025, such as +01:00/+02:00. These stay what they
// are when a country changes its rules.
func zoneName(zone *time.Location) string {
	offsets := offsetsOf(zone)
	named, err := time.LoadLocation(zone.String())
	switch {
	case err == nil && named != time.Local && offsetsOf(named) == offsets:
		return named.String()
	case offsets == "Z":
		return "UTC"
	}
	return offsets
}

func offsetsOf(zone *time.Location) string {
	offset := func(month time.Month) string { return time.Date(2025, month, 1, 0, 0, 0, 0, zone).Format("Z07:00") }
	return strings.Join(slices.Compact([]string{offset(time.January), offset(time.July)}), "/")
}
