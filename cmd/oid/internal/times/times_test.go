package times

import (
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
)

func zoneNamed(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func berlin(t testing.TB) *time.Location { return zoneNamed(t, "Europe/Berlin") }

func TestTimesAsPeopleWriteThem(t *testing.T) {
	// A Friday. The clocks went back four weeks before, on October 25.
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(t))
	for _, tt := range []struct{ in, want string }{ // the first moment
		{"2026", "2026-01-01T00:00:00+01:00"},
		{"2026-03", "2026-03-01T00:00:00+01:00"},
		{"2026-03-01", "2026-03-01T00:00:00+01:00"},
		{"2026-Q1", "2026-01-01T00:00:00+01:00"},
		{"2026-q4", "2026-10-01T00:00:00+02:00"},
		{"2026-W01", "2025-12-29T00:00:00+01:00"},
		{"2026-w9", "2026-02-23T00:00:00+01:00"},
		{"2026-W53", "2026-12-28T00:00:00+01:00"},
		{"2026-03-01T15:04:05Z", "2026-03-01T16:04:05+01:00"},
		{"2026-03-01t15:04:05z", "2026-03-01T16:04:05+01:00"},
		{"2026-03-01T15:04:05.75-05:00", "2026-03-01T21:04:05.75+01:00"},
		{"2026-03-01T15:04:05,25+00:00", "2026-03-01T16:04:05.25+01:00"}, // date -Ins
		{"2026-03-01 15:04:05 +02:00", "2026-03-01T14:04:05+01:00"},
		{"2026-03-01 15:04:05+02:00", "2026-03-01T14:04:05+01:00"}, // date --rfc-3339=seconds
		{"2026-03-01 15:04Z", "2026-03-01T16:04:00+01:00"},
		{"2026-03-01T15:04:05", "2026-03-01T15:04:05+01:00"},
		{"2026-07-01 15:04", "2026-07-01T15:04:00+02:00"},
		{"2026-03-01 15:04:05 UTC", "2026-03-01T16:04:05+01:00"},
		{"2026-07-01 15:04:05 +02:00 CEST", "2026-07-01T15:04:05+02:00"},
		{"2026-03-01 15:04:05.123456789 +0100 CET", "2026-03-01T15:04:05.123456789+01:00"}, // Go
		{"2026-03-01 15:04 +05", "2026-03-01T11:04:00+01:00"},
		{"2026-03-01 15:04 +05:45", "2026-03-01T10:19:00+01:00"},
		{"2026-03-01 15:04 -0330", "2026-03-01T19:34:00+01:00"},
		{"2026-03-01 15:04 +23:59", "2026-02-28T16:05:00+01:00"},
		{"2026-10-25 02:30 +02:00", "2026-10-25T02:30:00+02:00"},
		{"2026-10-25 02:30 +01:00", "2026-10-25T02:30:00+01:00"},

		{"@1772323200", "2026-03-01T01:00:00+01:00"},
		{"@1772323200.5", "2026-03-01T01:00:00.5+01:00"},
		{"@-1", "1970-01-01T00:59:59+01:00"},
		{"@-1.5", "1970-01-01T00:59:58.5+01:00"},
		{"@-0.5", "1970-01-01T00:59:59.5+01:00"},
		{"@0", "1970-01-01T01:00:00+01:00"},

		{"now", "2026-11-20T12:34:56+01:00"},
		{" Today ", "2026-11-20T00:00:00+01:00"},
		{"yesterday", "2026-11-19T00:00:00+01:00"},

		{"36h", "2026-11-19T00:34:56+01:00"},
		{"-36h", "2026-11-19T00:34:56+01:00"},
		{"1h30m", "2026-11-20T11:04:56+01:00"},
		{"0.5h", "2026-11-20T12:04:56+01:00"},
		{"90s", "2026-11-20T12:33:26+01:00"},
		{"7d", "2026-11-13T12:34:56+01:00"},
		{"2w", "2026-11-06T12:34:56+01:00"},
		{"1w2d3h", "2026-11-11T09:34:56+01:00"},
		{"30d", "2026-10-21T12:34:56+02:00"},  // by the calendar
		{"720h", "2026-10-21T13:34:56+02:00"}, // by the stopwatch
		{"+1h30m", "2026-11-20T14:04:56+01:00"},
		{"+7d", "2026-11-27T12:34:56+01:00"},
	} {
		span, err := Parse(tt.in, now)
		if got := span.From.Format(time.RFC3339Nano); err != nil || got != tt.want {
			t.Errorf("Parse(%q) = %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
}

func TestSpansAsPeopleNameThem(t *testing.T) {
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(t)) // a Friday
	for _, tt := range []struct{ in, from, to string }{
		{"2026", "2026-01-01 00:00:00 +01:00 CET", "2027-01-01 00:00:00 +01:00 CET"},
		{"2026-03", "2026-03-01 00:00:00 +01:00 CET", "2026-04-01 00:00:00 +02:00 CEST"},
		{"2026-12", "2026-12-01 00:00:00 +01:00 CET", "2027-01-01 00:00:00 +01:00 CET"},
		{"2026-03-29", "2026-03-29 00:00:00 +01:00 CET", "2026-03-30 00:00:00 +02:00 CEST"}, // 23 hours
		{"2026-03-01 15:04", "2026-03-01 15:04:00 +01:00 CET", "2026-03-01 15:05:00 +01:00 CET"},
		{"2026-03-01 15:04:05", "2026-03-01 15:04:05 +01:00 CET", "2026-03-01 15:04:06 +01:00 CET"},
		{"2026-03-01T15:04:05Z", "2026-03-01 16:04:05 +01:00 CET", "2026-03-01 16:04:06 +01:00 CET"},
		{"@1772323200", "2026-03-01 01:00:00 +01:00 CET", "2026-03-01 01:00:01 +01:00 CET"},
		{"now", "2026-11-20 12:34:56 +01:00 CET", "2026-11-20 12:34:57 +01:00 CET"},
		{"today", "2026-11-20 00:00:00 +01:00 CET", "2026-11-21 00:00:00 +01:00 CET"},
		{"yesterday", "2026-11-19 00:00:00 +01:00 CET", "2026-11-20 00:00:00 +01:00 CET"},
		{"36h", "2026-11-19 00:34:56 +01:00 CET", "2026-11-20 12:34:56 +01:00 CET"},
		{"+1h", "2026-11-20 13:34:56 +01:00 CET", "2026-11-20 13:34:56 +01:00 CET"}, // a moment
	} {
		span, err := Parse(tt.in, now)
		if from, to := format.Time(span.From), format.Time(span.To); err != nil || from != tt.from || to != tt.to {
			t.Errorf("Parse(%q) = %s to %s, %v, want %s to %s", tt.in, from, to, err, tt.from, tt.to)
		} else if !span.From.Equal(span.From.Truncate(time.Second)) || !span.To.Equal(span.To.Truncate(time.Second)) {
			t.Errorf("Parse(%q) = %s to %s, want whole seconds", tt.in, span.From, span.To)
		}
	}
}

// A clock time that the clocks skip or show twice is refused, and the error says what to add.
func TestUnclearClockTimesAreRefused(t *testing.T) {
	for _, tt := range []struct{ zone, in, want string }{ // a moment, or the end of an error
		{"Europe/Berlin", "2026-03-29 02:30", "the clocks of Europe/Berlin skip it; add an offset, such as +02:00"},
		{"Europe/Berlin", "2026-03-29 02:00", "the clocks of Europe/Berlin skip it; add an offset, such as +02:00"},
		{"Europe/Berlin", "2026-03-29 01:59:59", "2026-03-29 01:59:59 +01:00 CET"},
		{"Europe/Berlin", "2026-03-29 03:00", "2026-03-29 03:00:00 +02:00 CEST"},
		{"Europe/Berlin", "2026-10-25 02:30", "the clocks of Europe/Berlin show it twice; add the offset, +02:00 or +01:00"},
		{"Europe/Berlin", "2026-10-25 01:59:59", "2026-10-25 01:59:59 +02:00 CEST"},
		{"Europe/Berlin", "2026-10-25 03:00", "2026-10-25 03:00:00 +01:00 CET"},
		{"America/New_York", "2026-11-01 01:30", "the clocks of America/New_York show it twice; add the offset, -04:00 or -05:00"},
		{"Australia/Lord_Howe", "2026-10-04 02:15", "the clocks of Australia/Lord_Howe skip it; add an offset, such as +11:00"}, // by half an hour
		{"Pacific/Apia", "2011-12-30", "the calendar of Pacific/Apia skips that day"},
		{"UTC", "2026-03-29 02:30", "2026-03-29 02:30:00 UTC"},
	} {
		span, err := Parse(tt.in, time.Date(2026, time.November, 20, 12, 0, 0, 0, zoneNamed(t, tt.zone)))
		got := format.Time(span.From)
		if err != nil {
			got = strings.TrimPrefix(err.Error(), format.Quote(tt.in)+" is not a time: ")
		}
		if got != tt.want {
			t.Errorf("Parse(%q) in %s = %s, want %s", tt.in, tt.zone, got, tt.want)
		}
	}
}

// A clock time is a moment if a search finds exactly one.
func TestClockTimesAgreeWithASearch(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia"} {
		zone := zoneNamed(t, name)
		for _, day := range []time.Time{
			civilDay(2011, 12, 29), civilDay(2018, 2, 17), civilDay(2018, 11, 3), civilDay(2026, 3, 8), civilDay(2026, 3, 29), civilDay(2026, 4, 5),
			civilDay(2026, 10, 4), civilDay(2026, 10, 25), civilDay(2026, 11, 1),
		} {
			// Every quarter of an hour near the day, by what the clock shows then.
			shown := map[string][]time.Time{}
			for at := day.AddDate(0, 0, -2); at.Before(day.AddDate(0, 0, 4)); at = at.Add(15 * time.Minute) {
				clock := at.In(zone).Format(time.DateTime)
				shown[clock] = append(shown[clock], at)
			}
			for c := day; c.Before(day.AddDate(0, 0, 2)); c = c.Add(15 * time.Minute) {
				got, err := local(c, zone)
				all := shown[c.Format(time.DateTime)]
				if (err == nil) != (len(all) == 1) || err == nil && !got.Equal(all[0]) {
					t.Errorf("local(%s, %s) = %s, %v; the clock shows it at %s", c, name, got, err, all)
				}
			}
		}
	}
}

func TestWhatIsNotATimeIsAnError(t *testing.T) {
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(t))
	const other = `want 2026-03, 2026-03-01, "2026-03-01 15:04", 36h or 7d (ago), @SECONDS, today, yesterday or now`
	for _, tt := range []struct{ want, ins string }{ // split at |
		{other, `|garbage|tomorrow|3 days ago|last month|1 Mar 2026|20260301|2026-W|2026-q|2026-W123|2026-3-1|01.03.2026|3/1/2026|17:30|65b3f7a20123456789abcdef`},
		{other, `1772323200|@|@1.5s|@1.|@99999999999999999999|0|36|+0|+|-|--3h|+-3h|3h4|h|d|1d2w|1.5d|5mo|2026h 3|1234567d|3ms4|9999999999999h`},
		{other, `2026-03 15:04|2026-03-01 15|2026-03-01 15:04 PST|2026-03-01 15:04 +5|2026-03-01 15:04 +01:00 CENTRAL|2026-03-01T15:04:05+01:00 garbage|2026-03-01Z`},
		{"there is no such date or clock time", "2026-02-30|2026-13-01|2026-13|2026-03-00|2026-03-01 25:00|2026-03-01 10:61|2026-03-01 24:00"},
		{"a year has quarters 1 to 4", "2026-Q0|2026-q5"},
		{"there is no such week in that year", "2026-W00|2026-W54|2025-W53"},
		{"there is no such offset from UTC", "2026-03-01 15:04 +25:00|2026-03-01 15:04 -24:00|2026-03-01 15:04 -01:60"},
	} {
		for in := range strings.SplitSeq(tt.ins, "|") {
			want := format.Quote(in) + " is not a time: " + tt.want
			if span, err := Parse(in, now); err == nil || err.Error() != want {
				t.Errorf("Parse(%q) = %+v, %v, want %s", in, span, err, want)
			}
		}
	}
}

