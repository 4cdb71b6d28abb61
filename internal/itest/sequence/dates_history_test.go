package sequence_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// billing returns a numbering by the date on the invoice, of years that begin in April.
func billing(s sequence.Store, opts ...sequence.Option) *sequence.Numbering {
	return sequence.NewNumbering(s, "billing", "INV/{2006}-{+06}/{0000+}",
		append(opts, sequence.WithYearStart(time.April, 1), sequence.WithDates())...)
}

// aDate returns a date of a fiscal year, which begins in year.
func aDate(year int) time.Time {
	return time.Date(year, time.April, 1+rand.IntN(365), rand.IntN(24), 0, 0, 0, time.UTC)
}

// writeByDate stores an invoice with a date of one of three fiscal years, in a transaction
// that draws its number. A fifth of the transactions store two, so that they wait for each
// other in any order. Half of them first give a number back to a savepoint. A fifth are rolled
// back.
func writeByDate(ctx context.Context, s opened, n *sequence.Numbering) (text string, err error) {
	for {
		err = s.inTx(ctx, func(tx sequence.Store, execute func(string) error) error {
			write := func() error {
				issued := aDate(2024 + rand.IntN(3))
				if text, err = n.At(issued).NextIn(ctx, tx); err != nil {
					return err
				}
				return execute(fmt.Sprintf("INSERT INTO invoices (number, issued) VALUES ('%s', '%s')", text, issued.Format(time.DateOnly)))
			}
			if rand.IntN(2) == 0 {
				if err := cmp.Or(execute("SAVEPOINT s"), write(), execute("ROLLBACK TO SAVEPOINT s")); err != nil {
					return err
				}
			}
			for range 1 + rand.IntN(5)/4 {
				if err := write(); err != nil {
					return err
				}
			}
			if rand.IntN(5) == 0 {
				return errRollback
			}
			return nil
		})
		if !errors.Is(err, errRollback) {
			return text, err
		}
	}
}

