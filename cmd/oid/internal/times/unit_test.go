package times

import (
	"testing"
	"time"
)

func TestChartUnitFitsTheSpan(t *testing.T) {
	start := time.Date(2026, time.March, 1, 0, 0, 0, 0, berlin(t))
	for _, test := range []struct {
		end  time.Time
		want string
	}{
		{start, "minute"},
		{start.Add(time.Hour - 1), "minute"},
		{start.Add(time.Hour), "hour"},
		{start.Add(71 * time.Hour), "hour"},
		{start.Add(72 * time.Hour), "day"},
		{start.AddDate(0, 3, -1), "day"},
		{start.AddDate(0, 4, 0), "month"},
		{start.AddDate(9, 0, 0), "month"},
		{start.AddDate(11, 0, 0), "year"},
		{start.AddDate(10, 0, -1), "month"},
		{start.AddDate(10, 0, 0), "year"},
		{time.Unix(1<<32-1, 0).In(start.Location()), "year"},
	} {
		if got := Fitting(start, test.end).Name; got != test.want {
			t.Errorf("to %s: %s, want %s", test.end, got, test.want)
		}
	}
	// West of Greenwich, the IDs of all times lie in 138 years.
	newYork := zoneNamed(t, "America/New_York")
	if got := Fitting(time.Unix(1, 0).In(newYork), time.Unix(1<<32-1, 0).In(newYork)).Name; got != "year" {
		t.Errorf("all times: %s, want year", got)
	}
}

func TestHoursBeginByTheLocalClock(t *testing.T) {
	kathmandu := time.FixedZone("", 5*3600+45*60)
	at := time.Date(2026, time.March, 1, 12, 34, 56, 0, kathmandu)
	hour := UnitNamed("hour")
	start := hour.Start(at)
	if got, want := start.Format(time.DateTime), "2026-03-01 12:00:00"; got != want {
		t.Errorf("starts at %s, want %s", got, want)
	}
	if got, want := hour.Next(start).Format(time.DateTime), "2026-03-01 13:00:00"; got != want {
		t.Errorf("the next one starts at %s, want %s", got, want)
	}
}
