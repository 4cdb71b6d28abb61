// Command sequence makes order numbers such as 2026112009311512345607, a time to
// the microsecond and two digits, in three processes at once, and shows that no
// two are the same.
//
//	go run ./examples/sequence
//
// The processes share nothing but a document on a MongoDB server, which the
// program starts itself: nothing need be installed.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

const (
	processes = 3
	callers   = 10
	each      = 50
)

func main() {
	log.SetFlags(0)
	uri := flag.String("uri", "", "be one of the processes, with this server")
	flag.Parse()
	work := start
	if *uri != "" {
		work = func() error { return draw(*uri) }
	}
	if err := work(); err != nil {
		log.Fatal("sequence: ", err)
	}
}

// connect returns the store that all processes share.
func connect(uri string) (*mongosequence.Store, *mongo.Client, error) {
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return nil, nil, err
	}
	return mongosequence.New(client.Database("shop").Collection("sequences")), client, nil
}

// draw is one process: ten callers, who each print fifty order numbers.
func draw(uri string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	store, client, err := connect(uri)
	if err != nil {
		return err
	}
	defer client.Disconnect(ctx)
	// Every process creates the key; the first one does.
	if err := store.Create(ctx, "orders", sequence.Plan{First: 0, Last: 99}); err != nil {
		return err
	}
	orders := sequence.NewStamper(store, "orders")

	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range each {
				order, err := orders.Next(ctx)
				mu.Lock()
				if err != nil {
					failed = err
				} else {
					fmt.Println(order)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}

// start starts the server and the processes and looks at what they print.
func start() error {
	uri, stop, err := startServer()
	if err != nil {
		return err
	}
	defer stop()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	numbers := make([][]string, processes)
	errs := make([]error, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			cmd := exec.Command(program, "-uri", uri)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			errs[i] = err
			for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
				numbers[i] = append(numbers[i], lines.Text())
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("process %d: %w", i+1, err)
		}
		fmt.Printf("process %d made %d order numbers, from %s to %s\n", i+1, len(numbers[i]), slices.Min(numbers[i]), slices.Max(numbers[i]))
	}

	all := slices.Concat(numbers...)
	slices.Sort(all) // the order of the texts is the order of the draws
	different := len(slices.Compact(slices.Clone(all)))
	fmt.Printf("together %d, of which %d came twice\n", len(all), len(all)-different)
	last, err := sequence.ParseStamp(all[len(all)-1])
	if err != nil {
		return err
	}
	fmt.Printf("the last is number %d of the microsecond %s\n", last.Serial, last.Tick.Format("2006-01-02 15:04:05.000000"))
	if different != len(all) || len(all) != processes*callers*each {
		return fmt.Errorf("%d different numbers, not %d", different, processes*callers*each)
	}
	return nil
}
