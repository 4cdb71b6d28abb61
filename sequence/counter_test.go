package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
)

// A table is a driver whose rows a test can change behind its back.
type table struct {
	driver.Driver
	change func(driver.Row) (driver.Row, bool) // of what is read; false for no row
}

func (f *table) Read(ctx context.Context, key string) (driver.Row, bool, error) {
	row, ok, err := f.Driver.Read(ctx, key)
	if f.change != nil && ok && err == nil {
		row, ok = f.change(row)
	}
	return row, ok, err
}

// copyTo copies the row of a key to another store, as a backup does.
func copyTo(t *testing.T, from, to driver.Driver, key string) {
	t.Helper()
	row, ok, err := from.Read(t.Context(), key)
	if !ok || err != nil {
		t.Fatalf("Read(%q) = %v, %v", key, ok, err)
	}
	if ok, err := to.Put(t.Context(), row, 0); !ok || err != nil {
		t.Fatalf("Put = %v, %v", ok, err)
	}
	if _, ok, err := to.Draw(t.Context(), driver.Draw{Key: key, Version: row.Version, Floor: row.X, Most: math.MaxInt64}); !ok || err != nil {
		t.Fatalf("Draw = %v, %v", ok, err)
	}
}

// switching is a driver that becomes another one, as a failover does.
type switching struct{ driver.Driver }

// TestStoreThatWentBackIsJumpedOver restores a backup under a program that goes on.
func TestStoreThatWentBackIsJumpedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		primary, replica := new(sequence.Memory).Driver(), new(sequence.Memory).Driver()
		d := &switching{primary}
		var lost []int64
		s := sequence.New(storeOf{d}, "k", sequence.Plan{First: 1, Last: 100}, sequence.WithObserver(func(t sequence.Trip) { lost = append(lost, t.Lost) }))
		wantNext(t, s, sequence.Number{Serial: 1, Ordinal: 1})
		copyTo(t, primary, replica, "k")
		for i := range int64(5) {
			wantNext(t, s, sequence.Number{Serial: 2 + i, Ordinal: 2 + i})
		}
		d.Driver = replica
		wantNext(t, s, sequence.Number{Serial: 7, Ordinal: 7})
		wantNext(t, s, sequence.Number{Serial: 8, Ordinal: 8})
		synctest.Wait()
		if want := []int64{0, 0, 0, 0, 0, 0, 5, 0}; len(lost) != len(want) || lost[6] != 5 || lost[7] != 0 {
			t.Errorf("the observer was told of %v lost, want %v", lost, want)
		}
	})
}

func TestFloorPastTheEndIsExhausted(t *testing.T) {
	m := new(sequence.Memory)
	d := &switching{m.Driver()}
	s := sequence.New(storeOf{d}, "k", sequence.Plan{First: 1, Last: 5})
	if _, err := s.Take(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	old := new(sequence.Memory).Driver()
	row, _, _ := m.Driver().Read(t.Context(), "k")
	if ok, err := old.Put(t.Context(), row, 0); !ok || err != nil {
		t.Fatal(ok, err)
	}
	d.Driver = old
	_, err := s.Next(t.Context())
	wantError(t, err, `sequence.Sequence.Next("k"): count exhausted: plan 1..5 has 0 numbers left`)
	if !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("%v is not ErrExhausted", err)
	}
}

// TestKeyOfAnotherLifeIsNotFound empties the table under programs that run.
func TestKeyOfAnotherLifeIsNotFound(t *testing.T) {
	d := &switching{new(sequence.Memory).Driver()}
	store := storeOf{d}
	plan := cycling(9)
	drawn, idle, careful := sequence.New(store, "k", plan), sequence.New(store, "k", plan), sequence.New(store, "k", plan, sequence.WithExisting())
	for _, s := range []*sequence.Sequence{careful, drawn, careful} {
		_, err := s.Next(t.Context())
		if first := s == careful && err != nil; first && !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("WithExisting on an empty table: %v", err)
		}
	}
	d.Driver = new(sequence.Memory).Driver()
	_, err := drawn.Next(t.Context())
	wantError(t, err, `sequence.Sequence.Next("k"): key not found: it was deleted after this program drew from it: if this was on purpose, start the program again`)
	if all, err := sequence.List(t.Context(), store); len(all) != 0 || err != nil {
		t.Errorf("the key was made again: %v, %v", all, err)
	}
	if err := drawn.Resize(t.Context(), cycling(5)); !errors.Is(err, sequence.ErrNotFound) {
		t.Errorf("Resize of a deleted key: %v", err)
	}
	wantNext(t, idle, sequence.Number{Serial: 1, Ordinal: 1}) // it has never drawn
	_, err = drawn.Next(t.Context())
	wantError(t, err, `sequence.Sequence.Next("k"): key not found: the key that this program drew from was deleted, and a new key has its name: if this was on purpose, start the program again`)
	if !errors.Is(err, sequence.ErrNotFound) {
		t.Errorf("%v is not ErrNotFound", err)
	}
	_, err = sequence.New(store, "missing", plan, sequence.WithExisting()).Next(t.Context())
	wantError(t, err, `sequence.Sequence.Next("missing"): key not found: WithExisting forbids adding the key "missing": to add it, draw once without this option, or call AdvanceTo, unless this is a Stamper`)
}

