package drivertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

func migrateRunsTwiceAndByManyAtOnce(p place) error {
	err := together(8, func(i int) error { return p.program(i).Migrate(p.ctx) })
	if err != nil {
		return fmt.Errorf("Migrate by many at once: %v", err)
	}
	r, err := p.row("kept")
	if err != nil {
		return err
	}
	if err := p.draws(p.a, &r, driver.Draw{N: 3, Most: 9}); err != nil {
		return err
	}
	for _, d := range []driver.Driver{p.a, p.b} {
		if err := d.Migrate(p.ctx); err != nil {
			return fmt.Errorf("Migrate where rows are: %v", err)
		}
	}
	return p.rowIs(p.b, r)
}

func putInsertsOnce(p place) error {
	r, err := p.row("one")
	if err != nil {
		return err
	}
	if err := p.draws(p.a, &r, driver.Draw{N: 3, Most: 9}); err != nil {
		return err
	}
	other := driver.Row{Key: r.Key, Meaning: "else", Base: 1, Version: r.Version + 1}
	if ok, err := p.b.Put(p.ctx, other, 0); ok || err != nil {
		return fmt.Errorf("Put of a key that is there, was 0: %v, %v, want false", ok, err)
	}
	if err := p.rowIs(p.b, r); err != nil {
		return err
	}
	if ok, err := p.b.Put(p.ctx, driver.Row{Key: p.key("none"), Meaning: "m", Version: 2}, 1); ok || err != nil {
		return fmt.Errorf("Put of a missing key, was 1: %v, %v, want false", ok, err)
	}
	if _, ok, err := p.b.Read(p.ctx, p.key("none")); ok || err != nil {
		return fmt.Errorf("Read of a missing key: %v, %v, want false", ok, err)
	}
	return p.onePuts(driver.Row{Key: p.key("many"), Meaning: "m"}, 0)
}

func putComparesVersionsAndKeepsX(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	if err := p.draws(p.b, &r, driver.Draw{N: 3, Most: 9}); err != nil {
		return err
	}
	next := driver.Row{Key: r.Key, Meaning: "1..5", Base: -3, X: 77, Version: r.Version - 9, Now: time.Now()}
	for _, was := range []int64{r.Version - 1, r.Version + 1, next.Version} {
		if ok, err := p.a.Put(p.ctx, next, was); ok || err != nil {
			return fmt.Errorf("Put with version %d, was %d: %v, %v, want false", r.Version, was, ok, err)
		}
	}
	if err := p.rowIs(p.a, r); err != nil {
		return err
	}
	if ok, err := p.a.Put(p.ctx, next, r.Version); !ok || err != nil {
		return fmt.Errorf("Put with version %d, was %[1]d: %v, %v, want true", r.Version, ok, err)
	}
	next.X = r.X
	if err := p.rowIs(p.b, next); err != nil {
		return err
	}
	return p.onePuts(next, next.Version)
}

// onePuts has many put r with versions of their own. Exactly one of them may.
func (p place) onePuts(r driver.Row, was int64) error {
	put := make([]bool, 8)
	err := together(len(put), func(i int) (err error) {
		r := r
		r.Version = 100 + int64(i)
		put[i], err = p.program(i).Put(p.ctx, r, was)
		return err
	})
	if err != nil {
		return err
	}
	r.Version = 0
	for i, ok := range put {
		if ok && r.Version != 0 {
			return fmt.Errorf("two of the Puts at once, was %d, were made", was)
		}
		if ok {
			r.Version = 100 + int64(i)
		}
	}
	return p.rowIs(p.a, r)
}