func TestDaysAreDaysWhereTheClocksChange(t *testing.T) {
	zone := berlin(t)
	// The clocks went forward on Sunday, March 29 at two o'clock.
	march30 := time.Date(2026, time.March, 30, 1, 0, 0, 0, zone)
	for _, tt := range []struct{ in, want string }{
		{"yesterday", "2026-03-29 00:00:00 +01:00 CET"}, {"1d", "2026-03-29 01:00:00 +01:00 CET"},
		{"24h", "2026-03-29 00:00:00 +01:00 CET"}, {"2d", "2026-03-28 01:00:00 +01:00 CET"},
	} {
		span, err := Parse(tt.in, march30)
		if got := format.Time(span.From); err != nil || got != tt.want {
			t.Errorf("Parse(%q) = %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
}

// In some zones the clocks change at midnight.
func TestDaysBeginWhenTheClockFirstShowsThem(t *testing.T) {
	for _, tt := range []struct{ zone, in, want string }{
		// It went from 24:00 to 1:00, and to 1:00 of the first of a month.
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04 01:00:00 -02:00"},
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
		{"Pacific/Apia", "2011-12-31", "2011-12-31 00:00:00 +14:00"},
		// Before the first change.
		{"Asia/Tokyo", "0000", "0000-01-01 00:00:00 +09:18 LMT"},
	} {
		span, err := Parse(tt.in, time.Date(2026, time.November, 20, 12, 0, 0, 0, zoneNamed(t, tt.zone)))
		if got := format.Time(span.From); err != nil || got != tt.want || span.From.Nanosecond() != 0 {
			t.Errorf("Parse(%q) in %s = %s and %d ns, %v, want %s", tt.in, tt.zone, got, span.From.Nanosecond(), err, tt.want)
		}
		if day := UnitNamed("day").Start(span.From.Add(30 * time.Minute)); !day.Equal(span.From) {
			t.Errorf("%s in %s: half an hour later the day began at %s", tt.in, tt.zone, format.Time(day))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2026-03-01", "yesterday", "36h", "1w2d3h4m", "+7d", "@1", "@-1.5", "2026", "2026-03", "2026-03-01 15:04:05 +01:00 CET",
		"2026-03-01t15:04:05.5z", "2026-10-25 02:30", "2026-03-29 02:30"} {
		f.Add(s)
	}
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, berlin(f))
	f.Fuzz(func(t *testing.T, s string) {
		span, err := Parse(s, now)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("Parse(%q): the error has more than a line: %v", s, err)
			}
			return
		}
		if span.To.Before(span.From) {
			t.Errorf("Parse(%q) = %s to %s", s, span.From, span.To)
		}
		from := span.From.Truncate(time.Second)
		if _, offset := from.Zone(); offset%60 != 0 || from.Year() < 0 || from.Year() > 9999 {
			return // local mean time, long before IDs: its seconds can't be written
		}
		// The printed form of a time is read as the same time.
		if again, err := Parse(format.Time(from), now); err != nil || !again.From.Equal(from) {
			t.Errorf("Parse(%q) = %s, then %s, %v", s, from, again.From, err)
		}
	})
}
