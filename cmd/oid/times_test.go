package main

import (
	"strings"
	"testing"
	"time"
)

func berlin(t testing.TB) *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestTimesAsPeopleWriteThem(t *testing.T) {
	// A Friday. The clocks went back four weeks before, on October 25.
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(t))
	for _, test := range []struct{ in, want string }{
		{"2026-03-01T15:04:05Z", "2026-03-01T16:04:05+01:00"},
		{"2026-03-01t15:04:05z", "2026-03-01T16:04:05+01:00"},
		{"2026-03-01T15:04:05.75-05:00", "2026-03-01T21:04:05.75+01:00"},
		{"2026-03-01 15:04:05 +02:00", "2026-03-01T14:04:05+01:00"},
		{"2026-03-01 15:04Z", "2026-03-01T16:04:00+01:00"},
		{"2026-03-01T15:04:05", "2026-03-01T15:04:05+01:00"},
		{"2026-07-01 15:04", "2026-07-01T15:04:00+02:00"},
		{"2026-03-01", "2026-03-01T00:00:00+01:00"},
		{"2026-03", "2026-03-01T00:00:00+01:00"},
		{"2026", "2026-01-01T00:00:00+01:00"},
		{"1 Mar 2026", "2026-03-01T00:00:00+01:00"},
		{"March 1, 2026", "2026-03-01T00:00:00+01:00"},
		{"march 2026", "2026-03-01T00:00:00+01:00"},
		{"2026-03-01 15:04:05 UTC", "2026-03-01T16:04:05+01:00"},
		{"2026-07-01 15:04:05 +02:00 CEST", "2026-07-01T15:04:05+02:00"},
		{"@1772323200", "2026-03-01T01:00:00+01:00"},
		{"@-1", "1970-01-01T00:59:59+01:00"},

		{"now", "2026-11-20T12:34:56+01:00"},
		{" Today ", "2026-11-20T00:00:00+01:00"},
		{"yesterday", "2026-11-19T00:00:00+01:00"},
		{"tomorrow", "2026-11-21T00:00:00+01:00"},
		{"yesterday at 5pm", "2026-11-19T17:00:00+01:00"},
		{"yesterday 17:30", "2026-11-19T17:30:00+01:00"},
		{"12am", "2026-11-20T00:00:00+01:00"},
		{"12:30 am", "2026-11-20T00:30:00+01:00"},
		{"noon", "2026-11-20T12:00:00+01:00"},
		{"tomorrow at midnight", "2026-11-21T00:00:00+01:00"},
		{"17:30", "2026-11-20T17:30:00+01:00"},
		{"1 mar 2026 at 9:15:30", "2026-03-01T09:15:30+01:00"},
		{"last monday", "2026-11-16T00:00:00+01:00"},
		{"last friday at 9am", "2026-11-13T09:00:00+01:00"},

		{"3 days ago", "2026-11-17T12:34:56+01:00"},
		{"an hour ago", "2026-11-20T11:34:56+01:00"},
		{"90 minutes ago", "2026-11-20T11:04:56+01:00"},
		{"5m ago", "2026-11-20T12:29:56+01:00"},
		{"10 secs ago", "2026-11-20T12:34:46+01:00"},
		{"10 seconds ago", "2026-11-20T12:34:46+01:00"},
		{"two weeks ago", "2026-11-06T12:34:56+01:00"},
		{"in 2 hours", "2026-11-20T14:34:56+01:00"},
		{"5 min from now", "2026-11-20T12:39:56+01:00"},
		{"14 months ago", "2025-09-20T12:34:56+02:00"},
		{"1 year ago", "2025-11-20T12:34:56+01:00"},
		{"30 days ago", "2026-10-21T12:34:56+02:00"},   // by the calendar
		{"720 hours ago", "2026-10-21T13:34:56+02:00"}, // by the stopwatch

		{"36h", "2026-11-19T00:34:56+01:00"},
		{"-36h", "2026-11-19T00:34:56+01:00"},
		{"+1h30m", "2026-11-20T14:04:56+01:00"},
		{"7d", "2026-11-13T12:34:56+01:00"},
		{"2w", "2026-11-06T12:34:56+01:00"},
		{"0.5h", "2026-11-20T12:04:56+01:00"},
	} {
		got, err := parseTime(test.in, now)
		if err != nil || got.Format(time.RFC3339Nano) != test.want {
			t.Errorf("%q: %s, %v; want %s", test.in, got.Format(time.RFC3339Nano), err, test.want)
		}
	}
}

