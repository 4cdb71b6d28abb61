package sequence_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// A documentVector was computed by testdata/documents.py, not by this package.
type documentVector struct {
	Pattern string
	Start   []int // the month and the day
	Date    string
	Number  int
	Text    string
	First   string // the first day of the period
	Zone    string
	Now     time.Time
}

// TestDocumentsAreThoseOfTheVectors draws each number by its date, and by the clock, and reads
// it again.
func TestDocumentsAreThoseOfTheVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/documents.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []documentVector
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors) < 600 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for _, v := range vectors {
		date, err := time.Parse(time.DateOnly, v.Date)
		if err != nil {
			t.Fatal(err)
		}
		now, zone := date.Add(23*time.Hour), time.UTC
		if v.Zone != "" {
			if zone, err = time.LoadLocation(v.Zone); err != nil {
				t.Fatal(err)
			}
			now = v.Now
		}
		var start []sequence.Option
		if len(v.Start) > 0 {
			start = append(start, sequence.WithYearStart(time.Month(v.Start[0]), v.Start[1]))
		}
		m := new(sequence.Memory)
		byClock := sequence.NewNumbering(m, "by clock", v.Pattern, append(start, ahead,
			sequence.WithZone(zone), sequence.WithClock(func() time.Time { return now }))...)
		byDate := sequence.NewNumbering(m, "by date", v.Pattern, append(start, sequence.WithDates())...)
		for _, n := range []*sequence.Numbering{byClock, byDate.At(now.In(zone)), byDate.For("s").At(now.In(zone))} {
			texts, err := n.Take(t.Context(), int64(v.Number))
			if err != nil || texts[len(texts)-1] != v.Text {
				t.Fatalf("%+v: %s drew %v, %v", v, n.Key(), texts, err)
			}
			period, serial, err := n.Parse(v.Text)
			if first := period.Format(time.DateOnly); first != v.First || serial != int64(v.Number) || err != nil {
				t.Errorf("%+v: Parse of %s = %s, %d, %v", v, n.Key(), first, serial, err)
			}
			s, err := n.State(t.Context())
			if first := s.Period.Format(time.DateOnly); first != v.First || s.Text != v.Text || s.Left == 0 || err != nil {
				t.Errorf("%+v: State of %s = %+v, %v", v, n.Key(), s, err)
			}
		}
	}
}

