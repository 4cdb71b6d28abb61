package mongosequence_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

var cycling = sequence.Plan{First: 1, Last: 99, Cycle: true}

// A storm is many callers of two programs, while something goes wrong.
type storm struct {
	mu     sync.Mutex
	serial map[sequence.Number]bool
	stamps map[string]bool
	failed int
}

// storming draws with 16 callers while disturb runs, which gets a function that waits for
// n more draws. It returns how many numbers are missing.
func storming(t *testing.T, s *mongodb.Server, disturb func(more func(n int))) (gaps int64) {
	t.Helper()
	st := storm{serial: map[sequence.Number]bool{}, stamps: map[string]bool{}}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	once := func(o *options.ClientOptions) { o.SetRetryWrites(false) } // or a replica set would hide lost answers
	programs := [2]*mongosequence.Store{mongosequence.New(connect(t, s, once)), mongosequence.New(connect(t, s, once))}
	for _, store := range programs {
		seq, stamper := sequence.New(store, "k", cycling), sequence.NewStamper(store, "stamps")
		for i := range 8 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						st.draw(t, seq, stamper, i == 0)
					}
				}
			})
		}
	}
	disturb(func(n int) {
		t.Helper()
		target := st.count() + n
		for end := time.Now().Add(time.Minute); st.count() < target; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("no draw for a minute")
			}
		}
	})
	close(stop)
	wg.Wait()
	row, _, err := programs[0].Driver().Read(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	gaps = row.X - int64(len(st.serial))
	t.Logf("%d numbers, %d stamps, %d calls failed, %d numbers are missing", len(st.serial), len(st.stamps), st.failed, gaps)
	if gaps < 0 {
		t.Errorf("more numbers than were counted")
	}
	return gaps
}

func (st *storm) count() int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.serial)
}

func (st *storm) draw(t *testing.T, seq *sequence.Sequence, stamper *sequence.Stamper, stamps bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	n, err := seq.Next(ctx)
	var stamp sequence.Stamp
	var stampErr error
	if stamps {
		stamp, stampErr = stamper.Next(ctx)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if err != nil {
		st.failed++
	} else if st.serial[n] {
		t.Errorf("%+v came twice", n)
	} else {
		st.serial[n] = true
	}
	if stamps && stampErr == nil {
		if st.stamps[stamp.String()] {
			t.Errorf("stamp %v came twice", stamp)
		}
		st.stamps[stamp.String()] = true
	}
}

func TestNoNumberRepeatsWhenTheServerIsKilled(t *testing.T) {
	t.Parallel()
	s := mongodb.Start(t)
	if !s.Ours() {
		t.Skip("kills the server, so it must be the test's own")
	}
	storming(t, s, func(more func(int)) {
		for range 4 {
			more(300)
			if err := errors.Join(s.Kill(), s.Restart()); err != nil {
				t.Error(err)
			}
		}
		more(300)
	})
}

// TestNumbersWhoseAnswerIsLostAreGaps cuts connections before the server sees a command,
// and after it has done it.
func TestNumbersWhoseAnswerIsLostAreGaps(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mongodb.Fault{
		"lost on the way there": {DropBefore: true},
		"lost on the way back":  {DropAfter: true},
		"refused":               {Refuse: "refused by the test"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mongodb.Start(t)
			disturbed := 0
			gaps := storming(t, s, func(more func(int)) {
				more(50)
				s.Inject(func(c mongodb.Command) mongodb.Fault {
					if c.Name != "findAndModify" || c.N%7 != 0 {
						return mongodb.Fault{}
					}
					disturbed++
					return fault
				})
				more(500)
				s.Inject(nil)
				more(10)
			})
			if disturbed < 10 {
				t.Errorf("%d commands disturbed show nothing", disturbed)
			}
			if (gaps > 0) != fault.DropAfter {
				t.Errorf("%d numbers are missing", gaps)
			}
		})
	}
}

