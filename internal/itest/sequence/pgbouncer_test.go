package sequence_test

import (
	"sync"
	"testing"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
)

// TestPgbouncerNeedsNoSettings draws through pgbouncer with pgx at its defaults, from
// several programs, which share flushes.
func TestPgbouncerNeedsNoSettings(t *testing.T) {
	direct := postgres(t)
	create(t, direct.mustOpen(t), 1, 99)
	p := place{kind: "postgres", uri: pgserver.StartBouncer(t, direct.uri)}
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	for range 4 {
		s := p.mustOpen(t)
		seq, stamper := sequence.New(s, "k", sequence.WithRetry(0)), sequence.NewStamper(s, "k", sequence.WithRetry(0))
		for range 3 {
			wg.Go(func() {
				for range 50 {
					n, err := seq.Next(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if seen[n.Ordinal] {
						t.Errorf("number %d came twice", n.Ordinal)
					}
					seen[n.Ordinal] = true
					mu.Unlock()
					if _, err := stamper.Next(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	if len(seen) != 600 {
		t.Errorf("%d numbers", len(seen))
	}
}