// TestNumbersByDateHaveNoGaps has eight callers in two programs, which are killed and
// replaced by others. The invoices of each of three fiscal years are 1, 2, 3, …
func TestNumbersByDateHaveNoGaps(t *testing.T) {
	onEachWithTransactions(t, func(t *testing.T, p place, s opened) {
		execute(t, p.db(t), "CREATE TABLE invoices (number varchar(40) PRIMARY KEY, issued varchar(10) NOT NULL)")
		work := job{Place: p, Callers: 4, Pause: shortPause, Kind: "by date"}
		programs := []*program{start(t, work), start(t, work)}
		begun, kills, each := time.Now(), pick(3, 12), pick[int64](15, 300)
		var told []string
		for range kills {
			programs[0].drew(t, each)
			lines := programs[0].kill()
			told = append(told, lines[:max(0, len(lines)-1)]...) // the last line may be cut off
			programs = append(programs[1:], start(t, work))
		}
		for _, p := range programs {
			p.drew(t, each)
		}
		for _, lines := range end(t, programs) {
			told = append(told, lines...)
		}
		rows, err := p.db(t).QueryContext(t.Context(), "SELECT number, issued FROM invoices")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		stored, serials := map[string]bool{}, map[int][]int64{}
		for rows.Next() {
			var text, issued string
			if err := rows.Scan(&text, &issued); err != nil {
				t.Fatal(err)
			}
			period, serial, err := billing(s).Parse(text)
			date, bad := time.Parse(time.DateOnly, issued)
			if err := errors.Join(err, bad); err != nil {
				t.Fatal(err)
			}
			if next := period.AddDate(1, 0, 0); date.Before(period) || !date.Before(next) {
				t.Errorf("the invoice of %s is %s", issued, text)
			}
			stored[text] = true
			serials[period.Year()] = append(serials[period.Year()], serial)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		gaps := 0
		for year, all := range serials {
			slices.Sort(all)
			last := all[len(all)-1]
			gaps += int(last) - len(all)
			if int64(len(all)) != last {
				t.Errorf("%d invoices of %d, and the last is number %d", len(all), year, last)
			}
			st, err := billing(s, sequence.WithGapFree()).At(aDate(year)).State(t.Context())
			if st.Last.Serial != last || err != nil {
				t.Errorf("State of %d = %d, %v, want %d", year, st.Last.Serial, err, last)
			}
		}
		for _, text := range told {
			if !stored[text] {
				t.Errorf("a program was told %s, which isn't stored", text)
			}
		}
		if len(serials) != 3 {
			t.Errorf("invoices of %d years, want 3", len(serials))
		}
		row(t, "by date: programs killed", p.Kind, 2, 4, len(stored), kills, 0, int64(gaps), time.Since(begun), "a fifth rolled back")
	})
}

// TestNumberingsByDateOnEachStore draws, looks, moves and takes by date, and mixes a numbering
// by date with one by the clock.
func TestNumberingsByDateOnEachStore(t *testing.T) {
	onEach(t, func(t *testing.T, p place, s opened) {
		ctx, shop := t.Context(), billing(s).For("shop7")
		june, march := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)
		for _, tt := range []struct {
			n    *sequence.Numbering
			want string
		}{
			{billing(s).At(june), "INV/2026-27/0001"},
			{billing(s).At(march), "INV/2025-26/0001"},
			{billing(s).At(june), "INV/2026-27/0002"},
			{shop.At(march), "INV/2025-26/0001"},
			{billing(s).At(march).For("shop7"), "INV/2025-26/0002"},
		} {
			if text, err := tt.n.Next(ctx); text != tt.want || err != nil {
				t.Errorf("%s: Next() = %q, %v, want %q", tt.n.Key(), text, err, tt.want)
			}
		}
		if err := shop.At(june).AdvanceTo(ctx, "INV/2026-27/0142"); err != nil {
			t.Error(err)
		}
		all, err := shop.At(june).Take(ctx, 3)
		if want := []string{"INV/2026-27/0143", "INV/2026-27/0144", "INV/2026-27/0145"}; !slices.Equal(all, want) || err != nil {
			t.Errorf("Take(3) = %q, %v, want %q", all, err, want)
		}
		st, err := shop.At(june).State(ctx)
		if began := st.Period.Format(time.DateOnly); st.Text != "INV/2026-27/0145" || began != "2026-04-01" || err != nil {
			t.Errorf("State() = %+v, %v", st, err)
		}
		byClock := sequence.NewNumbering(s, "billing", "{2006}-{0}")
		for _, n := range []*sequence.Numbering{byClock, byClock.For("shop7")} {
			if text, err := n.Next(ctx); !errors.Is(err, sequence.ErrConflict) {
				t.Errorf("%s by the clock: Next() = %q, %v, want ErrConflict", n.Key(), text, err)
			}
		}
		receipts := sequence.NewNumbering(s, "receipts", "{2006}-{0}")
		if _, err := receipts.Next(ctx); err != nil {
			t.Fatal(err)
		}
		byDate := sequence.NewNumbering(s, "receipts", "{2006}-{0}", sequence.WithDates())
		for _, n := range []*sequence.Numbering{byDate.At(june), byDate.For("shop7").At(march)} {
			if text, err := n.Next(ctx); !errors.Is(err, sequence.ErrConflict) {
				t.Errorf("%s by date: Next() = %q, %v, want ErrConflict", n.Key(), text, err)
			}
		}
		july := sequence.NewNumbering(s, "billing", "{2006}-{+06}/{0}", sequence.WithYearStart(time.July, 1), sequence.WithDates())
		if text, err := july.At(june).Next(ctx); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("another start: Next() = %q, %v, want ErrConflict", text, err)
		}
		states, err := sequence.List(ctx, s)
		var got []string
		for _, st := range states {
			got = append(got, fmt.Sprintf("%s: %s: %d", st.Key, st.Meaning, st.Last.Serial))
		}
		want := []string{
			"billing//2025-04-01: yearly from 1 April by date: 1",
			"billing//2026-04-01: yearly from 1 April by date: 2",
			"billing/shop7//2025-04-01: yearly from 1 April by date: 2",
			"billing/shop7//2026-04-01: yearly from 1 April by date: 145",
			"billing/shop7: yearly from 1 April by date: 0",
			"billing: yearly from 1 April by date: 0",
			"receipts: yearly in UTC: 1",
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) || err != nil {
			t.Errorf("List() = %q, %v, want %q", got, err, want)
		}
	})
}
