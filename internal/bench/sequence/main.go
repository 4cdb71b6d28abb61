// Command sequence measures counters. It compares the ways to draw with package
// sequence, the older compare-and-set loop, and the sequences of databases.
//
//	go run ./sequence                    all servers
//	go run ./sequence -servers postgres
//	go run ./sequence -servers programs -stores postgres -flush 5ms
//	go run ./sequence -servers nextin
//	go run ./sequence -servers snapshot
//
// It starts the installed PostgreSQL and MariaDB, SQLite and FerretDB, behind
// its serializing proxy, by itself. "exact" says whether each serial came equally often.
//
// "programs" lets 1, 4 and 8 programs of 1, 20 and 200 callers draw from one key of each
// store. It compares them with the raw statements that one would write, and with the
// commits that the disk takes. Then one caller draws in turns by a store and by one
// statement. It takes about 5 minutes, and prints each row when it is measured.
// "nextin" compares transactions that draw with ones that update a row of their own.
// "snapshot" shows how draws slow down while a transaction of PostgreSQL stays open.
//
// It prints tables in the form of docs/sequence-performance.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/legacycounter"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

var (
	callers   = flag.Int("callers", 20, "how many callers draw at once")
	last      = flag.Int64("last", 100, "the last serial of a cycle")
	slow      = flag.Int("slow", 2000, "draws of the loop and of block 1")
	fast      = flag.Int("fast", 40000, "draws of the other ways")
	servers   = flag.String("servers", "postgres,mongo,mysql,sqlite,programs,nextin,snapshot", "what to measure on")
	stores    = flag.String("stores", "postgres,mysql,sqlite,mongo", "with programs: the stores")
	each      = flag.Duration("each", 700*time.Millisecond, "how long each figure of programs is measured")
	crowdList = flag.String("crowds", "1x1,1x20,1x200,4x1,4x20,4x200,8x1,8x20,8x200", "with programs: programs x callers per program")
	only      = flag.String("methods", "", "with programs: only the methods that match this regular expression")
	flush     = flag.Duration("flush", 0, "with programs: how long PostgreSQL waits before it flushes, as for a slow disk")
)

func main() {
	flag.Parse()
	fmt.Printf("%s, %s %s/%s, %d CPUs; %d callers, serials 1..%d\n", time.Now().UTC().Format(time.DateOnly),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), *callers, *last)
	for _, server := range strings.Split(*servers, ",") {
		measure := map[string]func(context.Context) error{
			"postgres": onPostgres, "mongo": onMongo, "mysql": onMySQL, "sqlite": onSQLite, "programs": onPrograms, "nextin": onNextIn, "snapshot": onSnapshot,
		}[server]
		if measure == nil {
			fmt.Fprintf(os.Stderr, "sequence: no server %q\n", server)
			os.Exit(2)
		}
		if err := measure(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "sequence:", err)
			os.Exit(1)
		}
	}
	if len(loopRows) > 0 {
		fmt.Println("\nDraws per second, divided by those of the compare-and-set loop:")
		head("store", "`Sequence.Next`", "`WithLease(10, 0)`", "`WithLease(100, 0)`")
		for _, cells := range loopRows {
			row(cells...)
		}
	}
}

// loopRows are the rows of the table that main prints in the end.
var loopRows [][]string

// A way is one to draw serials.
type way struct {
	name  string
	draws int
	// open makes the counter of key and returns how to draw from it.
	open func(ctx context.Context, key string) (*counter, error)
}

type counter struct {
	draw           func(context.Context) (serial int64, err error)
	trips, retries atomic.Int64
	close          func() int64
}

// loop is a way by the older loop, each round of which is a reading and a change.
func loop(create func(ctx context.Context, key string) error, draw func(ctx context.Context, key string) (int64, int, error)) way {
	return way{"compare-and-set loop", *slow, func(ctx context.Context, key string) (*counter, error) {
		c := &counter{}
		c.draw = func(ctx context.Context) (int64, error) {
			serial, retries, err := draw(ctx, key)
			c.retries.Add(int64(retries))
			c.trips.Add(2 * int64(retries+1))
			return serial, err
		}
		return c, create(ctx, key)
	}}
}

// ours are the ways of package sequence.
func ours(store sequence.Store) []way {
	plan := sequence.Plan{First: 1, Last: *last, Cycle: true}
	create := func(ctx context.Context, key string) error {
		return sequence.New(store, key, plan).AdvanceToOrdinal(ctx, 0)
	}
	block1 := way{"block 1", *slow, func(ctx context.Context, key string) (*counter, error) {
		c := &counter{}
		seq := sequence.New(store, key, plan)
		c.draw = func(ctx context.Context) (int64, error) {
			c.trips.Add(1)
			b, err := seq.Take(ctx, 1)
			if err != nil {
				return 0, err
			}
			return b[0].Serial, nil
		}
		return c, create(ctx, key)
	}}
	drawn := func(name string, opts ...sequence.Option) way {
		return way{name, *fast, func(ctx context.Context, key string) (*counter, error) {
			c := &counter{}
			seq := sequence.New(store, key, plan, append(opts, sequence.WithObserver(func(t sequence.Trip) {
				c.trips.Add(1)
				c.retries.Add(int64(t.Retries))
			}))...)
			c.draw = func(ctx context.Context) (int64, error) {
				n, err := seq.Next(ctx)
				return n.Serial, err
			}
			c.close = func() int64 {
				unused, _ := seq.Close(ctx)
				return unused
			}
			return c, create(ctx, key)
		}}
	}
	return []way{block1, drawn("`Sequence.Next`"),
		drawn("`WithLease(10, 0)`", sequence.WithLease(10, 0)), drawn("`WithLease(100, 0)`", sequence.WithLease(100, 0))}
}

