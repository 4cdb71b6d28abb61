package main

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/oidkit/oidkit/oid"
)

// plainCounts counts IDs by unit the plain way.
func plainCounts(u *times.Unit, zone *time.Location, ids []oid.ID) map[int64]int64 {
	counts := map[int64]int64{}
	for _, id := range ids {
		counts[u.Start(id.Timestamp().In(zone)).Unix()]++
	}
	return counts
}

// A tally counts the bars of each chart, whether it still counts minutes or not.
func TestTallyCountsExactlyHoweverCoarse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		seconds int64 // from 2026 on
		minutes bool
	}{
		{60 * 30, true}, {60 * maxBars, true}, {60 * (maxBars + 1), false}, {86400 * 300, false}, {86400 * 3000, false},
	} {
		for _, name := range []string{"Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"} {
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			tally := newTally()
			ids := make([]oid.ID, 100_000)
			for i := range ids {
				ids[i] = oid.MinAt(time.Unix(1767225600+random.Int64N(test.seconds), 0))
				tally.add(ids[i])
			}
			tally.add(oid.ID{})
			if (tally.minutes != nil) != test.minutes || tally.ids != int64(len(ids)) || tally.zeros != 1 {
				t.Errorf("%d s: %d minutes, %d IDs, %d zero", test.seconds, len(tally.minutes), tally.ids, tally.zeros)
			}
			slices.SortFunc(ids, oid.ID.Compare)
			first, last := ids[0].Timestamp().In(zone), ids[len(ids)-1].Timestamp().In(zone)
			if tally.first != first.Unix() || tally.last != last.Unix() {
				t.Errorf("%d s: from %d to %d, want %s to %s", test.seconds, tally.first, tally.last, first, last)
			}
			for _, u := range times.Units {
				starts := u.Between(first, last, maxBars)
				if starts == nil {
					continue
				}
				if u.Name == "minute" && !test.minutes {
					t.Errorf("%d s: %d bars by minute, but the tally doesn't count minutes", test.seconds, len(starts))
				}
				got := map[int64]int64{}
				for i, n := range tally.counts(starts) {
					if n > 0 {
						got[starts[i].Unix()] = n
					}
				}
				if !maps.Equal(got, plainCounts(u, zone, ids)) {
					t.Errorf("%d s in %s by %s: counts differ", test.seconds, name, u.Name)
				}
			}
		}
	}
}

// On November 4 the clock went from 24:00 to 1:00.
func TestTheDayWithoutMidnightIsABar(t *testing.T) {
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	first := time.Date(2018, time.November, 3, 23, 59, 59, 0, zone)
	day := times.UnitNamed("day")
	starts := day.Between(first, first.AddDate(0, 0, 2), 10)
	var got []string
	for _, start := range starts {
		got = append(got, format.Time(start))
	}
	want := []string{"2018-11-03 00:00:00 -03:00", "2018-11-04 01:00:00 -02:00", "2018-11-05 00:00:00 -02:00", "2018-11-06 00:00:00 -02:00"}
	if !slices.Equal(got, want) {
		t.Fatalf("days begin at %q, want %q", got, want)
	}
	tally := newTally()
	for _, at := range []time.Duration{0, time.Second, 23 * time.Hour, 23*time.Hour + time.Second, 47 * time.Hour} {
		tally.add(oid.MinAt(first.Add(at)))
	}
	if got := tally.counts(starts); !slices.Equal(got, []int64{1, 2, 2}) {
		t.Errorf("%d IDs a day", got)
	}
}

// In the night of October 25 the clock showed two o'clock twice.
func TestTheHourThatComesTwiceIsTwoBars(t *testing.T) {
	const chart = `2026-10-25 01:00 +02:00 ██████████████████████████▌                           1
2026-10-25 02:00 +02:00 █████████████████████████████████████████████████████ 2
2026-10-25 02:00 +01:00 █████████████████████████████████████████████████████ 2
2026-10-25 03:00 +01:00                                                       0
2026-10-25 04:00 +01:00 ██████████████████████████▌                           1

6 IDs by hour, from 2026-10-25 01:00:00 +02:00 CEST to 2026-10-25 04:00:00 +01:00 CET
1 zero ID left out: the zero ID means no ID
`
	text := oid.ID{}.Hex() + "\n"
	for _, sec := range []int64{0, 3600, 3601, 7200, 7201, 14400} {
		text += oid.MinAt(time.Unix(1792882800+sec, 0)).Hex() + "\n"
	}
	if got := succeed(t, text, "histogram", "-by", "hour"); got != chart {
		t.Errorf("%s", got)
	}
	var h struct{ Bars []bar }
	if err := json.Unmarshal([]byte(succeed(t, text, "histogram", "-by", "hour", "-json")), &h); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{1, 2, 2, 0, 1} {
		if h.Bars[i].IDs != want || h.Bars[i].To.Sub(h.Bars[i].From) != time.Hour {
			t.Errorf("bar %d: %+v", i, h.Bars[i])
		}
	}
}