// TestDrawIsDurableAndInNoTransaction looks at the commands that go out.
func TestDrawIsDurableAndInNoTransaction(t *testing.T) {
	t.Parallel()
	s := mongodb.Start(t)
	var mu sync.Mutex
	var writes []bson.Raw
	coll := connect(t, s, func(o *options.ClientOptions) {
		o.SetWriteConcern(writeconcern.W1()).SetMonitor(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
			mu.Lock()
			defer mu.Unlock()
			if e.CommandName == "findAndModify" || e.CommandName == "insert" {
				writes = append(writes, slices.Clone(e.Command))
			}
		}})
	})
	session, err := coll.Database().Client().StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(t.Context())
	// FerretDB has no transactions. A command in this one would be an error.
	if err := session.StartTransaction(); err != nil {
		t.Fatal(err)
	}
	ctx := mongo.NewSessionContext(t.Context(), session)
	store := mongosequence.New(coll)
	seq := sequence.New(store, "k", cycling)
	for name, call := range map[string]func() error{
		"Migrate": func() error { return store.Migrate(ctx) },
		"Next":    func() error { _, err := seq.Next(ctx); return err },
		"Take":    func() error { _, err := seq.Take(ctx, 3); return err },
		"Resize": func() error {
			return sequence.New(store, "l", sequence.Plan{First: 1, Last: 9}).Resize(ctx, sequence.Plan{First: 1, Last: 5})
		},
		"List": func() error { _, err := sequence.List(ctx, store); return err },
		"Stamper.Next": func() error {
			_, err := sequence.NewStamper(store, "s").Next(ctx)
			return err
		},
		"Numbering.Next": func() error {
			_, err := sequence.NewNumbering(store, "n", "INV-{2006}-{00000}").Next(ctx)
			return err
		},
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, c := range writes {
		if c.Lookup("writeConcern", "w").StringValue() != "majority" || !c.Lookup("writeConcern", "j").Boolean() {
			t.Errorf("write concern of %s", c)
		}
		if _, err := c.LookupErr("txnNumber"); err == nil {
			t.Errorf("in a transaction: %s", c)
		}
	}
	if len(writes) < 9 {
		t.Errorf("%d writes", len(writes))
	}
}

func TestNextInIsAClearError(t *testing.T) {
	t.Parallel()
	coll := connect(t, mongodb.Start(t))
	store := mongosequence.New(coll)
	_, err := sequence.New(store, "k", cycling, sequence.WithGapFree()).NextIn(t.Context(), store)
	if err == nil || !strings.Contains(err.Error(), "transaction") {
		t.Errorf("NextIn: %v", err)
	}

	memory := new(sequence.Memory)
	err = memory.InTx(t.Context(), func(tx *sequence.Memory) error {
		_, err := sequence.New(store, "k", cycling, sequence.WithGapFree()).NextIn(t.Context(), memory.Tx(tx))
		return err
	})
	want := fmt.Sprintf("another store: the transaction uses the Memory %p, and the key is in collection %s.sequences", memory, coll.Database().Name())
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("NextIn with a transaction of another store: %v, want %s", err, want)
	}
}

// TestDrawTakesFewCommands counts the commands of draws from a key that is known. The driver's
// own commands, by which it watches the server, don't count.
func TestDrawTakesFewCommands(t *testing.T) {
	t.Parallel()
	var commands []string
	count := &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) { commands = append(commands, e.CommandName) }}
	d := mongosequence.New(connect(t, mongodb.Start(t), func(o *options.ClientOptions) { o.SetMonitor(count) })).Driver()
	if _, err := d.Put(t.Context(), driver.Row{Key: "k", Meaning: "m", Version: 1}, 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Read(t.Context(), "k"); err != nil { // and the server's clock
		t.Fatal(err)
	}
	const most = 1 << 62
	stamps := &driver.Clock{Now: time.Now(), Tick: time.Microsecond, Width: 100, MaxAhead: -1}
	for _, tt := range []struct {
		name string
		driver.Draw
		want int
	}{
		{"the next", driver.Draw{N: 1, Most: most}, 1},
		{"a jump to a floor", driver.Draw{N: 1, Floor: 100, Most: most}, 2},
		{"from the floor", driver.Draw{N: 1, Floor: 101, Most: most}, 1},
		{"past the end", driver.Draw{N: 1, Most: 102}, 3},
		{"past the end, which the floor shows", driver.Draw{N: 1, Floor: 102, Most: 102}, 0},
		{"a stamp", driver.Draw{N: 1, Most: most, Clock: stamps}, 1},
		{"another one", driver.Draw{N: 1, Most: most, Clock: stamps}, 1},
		{"stamps far ahead of the clock", driver.Draw{N: most / 2, Most: most, Clock: stamps}, 1},
		{"a stamp after them", driver.Draw{N: 1, Most: most, Clock: stamps}, 2},
	} {
		commands = nil
		tt.Key, tt.Version = "k", 1
		if tt.name == "past the end" {
			tt.Most = 102
		}
		_, ok, err := d.Draw(t.Context(), tt.Draw)
		if err != nil || ok != (tt.Most == most) {
			t.Errorf("%s: %v, %v", tt.name, ok, err)
		}
		if len(commands) != tt.want {
			t.Errorf("%s: the commands %v, want %d", tt.name, commands, tt.want)
		}
	}
}

