package sequence_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// These tests let each call of a store fail at its first step, its second, and so on. A
// step is a connection, a statement, a commit or a command.

// steps counts the steps of a call, and lets one fail.
type steps struct {
	mu     sync.Mutex
	left   int  // the step that fails, counted from here, or 0
	failed bool // a step failed
	late   bool // the server had done the statement by then
}

var errStep = errors.New("this step fails")

// fail lets the nth step from here fail. It reports whether one has failed since the
// last call, and whether that was a late one.
func (s *steps) fail(n int) (failed, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	failed, late = s.failed, s.late
	s.left, s.failed, s.late = n, false, false
	return failed, late
}

func (s *steps) step(late bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left != 0 {
		return nil
	}
	s.failed, s.late = true, late
	return errStep
}

// connector connects to a database, with steps that fail.
type connector struct {
	driver driver.Driver
	dsn    string
	*steps
}

func (c connector) Driver() driver.Driver { return c.driver }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	if err := c.step(false); err != nil {
		return nil, err
	}
	conn, err := c.driver.Open(c.dsn)
	return stepConn{conn, c.steps}, err
}

type stepConn struct {
	driver.Conn
	*steps
}

func (c stepConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.step(false); err != nil {
		return nil, err
	}
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}

func (c stepConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.step(false); err != nil {
		return nil, err
	}
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
	return &stepRows{rows, c.steps, false}, err
}

func (c stepConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.step(false); err != nil {
		return nil, err
	}
	result, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	return stepResult{result, c.steps}, err
}

func (c stepConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if err := c.step(false); err != nil {
		return nil, err
	}
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, opts)
	return stepTx{tx, c.steps}, err
}

func (c stepConn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

type stepTx struct {
	driver.Tx
	*steps
}

func (tx stepTx) Commit() error {
	if err := tx.step(false); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Tx.Commit()
}

type stepRows struct {
	driver.Rows
	*steps
	read bool // only the first row is a step
}

func (r *stepRows) Next(to []driver.Value) error {
	if !r.read {
		r.read = true
		if err := r.step(true); err != nil {
			return err
		}
	}
	return r.Rows.Next(to)
}

type stepResult struct {
	driver.Result
	*steps
}

func (r stepResult) LastInsertId() (int64, error) {
	id, err := r.Result.LastInsertId()
	return id, cmp.Or(err, r.step(true))
}

func (r stepResult) RowsAffected() (int64, error) {
	n, err := r.Result.RowsAffected()
	return n, cmp.Or(err, r.step(true))
}

// A stepSocket counts what is written to PostgreSQL. A rollback doesn't count, because
// its failure changes nothing. Nor does a request to cancel, which comes at any time.
type stepSocket struct {
	net.Conn
	*steps
}

var cancelRequest = []byte{0, 0, 0, 16, 4, 210, 22, 46}

func (c stepSocket) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("rollback")) || bytes.HasPrefix(b, cancelRequest) {
		return c.Conn.Write(b)
	}
	if err := c.step(false); err != nil {
		c.Close()
		return 0, err
	}
	return c.Conn.Write(b)
}

// A bench opens stores whose steps fail. There is one connection, so that a call that
// keeps it is seen.
type bench struct {
	*steps
	open   func() (s store, end func())
	others store // draws from the same keys, and never fails
	nextTx func(ctx context.Context, s store, n *sequence.Numbering) (string, error)
}

func sqlBench(t *testing.T, p place) bench {
	b := bench{steps: new(steps), others: p.mustOpen(t)}
	db := sql.OpenDB(connector{p.db(t).Driver(), p.uri, b.steps})
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if p.kind == "sqlite" { // to connect is a step that costs little there
		db.SetMaxIdleConns(-1)
	}
	b.open = func() (store, func()) {
		return sqlsequence.New(db, "sequences", dialects[p.kind].Dialect), func() {}
	}
	b.nextTx = func(ctx context.Context, s store, n *sequence.Numbering) (string, error) {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return "", err
		}
		defer tx.Rollback()
		text, err := s.(*sqlsequence.Store).NextTx(ctx, tx, n)
		if err == nil {
			err = tx.Commit()
		}
		if err != nil {
			return "", err
		}
		return text, nil
	}
	return b
}