func rowIsReadAsItWasPut(p place) error {
	want := map[string]driver.Row{}
	for i, r := range []driver.Row{
		{Meaning: "m", Version: 1},
		{Meaning: strings.Repeat(`'"\`+"`", 63) + "123", Base: math.MinInt64, Version: math.MaxInt64},
		{Meaning: " daily in Europe/Berlin, gap-free ", Base: math.MaxInt64, Version: 1 << 62},
	} {
		r.Key = p.key(fmt.Sprint(i))
		if ok, err := p.a.Put(p.ctx, r, 0); err != nil || !ok {
			return fmt.Errorf("Put(%+v, 0) = %v, %v, want true", r, ok, err)
		}
		if err := p.draws(p.b, &r, driver.Draw{N: int64(i), Most: 9}); err != nil {
			return err
		}
		if err := p.rowIs(p.a, r); err != nil {
			return err
		}
		want[r.Key] = r
	}
	return p.listed(want)
}

// listed compares the rows of this law with want.
func (p place) listed(want map[string]driver.Row) error {
	all, err := p.b.List(p.ctx)
	if err != nil {
		return fmt.Errorf("List: %v", err)
	}
	seen := 0
	for _, got := range all {
		if !strings.HasPrefix(got.Key, p.law) {
			continue
		}
		seen++
		if got.Now = (time.Time{}); got != want[got.Key] {
			return fmt.Errorf("List has %+v, want %+v", got, want[got.Key])
		}
	}
	if seen != len(want) {
		return fmt.Errorf("List has %d rows of these keys, want %d", seen, len(want))
	}
	return nil
}

func keysAreToldApart(p place) error {
	want := map[string]driver.Row{}
	names := []string{
		"case", "CASE", "Case", "case ", " case", "case  ", "case\t", "straße", "strasse", "STRASSE",
		"caf\u00e9", "cafe\u0301", "cafe", "\u212b", "\u00c5", "ﬁ", "fi", "１", "1", "01", "\u200b", "",
		`it's "quoted"`, "`back`", `a\'; DROP TABLE sequences; --`, `C:\n`, "%", "_", "$x", "$$", "?", ":1", "@p1", "a.b", ".", "{}", "null", "日本語", "🎫",
		"\x01\x02\x1a\x1b\x7f", "\n", "\r\n", "\r",
	}
	long := 255 - len(p.key(""))
	for _, b := range []string{"k", "\u00fc", "🎫"} {
		names = append(names, strings.Repeat(b, long/len(b))+strings.Repeat("k", long%len(b)))
	}
	for i, name := range names {
		r, err := p.row(name)
		if err != nil {
			return err
		}
		if err := p.draws(p.program(i), &r, driver.Draw{N: int64(i), Most: 99}); err != nil {
			return err
		}
		want[r.Key] = r
	}
	for _, r := range want {
		if err := p.rowIs(p.b, r); err != nil {
			return err
		}
	}
	return p.listed(want)
}

func endedContextIsAnError(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	ended, cancel := context.WithCancel(p.ctx)
	cancel()
	for range 20 { // more than a pool has connections
		_, _, read := p.a.Read(ended, r.Key)
		_, list := p.a.List(ended)
		_, put := p.a.Put(ended, driver.Row{Key: r.Key, Meaning: "m", Version: 9}, r.Version)
		_, _, drew := p.a.Draw(ended, driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 9})
		for name, err := range map[string]error{"Read": read, "List": list, "Put": put, "Draw": drew, "Migrate": p.a.Migrate(ended)} {
			if err == nil {
				return fmt.Errorf("%s with an ended context: no error", name)
			}
		}
	}
	if err := p.rowIs(p.a, r); err != nil {
		return err
	}
	return p.draws(p.a, &r, driver.Draw{N: 1, Most: 9})
}

// limitIsTransient makes draws whose time is over at once. A store that is fast enough
// may make them.
func limitIsTransient(p place) error {
	r, err := p.row("k")
	if err != nil {
		return err
	}
	for range 20 {
		_, _, err := p.a.Draw(p.ctx, driver.Draw{Key: r.Key, Version: r.Version, N: 1, Most: 99, Limit: 1})
		if err != nil && !p.a.Transient(err) {
			return fmt.Errorf("Draw with a limit of 1ns: %v, which isn't transient", err)
		}
	}
	r, ok, err := p.b.Read(p.ctx, r.Key)
	if err != nil || !ok {
		return errors.Join(errors.New("Read after draws with a limit"), err)
	}
	return p.draws(p.a, &r, driver.Draw{N: 1, Most: 99, Limit: time.Minute})
}