// TestAdvanceToThatFailsAddsNoKey advances missing keys to numbers that they can't have. With
// WithExisting, the key would then exist, and programs would draw from 1.
func TestAdvanceToThatFailsAddsNoKey(t *testing.T) {
	m := new(sequence.Memory)
	s := sequence.New(m, "s", sequence.Plan{Last: 9}, sequence.WithExisting())
	n := sequence.NewNumbering(m, "n", "{2006}-{0+}", sequence.WithExisting())
	dated := sequence.NewNumbering(m, "dated", "{2006}-{0+}", sequence.WithDates())
	for call, err := range map[string]error{
		"AdvanceTo beyond the plan":        s.AdvanceTo(t.Context(), 10),
		"AdvanceTo below the plan":         s.AdvanceTo(t.Context(), -2),
		"AdvanceTo of a plan that cycles":  sequence.New(m, "c", cycling(9)).AdvanceTo(t.Context(), 5),
		"AdvanceToOrdinal beyond the plan": s.AdvanceToOrdinal(t.Context(), 11),
		"AdvanceTo of a later year":        n.AdvanceTo(t.Context(), "9999-1"),
		"AdvanceTo of a scope":             n.For("a").AdvanceTo(t.Context(), "9999-1"),
		"AdvanceTo of another year":        dated.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).AdvanceTo(t.Context(), "2025-1"),
	} {
		if err == nil {
			t.Errorf("%s succeeded", call)
		}
		t.Log(err)
	}
	if all, err := sequence.List(t.Context(), m); len(all) != 0 || err != nil {
		t.Errorf("keys were added: %v, %v", all, err)
	}
}

func TestRowChangedByHandIsAnError(t *testing.T) {
	for _, change := range []func(*driver.Row){
		func(r *driver.Row) { r.X = -1 },
		func(r *driver.Row) { r.Version = -r.Version },
		func(r *driver.Row) { r.Base = r.X + 1 },
		func(r *driver.Row) { r.Base = -1 },
	} {
		m := new(sequence.Memory)
		wantNext(t, sequence.New(m, "k", cycling(9)), sequence.Number{Serial: 1, Ordinal: 1})
		d := &table{Driver: m.Driver(), change: func(r driver.Row) (driver.Row, bool) { change(&r); return r, true }}
		if n, err := sequence.New(storeOf{d}, "k", cycling(9)).Next(t.Context()); err == nil || !strings.Contains(err.Error(), "somebody changed the row of the key, and it is invalid") {
			t.Errorf("Next() = %v, %v", n, err)
		}
	}
	for _, meaning := range []string{"", "1..9  cycling", "9..1", "0..0", "1..9, fast", "1..9, gap-free, gap-free", "1..9, becoming", "yearly in ", "stamps"} {
		m := new(sequence.Memory)
		if ok, err := m.Driver().Put(t.Context(), driver.Row{Key: "k", Meaning: meaning, Version: 1 << 31}, 0); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if n, err := sequence.New(m, "k", cycling(9)).Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("Next() of a key that is %q = %v, %v, want ErrConflict", meaning, n, err)
		}
		if n, err := sequence.NewStamper(m, "k").Next(t.Context()); !errors.Is(err, sequence.ErrConflict) {
			t.Errorf("a stamp of a key that is %q = %v, %v, want ErrConflict", meaning, n, err)
		}
	}

	// A count in the middle of a year is no count of a yearly numbering.
	m := new(sequence.Memory)
	n := sequence.NewNumbering(m, "n", "{2006}-{0+}", sequence.WithClock(at(2026, 11, 21)))
	if _, err := n.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	row, _, err := m.Driver().Read(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	row.X += 1 << 40 // a day later
	if _, ok, err := m.Driver().Draw(t.Context(), driver.Draw{Key: "n", Version: row.Version, Floor: row.X, Most: math.MaxInt64}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if text, err := n.Next(t.Context()); err == nil || !strings.HasSuffix(err.Error(), `doesn't fit the pattern "{2006}-{0+}": use the same pattern in all programs, or a new key; if all use this pattern, somebody changed the row`) {
		t.Errorf("Next() = %q, %v", text, err)
	}
}

// liar is a driver whose steps aren't what was asked for.
type liar struct {
	driver.Driver
	after int64
}

func (l liar) Draw(ctx context.Context, d driver.Draw) (driver.Step, bool, error) {
	return driver.Step{Before: d.Floor, After: l.after}, true, nil
}

func TestStoreThatDrawsSomethingElseIsAnError(t *testing.T) {
	for _, after := range []int64{0, -1, math.MinInt64, 11} {
		m := new(sequence.Memory)
		s := sequence.New(storeOf{liar{m.Driver(), after}}, "k", sequence.Plan{First: 1, Last: 10})
		if n, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("after a draw of 1 numbers, the count is %d, want 1 to 10", after)) {
			t.Errorf("a step to %d: %v, %v", after, n, err)
		}
	}
}

