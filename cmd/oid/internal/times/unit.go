package times

import (
	"fmt"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
)

// A Unit is a span of the calendar: so long by the clock, or so many days or months.
type Unit struct {
	Name         string
	clock        time.Duration
	days, months int
	layout       string
	most         int // bars that are still easy to read; 0: Fitting never chooses this unit
}

// Units are the units of charts, from the finest.
var Units = []*Unit{
	{"minute", time.Minute, 0, 0, "2006-01-02 15:04 -07:00", 60},
	{"hour", time.Hour, 0, 0, "2006-01-02 15:04 -07:00", 72},
	{"day", 0, 1, 0, "2006-01-02 Mon", 92},
	{"week", 0, 7, 0, "01-02", 0},
	{"month", 0, 0, 1, "2006-01", 120},
	{"quarter", 0, 0, 3, "2006", 0},
	{"year", 0, 0, 12, "2006", 137},
}

// UnitNamed returns the unit with that name, or nil.
func UnitNamed(name string) *Unit {
	for _, u := range Units {
		if u.Name == name {
			return u
		}
	}
	return nil
}

// UnitNames returns the names of all units.
func UnitNames() (names []string) {
	for _, u := range Units {
		names = append(names, u.Name)
	}
	return names
}

// Start returns the start of the unit that contains t.
//
// A clock's unit begins by the offset at that time. So an hour that the clock shows twice,
// in autumn, is two hours.
func (u *Unit) Start(t time.Time) time.Time {
	if u.clock > 0 {
		return t.Add(civil(t).Truncate(u.clock).Sub(civil(t)))
	}
	return midnight(u.firstDay(t), t.Location())
}

// Next returns the start of the following unit, if t is the start of a unit.
func (u *Unit) Next(t time.Time) time.Time {
	if u.clock > 0 {
		return u.Start(t.Add(u.clock))
	}
	return midnight(u.firstDay(t).AddDate(0, u.months, u.days), t.Location())
}

// span returns the unit that begins at a civil time.
func (u *Unit) span(c time.Time, zone *time.Location) (Span, error) {
	if u.clock > 0 {
		t, err := local(c, zone)
		return Span{t, t.Add(u.clock)}, err
	}
	span := Span{midnight(c, zone), midnight(c.AddDate(0, u.months, u.days), zone)}
	if !span.From.Before(span.To) {
		return Span{}, fmt.Errorf("the calendar of %s skips that day", format.Zone(zone))
	}
	return span, nil
}

// firstDay returns the first day of the unit that contains t, as a civil time.
func (u *Unit) firstDay(t time.Time) time.Time {
	day := civilDay(t.Year(), t.Month(), t.Day())
	switch {
	case u.months > 0:
		return civilDay(t.Year(), t.Month()-(t.Month()-1)%time.Month(u.months), 1)
	case u.days == 7:
		return day.AddDate(0, 0, -((int(day.Weekday()) + 6) % 7)) // weeks begin on Monday
	}
	return day
}

// Label returns the label of the unit that begins at start.
func (u *Unit) Label(start time.Time) string {
	text := start.Format(u.layout)
	switch u.Name {
	case "week": // the ISO week and its Monday
		year, week := start.ISOWeek()
		return fmt.Sprintf("%d-W%02d %s", year, week, text)
	case "quarter":
		return fmt.Sprintf("%s-Q%d", text, start.Month()/3+1)
	}
	return text
}

// Between returns the starts of the units from the one that contains first to the one that
// contains last, and the start after them. If there are more than most units, it returns
// nil.
func (u *Unit) Between(first, last time.Time, most int) (starts []time.Time) {
	t := u.Start(first)
	for ; !t.After(last); t = u.Next(t) {
		if len(starts) == most {
			return nil
		}
		starts = append(starts, t)
	}
	return append(starts, t)
}

// Fitting returns the finest unit whose chart from first to last is easy to read.
func Fitting(first, last time.Time) *Unit {
	for _, u := range Units {
		if u.Between(first, last, u.most) != nil {
			return u
		}
	}
	return Units[len(Units)-1]
}
