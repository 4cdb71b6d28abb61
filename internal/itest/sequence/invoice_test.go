package sequence_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// invoices writes invoices until the process is killed. It prints the number of each that
// it has committed, and rolls 30 % back. It tries again after a transient failure.
func (j job) invoices(ctx context.Context) error {
	db, err := sql.Open(dialects[j.Kind].driver, j.URI)
	if err != nil {
		return err
	}
	defer db.Close()
	s := sqlsequence.New(db, "sequences", dialects[j.Kind].Dialect)
	n := sequence.NewNumbering(s, "invoices", "{0+}", sequence.WithGapFree())
	write := func() error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		text, err := s.NextTx(ctx, tx, n)
		if errors.Is(err, sequence.ErrTransient) { // such as a deadlock with another process that makes the key
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO invoices VALUES ("+text+")"); err != nil {
			return err
		}
		time.Sleep(time.Millisecond) // so that most kills come in a transaction
		if rand.IntN(10) < 3 {
			return nil
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		fmt.Println(text)
		return nil
	}
	errs := make(chan error)
	for range j.Callers {
		go func() {
			for {
				if err := write(); err != nil {
					errs <- err
				}
			}
		}()
	}
	return <-errs
}

// TestProcessesKilledInATransactionLeaveNoGap kills processes with SIGKILL while they
// write invoices, and starts others. The invoices must be numbered 1, 2, 3 and so on.
func TestProcessesKilledInATransactionLeaveNoGap(t *testing.T) {
	onEachSQL(t, func(t *testing.T, p place) {
		const processes, kills = 2, 4
		db := p.db(t)
		if _, err := db.Exec("CREATE TABLE invoices (number int PRIMARY KEY)"); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		committed := map[int]bool{}
		count := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(committed)
		}
		for range kills {
			var running []*exec.Cmd
			var wg sync.WaitGroup
			for range processes {
				cmd := job{Kind: p.kind, URI: p.uri, Callers: 4, Invoices: true}.command(t)
				out, err := cmd.StdoutPipe()
				if err := errors.Join(err, cmd.Start()); err != nil {
					t.Fatal(err)
				}
				running = append(running, cmd)
				wg.Go(func() {
					for scanner := bufio.NewScanner(out); scanner.Scan(); {
						var number int
						if _, err := fmt.Sscan(scanner.Text(), &number); err != nil {
							t.Errorf("%q: %v", scanner.Text(), err)
						}
						mu.Lock()
						if committed[number] {
							t.Errorf("invoice %d was committed twice", number)
						}
						committed[number] = true
						mu.Unlock()
					}
					cmd.Wait()
				})
			}
			target := count() + 40
			until(t, func() bool { return count() >= target || t.Failed() })
			for _, cmd := range running {
				cmd.Process.Kill()
			}
			wg.Wait()
		}
		var invoices, last int
		if err := db.QueryRow("SELECT count(*), max(number) FROM invoices").Scan(&invoices, &last); err != nil {
			t.Fatal(err)
		}
		// A process may be killed between a commit and its line.
		if invoices != last || invoices < count() || invoices > count()+kills*processes*4 {
			t.Errorf("%d invoices up to %d, and %d commits", invoices, last, count())
		}
	})
}