func TestHistogramKeepsAWindow(t *testing.T) {
	var text string
	for day := range 31 {
		text += oid.MinAt(time.Date(2026, time.March, day+1, 12, 0, 0, 0, time.UTC)).Hex() + "\n"
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-from", "2026-03-30"}, "2 IDs by hour, from 2026-03-30 14:00:00 +02:00 CEST to 2026-03-31 14:00:00 +02:00 CEST\n"},
		{[]string{"-to", "2026-03-02T12:00:00Z"}, "1 ID by minute, from 2026-03-01 13:00:00 +01:00 CET to 2026-03-01 13:00:00 +01:00 CET\n"},
		{[]string{"-from", "2026-03-01T12:00:01Z", "-to", "2026-03-31T12:00:00Z"}, "29 IDs by day, from 2026-03-02 13:00:00 +01:00 CET to 2026-03-30 14:00:00 +02:00 CEST\n"},
		{[]string{"-zone", "UTC", "-by", "month"}, "31 IDs by month, from 2026-03-01 12:00:00 UTC to 2026-03-31 12:00:00 UTC\n"},
	} {
		if got := succeed(t, text, append([]string{"histogram"}, test.args...)...); !strings.HasSuffix(got, "\n\n"+test.want) {
			t.Errorf("%q: %s", test.args, got)
		}
	}
}

// A unit that is asked for has 2,000 bars at most.
func TestHistogramBoundsItsBars(t *testing.T) {
	const minutes = 2000
	start := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	text := oid.MinAt(start).Hex() + "\n" + oid.MinAt(start.Add((minutes-1)*time.Minute)).Hex()
	if got := succeed(t, text, "histogram", "--by", "minute"); strings.Count(got, "\n") != minutes+2 {
		t.Errorf("%d minutes: %d lines", minutes, strings.Count(got, "\n"))
	}
	text += "\n" + oid.MinAt(start.Add(minutes*time.Minute)).Hex()
	if _, stderr, status := run(t, text, "histogram", "--by", "minute"); status != 1 || !strings.HasPrefix(stderr, "oid histogram: --by minute would draw more than 2,000 bars from ") {
		t.Errorf("%d minutes: status %d, %s", minutes+1, status, stderr)
	}
	if got := succeed(t, oid.ID{}.Hex()+"\n"+march1, "histogram", "--from", "2026"); !strings.HasSuffix(got, "\n1 zero ID left out: the zero ID means no ID\n") {
		t.Errorf("a zero ID before the window: %s", got)
	}
}

func TestHistogramCountsTheGreatestID(t *testing.T) {
	greatest := strings.Repeat("f", 24)
	for _, args := range [][]string{{"histogram"}, {"histogram", "-from", "2100"}} {
		if got := succeed(t, greatest, args...); !strings.Contains(got, "\n1 ID by minute, from 2106-02-07 07:28:15 +01:00 CET to ") {
			t.Errorf("%q: %s", args, got)
		}
	}
}

func TestBarsShowEighthsAndNeverHideAnID(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	for _, test := range []struct {
		n, most int64
		room    int
		want    string
	}{
		{0, 10, 8, ""}, {1, 1_000_000, 8, "▏"}, {10, 10, 8, "████████"}, {5, 10, 8, "████"}, {9, 64, 8, "█▏"}, {7, 64, 8, "▉"},
	} {
		if got := blocks(test.n, test.most, test.room); got != test.want {
			t.Errorf("%d of %d: %q, want %q", test.n, test.most, got, test.want)
		}
	}
	t.Setenv("LC_ALL", "C")
	for _, test := range []struct {
		n    int64
		want string
	}{{0, ""}, {1, "#"}, {10, "########"}, {9, "#######"}, {5, "####"}} {
		if got := blocks(test.n, 10, 8); got != test.want {
			t.Errorf("%d of 10 in ASCII: %q, want %q", test.n, got, test.want)
		}
	}
}