// TestTakeIsAllOrNothing asks for more than is left.
func TestTakeIsAllOrNothing(t *testing.T) {
	m := new(sequence.Memory)
	s := sequence.New(m, "k", sequence.Plan{First: 1, Last: 10})
	if _, err := s.Take(t.Context(), 11); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("Take(11) of 10: %v", err)
	}
	b, err := s.Take(t.Context(), 10)
	if err != nil || len(b) != 10 || b[9].Serial != 10 {
		t.Errorf("Take(10) = %v, %v", b, err)
	}
	if _, err := s.Take(t.Context(), 1); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("Take(1) at the end: %v", err)
	}
	for _, n := range []int64{0, -1, math.MinInt64, 1_000_001} {
		if _, err := s.Take(t.Context(), n); err == nil || errors.Is(err, sequence.ErrExhausted) {
			t.Errorf("Take(%d): %v", n, err)
		}
	}
}

func TestAdvanceToASerial(t *testing.T) {
	for _, tt := range []struct {
		plan   sequence.Plan
		serial int64
		next   int64
		err    string
	}{
		{sequence.Plan{Last: 99}, 42, 43, ""},
		{sequence.Plan{First: 1000, Last: 9999}, 1042, 1043, ""},
		{sequence.Plan{First: 1000, Last: 9999}, 999, 1000, ""},
		{sequence.Plan{First: 1000, Last: 9999}, 998, 0, "serial 998 is below the plan 1000..9999: want at least 999"},
		{sequence.Plan{First: -5, Last: 5}, 0, 1, ""},
		{sequence.Plan{First: 1, Last: 9}, 10, 0, "count exhausted: the plan 1..9 ends before 10"},
		{cycling(9), 5, 0, "the plan 1..9 cycling hands out each serial many times: call AdvanceToOrdinal instead"},
	} {
		s := sequence.New(new(sequence.Memory), "k", tt.plan)
		err := s.AdvanceTo(t.Context(), tt.serial)
		if tt.err != "" {
			if err == nil || !strings.HasSuffix(err.Error(), ": "+tt.err) {
				t.Errorf("%v: AdvanceTo(%d): %v, want %s", tt.plan, tt.serial, err, tt.err)
			}
			continue
		}
		n, nextErr := s.Next(t.Context())
		if err != nil || nextErr != nil || n.Serial != tt.next {
			t.Errorf("%v: AdvanceTo(%d): %v, then %v, %v, want %d", tt.plan, tt.serial, err, n, nextErr, tt.next)
		}
		if err := s.AdvanceTo(t.Context(), tt.plan.First); err != nil { // it never goes back
			t.Error(err)
		}
		if n, err := s.Next(t.Context()); err != nil || n.Serial != tt.next+1 {
			t.Errorf("%v: after AdvanceTo(%d), back: %v, %v", tt.plan, tt.serial, n, err)
		}
	}
}

