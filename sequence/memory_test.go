package sequence_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/drivertest"
)

func TestMemoryKeepsTheLawsOfStores(t *testing.T) {
	var m sequence.Memory
	rolledBack := errors.New("rolled back")
	drivertest.Run(t,
		func(testing.TB) driver.Driver { return m.Driver() },
		func(ctx context.Context) (driver.Driver, func(commit bool) error, error) {
			begun, end, ended := make(chan driver.Driver), make(chan bool), make(chan error)
			go func() {
				ended <- m.InTx(context.WithoutCancel(ctx), func(tx *sequence.Memory) error {
					begun <- m.Tx(tx).Driver()
					if <-end {
						return nil
					}
					return rolledBack
				})
			}()
			return <-begun, func(commit bool) error {
				end <- commit
				if err := <-ended; err != rolledBack {
					return err
				}
				return nil
			}, nil
		})
}

func TestMemoryTakesBackATransactionThatPanics(t *testing.T) {
	m := new(sequence.Memory)
	s := sequence.New(m, "k", cycling(9), sequence.WithGapFree())
	draw := func(then func()) (n sequence.Number) {
		defer func() { recover() }()
		m.InTx(t.Context(), func(tx *sequence.Memory) (err error) {
			n, err = s.NextIn(t.Context(), m.Tx(tx))
			then()
			return err
		})
		return n
	}
	draw(func() { panic("out of cheese") })
	if n := draw(func() {}); n.Serial != 1 {
		t.Errorf("after a panic came %v, want serial 1", n)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.InTx(ended, func(*sequence.Memory) error { t.Error("it ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("in an ended context: %v", err)
	}
}

func TestMemoryTransactionThatEndedDrawsNothing(t *testing.T) {
	m := new(sequence.Memory)
	s := sequence.New(m, "k", cycling(9), sequence.WithGapFree())
	var old *sequence.Memory
	if err := m.InTx(t.Context(), func(tx *sequence.Memory) error { old = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	refused := func(tx *sequence.Memory) {
		if n, err := s.NextIn(t.Context(), m.Tx(tx)); err == nil {
			t.Errorf("NextIn in a transaction that ended, is nil, or is of another Memory: %v", n)
		}
	}
	refused(old)
	refused(nil)
	if err := new(sequence.Memory).InTx(t.Context(), func(tx *sequence.Memory) error { refused(tx); return nil }); err != nil {
		t.Fatal(err)
	}
	err := m.InTx(t.Context(), func(tx *sequence.Memory) error {
		_, err := s.NextIn(t.Context(), m.Tx(tx))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