func onPostgres(ctx context.Context) error {
	server, err := postgres.Run()
	if err != nil {
		return err
	}
	defer server.Close()
	cfg, err := pgxpool.ParseConfig(server.DSN)
	if err != nil {
		return err
	}
	cfg.MaxConns = int32(*callers)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	store := pgsequence.New(pool, "sequences", pgsequence.WithMaxConns(*callers))
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	ways := []way{loop(
		func(ctx context.Context, key string) error {
			return legacycounter.PostgresCreate(ctx, pool, key, *last)
		},
		func(ctx context.Context, key string) (int64, int, error) {
			return legacycounter.Postgres(ctx, pool, key)
		},
	)}
	ways = append(ways, ours(store)...)
	for _, cache := range []int{1, 10, 100} {
		ways = append(ways, way{fmt.Sprintf("CREATE SEQUENCE, CACHE %d", cache), *fast, func(ctx context.Context, key string) (*counter, error) {
			c := &counter{}
			c.draw = func(ctx context.Context) (serial int64, err error) {
				c.trips.Add(1)
				err = pool.QueryRow(ctx, "SELECT nextval($1::regclass)", key).Scan(&serial)
				return serial, err
			}
			_, err := pool.Exec(ctx, fmt.Sprintf("CREATE SEQUENCE %s MAXVALUE %d CYCLE CACHE %d", key, *last, cache))
			return c, err
		}})
	}
	var version string
	if err := pool.QueryRow(ctx, "SHOW server_version").Scan(&version); err != nil {
		return err
	}
	return table(ctx, "PostgreSQL, `pgsequence`", "PostgreSQL "+version+", fsync and synchronous_commit on", ways)
}

func onMongo(ctx context.Context) error {
	server, err := mongodb.Run()
	if err != nil {
		return err
	}
	defer server.Close()
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI))
	if err != nil {
		return err
	}
	defer client.Disconnect(ctx)
	coll := client.Database(server.Database).Collection("sequences")
	ways := []way{loop(
		func(ctx context.Context, key string) error { return legacycounter.MongoCreate(ctx, coll, key, *last) },
		func(ctx context.Context, key string) (int64, int, error) { return legacycounter.Mongo(ctx, coll, key) },
	)}
	name := "MongoDB protocol, FerretDB v1 (SQLite) behind the serializing proxy"
	if !server.Ours() {
		name = "MongoDB, the server of " + mongodb.URIVariable
	}
	return table(ctx, "FerretDB, `mongosequence`", name, append(ways, ours(mongosequence.New(coll))...))
}

// A result is what came of measuring a way.
type result struct {
	perSecond      float64
	p50, p99       time.Duration
	trips, retries int64
	unused         int64
	exact          bool
}

// table prints what came of each way of drawing from a store. The first one is the loop.
func table(ctx context.Context, store, name string, ways []way) error {
	fmt.Printf("\n%s\n", name)
	head("way", "draws", "draws per second", "× the loop", "milliseconds, p50", "p99", "retries", "trips", "unused", "exact")
	cells := []string{store}
	results := map[string]result{}
	for i, way := range ways {
		warm, err := way.open(ctx, fmt.Sprintf("warm%d", i))
		if err != nil {
			return err
		}
		if _, err := run(ctx, warm, 5**callers); err != nil {
			return err
		}
		c, err := way.open(ctx, fmt.Sprintf("key%d", i))
		if err != nil {
			return err
		}
		r, err := run(ctx, c, way.draws)
		if err != nil {
			return err
		}
		results[way.name] = r
		times := count(r.perSecond / results[ways[0].name].perSecond)
		row(way.name, count(float64(way.draws)), count(r.perSecond), times, fmt.Sprintf("%.2f", ms(r.p50)), fmt.Sprintf("%.2f", ms(r.p99)),
			count(float64(r.retries)), count(float64(r.trips)), count(float64(r.unused)), fmt.Sprint(r.exact))
		if strings.HasPrefix(way.name, "`Sequence") || strings.HasPrefix(way.name, "`WithLease") {
			cells = append(cells, times)
		}
	}
	loopRows = append(loopRows, cells)
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// run has the callers make draws draws and measures each.
func run(ctx context.Context, c *counter, draws int) (result, error) {
	each := draws / *callers
	took := make([][]time.Duration, *callers)
	serials := make([]atomic.Int64, *last+1)
	errs := make([]error, *callers)
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range *callers {
		took[i] = make([]time.Duration, 0, each)
		wg.Go(func() {
			for range each {
				from := time.Now()
				serial, err := c.draw(ctx)
				if err != nil {
					errs[i] = err
					return
				}
				took[i] = append(took[i], time.Since(from))
				if serial < 1 || serial > *last {
					errs[i] = fmt.Errorf("serial %d", serial)
					return
				}
				serials[serial].Add(1)
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(begin)
	for _, err := range errs {
		if err != nil {
			return result{}, err
		}
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	r := result{
		perSecond: float64(len(all)) / elapsed.Seconds(),
		p50:       all[len(all)/2],
		p99:       all[len(all)*99/100],
		trips:     c.trips.Load(),
		retries:   c.retries.Load(),
		exact:     true,
	}
	for i := range serials[1:] {
		r.exact = r.exact && serials[i+1].Load() == int64(len(all))/(*last)
	}
	if c.close != nil {
		r.unused = c.close()
	}
	return r, nil
}