func TestAdvanceToAnOrdinal(t *testing.T) {
	s := sequence.New(new(sequence.Memory), "k", cycling(9))
	if err := s.AdvanceToOrdinal(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	wantNext(t, s, sequence.Number{Serial: 2, Cycle: 11, Ordinal: 101})
	if err := s.AdvanceToOrdinal(t.Context(), -1); err == nil {
		t.Error("AdvanceToOrdinal(-1) is no error")
	}
	if err := s.AdvanceToOrdinal(t.Context(), math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Next(t.Context()); !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("after the last ordinal: %v, %v", n, err)
	}
	once := sequence.New(new(sequence.Memory), "k", sequence.Plan{First: 1, Last: 99})
	wantError(t, once.AdvanceToOrdinal(t.Context(), 100), `sequence.Sequence.AdvanceToOrdinal("k", 100): count exhausted: the plan 1..99 ends before the ordinal 100`)
}

// TestGapFreeNumbersGoBackWithTheirTransaction draws in transactions of Memory.
func TestGapFreeNumbersGoBackWithTheirTransaction(t *testing.T) {
	m := new(sequence.Memory)
	s := sequence.New(m, "k", sequence.Plan{First: 1, Last: 3}, sequence.WithGapFree())
	rolledBack := errors.New("rolled back")
	draw := func(end error, want ...int64) {
		t.Helper()
		err := m.InTx(t.Context(), func(tx *sequence.Memory) error {
			for _, serial := range want {
				n, err := s.NextIn(t.Context(), m.Tx(tx))
				if err != nil || n.Serial != serial {
					t.Errorf("NextIn() = %v, %v, want serial %d", n, err, serial)
				}
			}
			return end
		})
		if err != end {
			t.Errorf("InTx() = %v, want %v", err, end)
		}
	}
	draw(rolledBack, 1, 2)
	draw(nil, 1)
	draw(rolledBack, 2, 3)
	draw(nil, 2, 3)
	err := m.InTx(t.Context(), func(tx *sequence.Memory) error {
		_, err := s.NextIn(t.Context(), m.Tx(tx))
		return err
	})
	if !errors.Is(err, sequence.ErrExhausted) {
		t.Errorf("past the end: %v", err)
	}
}

func TestNextAndNextInRefuseEachOthersKeys(t *testing.T) {
	m := new(sequence.Memory)
	plan := cycling(9)
	free, plain := sequence.New(m, "free", plan, sequence.WithGapFree()), sequence.New(m, "plain", plan)
	in := func(s *sequence.Sequence) error {
		return m.InTx(t.Context(), func(tx *sequence.Memory) error {
			_, err := s.NextIn(t.Context(), m.Tx(tx))
			return err
		})
	}
	next := func(s *sequence.Sequence) error { _, err := s.Next(t.Context()); return err }
	if err := errors.Join(in(free), next(plain)); err != nil {
		t.Fatal(err)
	}
	_, take := free.Take(t.Context(), 2)
	_, notBound := free.NextIn(t.Context(), m)
	_, none := free.NextIn(t.Context(), nil)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{next(free), `sequence.Sequence.Next("free"): the numbers are gap-free: draw them in a transaction, with NextIn`},
		{take, `sequence.Sequence.Take("free", 2): the numbers are gap-free: draw them in a transaction, with NextIn`},
		{in(plain), `sequence.Sequence.NextIn("plain"): the numbers are not gap-free: draw them with Next, or add the option WithGapFree`},
		{next(sequence.New(m, "free", plan)), `sequence.Sequence.Next("free"): conflict with the stored key: the meaning of the key is "1..9 cycling, gap-free", and this program wants "1..9 cycling": use the same type, pattern and options as the program that added the key, or another key`},
		{in(sequence.New(m, "plain", plan, sequence.WithGapFree())), `sequence.Sequence.NextIn("plain"): conflict with the stored key: the meaning of the key is "1..9 cycling", and this program wants "1..9 cycling, gap-free": use the same type, pattern and options as the program that added the key, or another key`},
		{notBound, `sequence.Sequence.NextIn("free"): the store is not bound to a transaction: pass store.Tx(tx), or use a store that has the method Tx`},
		{none, `sequence.Sequence.NextIn("free"): the store is nil`},
	} {
		wantError(t, tt.err, tt.want)
	}
	if err := m.InTx(t.Context(), func(tx *sequence.Memory) error { return next(sequence.New(m.Tx(tx), "new", plan)) }); err == nil || !strings.Contains(err.Error(), "the store is bound to a transaction") {
		t.Errorf("New on a bound store: %v", err)
	}
}

