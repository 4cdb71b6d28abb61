package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/wire"
	"github.com/oidkit/oidkit/sequence"
)

// A ledger is a table whose rows get gap-free positions, each in the transaction that
// writes it.
type ledger struct {
	place    place
	nodes    []place // instead of place, of a cluster: programs use them in turn
	programs int
	callers  int

	committed atomic.Int64 // rows
	unknown   atomic.Int64 // transactions
	failed    atomic.Int64 // transactions

	mu   sync.Mutex
	told map[string][]int64 // the positions of a transaction that was committed, by its name
	gone map[string]bool    // the transactions that were rolled back
	wait time.Duration      // the longest time that a transaction took, with its repetitions
	runs int                // of transactions, with repetitions
	last error
}

// ledgerTable must be made where rows are written.
const ledgerTable = "CREATE TABLE ledger (position bigint PRIMARY KEY, entry varchar(40) NOT NULL)"

// fill has programs write transactions of 1 to 3 rows, 30 % of which are rolled back.
// disturb is called meanwhile. If it is nil, there are enough rows in the end.
func (l *ledger) fill(t *testing.T, enough int, disturb func(rows func() int)) {
	t.Helper()
	l.told, l.gone = map[string][]int64{}, map[string]bool{}
	var over atomic.Bool
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	t.Cleanup(func() { over.Store(true) })
	for program := range l.programs {
		s := inTurn(l.place, l.nodes, program).store(t)
		positions := sequence.New(s, "ledger", sequence.Plan{First: 1, Last: 1 << 62}, sequence.WithGapFree())
		for caller := range l.callers {
			wg.Go(func() {
				for i := 0; !over.Load() && (disturb != nil || l.committed.Load() < int64(enough)); i++ {
					l.write(t.Context(), s, positions, fmt.Sprintf("%d of caller %d of program %d", i, caller, program))
				}
			})
		}
	}
	if disturb != nil {
		disturb(func() int { return int(l.committed.Load()) })
		over.Store(true)
	}
	wg.Wait()
}

// write runs a transaction.
func (l *ledger) write(parent context.Context, s opened, positions *sequence.Sequence, name string) {
	ctx, cancel := context.WithTimeout(parent, patience)
	defer cancel()
	var got []int64
	runs, began := 0, time.Now()
	err := s.inTx(ctx, func(tx sequence.Store, execute func(string) error) error {
		runs++
		got = nil
		numbers, err := positions.TakeIn(ctx, tx, 1+rand.Int64N(3))
		if err != nil {
			return err
		}
		for _, n := range numbers {
			got = append(got, n.Ordinal)
			if err := execute(fmt.Sprintf("INSERT INTO ledger (position, entry) VALUES (%d, '%s')", n.Ordinal, name)); err != nil {
				return err
			}
		}
		if rand.N(10) < 3 {
			return errRollback
		}
		return nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs += runs
	l.wait = max(l.wait, time.Since(began))
	switch {
	case err == nil:
		l.told[name] = got
		l.committed.Add(int64(len(got)))
	case errors.Is(err, errRollback):
		l.gone[name] = true
	case strings.Contains(err.Error(), "may have been committed"): // or not: nobody knows
		l.unknown.Add(1)
		l.last = err
	default:
		l.failed.Add(1)
		l.gone[name] = true
		l.last = err
	}
}

// check reads the table, prints a row and fails t if the positions have a gap, or if a
// caller was told something else.
func (l *ledger) check(t *testing.T, fault, on string, faults int, begun time.Time) {
	t.Helper()
	db := l.place.db(t)
	rows, err := db.QueryContext(t.Context(), "SELECT position, entry FROM ledger ORDER BY position")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	stored := map[string][]int64{}
	count, last := 0, int64(0)
	for rows.Next() {
		var entry string
		if err := rows.Scan(&last, &entry); err != nil {
			t.Fatal(err)
		}
		stored[entry] = append(stored[entry], last)
		count++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	untrue := 0
	for name, positions := range l.told {
		if !slices.Equal(stored[name], positions) {
			untrue++
			t.Errorf("%s was told %v, and the table has %v", name, positions, stored[name])
		}
	}
	for name := range stored {
		if l.gone[name] {
			untrue++
			t.Errorf("%s was rolled back, and the table has %v", name, stored[name])
		}
	}
	row(t, fault, on, l.programs, l.callers, count, faults, untrue, last-int64(count), time.Since(begun),
		fmt.Sprintf("%d rolled back, %d failed, %d commits unknown, %d runs, longest wait %.1f s",
			len(l.gone)-int(l.failed.Load()), l.failed.Load(), l.unknown.Load(), l.runs, l.wait.Seconds()))
	if int64(count) != last {
		t.Errorf("%d rows, and the last has position %d: a gap", count, last)
	}
	if disturbed := faults > 0; !disturbed && l.failed.Load()+l.unknown.Load() > 0 {
		t.Errorf("%d transactions failed, and %d are unknown, without a fault: %v", l.failed.Load(), l.unknown.Load(), l.last)
	}
}

// TestLedgerHasNoGapWhenTheServerFails kills servers and cuts connections.
func TestLedgerHasNoGapWhenTheServerFails(t *testing.T) {
	parallel(t)
	for _, kind := range withLikeMySQL("postgres") {
		t.Run(kind, func(t *testing.T) {
			parallel(t)
			b := breakables[kind](t)
			p, w := b.through(t)
			if err := p.store(t).migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			execute(t, p.db(t), ledgerTable)
			l := &ledger{place: p, programs: 4, callers: pick(2, 4)}
			begun, faults := time.Now(), 0
			ways := []wire.Fault{wire.Cut, wire.LostRequest, wire.LostAnswer, wire.HalfRequest, wire.HalfAnswer}
			l.fill(t, 0, func(rows func() int) {
				more := func(n int) {
					target := rows() + n
					for end := time.Now().Add(5 * time.Minute); rows() < target; time.Sleep(time.Millisecond) {
						if time.Now().After(end) {
							l.mu.Lock()
							defer l.mu.Unlock()
							t.Fatalf("%d rows after five minutes, want %d: %d transactions failed, the last with %v", rows(), target, l.failed.Load(), l.last)
						}
					}
				}
				for i := range pick(6, 24) {
					more(pick(30, 2000))
					if i%6 == 5 {
						if err := b.kill(); err != nil {
							daemon.Skip(t, err)
						}
					} else {
						w.Break(ways[i%len(ways)])
					}
					faults++
				}
				more(pick(30, 3000))
			})
			l.check(t, "ledger: kills, cuts, rollbacks", kind, faults, begun)
		})
	}
}

// TestLedgerHasNoGapWithRollbacks has no other faults. Nothing fails.
func TestLedgerHasNoGapWithRollbacks(t *testing.T) {
	parallel(t)
	for _, kind := range withLikeMySQL("postgres", "sql postgres", "sqlite") {
		t.Run(kind, func(t *testing.T) {
			parallel(t)
			p := shared[kind](t)
			if err := p.store(t).migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			execute(t, p.db(t), ledgerTable)
			l := &ledger{place: p, programs: 4, callers: pick(2, 4)}
			begun := time.Now()
			l.fill(t, pick(200, 50_000), nil)
			l.check(t, "ledger: rollbacks", kind, 0, begun)
		})
	}
}