func TestDocumentWithoutIntegersIsRefusedUnchanged(t *testing.T) {
	t.Parallel()
	coll := connect(t, mongodb.Start(t))
	store := mongosequence.New(coll)
	for key, tt := range map[string]struct {
		x    any
		want string
	}{
		"double": {1.0, "field x is a double, not an integer"},
		"text":   {"1", "field x is a string, not an integer"},
		"null":   {nil, "field x is a null, not an integer"},
	} {
		doc := bson.D{{Key: "_id", Value: key}, {Key: "meaning", Value: "1..99 cycling"}, {Key: "base", Value: 0}, {Key: "x", Value: tt.x}, {Key: "version", Value: int64(7)}}
		if _, err := coll.InsertOne(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
		for _, floor := range []int64{0, 50} {
			s, ok, err := store.Driver().Draw(t.Context(), driver.Draw{Key: key, Version: 7, N: 1, Floor: floor, Most: 99})
			if ok || err != nil {
				t.Errorf("%s: Draw = %+v, %v, %v, want a refusal", key, s, ok, err)
			}
		}
		if _, err := sequence.New(store, key, cycling).Next(t.Context()); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: Next: %v, want %s", key, err, tt.want)
		}
		var after bson.D
		if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: key}}).Decode(&after); err != nil || after[3].Value != tt.x {
			t.Errorf("%s: %v afterwards, %v", key, after, err)
		}
	}
}

// TestDocumentOfAnotherProgramIsAnError has documents that this package doesn't write.
func TestDocumentOfAnotherProgramIsAnError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id         any
		next, list string // what their errors end with
	}{
		{"k", `the document has no text in the field "meaning", so another program wrote it: keep other documents out of the collection`,
			`document "k": the document has no text in the field "meaning", so another program wrote it: keep other documents out of the collection`},
		{int32(7), "", `document {"$numberInt":"7"}: the _id is not a string, so another program wrote the document: keep other documents out of the collection`},
	} {
		coll := connect(t, mongodb.Start(t))
		store := mongosequence.New(coll)
		if _, err := coll.InsertOne(t.Context(), bson.D{{Key: "_id", Value: tt.id}, {Key: "x", Value: int64(1)}}); err != nil {
			t.Fatal(err)
		}
		if n, err := sequence.New(store, "k", cycling).Next(t.Context()); (err == nil) != (tt.next == "") || err != nil && !strings.HasSuffix(err.Error(), tt.next) {
			t.Errorf("_id %v: Next = %v, %v, want %s", tt.id, n, err, tt.next)
		}
		if all, err := sequence.List(t.Context(), store); err == nil || !strings.HasSuffix(err.Error(), tt.list) {
			t.Errorf("_id %v: List = %v, %v, want %s", tt.id, all, err, tt.list)
		}
	}
}

// TestFailureToAskForTheClockIsReturned draws for the first time by a store whose server
// doesn't tell its time.
func TestFailureToAskForTheClockIsReturned(t *testing.T) {
	t.Parallel()
	s := mongodb.Start(t)
	coll := connect(t, s)
	d := mongosequence.New(coll).Driver()
	if _, err := d.Put(t.Context(), driver.Row{Key: "k", Meaning: "m", Version: 1}, 0); err != nil {
		t.Fatal(err)
	}
	s.Inject(func(c mongodb.Command) mongodb.Fault {
		if c.Name == "hello" {
			return mongodb.Fault{Refuse: "no time for the test"}
		}
		return mongodb.Fault{}
	})
	stamp := driver.Draw{Key: "k", Version: 1, N: 1, Most: 1 << 62, Clock: &driver.Clock{Now: time.Now(), Tick: time.Microsecond, Width: 100, MaxAhead: -1}}
	if step, ok, err := d.Draw(t.Context(), stamp); ok || err == nil || !strings.Contains(err.Error(), "no time for the test") {
		t.Errorf("Draw = %+v, %v, %v", step, ok, err)
	}
	if row, ok, err := d.Read(t.Context(), "k"); ok || err == nil || !strings.Contains(err.Error(), "no time for the test") {
		t.Errorf("Read = %+v, %v, %v", row, ok, err)
	}
	s.Inject(nil)
	if step, ok, err := d.Draw(t.Context(), stamp); !ok || err != nil {
		t.Errorf("Draw from the server that tells its time = %+v, %v, %v", step, ok, err)
	}
}

func TestMigrateRefusesWhatCannotCount(t *testing.T) {
	t.Parallel()
	s := mongodb.Start(t)
	coll := connect(t, s)
	db := coll.Database()
	if err := db.CreateCollection(t.Context(), "capped", options.CreateCollection().SetCapped(true).SetSizeInBytes(1<<20)); err != nil {
		t.Fatal(err)
	}
	err := mongosequence.New(db.Collection("capped")).Migrate(t.Context())
	if err == nil {
		err = errors.New("Migrate of a capped collection: no error")
	} else if strings.Contains(err.Error(), "capped") {
		err = nil
	}
	s.Check(t, mongodb.Capped, err)
	for range 2 {
		if err := mongosequence.New(coll).Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