// TestStateDrawsNothing looks at keys of each kind.
func TestStateDrawsNothing(t *testing.T) {
	m := new(sequence.Memory)
	s := sequence.New(m, "k", sequence.Plan{First: 5, Last: 9})
	if _, err := s.State(t.Context()); !errors.Is(err, sequence.ErrNotFound) {
		t.Errorf("of a missing key: %v", err)
	}
	if all, err := sequence.List(t.Context(), m); len(all) != 0 || err != nil {
		t.Errorf("State made the key: %v, %v", all, err)
	}
	wantNext(t, s, sequence.Number{Serial: 5, Ordinal: 1})
	for range 2 {
		st, err := s.State(t.Context())
		if err != nil || st.Plan != (sequence.Plan{First: 5, Last: 9}) || st.Last != (sequence.Number{Serial: 5, Ordinal: 1}) || st.Left != 4 || st.Meaning != "5..9" {
			t.Errorf("State() = %+v, %v", st, err)
		}
	}
	n := sequence.NewNumbering(m, "a", "{2006-01}-{0+}", sequence.WithClock(at(2026, 11, 21)))
	if _, err := n.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	st, err := n.State(t.Context())
	if want := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC); err != nil || !st.Period.Equal(want) || st.Last.Serial != 1 || st.Meaning != "monthly in UTC" {
		t.Errorf("State() = %+v, %v", st, err)
	}
	stamp, err := sequence.NewStamper(m, "z").Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := sequence.List(t.Context(), m)
	if err != nil || len(all) != 3 || all[0].Key != "a" || all[1].Key != "k" || all[2].Stamp != stamp {
		t.Errorf("List() = %+v, %v", all, err)
	}
	if _, err := sequence.List(t.Context(), nil); err == nil {
		t.Error("List of a nil store is no error")
	}
}

func TestNilStoreIsReportedByEachCall(t *testing.T) {
	numbers, stamps, invoices := sequence.New(nil, "k", cycling(9)), sequence.NewStamper(nil, "k"), sequence.NewNumbering(nil, "k", "{0+}")
	ctx := t.Context()
	for want, call := range map[string]func() error{
		`sequence.Sequence.Next("k"): the store is nil`:                func() error { _, err := numbers.Next(ctx); return err },
		`sequence.Sequence.Take("k", 2): the store is nil`:             func() error { _, err := numbers.Take(ctx, 2); return err },
		`sequence.Sequence.State("k"): the store is nil`:               func() error { _, err := numbers.State(ctx); return err },
		`sequence.Sequence.Resize("k", 1..5): the store is nil`:        func() error { return numbers.Resize(ctx, sequence.Plan{First: 1, Last: 5}) },
		`sequence.Sequence.AdvanceTo("k", 7): the store is nil`:        func() error { return numbers.AdvanceTo(ctx, 7) },
		`sequence.Sequence.AdvanceToOrdinal("k", 7): the store is nil`: func() error { return numbers.AdvanceToOrdinal(ctx, 7) },
		`sequence.Stamper.Next("k"): the store is nil`:                 func() error { _, err := stamps.Next(ctx); return err },
		`sequence.Stamper.State("k"): the store is nil`:                func() error { _, err := stamps.State(ctx); return err },
		`sequence.Numbering.Next("k"): the store is nil`:               func() error { _, err := invoices.Next(ctx); return err },
		`sequence.Numbering.Next("k/shop"): the store is nil`:          func() error { _, err := invoices.For("shop").Next(ctx); return err },
		`sequence.Numbering.Parse("7"): the store is nil`:              func() error { _, _, err := invoices.Parse("7"); return err },
		`sequence.Numbering.AdvanceTo("k", "7"): the store is nil`:     func() error { return invoices.AdvanceTo(ctx, "7") },
		`sequence.Numbering.State("k"): the store is nil`:              func() error { _, err := invoices.State(ctx); return err },
	} {
		wantError(t, call(), want)
	}
	if unused, err := numbers.Close(ctx); unused != 0 || err != nil {
		t.Errorf("Close() = %d, %v, want 0, nil", unused, err)
	}
}

