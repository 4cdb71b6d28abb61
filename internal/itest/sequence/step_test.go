package sequence_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// steps counts the steps of a store's call. A step is a connection, a statement, a
// commit or a command.
type steps struct {
	mu   sync.Mutex
	n    int // all steps, without the late ones
	left int // the step that something happens at, counted from here, or 0
	do   func() error
	came bool // to that step
	late bool // the server had done the statement by then
}

var errStep = errors.New("this step fails")

// at has do called at the nth step from here. If do returns an error, the step fails. It
// reports whether the step of the last call of at came, and whether that was a late one.
func (s *steps) at(n int, do func() error) (came, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	came, late = s.came, s.late
	s.left, s.do, s.came, s.late = n, do, false, false
	return came, late
}

// count returns how many steps there were, without the late ones.
func (s *steps) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// skipped takes a step back that the driver wants to make in another way.
func (s *steps) skipped(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == driver.ErrSkip {
		s.n--
	}
}

// fail is a step that fails.
func fail() error { return errStep }

func (s *steps) step(late bool) error {
	s.mu.Lock()
	if !late {
		s.n++
	}
	s.left--
	do := s.do
	if s.left != 0 {
		do = nil
	} else {
		s.came, s.late = true, late
	}
	s.mu.Unlock()
	if do == nil {
		return nil
	}
	return do()
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
	c.skipped(err)
	return &stepRows{rows, c.steps, false}, err
}

func (c stepConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.step(false); err != nil {
		return nil, err
	}
	result, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	c.skipped(err)
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

// A bench opens stores whose steps can fail. There is one connection, so that a call that
// keeps it is seen.
type bench struct {
	*steps
	open   func() (s store, end func())
	others store                           // draws from the same keys, and never fails
	coll   *mongo.Collection               // of the others, on MongoDB
	drop   func(ctx context.Context) error // drops the table
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
	b.drop = func(ctx context.Context) error {
		_, err := p.db(t).ExecContext(ctx, "DROP TABLE sequences")
		return err
	}
	othersDB := p.db(t)
	b.nextTx = func(ctx context.Context, s store, n *sequence.Numbering) (string, error) {
		pool := db
		if s == b.others {
			pool = othersDB
		}
		tx, err := pool.BeginTx(ctx, nil)
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
	b.drop = func(ctx context.Context) error {
		_, err := pool.Exec(ctx, "DROP TABLE sequences; DROP SEQUENCE sequences_flush")
		return err
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

// mongoBench has the driver tell of each command before it goes out, and the server refuse
// those that fail.
func mongoBench(t *testing.T, p place, server *mongodb.Server, open func(*mongo.Collection) *mongosequence.Store) bench {
	coll := p.collection(t)
	b := bench{steps: new(steps), others: open(coll), coll: coll}
	refused := &sync.Map{} // the commands, by their numbers
	monitor := &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		if err := b.step(false); err != nil {
			refused.Store(e.RequestID, err)
		}
	}}
	server.Inject(func(c mongodb.Command) mongodb.Fault {
		if err, ok := refused.Load(int64(c.ID)); ok {
			return mongodb.Fault{Refuse: err.(error).Error()}
		}
		return mongodb.Fault{}
	})
	client, err := mongo.Connect(options.Client().ApplyURI(p.uri).SetMonitor(monitor))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Disconnect(context.Background()) })
	b.open = func() (store, func()) {
		return open(client.Database(p.name).Collection("sequences")), func() {}
	}
	return b
}