func TestWhatIsNotATimeIsAnError(t *testing.T) {
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(t))
	for _, in := range []string{
		"", " ", "garbage", "3 dais ago", "3 days ago garbage", "foo 3 days ago", "3 days", "in 3 days ago",
		"2026-02-30", "2026-13-01", "31 February 2026", "2026-3-1", "01.03.2026", "3/1/2026", "20260301",
		"tonight", "last night", "last night at 5pm", "5 ms ago", "yesterday foo", "yesterday foo 5pm", "yesterday 25:00", "yesterday 13pm", "yesterday monday", "10:61",
		"0", "+0", "+-3h", "--3h", "36", "@", "@1.5", "@99999999999999999999", "1999999999 years ago", "march 2026 at 5pm",
		"2026-03-01T15:04:05+01:00 garbage", "65b3f7a20123456789abcdef",
	} {
		if got, err := parseTime(in, now); err == nil {
			t.Errorf("%q was taken for %s", in, got)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error has more than a line: %v", in, err)
		}
	}
}

func TestDaysAreDaysWhereTheClocksChange(t *testing.T) {
	zone := berlin(t)
	// The clocks went forward on Sunday, March 29 at two o'clock.
	for _, test := range []struct {
		now      time.Time
		in, want string
	}{
		{time.Date(2026, time.March, 30, 1, 0, 0, 0, zone), "yesterday", "2026-03-29 00:00:00 +01:00 CET"},
		{time.Date(2026, time.March, 30, 1, 0, 0, 0, zone), "last saturday", "2026-03-28 00:00:00 +01:00 CET"},
		{time.Date(2026, time.March, 30, 1, 0, 0, 0, zone), "1 day ago", "2026-03-29 01:00:00 +01:00 CET"},
		{time.Date(2026, time.March, 30, 1, 0, 0, 0, zone), "24 hours ago", "2026-03-29 00:00:00 +01:00 CET"},
		{time.Date(2026, time.March, 30, 1, 0, 0, 0, zone), "2d", "2026-03-28 01:00:00 +01:00 CET"},
		{time.Date(2026, time.March, 31, 12, 0, 0, 0, zone), "1 month ago", "2026-02-28 12:00:00 +01:00 CET"},
		{time.Date(2024, time.February, 29, 12, 0, 0, 0, zone), "1 year ago", "2023-02-28 12:00:00 +01:00 CET"},
		{time.Date(2026, time.January, 31, 12, 0, 0, 0, zone), "in 1 month", "2026-02-28 12:00:00 +01:00 CET"},
	} {
		got, err := parseTime(test.in, test.now)
		if err != nil || formatTime(got) != test.want {
			t.Errorf("%s at %s: %s, %v; want %s", test.in, test.now, formatTime(got), err, test.want)
		}
	}
}