func pgBench(t *testing.T, p place) bench {
	b := bench{steps: new(steps), others: p.mustOpen(t)}
	cfg, err := pgxpool.ParseConfig(p.uri)
	if err != nil {
		t.Fatal(err)
	}
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return stepSocket{conn, b.steps}, err
	}
	cfg.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b.open = func() (store, func()) {
		s := pgsequence.New(pool, "sequences", pgsequence.WithMaxConns(1))
		return s, s.Close
	}
	b.nextTx = func(ctx context.Context, s store, n *sequence.Numbering) (text string, err error) {
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			text, err = s.(*pgsequence.Store).NextTx(ctx, tx, n)
			return err
		})
		if err != nil {
			return "", err
		}
		return text, nil
	}
	return b
}

func mongoBench(t *testing.T, p place, server *mongodb.Server) bench {
	b := bench{steps: new(steps), others: p.mustOpen(t)}
	// The driver's own commands, to other databases, come at any time. They don't fail.
	server.Inject(func(c mongodb.Command) mongodb.Fault {
		if c.Database != p.name {
			return mongodb.Fault{}
		}
		if err := b.step(false); err != nil {
			return mongodb.Fault{Refuse: err.Error()}
		}
		return mongodb.Fault{}
	})
	coll := p.collection(t)
	b.open = func() (store, func()) { return mongosequence.New(coll), func() {} }
	return b
}

// A scene is a call, and what comes before it.
type scene struct {
	name   string
	before func(ctx context.Context, b bench, s store, key string) error
	call   func(ctx context.Context, b bench, s store, key string) (any, error)
	fresh  bool // each time with a new store, which knows nothing yet
}

var (
	wheel9 = sequence.Plan{First: 1, Last: 9, Cycle: true}
	upTo9  = sequence.Plan{First: 1, Last: 9}
)

func createdAs(plan sequence.Plan) func(context.Context, bench, store, string) error {
	return func(ctx context.Context, b bench, s store, key string) error { return b.others.Create(ctx, key, plan) }
}

// drawnFrom draws before the call.
func drawnFrom(plan sequence.Plan, n int64, then func(ctx context.Context, b bench, s store, key string) error) func(context.Context, bench, store, string) error {
	return func(ctx context.Context, b bench, s store, key string) error {
		err := b.others.Create(ctx, key, plan)
		if err == nil {
			_, err = s.Take(ctx, key, n)
		}
		if err == nil && then != nil {
			err = then(ctx, b, s, key)
		}
		return err
	}
}

func taking(n int64) func(context.Context, bench, store, string) (any, error) {
	return func(ctx context.Context, _ bench, s store, key string) (any, error) {
		block, err := s.Take(ctx, key, n)
		return slices.Collect(block.All()), err
	}
}

func creating(plan sequence.Plan) func(context.Context, bench, store, string) (any, error) {
	return func(ctx context.Context, _ bench, s store, key string) (any, error) {
		return nil, s.Create(ctx, key, plan)
	}
}

func resizing(plan sequence.Plan, opts ...sequence.ResizeOption) func(context.Context, bench, store, string) (any, error) {
	return func(ctx context.Context, _ bench, s store, key string) (any, error) {
		return nil, s.Resize(ctx, key, plan, opts...)
	}
}

func advancing(n int64) func(context.Context, bench, store, string) (any, error) {
	return func(ctx context.Context, _ bench, s store, key string) (any, error) {
		return nil, s.Advance(ctx, key, n)
	}
}

