package main

import (
	"regexp"
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
	for _, test := range []struct{ in, want string }{ // the first moment
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
		{"@-1.5", "1970-01-01T00:59:58.5+01:00"},
		{"@1772323200.5", "2026-03-01T01:00:00.5+01:00"},
		{"1772323200", "2026-03-01T01:00:00+01:00"},
		{"1772323200250", "2026-03-01T01:00:00.25+01:00"},
		{"@1772323200250", "2026-03-01T01:00:00.25+01:00"},
		{"123456789", "1973-11-29T22:33:09+01:00"},
		{"@-000000000001", "1970-01-01T00:59:59+01:00"}, // 13 characters, and not milliseconds
		{"@0000000000001.5", "1970-01-01T01:00:01.5+01:00"},

		{"2026-3-1", "2026-03-01T00:00:00+01:00"},
		{"2026/03/01 15:04:05", "2026-03-01T15:04:05+01:00"},
		{"20260301", "2026-03-01T00:00:00+01:00"},
		{"20260301T150405Z", "2026-03-01T16:04:05+01:00"},
		{"20260301T1504", "2026-03-01T15:04:00+01:00"},
		{"20260301T1504Z", "2026-03-01T16:04:00+01:00"},
		{"20260301150405", "2026-03-01T15:04:05+01:00"},
		{"2026-W12", "2026-03-16T00:00:00+01:00"},
		{"2026W01", "2025-12-29T00:00:00+01:00"},
		{"2027-W01", "2027-01-04T00:00:00+01:00"},
		{"2026-W53-7", "2027-01-03T00:00:00+01:00"},
		{"2026-W12-5 17:30", "2026-03-20T17:30:00+01:00"},
		{"2026-Q4", "2026-10-01T00:00:00+02:00"},
		{"Q1 2026", "2026-01-01T00:00:00+01:00"},
		{"Sun 1 Mar 2026", "2026-03-01T00:00:00+01:00"},
		{"Sunday, March 1, 2026 at 3:04 pm", "2026-03-01T15:04:00+01:00"},
		{"2026-03-01 15:04:05 -0500", "2026-03-01T21:04:05+01:00"},
		{"2026-03-01 15:04 +05", "2026-03-01T11:04:00+01:00"},
		{"2026-03-01 15:04 +05:45", "2026-03-01T10:19:00+01:00"},
		{"2026-03-01 15:04 -0330", "2026-03-01T19:34:00+01:00"},
		{"2026-03-01 15:04 +23:59", "2026-02-28T16:05:00+01:00"},
		{"2026-03-01T15:04:05,25+00:00", "2026-03-01T16:04:05.25+01:00"},
		{"Sun, 01 Mar 2026 15:04:05 GMT", "2026-03-01T16:04:05+01:00"},   // RFC 1123
		{"Sun, 01 Mar 2026 15:04:05 -0500", "2026-03-01T21:04:05+01:00"}, // date -R
		{"Sun Mar  1 15:04:05 CET 2026", "2026-03-01T15:04:05+01:00"},    // date
		{"Sun Mar  1 03:04:05 PM UTC 2026", "2026-03-01T16:04:05+01:00"},
		{"Sun  1 Mar 15:04:05 CET 2026", "2026-03-01T15:04:05+01:00"},
		{"Sun Mar  1 15:04:05 2026", "2026-03-01T15:04:05+01:00"},                                  // C's asctime
		{"Sun Mar 01 2026 15:04:05 GMT-0500 (Eastern Standard Time)", "2026-03-01T21:04:05+01:00"}, // JavaScript
		{"2026-03-01 15:04:05.123456789 +0100 CET", "2026-03-01T15:04:05.123456789+01:00"},         // Go
		{"2026-07-01 12:00 CET", "2026-07-01T13:00:00+02:00"},
		{"2026-10-25 02:30 CEST", "2026-10-25T02:30:00+02:00"},
		{"2026-10-25 02:30 CET", "2026-10-25T02:30:00+01:00"},

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
		{"next friday", "2026-11-27T00:00:00+01:00"},
		{"next sat", "2026-11-21T00:00:00+01:00"},
		{"this monday", "2026-11-16T00:00:00+01:00"},
		{"this sunday noon", "2026-11-22T12:00:00+01:00"},
		{"last week", "2026-11-09T00:00:00+01:00"},
		{"this month", "2026-11-01T00:00:00+01:00"},
		{"last month", "2026-10-01T00:00:00+02:00"},
		{"next month", "2026-12-01T00:00:00+01:00"},
		{"last quarter", "2026-07-01T00:00:00+02:00"},
		{"this year", "2026-01-01T00:00:00+01:00"},
		{"last hour", "2026-11-20T11:00:00+01:00"},

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
		{"+1mo", "2026-12-20T12:34:56+01:00"},
		{"+1 month", "2026-12-20T12:34:56+01:00"},
		{"+ 1 year 2 days", "2027-11-22T12:34:56+01:00"},
		{"- 1 month, 2 days and 3 hours", "2026-10-18T09:34:56+02:00"},
		{"last 7 days", "2026-11-13T12:34:56+01:00"},
		{"past two weeks", "2026-11-06T12:34:56+01:00"},
		{"next 7 days", "2026-11-20T12:34:56+01:00"},
		{"in one quarter", "2027-02-20T12:34:56+01:00"},
		{"in 999999 days", "4764-10-16T12:34:56+02:00"},
		{"149999999 minutes ago", "1741-09-08T20:29:24+00:53"},
	} {
		m, err := parseMoment(test.in, now)
		if got := m.at.Format(time.RFC3339Nano); err != nil || got != test.want || m.note != "" {
			t.Errorf("%q: %s, %v, note %q; want %s", test.in, got, err, m.note, test.want)
		}
	}
}