// In some zones the clocks change at midnight.
func TestDaysBeginWhenTheClockFirstShowsThem(t *testing.T) {
	for _, test := range []struct{ zone, in, want string }{
		// It went from 24:00 to 1:00, and to 1:00 of the first of a month.
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04 01:00:00 -02:00"},
		{"America/Sao_Paulo", "4 Nov 2018", "2018-11-04 01:00:00 -02:00"},
		{"America/Asuncion", "2017-10", "2017-10-01 01:00:00 -03:00"},
		{"Asia/Beirut", "2021-03-28", "2021-03-28 01:00:00 +03:00 EEST"},
		// The day before, and the first with one midnight again.
		{"America/Sao_Paulo", "2018-11-03", "2018-11-03 00:00:00 -03:00"},
		{"America/Sao_Paulo", "2018-11-05", "2018-11-05 00:00:00 -02:00"},
		// It went from 1:00 back to 0:00.
		{"America/Havana", "2025-11-02", "2025-11-02 00:00:00 -04:00 CDT"},
		{"Asia/Amman", "2021-10-29", "2021-10-29 00:00:00 +03:00 EEST"},
		{"Asia/Amman", "2021-10-30", "2021-10-30 00:00:00 +02:00 EET"},
		// It went from 24:00 back to 23:00.
		{"America/Sao_Paulo", "2018-02-18", "2018-02-18 00:00:00 -03:00"},
		// Samoa had no December 30 when it changed sides of the date line.
		{"Pacific/Apia", "2011-12-30", "2011-12-31 00:00:00 +14:00"},
		{"Pacific/Apia", "2011-12-31", "2011-12-31 00:00:00 +14:00"},
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parseTime(test.in, time.Date(2026, time.November, 20, 12, 0, 0, 0, zone))
		if err != nil || formatTime(got) != test.want {
			t.Errorf("%s in %s: %s, %v; want %s", test.in, test.zone, formatTime(got), err, test.want)
		}
		if day := startOfDay(got.Add(30 * time.Minute)); !strings.Contains(test.in, "Nov") && !day.Equal(got) {
			t.Errorf("%s in %s: half an hour later the day began at %s", test.in, test.zone, formatTime(day))
		}
	}
}

func TestNoTwoTimesLookAlike(t *testing.T) {
	// In the night of October 25 the clock showed half past two twice.
	first := time.Date(2026, time.October, 25, 0, 30, 0, 0, time.UTC)
	for _, test := range []struct {
		in   time.Time
		want string
	}{
		{first.In(berlin(t)), "2026-10-25 02:30:00 +02:00 CEST"},
		{first.Add(time.Hour).In(berlin(t)), "2026-10-25 02:30:00 +01:00 CET"},
		{first, "2026-10-25 00:30:00 UTC"},
		{first.In(time.FixedZone("", 20700)), "2026-10-25 06:15:00 +05:45"},
	} {
		if got := formatTime(test.in); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

func TestAges(t *testing.T) {
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		at   time.Time
		want string
	}{
		{now, "now"},
		{now.Add(-time.Second), "1 second ago"},
		{now.Add(-61 * time.Second), "1 minute 1 second ago"},
		{now.Add(-3 * time.Hour), "3 hours ago"},
		{now.Add(-3*time.Hour - 5*time.Second), "3 hours ago"},
		{now.Add(90 * time.Minute), "in 1 hour 30 minutes"},
		{now.AddDate(-2, 0, -1), "2 years 1 day ago"},
		{now.AddDate(-56, 0, 0), "56 years ago"},
	} {
		if got := formatAge(test.at, now); got != test.want {
			t.Errorf("%s: %q, want %q", test.at, got, test.want)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-03-01", "3 days ago", "yesterday at 5pm", "36h", "@1", "last monday", "noon", "1 mar 2026"} {
		f.Add(s)
	}
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(f))
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseTime(s, now)
		if err != nil {
			return
		}
		// What is understood is shown back so that it means the same again.
		again, err := parseTime(formatTime(got.Truncate(time.Second)), now)
		if year := got.Year(); year < 0 || year > 9999 {
			return
		}
		if _, offset := got.Zone(); offset%60 != 0 {
			return // local mean time, long before ids; its seconds can't be written
		}
		if err != nil || !again.Equal(got.Truncate(time.Second)) {
			t.Errorf("%q: %s, then %s, %v", s, got, again, err)
		}
	})
}
