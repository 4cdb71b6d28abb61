package format

import (
	"strings"
	"testing"
	"time"
)

func TestNoTwoTimesLookAlike(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// In the night of October 25 the clock showed half past two twice.
	first := time.Date(2026, time.October, 25, 0, 30, 0, 0, time.UTC)
	for _, test := range []struct {
		in   time.Time
		want string
	}{
		{first.In(berlin), "2026-10-25 02:30:00 +02:00 CEST"},
		{first.Add(time.Hour).In(berlin), "2026-10-25 02:30:00 +01:00 CET"},
		{first, "2026-10-25 00:30:00 UTC"},
		{first.In(time.FixedZone("UTC", 0)), "2026-10-25 00:30:00 UTC"},
		{first.In(time.FixedZone("", 20700)), "2026-10-25 06:15:00 +05:45"},
	} {
		if got := Time(test.in); got != test.want {
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
		if got := Age(test.at, now); got != test.want {
			t.Errorf("%s: %q, want %q", test.at, got, test.want)
		}
	}
}

func TestCountsAreWholeNumbersAboveZero(t *testing.T) {
	for in, want := range map[string]int64{"1": 1, "1000": 1000, "1e3": 1000, "1k": 1000, "1.5k": 1500, "2.5M": 2.5e6, "1G": 1e9, "1e15": 1e15} {
		if got, err := Count(in); err != nil || got != want {
			t.Errorf("Count(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for in := range strings.SplitSeq("0|-1|0.5|1.5|1000000000000001|1e300G||x|k|1,5|1,000|1_000|1 k|1kM|1kk|1K|NaN|Inf|1e999|0x10|0X1P4", "|") {
		want := Quote(in) + " is not a count: want a whole number from 1 to 1e15, such as 1000, 1k or 2.5M"
		if got, err := Count(in); err == nil || err.Error() != want || got != 0 {
			t.Errorf("Count(%q) = %d, %v, want 0, %s", in, got, err, want)
		}
	}
}

func TestNumbersAsPeopleReadThem(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 99: "99", 123: "123", 1234: "1,234", 12345: "12,345", 123456: "123,456", 1234567: "1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{1: "1 ID", 0: "0 IDs", 2000: "2,000 IDs"} {
		if got := Plural(n, "ID"); got != want {
			t.Errorf("Plural(%d) = %s, want %s", n, got, want)
		}
	}
}

// An error shows the start of long input.
func TestQuotedInputIsCut(t *testing.T) {
	for n, want := range map[int]string{0: `""`, 59: `"` + strings.Repeat("x", 59) + `"`, 60: `"` + strings.Repeat("x", 60) + `"`, 61: `"` + strings.Repeat("x", 60) + `"…`, 999: `"` + strings.Repeat("x", 60) + `"…`} {
		if got := Quote(strings.Repeat("x", n)); got != want {
			t.Errorf("Quote of %d bytes = %s, want %s", n, got, want)
		}
	}
}
