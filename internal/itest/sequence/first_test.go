package sequence_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// Programs draw the first numbers or stamps of a key at once. They must not get between
// the steps in which a store makes the key. Their stamps would be dated 1970.
func TestFirstDrawsOfAKeyAreOfToday(t *testing.T) {
	onEachServer(t, func(t *testing.T, p place) {
		stores := make([]store, 12)
		for i := range stores {
			stores[i] = p.mustOpen(t)
		}
		draws := map[string]func(s store, key string) (string, error){
			"numbers": func(s store, key string) (string, error) {
				return sequence.NewNumbering(s, key, "{2006}-{00000}").Next(t.Context())
			},
			"stamps": func(s store, key string) (string, error) {
				stamp, err := sequence.NewStamper(s, key).Next(t.Context())
				return stamp.String(), err
			},
		}
		for name, draw := range draws {
			for range 40 {
				key := name + time.Now().Format("150405.000000000")
				if name == "stamps" {
					if err := stores[0].Create(t.Context(), key, sequence.Plan{First: 1, Last: 9, Cycle: true}); err != nil {
						t.Fatal(err)
					}
				}
				texts := make([]string, len(stores))
				var wg sync.WaitGroup
				for i, s := range stores {
					wg.Go(func() {
						var err error
						if texts[i], err = draw(s, key); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				slices.Sort(texts)
				if strings.HasPrefix(texts[0], "19") || len(slices.Compact(slices.Clone(texts))) != len(stores) {
					t.Fatalf("%s %q, want different ones of this year", name, texts)
				}
			}
		}
	})
}