// scenes are the calls of every store.
func scenes() []scene {
	now := time.Now().Truncate(time.Microsecond)
	stamps := sequence.StampDraw{N: 3, Width: 100, Tick: time.Microsecond, Now: now, MaxLead: time.Hour}
	stamping := func(change func(*sequence.StampDraw)) func(context.Context, bench, store, string) (any, error) {
		d := stamps
		change(&d)
		return func(ctx context.Context, _ bench, s store, key string) (any, error) {
			got, err := s.TakeStamps(ctx, key, d)
			if _, ownClock := s.(*pgsequence.Store); ownClock && err == nil {
				return got.Last/100 >= now.UnixMicro(), nil
			}
			return got, err
		}
	}
	stamped := drawnFrom(wheel9, 1, func(ctx context.Context, b bench, s store, key string) error {
		d := stamps
		d.N = 100 * 60e6 // a minute of stamps
		_, err := s.TakeStamps(ctx, key, d)
		return err
	})
	numbers := sequence.NumberDraw{N: 2, Kind: "never", Now: now, MaxLead: time.Hour}
	numbering := func(change func(*sequence.NumberDraw)) func(context.Context, bench, store, string) (any, error) {
		d := numbers
		change(&d)
		return func(ctx context.Context, _ bench, s store, key string) (any, error) {
			return s.TakeNumbers(ctx, key, d)
		}
	}
	numbered := func(ctx context.Context, b bench, s store, key string) error {
		_, err := b.others.TakeNumbers(ctx, key, numbers)
		return err
	}
	same := func(*sequence.StampDraw) {}
	likewise := func(*sequence.NumberDraw) {}
	return []scene{
		{"Create", nil, creating(wheel9), false},
		{"Create again", createdAs(wheel9), creating(wheel9), false},
		{"Create with another plan", createdAs(wheel9), creating(upTo9), false},
		{"Create of a numbering", numbered, creating(wheel9), false},
		{"first Take", createdAs(wheel9), taking(2), false},
		{"Take", drawnFrom(wheel9, 1, nil), taking(2), false},
		{"Take while others draw", drawnFrom(wheel9, 1, func(ctx context.Context, b bench, s store, key string) error {
			_, err := b.others.Take(ctx, key, 1)
			if err == nil {
				_, err = s.Take(ctx, key, 1)
			}
			return err
		}), taking(2), true},
		{"Take after a resize", drawnFrom(wheel9, 1, func(ctx context.Context, b bench, _ store, key string) error {
			return b.others.Resize(ctx, key, sequence.Plan{First: 5, Last: 7, Cycle: true})
		}), taking(2), false},
		{"Take of too many", drawnFrom(upTo9, 8, nil), taking(2), false},
		{"Take from nothing", nil, taking(1), false},
		{"Take from a numbering", numbered, taking(1), false},
		{"Resize", drawnFrom(wheel9, 1, nil), resizing(upTo9), false},
		{"Resize to the same", createdAs(wheel9), resizing(wheel9), false},
		{"Resize that goes on", drawnFrom(wheel9, 12, nil), resizing(sequence.Plan{First: 1, Last: 5, Cycle: true}, sequence.GoOn), false},
		{"Resize that can't go on", drawnFrom(wheel9, 12, nil), resizing(sequence.Plan{First: 1, Last: 2, Cycle: true}, sequence.GoOn), false},
		{"Resize of nothing", nil, resizing(upTo9), false},
		{"Resize of a numbering", numbered, resizing(upTo9), false},
		{"Advance", drawnFrom(wheel9, 1, nil), advancing(20), false},
		{"Advance too far", drawnFrom(upTo9, 1, nil), advancing(20), false},
		{"Advance of a numbering", numbered, advancing(20), false},
		{"State", drawnFrom(wheel9, 1, nil), func(ctx context.Context, _ bench, s store, key string) (any, error) {
			state, err := s.State(ctx, key)
			return state.Last, err
		}, false},
		{"List", drawnFrom(wheel9, 1, nil), func(ctx context.Context, _ bench, s store, key string) (any, error) {
			list, err := s.List(ctx)
			i := slices.IndexFunc(list, func(s sequence.State) bool { return s.Key == key })
			return i >= 0, err
		}, false},
		{"first stamps", createdAs(wheel9), stamping(same), true},
		{"stamps", stamped, stamping(same), true},
		{"stamps after the last", stamped, stamping(func(d *sequence.StampDraw) { d.Now = d.Now.Add(2 * time.Minute) }), false},
		{"stamps of another width", stamped, stamping(func(d *sequence.StampDraw) { d.Width = 10 }), false},
		{"stamps of another tick", stamped, stamping(func(d *sequence.StampDraw) { d.Tick = time.Millisecond }), false},
		{"stamps too far ahead", stamped, stamping(func(d *sequence.StampDraw) { d.MaxStampLead = time.Second }), false},
		{"stamps not too far ahead", stamped, stamping(func(d *sequence.StampDraw) { d.MaxStampLead = 2 * time.Minute }), false},
		{"stamps of nothing", nil, stamping(same), false},
		{"stamps of a numbering", numbered, stamping(same), false},
		{"first numbers", nil, numbering(likewise), true},
		{"numbers", numbered, numbering(likewise), false},
		{"numbers of the next period", numbered, numbering(func(d *sequence.NumberDraw) { d.Floor = 1 << 40 }), false},
		{"numbers of another kind", numbered, numbering(func(d *sequence.NumberDraw) { d.Kind = "year" }), false},
		{"numbers of a sequence", createdAs(wheel9), numbering(likewise), false},
		{"numbers too early", numbered, numbering(func(d *sequence.NumberDraw) { d.Now = d.Now.Add(2 * time.Hour) }), true},
		{"first numbers too early", nil, numbering(func(d *sequence.NumberDraw) { d.Now = d.Now.Add(2 * time.Hour) }), false},
	}
}

