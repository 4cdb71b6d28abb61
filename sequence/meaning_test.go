package sequence_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// Users have rows. The vectors were computed from the documentation, not by this package.
// From the first release on, they change only together with a migration of the rows.
func TestRowsAreThoseOfTheVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/rows.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]struct {
		Meaning string
		Base, X int64
	}
	if err := json.Unmarshal(data, &want); err != nil || len(want) < 10 {
		t.Fatalf("%d vectors, %v", len(want), err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	m, ctx := new(sequence.Memory), t.Context()
	clock := sequence.WithClock(func() time.Time { return time.Date(2026, 11, 20, 9, 31, 15, 123456000, time.UTC) })
	plan := sequence.Plan{First: 1, Last: 9999}
	draw := func(key, pattern string, opts ...sequence.Option) {
		n := sequence.NewNumbering(m, key, pattern, append(opts, clock)...)
		for range 2 {
			if _, err := n.Next(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	draw("never", "{0+}")
	draw("yearly", "{2006}-{0+}")
	draw("monthly", "{2006-01}-{0+}", sequence.WithZone(berlin))
	draw("daily", "{20060102}-{0+}", sequence.WithZone(time.FixedZone("", 3600)))
	draw("day first", "{02.01.2006}-{0+}")
	if _, err := drawIn(t, m, sequence.NewNumbering(m, "gap-free", "{2006}-{0+}", sequence.WithGapFree(), clock), true); err != nil {
		t.Fatal(err)
	}
	if _, err := sequence.NewNumbering(m, "yearly", "{2006}-{0+}", clock).For("shop7").Next(ctx); err != nil {
		t.Fatal(err)
	}
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	april := sequence.WithYearStart(time.April, 1)
	draw("quarterly", "{2006}-Q{Q}-{0+}")
	draw("fiscal", "{2006}-{+06}/{0+}", april, sequence.WithZone(kolkata))
	draw("end year", "FY{+06}/{0+}", april, sequence.WithZone(kolkata))
	byDate := sequence.NewNumbering(m, "by date", "{2006}-{+06}/{0+}", april, sequence.WithDates(), sequence.WithGapFree())
	for _, n := range []*sequence.Numbering{byDate.At(day(2026, 3, 31)), byDate.For("shop7").At(day(2026, 4, 1))} {
		if _, err := drawIn(t, m, n, true); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sequence.NewStamper(m, "stamps", clock).Next(ctx); err != nil {
		t.Fatal(err)
	}
	for key, s := range map[string]*sequence.Sequence{
		"serials":           sequence.New(m, "serials", plan),
		"cycling":           sequence.New(m, "cycling", cycling(99)),
		"resized":           sequence.New(m, "resized", cycling(5)),
		"gap-free sequence": sequence.New(m, "gap-free sequence", plan, sequence.WithGapFree()),
	} {
		if err := s.AdvanceToOrdinal(ctx, 7); err != nil {
			t.Fatal(key, err)
		}
	}
	if err := sequence.New(m, "resized", cycling(3)).Resize(ctx, cycling(5)); err != nil {
		t.Fatal(err)
	}
	rows, err := m.Driver().List(ctx)
	if err != nil || len(rows) != len(want) {
		t.Errorf("%d rows, %v, want %d", len(rows), err, len(want))
	}
	for _, r := range rows {
		if w := want[r.Key]; r.Meaning != w.Meaning || r.Base != w.Base || r.X != w.X {
			t.Errorf("the row of %q is %q, base %d, x %d, want %+v", r.Key, r.Meaning, r.Base, r.X, w)
		}
		for _, c := range []byte(r.Meaning) {
			if c < ' ' || c > '~' {
				t.Errorf("the meaning %q isn't ASCII", fmt.Sprint(r.Meaning))
			}
		}
	}
}