// TestPeriodsTileTheCalendar draws in each period of eight years, for each month in which a
// year can begin. Each date has one period, no text comes twice, and Parse finds the period.
// Only April has patterns whose periods are days.
func TestPeriodsTileTheCalendar(t *testing.T) {
	begin, end := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	for month := time.January; month <= time.December; month++ {
		for day, patterns := range map[int][]string{
			1:  {"{2006}-{00}", "{+2006}-{00}", "FY{+06}-{00}", "{06+06}Q{Q}-{00}", "{2006}Q{Q}-{00}", "{+06}-{01}-{00}", "{2006}-{+06}-{01}-{00}", "{+2006}{01}{02}-{00}"},
			2:  {"{+06}-{00}", "{2006}Q{Q}-{00}", "{+06}{01}{02}-{00}"},
			28: {"{2006}-{00}", "{2006}Q{Q}-{00}", "{06}{+06}{01}{02}-{00}"},
		} {
			for _, pattern := range patterns {
				if strings.Contains(pattern, "{02}") && month != time.April {
					continue // thousands of periods each
				}
				n := sequence.NewNumbering(new(sequence.Memory), "n", pattern, sequence.WithYearStart(month, day), sequence.WithDates())
				var key string
				var last time.Time
				seen := map[string]bool{}
				for date := begin; date.Before(end); date = date.AddDate(0, 0, 1) {
					at := n.At(date)
					if at.Key() == key { // of the period of the day before
						continue
					}
					key = at.Key()
					text, err := at.Next(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					period, serial, err := n.Parse(text)
					if seen[text] || serial != 1 || err != nil {
						t.Fatalf("%s from %d %v: %q at %v is number %d, %v, or came twice", pattern, day, month, text, date, serial, err)
					}
					// The first period began before begin. Each other one begins where the last one ends.
					if !period.Equal(date) && date != begin || period.After(date) || !period.After(last) {
						t.Fatalf("%s from %d %v: the period of %v begins at %v, after one that begins at %v", pattern, day, month, date, period, last)
					}
					seen[text], last = true, period
				}
				most := map[bool]int{true: 8 * 366, false: 8*12 + 1}[strings.Contains(pattern, "{02}")]
				if len(seen) < 8 || len(seen) > most {
					t.Errorf("%s from %d %v: %d periods in eight years", pattern, day, month, len(seen))
				}
			}
		}
	}
}

// TestDaysBeginInEachZone has zones whose clocks are put forward at midnight, and one that left
// out a day. Each second belongs to the period of its date.
func TestDaysBeginInEachZone(t *testing.T) {
	for _, tt := range []struct{ zone, noon string }{
		{"America/Santiago", "2026-09-05"}, {"America/Havana", "2026-03-07"}, {"America/Sao_Paulo", "2018-11-03"},
		{"Atlantic/Azores", "2026-03-28"}, {"Africa/Cairo", "2026-04-23"}, {"Asia/Beirut", "2026-03-28"},
		{"America/Santiago", "2026-04-04"}, {"Pacific/Apia", "2011-12-29"}, {"Europe/Berlin", "2026-03-28"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		noon, err := time.ParseInLocation(time.DateOnly+" 15", tt.noon+" 12", zone)
		if err != nil {
			t.Fatal(err)
		}
		for now := noon; now.Sub(noon) < 36*time.Hour; now = now.Add(15 * time.Minute) {
			clock := sequence.WithClock(func() time.Time { return now })
			// The clock of this store and that of the program agree. So the draw succeeds.
			store := storeOf{clocked{new(sequence.Memory).Driver(), func() time.Time { return now }}}
			n := sequence.NewNumbering(store, "n", "{20060102}-{0}", sequence.WithZone(zone), clock)
			text, err := n.Next(t.Context())
			if want := now.In(zone).Format("20060102") + "-1"; text != want || err != nil {
				t.Errorf("%s at %v: %q, %v, want %q", tt.zone, now, text, err, want)
				break
			}
			period, _, err := n.Parse(text)
			if period.Format("20060102")+"-1" != text || period.After(now) || period.Add(-time.Second).Format("20060102") == text[:8] || err != nil {
				t.Errorf("%s: Parse(%q) = %v, %v", tt.zone, text, period, err)
				break
			}
		}
	}
}

// TestPatternsThatMisleadAreRefused has patterns in which two periods would have the same text,
// or one that readers take for another's, and options without effect.
func TestPatternsThatMisleadAreRefused(t *testing.T) {
	april, sixth, january := sequence.WithYearStart(time.April, 1), sequence.WithYearStart(time.April, 6), sequence.WithYearStart(time.January, 1)
	for _, tt := range []struct {
		pattern string
		opt     sequence.Option
		want    string // the end of the error, or "" if it is accepted
	}{
		{"{2006-01}-{0}", april, "{2006} is the year in which the fiscal year begins, so readers can mistake the year of a month: add {+06}, as in {2006}-{+06}/{01}"},
		{"{20060102}-{0}", april, "{2006} is the year in which the fiscal year begins, so readers can mistake the year of a month: add {+06}, as in {2006}-{+06}/{01}"},
		{"{2006}-{+06}-{01}-{0}", april, ""},
		{"{2006}-{+06}-{01}-{0}", sixth, "a fiscal year that begins on 6 April has days in April of two calendar years, and their texts would be equal: add {02}, or write {Q}"},
		{"{2006}-{+06}-{01}Q{Q}-{0}", sixth, "a fiscal year that begins on 6 April has days in April of two calendar years, and their texts would be equal: add {02}, or write {Q}"},
		{"{2006}-{+06}-{01}{02}-{0}", sixth, ""},
		{"{2006}-{+06}.{002}-{0}", april, "the day {002} counts from 1 January, but the year begins on 1 April: write {01}{02}"},
		{"{2006-01}-{0}", january, ""},
		{"{2006}.{002}-{0}", january, ""},
		{"{2006}-{+06}-{0}", january, ""},
		{"{0}", april, "WithYearStart and WithDates need a date: add {2006}"},
		{"{0}", sequence.WithDates(), "WithYearStart and WithDates need a date: add {2006}"},
		{"{2006}-{+06}-{0}", sequence.WithGapFree(), "a field with + is for fiscal years: add WithYearStart"},
		{"FY{+2006}-{0}", sequence.WithGapFree(), "a field with + is for fiscal years: add WithYearStart"},
		{"Q{Q}-{0}", april, "a day, month or quarter without its year, so the texts would repeat: add {2006}"},
		{"{2006}{+}{0}", april, "{+} is not a field: want a number such as {00000}, with at most 100 zeros, or date fields: 2006, 06, +2006, +06, Q, 01, 02 or 002"},
		{"{2006}{+01}{0}", april, "{+01} is not a field: want a number such as {00000}, with at most 100 zeros, or date fields: 2006, 06, +2006, +06, Q, 01, 02 or 002"},
	} {
		n := sequence.NewNumbering(new(sequence.Memory), "n", tt.pattern, tt.opt)
		_, _, err := n.Parse("x")
		if want := fmt.Sprintf(`sequence.Numbering.Parse("x"): the text doesn't match the pattern %q`, tt.pattern); tt.want == "" {
			wantError(t, err, want)
		} else if err == nil || !strings.HasSuffix(err.Error(), ": "+tt.want) {
			t.Errorf("%s: got  %v\nwant %s", tt.pattern, err, tt.want)
		}
	}
}

// TestYearsBeginOnADayOfEachMonth refuses a start that some month lacks.
func TestYearsBeginOnADayOfEachMonth(t *testing.T) {
	const why = ": not a day that every month has: use a month from January to December, and a day from 1 to 28"
	for _, tt := range []struct {
		month time.Month
		day   int
		want  string // what the error calls the option, or "" if it is accepted
	}{
		{time.February, 28, ""}, {time.April, 6, ""}, {time.December, 1, ""},
		{time.February, 29, "WithYearStart(February, 29)"},
		{time.April, 31, "WithYearStart(April, 31)"},
		{time.January, 0, "WithYearStart(January, 0)"},
		{0, 1, "WithYearStart(%!Month(0), 1)"},
		{13, 1, "WithYearStart(%!Month(13), 1)"},
	} {
		m := new(sequence.Memory)
		_, err := sequence.NewNumbering(m, "n", "{2006}-{0}", sequence.WithYearStart(tt.month, tt.day)).Next(t.Context())
		if tt.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		wantError(t, err, `sequence.Numbering.Next("n"): `+tt.want+why)
		if all, err := sequence.List(t.Context(), m); len(all) > 0 || err != nil {
			t.Errorf("the store has %v, %v", all, err)
		}
	}
}

// TestStartsOfOneNumberingMustAgree has two programs whose years begin on different days.
func TestStartsOfOneNumberingMustAgree(t *testing.T) {
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	m, zone := new(sequence.Memory), sequence.WithZone(kolkata)
	first := sequence.NewNumbering(m, "n", "{2006}-{+06}-{0}", sequence.WithYearStart(time.April, 1), zone)
	if _, err := first.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := first.State(t.Context()); s.Meaning != "yearly from 1 April in Asia/Kolkata" || err != nil {
		t.Errorf("State() = %+v, %v", s, err)
	}
	for want, opts := range map[string][]sequence.Option{
		"yearly in Asia/Kolkata":                            {zone},
		"yearly from 1 July in Asia/Kolkata":                {zone, sequence.WithYearStart(time.July, 1)},
		"yearly from 6 April in Asia/Kolkata":               {zone, sequence.WithYearStart(time.April, 6)},
		"yearly from 1 April in UTC":                        {sequence.WithYearStart(time.April, 1)},
		"yearly from 1 April by date":                       {sequence.WithYearStart(time.April, 1), sequence.WithDates()},
		"yearly from 1 April with end year in Asia/Kolkata": {zone, sequence.WithYearStart(time.April, 1)},
		"yearly from 1 April with end year by date":         {sequence.WithYearStart(time.April, 1), sequence.WithDates()},
	} {
		pattern := "{2006}-{0}"
		if strings.Contains(want, "end year") {
			pattern = "{+2006}-{0}"
		}
		n := sequence.NewNumbering(m, "n", pattern, opts...)
		if strings.HasSuffix(want, "by date") {
			n = n.At(time.Now())
		}
		_, err := n.Next(t.Context())
		if !errors.Is(err, sequence.ErrConflict) || !strings.Contains(err.Error(), `the meaning of the key is "yearly from 1 April in Asia/Kolkata", and this program wants "`+want+`"`) {
			t.Errorf("%s: %v", want, err)
		}
	}
	// A date whose day and month change places names another day.
	usual := sequence.NewNumbering(m, "daily", "{01/02/2006}-{0}")
	if _, err := usual.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"{02/01/2006}-{0}", "{02/01/2006}-{02}-{0}"} {
		if _, err := sequence.NewNumbering(m, "daily", pattern).Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("Next() of %s: %v", pattern, err)
		}
	}
	// January is where years begin without the option.
	plain := sequence.NewNumbering(m, "plain", "{2006}-{0}")
	january := sequence.NewNumbering(m, "plain", "{2006}-{0}", sequence.WithYearStart(time.January, 1))
	for i, n := range []*sequence.Numbering{plain, january, plain} {
		if text, err := n.Next(t.Context()); err != nil || !strings.HasSuffix(text, fmt.Sprint("-", i+1)) {
			t.Errorf("Next() = %q, %v, want number %d", text, err, i+1)
		}
	}
}
