package sequence_test

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/mariadb"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestMigrateRefusesTablesOfOthers has a table with other columns, and one without a
// version.
func TestMigrateRefusesTablesOfOthers(t *testing.T) {
	for _, p := range []place{{kind: "postgres", uri: pgserver.Database(t)}, {kind: "sql postgres", uri: pgserver.Database(t)}, {kind: "mysql", uri: mariadb.Database(t)}, sqlite(t)} {
		sql := place{kind: p.kind, uri: p.uri}
		if p.kind == "postgres" {
			sql.kind = "sql postgres"
		}
		if p.kind != "sqlite" {
			migrated(t, p)
		}
		s := p.mustOpen(t)
		migrate := s.(interface{ Migrate(context.Context) error }).Migrate
		db := sql.db(t)
		create(t, s, 1, 9)
		if _, err := db.Exec("DELETE FROM sequences WHERE count = 1"); err != nil { // the version is there
			t.Fatal(err)
		}
		if err := migrate(t.Context()); err == nil || !strings.HasSuffix(err.Error(), " has version 0; this release knows version 1") {
			t.Errorf("%s: without a version: %v", p.kind, err)
		}
		for _, statement := range []string{"DROP TABLE sequences", "CREATE TABLE sequences (name varchar(9))"} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		// SQLite takes the name of a column that isn't there for text.
		if err := migrate(t.Context()); err == nil || p.kind != "sqlite" && !strings.Contains(err.Error(), "olumn") {
			t.Errorf("%s: with other columns: %v", p.kind, err)
		}
	}
}