func TestSpansAsPeopleNameThem(t *testing.T) {
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(t)) // a Friday
	for _, test := range []struct{ in, from, to string }{
		{"2026", "2026-01-01 00:00:00 +01:00 CET", "2027-01-01 00:00:00 +01:00 CET"},
		{"2026-Q3", "2026-07-01 00:00:00 +02:00 CEST", "2026-10-01 00:00:00 +02:00 CEST"},
		{"2026-03", "2026-03-01 00:00:00 +01:00 CET", "2026-04-01 00:00:00 +02:00 CEST"},
		{"Dec 2026", "2026-12-01 00:00:00 +01:00 CET", "2027-01-01 00:00:00 +01:00 CET"},
		{"2026-W13", "2026-03-23 00:00:00 +01:00 CET", "2026-03-30 00:00:00 +02:00 CEST"},
		{"2026-W13-7", "2026-03-29 00:00:00 +01:00 CET", "2026-03-30 00:00:00 +02:00 CEST"},
		{"2026-03-29", "2026-03-29 00:00:00 +01:00 CET", "2026-03-30 00:00:00 +02:00 CEST"}, // 23 hours
		{"yesterday", "2026-11-19 00:00:00 +01:00 CET", "2026-11-20 00:00:00 +01:00 CET"},
		{"2026-03-01 15:04", "2026-03-01 15:04:00 +01:00 CET", "2026-03-01 15:05:00 +01:00 CET"},
		{"2026-03-01T15:04:05Z", "2026-03-01 16:04:05 +01:00 CET", "2026-03-01 16:04:06 +01:00 CET"},
		{"5pm", "2026-11-20 17:00:00 +01:00 CET", "2026-11-20 18:00:00 +01:00 CET"},
		{"@1772323200", "2026-03-01 01:00:00 +01:00 CET", "2026-03-01 01:00:01 +01:00 CET"},
		{"2026-03-01 15:04:05", "2026-03-01 15:04:05 +01:00 CET", "2026-03-01 15:04:06 +01:00 CET"},
		{"2026-03-01 3:04 pm", "2026-03-01 15:04:00 +01:00 CET", "2026-03-01 15:05:00 +01:00 CET"},
		{"2026-03-01 3:04:05 pm", "2026-03-01 15:04:05 +01:00 CET", "2026-03-01 15:04:06 +01:00 CET"},
		{"noon", "2026-11-20 12:00:00 +01:00 CET", "2026-11-20 12:01:00 +01:00 CET"},
		{"midnight", "2026-11-20 00:00:00 +01:00 CET", "2026-11-20 00:01:00 +01:00 CET"},
		{"now", "2026-11-20 12:34:56 +01:00 CET", "2026-11-20 12:34:57 +01:00 CET"},
		{"last week", "2026-11-09 00:00:00 +01:00 CET", "2026-11-16 00:00:00 +01:00 CET"},
		{"next week", "2026-11-23 00:00:00 +01:00 CET", "2026-11-30 00:00:00 +01:00 CET"},
		{"last month", "2026-10-01 00:00:00 +02:00 CEST", "2026-11-01 00:00:00 +01:00 CET"},
		{"this quarter", "2026-10-01 00:00:00 +02:00 CEST", "2027-01-01 00:00:00 +01:00 CET"},
		{"last hour", "2026-11-20 11:00:00 +01:00 CET", "2026-11-20 12:00:00 +01:00 CET"},
		{"last minute", "2026-11-20 12:33:00 +01:00 CET", "2026-11-20 12:34:00 +01:00 CET"},
		{"last friday", "2026-11-13 00:00:00 +01:00 CET", "2026-11-14 00:00:00 +01:00 CET"},
		{"3 days ago", "2026-11-17 12:34:56 +01:00 CET", "2026-11-20 12:34:56 +01:00 CET"},
		{"last 3 days", "2026-11-17 12:34:56 +01:00 CET", "2026-11-20 12:34:56 +01:00 CET"},
		{"36h", "2026-11-19 00:34:56 +01:00 CET", "2026-11-20 12:34:56 +01:00 CET"},
		{"+1 month", "2026-11-20 12:34:56 +01:00 CET", "2026-12-20 12:34:56 +01:00 CET"},
		{"next 2 weeks", "2026-11-20 12:34:56 +01:00 CET", "2026-12-04 12:34:56 +01:00 CET"},
	} {
		m, err := parseMoment(test.in, now)
		if from, to := formatTime(m.from), formatTime(m.to); err != nil || from != test.from || to != test.to || m.note != "" {
			t.Errorf("%q: %s to %s, %v; want %s to %s", test.in, from, to, err, test.from, test.to)
		} else if !m.from.Equal(m.from.Truncate(time.Second)) || !m.to.Equal(m.to.Truncate(time.Second)) {
			t.Errorf("%q: %s to %s, want whole seconds", test.in, m.from, m.to)
		}
	}
}

