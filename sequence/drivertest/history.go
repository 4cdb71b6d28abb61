package drivertest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence/driver"
)

func migrateRunsTwiceAndByManyAtOnce(p *place) error {
	migrate := func(i int) error { return p.by(i).Migrate(p.ctx) }
	if err := together(8, migrate); err != nil {
		return fmt.Errorf("many calls of Migrate at once: %w", err)
	}
	r, err := p.row("kept")
	if err == nil {
		err = p.draw(0, driver.Draw{Key: r.Key, Version: r.Version, N: 3, Most: 9})
	}
	return errors.Join(err, migrate(0), migrate(1), p.read(0, r.Key))
}

func keysAreToldApart(p *place) error {
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
		if err == nil {
			err = p.draw(i, driver.Draw{Key: r.Key, Version: r.Version, N: int64(i), Most: 99})
		}
		if err != nil {
			return err
		}
	}
	for key := range p.model {
		if err := p.read(0, key); err != nil {
			return err
		}
	}
	return p.list(1)
}

// historiesAreThoseOfTheModel compares random calls with those of the model. Two programs
// make them one after the other, some of them in transactions.
func historiesAreThoseOfTheModel(p *place) error {
	for seed := range uint64(8) {
		h := history{p, rand.New(rand.NewPCG(seed, 25)), seed}
		for i := range 25 {
			if err := h.some(); err != nil {
				return fmt.Errorf("history %d, part %d: %w", seed, i, err)
			}
		}
	}
	return p.list(0)
}

type history struct {
	*place
	*rand.Rand
	seed uint64
}

// some makes some calls.
func (h history) some() error {
	if h.begin == nil || h.IntN(3) > 0 {
		return h.calls()
	}
	d, end, err := h.begin(h.ctx)
	if err != nil {
		return err
	}
	tx := *h.place
	tx.tx, tx.model = d, maps.Clone(h.model)
	if err := (history{&tx, h.Rand, h.seed}).calls(); err != nil {
		return errors.Join(fmt.Errorf("in a transaction: %w", err), end(false))
	}
	if !d.InTx() || h.by(0).InTx() {
		return errors.Join(fmt.Errorf("InTx() = %v in a transaction, want true, and %v outside of it, want false", d.InTx(), h.by(0).InTx()), end(false))
	}
	commit := h.IntN(2) == 0
	if commit {
		h.place.model = tx.model
	}
	if err := end(commit); err != nil {
		return err
	}
	for key := range tx.model {
		if err := h.read(h.IntN(2), key); err != nil {
			return fmt.Errorf("after a transaction with commit = %v: %w", commit, err)
		}
	}
	return nil
}

// ticks has the length of a tick for each key, or 0 if the draws of the key have no Clock.
// The x of the last key gets near math.MaxInt64.
var ticks = []time.Duration{0, time.Microsecond, time.Millisecond, time.Hour, 0}

func (h history) calls() error {
	for range 1 + h.IntN(6) {
		n := h.IntN(len(ticks))
		key := h.key(fmt.Sprint(h.seed, "/", n))
		version := h.model[key].Version
		if h.IntN(4) == 0 {
			version = one[int64](h, 0, 1, 2, math.MaxInt64)
		}
		var err error
		if h.IntN(5) == 0 {
			err = h.put(h.IntN(2), driver.Row{
				Key: key, Version: one[int64](h, 1, 2, 5_000_000_000, math.MaxInt64), X: h.Int64(), Base: one[int64](h, 0, 7, math.MinInt64, math.MaxInt64),
				Meaning: one(h, "m", " daily in Europe/Berlin, gap-free ", strings.Repeat(`'"\`+"`", 63)+"123"),
			}, version)
		} else {
			err = h.draw(h.IntN(2), h.step(n, driver.Draw{Key: key, Version: version}))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func one[T any](h history, choices ...T) T { return choices[h.IntN(len(choices))] }

// step returns a draw of key n whose bounds are near x.
func (h history) step(n int, d driver.Draw) driver.Draw {
	x := h.model[d.Key].X
	near := func(by int64) int64 { return max(0, x+min(by, math.MaxInt64-x)) }
	d.N = one(h, 0, 0, 1, 1, 2, 50, math.MaxInt64-x, math.MaxInt64)
	d.Most = one(h, near(h.Int64N(9)-4), near(d.N), near(min(d.N, 1<<60)-1), math.MaxInt64, math.MaxInt64)
	d.Floor = min(d.Most, one(h, 0, 0, near(-3), near(3), near(300)))
	if n == len(ticks)-1 && x < 1<<62 {
		d.N, d.Floor, d.Most = 1, math.MaxInt64-one[int64](h, 1, 5, 2000), math.MaxInt64
	}
	if ticks[n] > 0 && h.IntN(3) > 0 {
		store := time.Now()
		machine := store
		if r, _, err := h.by(0).Read(h.ctx, d.Key); err == nil && !r.Now.IsZero() {
			store, machine = r.Now, r.Now.Add(-30*time.Hour) // which is not looked at
		}
		lead := one[int64](h, 0, 3, 10) // in ticks of a clock that sets the floor
		d.N = one(h, min(d.N, 5000), 100*(lead+1), 100*(lead+1)+1)
		d.Clock = &driver.Clock{
			Now: machine, Tick: ticks[n], Width: one[int64](h, 0, 1, 100, 100, 100),
			MaxAhead:  one(h, -1, time.Duration(lead)*ticks[n], 4*time.Hour),
			NotBefore: one(h, time.Time{}, store.Add(-time.Hour), store.Add(time.Hour)),
			NotAfter:  one(h, time.Time{}, store.Add(-time.Hour), store.Add(time.Hour)),
		}
	}
	return d
}