// TestMigrateThatLosesItsConnectionIsTransient loses it at each step.
func TestMigrateThatLosesItsConnectionIsTransient(t *testing.T) {
	onEachSQL(t, func(t *testing.T, p place) {
		b := sqlBench(t, p)
		if err := b.drop(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, end := b.open()
		defer end()
		for nth := 1; nth < 100; nth++ {
			b.at(nth, func() error { return io.ErrUnexpectedEOF })
			err := s.(*sqlsequence.Store).Migrate(t.Context())
			if lost, _ := b.at(0, nil); !lost {
				return
			}
			if !errors.Is(err, sequence.ErrTransient) || strings.Contains(err.Error(), "dialect") {
				t.Errorf("at step %d: %v", nth, err)
			}
		}
	})
}

// TestPartitionedTables draws from a table with partitions, and refuses a temporary one.
func TestPartitionedTables(t *testing.T) {
	p := postgres(t)
	execute(t, p.pool(t), `CREATE TABLE parts (LIKE sequences INCLUDING ALL) PARTITION BY HASH (key);
		CREATE TABLE part0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
		CREATE TABLE part1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
		INSERT INTO parts (key, count) VALUES ('', 1)`)
	a := pgsequence.New(p.pool(t), "parts")
	defer a.Close()
	b := sqlsequence.New(place{kind: "sql postgres", uri: p.uri}.db(t), "parts", sqlsequence.PostgreSQL)
	for _, migrate := range []func(context.Context) error{a.Migrate, b.Migrate} {
		if err := migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	create(t, a, 1, 9)
	for i, s := range []store{a, b, a, b} {
		if got := take(t, s, 1)[0].Ordinal; got != int64(i)+1 {
			t.Errorf("number %d, want %d", got, i+1)
		}
	}

	db := place{kind: "sql postgres", uri: p.uri}.db(t)
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TEMP TABLE fleeting (LIKE sequences INCLUDING ALL)"); err != nil {
		t.Fatal(err)
	}
	if err := sqlsequence.New(db, "fleeting", sqlsequence.PostgreSQL).Migrate(t.Context()); err == nil || !strings.HasSuffix(err.Error(), `table "fleeting" is temporary`) {
		t.Errorf("%v", err)
	}
}

// TestMigrateWithoutRightsNamesTheRight has a role that may not make tables.
func TestMigrateWithoutRightsNamesTheRight(t *testing.T) {
	p := place{kind: "postgres", uri: pgserver.Database(t)}
	pool := p.pool(t)
	role := "maker_" + strings.ReplaceAll(time.Now().Format("150405.000000000"), ".", "_")
	execute(t, pool, "CREATE ROLE "+role)
	t.Cleanup(func() {
		ctx := context.Background() // t.Context is over when the clean-up runs
		conn, err := pgx.Connect(ctx, p.uri)
		if err == nil {
			defer conn.Close(ctx)
			_, err = conn.Exec(ctx, "DROP OWNED BY "+role+"; DROP ROLE "+role)
		}
		if err != nil {
			t.Error(err)
		}
	})
	for _, kind := range []string{"postgres", "sql postgres"} {
		s := place{kind: kind, uri: with(t, p.uri, "role", role)}.mustOpen(t)
		err := s.(interface{ Migrate(context.Context) error }).Migrate(t.Context())
		if err == nil || !strings.Contains(err.Error(), "permission denied for schema public") || errors.Is(err, sequence.ErrTransient) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestRowsChangedByHandAreErrors has a row, or a document, that no draw can have left.
func TestRowsChangedByHandAreErrors(t *testing.T) {
	onEachServer(t, func(t *testing.T, p place) {
		s := p.mustOpen(t)
		create(t, s, 1, 9)
		take(t, s, 3)
		switch p.kind {
		case "postgres":
			execute(t, p.pool(t), "ALTER TABLE sequences DROP CONSTRAINT sequences_check")
		case "sql postgres":
			execute(t, place{uri: p.uri}.pool(t), "ALTER TABLE sequences DROP CONSTRAINT sequences_check")
		case "sqlite":
			p.uri += "&_pragma=ignore_check_constraints(1)"
			s = p.mustOpen(t)
		}
		if p.kind == "mongo" {
			p.set(t, map[string]any{"count": int64(-3)})
		} else {
			p.set(t, map[string]any{"base": int64(5)})
		}
		_, stateErr := s.State(t.Context(), "k")
		_, listErr := s.List(t.Context())
		for _, err := range []error{stateErr, listErr, s.Resize(t.Context(), "k", upTo9), s.Advance(t.Context(), "k", 20)} {
			if err == nil || !strings.Contains(err.Error(), "was changed by hand: plan 1..9 cycling in effect after") {
				t.Errorf("%v", err)
			}
		}
		if b, err := p.mustOpen(t).Take(t.Context(), "k", 1); err == nil {
			t.Errorf("Take: %v", b)
		}
	})
}

// TestListOfADocumentOfAnother has a collection with a document whose _id is not a key.
func TestListOfADocumentOfAnother(t *testing.T) {
	p, _ := mongoDB(t)
	var mu sync.Mutex
	sent := map[string]int{}
	client, err := mongo.Connect(options.Client().ApplyURI(p.uri).SetMonitor(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		mu.Lock()
		defer mu.Unlock()
		sent[e.CommandName]++
	}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Disconnect(context.Background()) })
	coll := client.Database(p.name).Collection("sequences")
	s := mongosequence.New(coll)
	docs := []any{bson.D{{Key: "_id", Value: 7}}}
	for i := range 150 { // more than come at once
		docs = append(docs, bson.D{{Key: "_id", Value: "n" + string(rune('a'+i%26)) + string(rune('a'+i/26))}, {Key: "numbering", Value: "never"}, {Key: "x", Value: int64(1)}})
	}
	if _, err := coll.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	_, err = s.List(t.Context())
	if want := `document {"$numberInt":"7"}: its _id is not a string`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("List() = %v, want %s", err, want)
	}
	if sent["find"] != 1 || sent["getMore"] != 0 || sent["killCursors"] != 1 {
		t.Errorf("commands %v: the cursor stayed open", sent)
	}
	if _, err := coll.DeleteOne(t.Context(), docs[0]); err != nil {
		t.Fatal(err)
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 150 || list[0].Key != "naa" || list[149].Key != "nze" {
		t.Errorf("List() = %d keys, %v", len(list), err)
	}
}

// TestBrokenDocumentsAreErrors has documents of each kind with a field that is missing, of
// another type or out of range.
func TestBrokenDocumentsAreErrors(t *testing.T) {
	p, _ := mongoDB(t)
	coll := p.collection(t)
	s := mongosequence.New(coll)
	create(t, s, 1, 9)
	take(t, s, 2)
	if _, err := sequence.NewStamper(s, "k").Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Resize(t.Context(), "k", upTo9); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{
		"count": "field count is a string, not an integer", "left": "field left is a string, not an integer",
		"first": "field first is a string, not an integer", "last": "field last is a string, not an integer",
		"cycle":    "field cycle is missing or not a boolean",
		"wasFirst": "field wasFirst is a string, not an integer", "wasLast": "field wasLast is a string, not an integer",
		"wasCycle": "field wasCycle is missing or not a boolean",
		"stamp":    "field stamp is a string, not an integer", "width": "field width is a string, not an integer",
		"tick": "field tick is a string, not an integer",
	} {
		var doc bson.M
		if err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: "k"}}).Decode(&doc); err != nil {
			t.Fatal(err)
		}
		doc["_id"], doc[field] = field, "text"
		if _, err := coll.InsertOne(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
		state, err := s.State(t.Context(), field)
		if err == nil || !strings.HasSuffix(err.Error(), want) || state != (sequence.State{}) {
			t.Errorf("State(%s) = %+v, %v, want %s", field, state, err, want)
		}
	}

	// A numbering without a count, and one that has no numbers left.
	insert(t, coll, bson.D{{Key: "_id", Value: "none"}, {Key: "numbering", Value: "never"}})
	insert(t, coll, bson.D{{Key: "_id", Value: "near"}, {Key: "numbering", Value: "never"}, {Key: "x", Value: int64(math.MaxInt64 - 1)}})
	d := sequence.NumberDraw{N: 2, Kind: "never", Now: time.Now(), MaxLead: time.Hour}
	if x, err := s.TakeNumbers(t.Context(), "none", d); err == nil || !strings.Contains(err.Error(), "the document has no field x") {
		t.Errorf("without x: %d, %v", x, err)
	}
	if _, err := s.State(t.Context(), "none"); err == nil || !strings.HasSuffix(err.Error(), "the document has no field x") {
		t.Errorf("State without x: %v", err)
	}
	if x, err := s.TakeNumbers(t.Context(), "near", d); !errors.Is(err, sequence.ErrExhausted) || strings.Contains(err.Error(), "field") {
		t.Errorf("2 of 1 left: %d, %v", x, err)
	}
	d.N = 1
	if x, err := s.TakeNumbers(t.Context(), "near", d); err != nil || x != math.MaxInt64 {
		t.Errorf("the last: %d, %v", x, err)
	}

	old := mongosequence.NewLegacy(coll)
	insert(t, coll, bson.D{{Key: "_id", Value: "old"}, {Key: "val", Value: 1}, {Key: "maxval", Value: 0}})
	for _, err := range []error{old.Create(t.Context(), "old", wheel9), old.Resize(t.Context(), "old", wheel9, sequence.GoOn)} {
		if err == nil || !strings.HasSuffix(err.Error(), "maxval is 0, less than 1") {
			t.Errorf("%v", err)
		}
	}
}