// Times that the clocks skip or show twice are taken as documented, with a note.
func TestClockTimesAreResolvedWithANote(t *testing.T) {
	for _, test := range []struct{ zone, in, want, note string }{
		{"Europe/Berlin", "2026-03-29 02:30", "2026-03-29 03:30:00 +02:00 CEST",
			"the clocks of Europe/Berlin skip 2026-03-29 02:30:00; taken as 2026-03-29 03:30:00 +02:00 CEST"},
		{"Europe/Berlin", "2026-03-29 02:00", "2026-03-29 03:00:00 +02:00 CEST",
			"the clocks of Europe/Berlin skip 2026-03-29 02:00:00; taken as 2026-03-29 03:00:00 +02:00 CEST"},
		{"Europe/Berlin", "2026-03-29 01:59:59", "2026-03-29 01:59:59 +01:00 CET", ""},
		{"Europe/Berlin", "2026-03-29 03:00", "2026-03-29 03:00:00 +02:00 CEST", ""},
		{"Europe/Berlin", "2026-10-25 02:30", "2026-10-25 02:30:00 +02:00 CEST",
			"the clocks of Europe/Berlin show 2026-10-25 02:30:00 twice; taken as the first, 2026-10-25 02:30:00 +02:00 CEST, and not 2026-10-25 02:30:00 +01:00 CET"},
		{"Europe/Berlin", "2026-10-25 01:59:59", "2026-10-25 01:59:59 +02:00 CEST", ""},
		{"Europe/Berlin", "2026-10-25 03:00", "2026-10-25 03:00:00 +01:00 CET", ""},
		{"Europe/Berlin", "2026-10-25 02:30 +01:00", "2026-10-25 02:30:00 +01:00 CET", ""},
		{"America/New_York", "2026-03-08 02:30", "2026-03-08 03:30:00 -04:00 EDT",
			"the clocks of America/New_York skip 2026-03-08 02:30:00; taken as 2026-03-08 03:30:00 -04:00 EDT"},
		{"America/New_York", "2026-11-01 01:30", "2026-11-01 01:30:00 -04:00 EDT",
			"the clocks of America/New_York show 2026-11-01 01:30:00 twice; taken as the first, 2026-11-01 01:30:00 -04:00 EDT, and not 2026-11-01 01:30:00 -05:00 EST"},
		{"Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-04 02:45:00 +11:00", // by half an hour
			"the clocks of Australia/Lord_Howe skip 2026-10-04 02:15:00; taken as 2026-10-04 02:45:00 +11:00"},
		{"Pacific/Apia", "2011-12-30 12:00", "2011-12-31 12:00:00 +14:00",
			"the clocks of Pacific/Apia skip 2011-12-30 12:00:00; taken as 2011-12-31 12:00:00 +14:00"},
		{"Pacific/Apia", "2011-12-30", "2011-12-31 00:00:00 +14:00", "Pacific/Apia has no 2011-12-30: the calendar skips it"},
		{"UTC", "2026-03-29 02:30", "2026-03-29 02:30:00 UTC", ""},
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		m, err := parseMoment(test.in, time.Date(2026, time.November, 20, 12, 0, 0, 0, zone))
		if got := formatTime(m.at); err != nil || got != test.want || m.note != test.note {
			t.Errorf("%s in %s: %s, %v, want %s\n got note %q\nwant note %q", test.in, test.zone, got, err, test.want, m.note, test.note)
		}
	}
}