func TestBadOptionIsReportedByTheFirstCall(t *testing.T) {
	for want, o := range map[string]sequence.Option{
		`sequence.Sequence.Next("k"): WithLease(0, 0s): want at least 1 number`:                         sequence.WithLease(0, 0),
		`sequence.Sequence.Next("k"): WithLease(1, -1ns): the age must not be negative`:                 sequence.WithLease(1, -1),
		`sequence.Sequence.Next("k"): WithZone is not an option for a Sequence`:                         sequence.WithZone(time.UTC),
		`sequence.Sequence.Next("k"): the zero Option is invalid: call a function such as WithExisting`: {},
	} {
		s := sequence.New(new(sequence.Memory), "k", cycling(9), o)
		_, err := s.Next(t.Context())
		wantError(t, err, want)
		if _, err := s.Take(t.Context(), 1); err == nil {
			t.Errorf("Take with %s", want)
		}
	}
	_, err := sequence.New(new(sequence.Memory), "k", cycling(9), sequence.WithGapFree(), sequence.WithLease(5, 0)).Next(t.Context())
	wantError(t, err, `sequence.Sequence.Next("k"): WithGapFree and WithLease can't be combined, because the unused numbers of a lease are a gap`)
	_, err = sequence.New(new(sequence.Memory), "k", sequence.Plan{}).Next(t.Context())
	wantError(t, err, `sequence.Sequence.Next("k"): the plan is empty: set Last, as in Plan{First: 1, Last: 99}`)
	for _, o := range []sequence.Option{sequence.WithGapFree(), sequence.WithLease(5, 0), sequence.WithZone(time.UTC)} {
		if _, err := sequence.NewStamper(new(sequence.Memory), "k", o).Next(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "is not an option for a Stamper") {
			t.Errorf("NewStamper: %v", err)
		}
	}
	for _, o := range []sequence.Option{sequence.WithZone(nil), sequence.WithClock(nil), sequence.WithMaxLead(-1), sequence.WithLease(5, 0)} {
		if _, err := sequence.NewNumbering(new(sequence.Memory), "k", "{0}", o).Next(t.Context()); err == nil {
			t.Error("NewNumbering with a bad option is no error")
		}
	}
}

func TestKeysAreBoundedAndCutInErrors(t *testing.T) {
	m := new(sequence.Memory)
	for _, key := range []string{"", strings.Repeat("k", 256), strings.Repeat("k", 1<<20), "a\x00b", "a\xff"} {
		_, nextErr := sequence.New(m, key, cycling(9)).Next(t.Context())
		_, stampErr := sequence.NewStamper(m, key).Next(t.Context())
		for _, err := range []error{nextErr, stampErr} {
			if err == nil || len(err.Error()) > 200 {
				t.Errorf("a key of %d bytes: %v", len(key), err)
			}
		}
	}
	if _, err := sequence.New(m, strings.Repeat("k", 255), cycling(9)).Next(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAdvanceToIsMadeAgain has a store that fails once.
func TestAdvanceToIsMadeAgain(t *testing.T) {
	store := newSlow()
	s := sequence.New(existing(t, store, sequence.Plan{First: 1, Last: 99}), "k", sequence.Plan{First: 1, Last: 99})
	store.trip = func(int) time.Duration { return 0 }
	store.fail = func(draw int) (before, after error) {
		if draw == 0 {
			return errLost, nil
		}
		return nil, nil
	}
	if err := s.AdvanceTo(t.Context(), 41); err != nil {
		t.Errorf("AdvanceTo after a transient failure: %v", err)
	}
	wantNext(t, s, sequence.Number{Serial: 42, Ordinal: 42})
}

func TestAdvanceToNeverWraps(t *testing.T) {
	s := sequence.New(new(sequence.Memory), "k", sequence.Plan{First: math.MinInt64, Last: -2})
	if err := s.AdvanceTo(t.Context(), math.MinInt64+4); err != nil {
		t.Error(err)
	}
	wantNext(t, s, sequence.Number{Serial: math.MinInt64 + 5, Ordinal: 6})
}

// TestKeyThatWasDeletedIsNotMadeInATransaction draws in a transaction that is committed
// although it failed.
func TestKeyThatWasDeletedIsNotMadeInATransaction(t *testing.T) {
	var full, empty sequence.Memory
	d := &switching{full.Driver()}
	s := sequence.New(storeOf{d}, "k", cycling(9), sequence.WithGapFree())
	if err := s.AdvanceToOrdinal(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	d.Driver = empty.Driver()
	err := empty.InTx(t.Context(), func(tx *sequence.Memory) error {
		_, err := s.NextIn(t.Context(), empty.Tx(tx))
		if !errors.Is(err, sequence.ErrNotFound) {
			t.Errorf("NextIn: %v, want ErrNotFound", err)
		}
		return nil
	})
	if all, listErr := sequence.List(t.Context(), &empty); err != nil || listErr != nil || len(all) != 0 {
		t.Errorf("the store has %v, %v, %v, want no key", all, err, listErr)
	}
}
