package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// TestEndOfAPlanIsForExactlyTheRest has programs draw until the plan is at its end, by
// Next, Take and documents. Each number is somebody's. Whoever comes later gets
// ErrExhausted. On a machine so busy that a draw is cut off and made again, there may be gaps.
func TestEndOfAPlanIsForExactlyTheRest(t *testing.T) {
	onEach(t, func(t *testing.T, p place, _ opened) {
		programs, callers, size := pick(2, 6), pick(4, 16), int64(pick(200, 50_000))
		if long && p.Kind == "mongo" {
			size = 10_000
		}
		pattern, documents := "{00}", 99
		if long {
			pattern, documents = "{0000}", 9999
		}
		var mu sync.Mutex
		got := map[string]int{}
		var draws, refused, again atomic.Int64
		observer := sequence.WithObserver(func(trip sequence.Trip) { again.Add(int64(trip.Retries)) })
		var wg sync.WaitGroup
		draw := func(next func(context.Context) ([]string, error)) {
			wg.Go(func() {
				for ended := 0; ended < 3; {
					texts, err := next(t.Context())
					switch {
					case errors.Is(err, sequence.ErrExhausted):
						refused.Add(1)
						ended++
					case err != nil:
						t.Error(err)
						return
					}
					draws.Add(int64(len(texts)))
					mu.Lock()
					for _, text := range texts {
						got[text]++
					}
					mu.Unlock()
				}
			})
		}
		begun := time.Now()
		for range programs {
			s := p.store(t)
			numbers := sequence.New(s, "numbers", sequence.Plan{First: 1, Last: size}, observer)
			invoices := sequence.NewNumbering(s, "documents", pattern, observer)
			for i := range callers {
				switch {
				case i == 0:
					draw(func(ctx context.Context) ([]string, error) {
						text, err := invoices.Next(ctx)
						if err != nil {
							return nil, err
						}
						return []string{"document " + text}, nil
					})
				default:
					draw(func(ctx context.Context) (texts []string, err error) {
						var taken []sequence.Number
						if i == 1 {
							taken, err = numbers.Take(ctx, 7)
						} else {
							taken = make([]sequence.Number, 1)
							taken[0], err = numbers.Next(ctx)
						}
						if err != nil {
							return nil, err
						}
						for _, n := range taken {
							texts = append(texts, fmt.Sprint(n.Serial))
						}
						return texts, nil
					})
				}
			}
		}
		wg.Wait()
		repeats, missing := 0, int(size)+documents-len(got)
		for _, n := range got {
			repeats += n - 1
		}
		row(t, "plans end", p.Kind, programs, callers, int(draws.Load()), 2, repeats, int64(missing), time.Since(begun), fmt.Sprintf("%d times ErrExhausted, %d made again", refused.Load(), again.Load()))
		if repeats != 0 || missing != 0 && again.Load() == 0 {
			t.Errorf("%d numbers came twice, and %d are missing", repeats, missing)
		}
	})
}