func TestClockResolutionAgreesWithASearch(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, day := range []time.Time{
			time.Date(2011, 12, 29, 0, 0, 0, 0, time.UTC), time.Date(2018, 2, 17, 0, 0, 0, 0, time.UTC), time.Date(2018, 11, 3, 0, 0, 0, 0, time.UTC),
			time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 5, 0, 0, 0, 0, time.UTC),
			time.Date(2026, 10, 4, 0, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		} {
			// Every quarter of an hour near the day, by what the clock shows then.
			shown := map[string][]time.Time{}
			for at := day.AddDate(0, 0, -2); at.Before(day.AddDate(0, 0, 4)); at = at.Add(15 * time.Minute) {
				local := at.In(zone)
				shown[local.Format(time.DateTime)] = append(shown[local.Format(time.DateTime)], local)
			}
			for c := day; c.Before(day.AddDate(0, 0, 2)); c = c.Add(15 * time.Minute) {
				got, note := resolve(c, zone)
				all := shown[c.Format(time.DateTime)]
				if (note == "") != (len(all) == 1) {
					t.Errorf("%s in %s: note %q, and the clock shows it %d times", c, name, note, len(all))
				}
				if len(all) > 0 && !got.Equal(all[0]) {
					t.Errorf("%s in %s: %s, want %s", c, name, got, all[0])
				}
				if len(all) == 0 && !civil(got).After(c) {
					t.Errorf("%s in %s is skipped, and was taken as the earlier %s", c, name, got)
				}
			}
		}
	}
}