// TestServersClockIsAskedOnceAMinute counts the commands of many draws.
func TestServersClockIsAskedOnceAMinute(t *testing.T) {
	p, _ := mongoDB(t)
	var mu sync.Mutex
	hellos := 0
	client, err := mongo.Connect(options.Client().ApplyURI(p.uri).SetMonitor(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		mu.Lock()
		defer mu.Unlock()
		if e.CommandName == "hello" {
			hellos++
		}
	}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Disconnect(context.Background()) })
	s := mongosequence.New(client.Database(p.name).Collection("sequences"))
	create(t, s, 1, 9)
	stamper, numbering := sequence.NewStamper(s, "k"), sequence.NewNumbering(s, "n", "{0}")
	for range 5 {
		_, stampErr := stamper.Next(t.Context())
		_, numberErr := numbering.Next(t.Context())
		if err := errors.Join(stampErr, numberErr); err != nil {
			t.Fatal(err)
		}
	}
	if hellos != 1 {
		t.Errorf("asked %d times", hellos)
	}
}

// TestLegacyDocumentsOfLargeNumbers has numbers that JavaScript can't count, and the
// largest that it can.
func TestLegacyDocumentsOfLargeNumbers(t *testing.T) {
	p, _ := mongoDB(t)
	coll := p.collection(t)
	s := mongosequence.NewLegacy(coll)
	const safe = 1 << 53
	for key, tt := range map[string]struct {
		val, maxval any
		n           int64
		want        int64 // the last serial, 0 for ErrExhausted, -1 for another error
	}{
		"doubles up to 2^53":          {float64(safe - 1), float64(safe), 1, safe},
		"doubles after 2^53":          {float64(safe), float64(safe + 2), 1, -1},
		"integers after 2^53":         {int64(safe), int64(safe + 2), 1, safe + 1},
		"integers to 2^31":            {int32(1<<31 - 1), int64(1 << 31), 1, 1 << 31},
		"as many as there are":        {0.0, 9.0, 1<<63 - 1, 7},
		"more than there are":         {1.0, 9.0, 1<<63 - 1, 0},
		"as many as there are now":    {1.0, 9.0, 1<<63 - 2, 7},
		"the end came nearer":         {9.0, 4.0, 1<<63 - 5, 3},
		"the end came nearer, by one": {9.0, 4.0, 1<<63 - 4, 0},
	} {
		insert(t, coll, bson.D{{Key: "_id", Value: key}, {Key: "val", Value: tt.val}, {Key: "maxval", Value: tt.maxval}})
		before := stored(t, coll, key)
		b, err := s.Take(t.Context(), key, tt.n)
		if tt.want < 1 {
			if err == nil || errors.Is(err, sequence.ErrExhausted) != (tt.want == 0) || stored(t, coll, key) != before {
				t.Errorf("%s: Take(%d) = %v, %v, and %s is now %s", key, tt.n, b, err, before, stored(t, coll, key))
			}
			continue
		}
		var doc struct{ Val int64 }
		if err == nil {
			err = coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: key}}).Decode(&doc)
		}
		if err != nil || b.At(b.Len()-1).Serial != tt.want || doc.Val != tt.want {
			t.Errorf("%s: Take(%d): %v, val %d, want %d", key, tt.n, err, doc.Val, tt.want)
		}
	}

	// The documents of plans, in the type that old programs can read.
	for last, want := range map[int64]bson.Type{1<<31 - 1: bson.TypeInt32, 1 << 31: bson.TypeInt64} {
		key := want.String()
		if err := s.Create(t.Context(), key, sequence.Plan{First: 1, Last: last, Cycle: true}); err != nil {
			t.Fatal(err)
		}
		raw, err := coll.FindOne(t.Context(), bson.D{{Key: "_id", Value: key}}).Raw()
		if err != nil || raw.Lookup("maxval").Type != want || raw.Lookup("val").Type != bson.TypeInt32 {
			t.Errorf("created %v, %v, want a maxval of type %v", raw, err, want)
		}
	}
	for _, plan := range []sequence.Plan{{First: 0, Last: 9, Cycle: true}, {First: 1, Last: 9}} {
		create, resize := s.Create(t.Context(), "new", plan), s.Resize(t.Context(), "doubles up to 2^53", plan)
		for _, err := range []error{create, resize} {
			if err == nil || !strings.HasSuffix(err.Error(), "doesn't begin with 1 or doesn't cycle") {
				t.Errorf("%v", err)
			}
		}
	}
	if err := s.Advance(t.Context(), "doubles up to 2^53", 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Advance: %v", err)
	}
}

// TestConnectingIsCutOffAtHalfTheTime has a server that never answers. The other half is
// for another try.
func TestConnectingIsCutOffAtHalfTheTime(t *testing.T) {
	db := place{kind: "mysql", uri: "root@tcp(" + silent(t) + ")/test"}.db(t)
	for _, most := range []int{0, 10} {
		db.SetMaxOpenConns(most)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err := sqlsequence.New(db, "sequences", sqlsequence.MySQL).Take(ctx, "k", 1)
		if !errors.Is(err, sequence.ErrTransient) || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			t.Errorf("%v, and then the context's %v", err, ctx.Err())
		}
	}
}