// txScenes are the calls of stores with transactions.
func txScenes() []scene {
	number := func(s store, key string) *sequence.Numbering {
		return sequence.NewNumbering(s, key, "{0+}", sequence.WithGapFree())
	}
	nextTx := func(ctx context.Context, b bench, s store, key string) (any, error) {
		return b.nextTx(ctx, s, number(s, key))
	}
	migrate := func(ctx context.Context, _ bench, s store, _ string) (any, error) {
		return nil, s.(interface{ Migrate(context.Context) error }).Migrate(ctx)
	}
	return []scene{
		{"Migrate", nil, migrate, true},
		{"first NextTx", nil, nextTx, false},
		{"NextTx", func(ctx context.Context, b bench, s store, key string) error {
			_, err := b.nextTx(ctx, s, number(s, key))
			return err
		}, nextTx, false},
		{"NextTx of a sequence", createdAs(wheel9), nextTx, false},
	}
}

// outcome is what a call gave, and left behind.
func (b bench) outcome(t *testing.T, got any, err error, key string) string {
	t.Helper()
	text := fmt.Sprint(got)
	if err != nil {
		text = fmt.Sprint("no error of the package: ", err)
	}
	for _, sentinel := range []error{sequence.ErrNotFound, sequence.ErrConflict, sequence.ErrExhausted, sequence.ErrClockLead, sequence.ErrTransient} {
		if errors.Is(err, sentinel) {
			text = sentinel.Error()
		}
	}
	state, err := b.others.State(t.Context(), key)
	if err != nil && !errors.Is(err, sequence.ErrNotFound) {
		t.Fatal(err)
	}
	if _, ownClock := b.others.(*pgsequence.Store); ownClock {
		state.Stamp = sequence.Stamp{}
	}
	state.Key = ""
	return fmt.Sprintf("%s, %+v", text, state)
}

// wantErrorsOfSteps plays the scenes once as they are, and then with a failure at each
// step. The failure must be the call's error, which comes without a result. The same call
// must then do what it would have done.
func wantErrorsOfSteps(t *testing.T, b bench, scenes []scene) {
	t.Helper()
	shared, end := b.open()
	defer end()
	for number, scene := range scenes {
		play := func(fail int) (text string, failed bool) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			key := fmt.Sprintf("%d-%d", number, fail)
			s := shared
			if scene.fresh {
				fresh, end := b.open()
				defer end()
				s = fresh
			}
			if scene.before != nil {
				if err := scene.before(ctx, b, s, key); err != nil {
					t.Fatalf("before %s: %v", scene.name, err)
				}
			}
			b.fail(fail)
			got, err := scene.call(ctx, b, s, key)
			failed, late := b.fail(0)
			if !failed {
				return b.outcome(t, got, err, key), false
			}
			if err == nil || !strings.Contains(err.Error(), errStep.Error()) {
				t.Errorf("%s, step %d fails: got %v, want that error", scene.name, fail, err)
			}
			if got != nil && !reflect.ValueOf(got).IsZero() {
				t.Errorf("%s, step %d fails: got %v besides the error", scene.name, fail, got)
			}
			got, err = scene.call(ctx, b, s, key)
			text = b.outcome(t, got, err, key)
			if late { // it may be done
				text = ""
			}
			return text, true
		}
		want, _ := play(0)
		for fail := 1; fail < 100; fail++ {
			got, failed := play(fail)
			if got != want && got != "" {
				t.Errorf("%s, after step %d failed: %s\nwant %s", scene.name, fail, got, want)
			}
			if !failed {
				if fail == 1 {
					t.Errorf("%s has no steps", scene.name)
				}
				break
			}
		}
	}
}

func TestFailureAtAnyStepIsTheErrorInPgsequence(t *testing.T) {
	wantErrorsOfSteps(t, pgBench(t, postgres(t)), append(scenes(), txScenes()...))
}

func TestFailureAtAnyStepIsTheErrorInSqlsequence(t *testing.T) {
	onEachSQL(t, func(t *testing.T, p place) {
		wantErrorsOfSteps(t, sqlBench(t, p), append(scenes(), txScenes()...))
	})
}

func TestFailureAtAnyStepIsTheErrorInMongosequence(t *testing.T) {
	p, server := mongoDB(t)
	wantErrorsOfSteps(t, mongoBench(t, p, server), scenes())
}