func TestWhatIsNotATimeIsAnError(t *testing.T) {
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(t))
	for _, in := range []string{
		"", " ", "garbage", "3 dais ago", "3 days ago garbage", "foo 3 days ago", "3 days 2 foos ago", "some week", "3 days", "in 3 days ago",
		"2026-02-30", "2026-13-01", "31 February 2026", "01.03.2026", "3/1/2026", "2026-03-00", "20261301", "2026-W54", "2025-W53", "2026-W00", "2026-W12-8", "2026-Q5",
		"tonight", "last night", "last night at 5pm", "5 ms ago", "yesterday foo", "yesterday foo 5pm", "yesterday 25:00", "yesterday 13pm", "yesterday monday", "10:61",
		"0", "+0", "+-3h", "--3h", "36", "@", "@1.5s", "@99999999999999999999", "12345678901", "1772323200.5",
		"monday", "Sat 1 Mar 2026", "sat 17:30", "fri 17:30", "Sun Mar 2026", "last", "next", "last fortnight", "1.5 days ago", "9999999 days ago", "+", "-", "in", "ago", "and",
		"2026-03-01 15:04 PST", "2026-03-01 15:04 X", "2026-03-01 15:04 +25:00", "2026-W12 17:30", "17:30 2026-03-01", "20260301T15", "1999999999 years ago", "march 2026 at 5pm",
		"2026-03-01T15:04:05+01:00 garbage", "65b3f7a20123456789abcdef",
	} {
		if got, err := parseMoment(in, now); err == nil {
			t.Errorf("%q was taken for %+v", in, got)
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
		{time.Date(2026, time.October, 25, 1, 30, 0, 0, time.UTC).In(zone), "1 hour ago", "2026-10-25 02:30:00 +02:00 CEST"}, // an hour that came twice
		{time.Date(2026, time.March, 30, 1, 0, 0, 0, zone), "last saturday", "2026-03-28 00:00:00 +01:00 CET"},
		{time.Date(2026, time.March, 30, 1, 0, 0, 0, zone), "1 day ago", "2026-03-29 01:00:00 +01:00 CET"},
		{time.Date(2026, time.March, 30, 1, 0, 0, 0, zone), "24 hours ago", "2026-03-29 00:00:00 +01:00 CET"},
		{time.Date(2026, time.March, 30, 1, 0, 0, 0, zone), "2d", "2026-03-28 01:00:00 +01:00 CET"},
		{time.Date(2026, time.March, 31, 12, 0, 0, 0, zone), "1 month ago", "2026-02-28 12:00:00 +01:00 CET"},
		{time.Date(2024, time.February, 29, 12, 0, 0, 0, zone), "1 year ago", "2023-02-28 12:00:00 +01:00 CET"},
		{time.Date(2026, time.January, 31, 12, 0, 0, 0, zone), "in 1 month", "2026-02-28 12:00:00 +01:00 CET"},
	} {
		m, err := parseMoment(test.in, test.now)
		if got := formatTime(m.at); err != nil || got != test.want || m.note != "" {
			t.Errorf("%s at %s: %s, %v, note %q; want %s", test.in, test.now, got, err, m.note, test.want)
		}
	}
	m, err := parseMoment("1 day ago", time.Date(2026, time.October, 26, 2, 30, 0, 0, zone))
	if err != nil || !strings.HasPrefix(m.note, "the clocks of Europe/Berlin show 2026-10-25 02:30:00 twice") {
		t.Errorf("1 day after an hour that came twice: note %q, %v", m.note, err)
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
		// Before the first change.
		{"Asia/Tokyo", "0000", "0000-01-01 00:00:00 +09:18 LMT"},
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		m, err := parseMoment(test.in, time.Date(2026, time.November, 20, 12, 0, 0, 0, zone))
		got := m.at
		if err != nil || formatTime(got) != test.want || got.Nanosecond() != 0 {
			t.Errorf("%s in %s: %s and %d ns, %v; want %s", test.in, test.zone, formatTime(got), got.Nanosecond(), err, test.want)
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
		{first.In(time.FixedZone("UTC", 0)), "2026-10-25 00:30:00 UTC"},
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
		{now.AddDate(-1, 0, 0), "1 year ago"},
		{now.AddDate(-1, 0, 1), "364 days ago"},
		{now.AddDate(0, 0, -1), "1 day ago"},
		{now.Add(-time.Hour), "1 hour ago"},
		{now.Add(-time.Minute), "1 minute ago"},
		{now.Add(-2 * time.Second), "2 seconds ago"},
		{now.Add(-24*time.Hour + 1), "23 hours 59 minutes ago"},
		{now.Add(-time.Hour + 1), "59 minutes 59 seconds ago"},
		{now.Add(-time.Minute + 1), "59 seconds ago"},
		{now.Add(-time.Second + 1), "now"},
	} {
		if got := formatAge(test.at, now); got != test.want {
			t.Errorf("%s: %q, want %q", test.at, got, test.want)
		}
	}
}

// The reason that a time is refused, where one can be told.
func TestTimesAreRefusedWithAReason(t *testing.T) {
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(t))
	for _, test := range []struct{ in, want string }{
		{"2026-02-30", "there is no such day"},
		{"2026-W54", "2026 has no week 54"},
		{"3/1/2026", "day and month could be meant either way: write 2026-03-01"},
		{"Sat 1 Mar 2026", "that day is a Sunday"},
		{"2026-03-01 15:04 PST", "PST is not a zone of Europe/Berlin: write an offset such as +01:00"},
		{"2026-03-01 25:00", "there is no such clock time"},
		{"2026-03-01 15:04 +25:00", "there is no such offset from UTC"},
		{"2026-03-01 15:04 +24:00", "there is no such offset from UTC"},
		{"2026-03-01 15:04 -01:60", "there is no such offset from UTC"},
		{"2026-03-01 15:04 AB", "AB is not a zone of Europe/Berlin: write an offset such as +01:00"},
		{"1000000 days ago", "it is too far away"},
		{"150000000 minutes ago", "it is too far away"},
		{"149999999 minutes 1 minute ago", "it is too far away"},
		{"2026-03 15:04", "a clock time needs a day before it"},
		{"1.5 days ago", "only hours, minutes and seconds can have a fraction"},
		{"garbage", `write 2026-03-01, "2026-03-01 15:04", "last month" or "3 days ago"; oid help times lists all forms`},
	} {
		want := quote(test.in) + " is not a time: " + test.want
		if _, err := parseMoment(test.in, now); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	const want = `"2026-03-01 15:04 AB" is not a time: AB is not a zone of UTC: write an offset such as +01:00`
	if _, err := parseMoment("2026-03-01 15:04 AB", now.UTC()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Every time that oid help times shows is one, and is in the documented place.
func TestTimesOfTheHelpAreTimes(t *testing.T) {
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(t))
	n := 0
	for line := range strings.Lines(timesTopic) {
		if !strings.HasPrefix(line, "  ") || strings.HasSuffix(line, ".\n") || strings.Contains(line, "Units: ") {
			continue
		}
		line, _, _ = strings.Cut(line, " (")
		for _, in := range regexp.MustCompile(`\s{2,}`).Split(strings.ReplaceAll(strings.TrimSpace(line), "Mar  1", "Mar 1"), -1) {
			n++
			if _, err := parseMoment(in, now); err != nil {
				t.Error(err)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d times found", n)
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-03-01", "3 days ago", "yesterday at 5pm", "36h", "@1", "last monday", "noon", "1 mar 2026",
		"2026-W12-5", "q1 2026", "last month", "last 7 days", "+1 month 2 days", "sun mar  1 15:04:05 cet 2026", "20260301t150405z",
		"sun, 01 mar 2026 15:04:05 gmt", "1772323200", "2026-10-25 02:30", "2026-03-29 02:30"} {
		f.Add(s)
	}
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(f))
	f.Fuzz(func(t *testing.T, s string) {
		m, err := parseMoment(s, now)
		if err != nil {
			return
		}
		if m.to.Before(m.from) || m.at.Before(m.from) || m.at.After(m.to) {
			t.Errorf("%q: at %s, from %s to %s", s, m.at, m.from, m.to)
		}
		got := m.at
		// The printed form of a time is read as the same time.
		again, err := parseMoment(formatTime(got.Truncate(time.Second)), now)
		if year := got.Year(); year < 0 || year > 9999 {
			return
		}
		if _, offset := got.Zone(); offset%60 != 0 {
			return // local mean time, long before IDs; its seconds can't be written
		}
		if err != nil || !again.at.Equal(got.Truncate(time.Second)) {
			t.Errorf("%q: %s, then %s, %v", s, got, again.at, err)
		}
	})
}
