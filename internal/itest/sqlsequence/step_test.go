package sqlsequence_test

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// steps fails a step of a connection: a statement, or its answer.
type steps struct {
	sqldriver.Connector
	left   int // the step that fails, counted from here; 0 for none
	answer bool
	panics bool
	err    error // with which it fails
}

// errStep is a transient failure.
var errStep = &net.OpError{Op: "step", Err: errors.New("this step fails")}

// fails counts a step.
func (s *steps) fails() bool {
	s.left--
	if s.left == 0 && s.panics {
		panic("of the driver")
	}
	return s.left == 0
}

func (s *steps) Connect(ctx context.Context) (sqldriver.Conn, error) {
	conn, err := s.Connector.Connect(ctx)
	return stepConn{conn, s}, err
}

type stepConn struct {
	sqldriver.Conn
	*steps
}

func (c stepConn) QueryContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	failing := c.fails()
	if failing && !c.answer {
		return nil, c.err
	}
	rows, err := c.Conn.(sqldriver.QueryerContext).QueryContext(ctx, query, args)
	if err == nil && failing {
		for to := make([]sqldriver.Value, len(rows.Columns())); rows.Next(to) == nil; {
		}
		return nil, errors.Join(c.err, rows.Close())
	}
	return rows, err
}

func (c stepConn) ExecContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	failing := c.fails()
	if failing && !c.answer {
		return nil, c.err
	}
	result, err := c.Conn.(sqldriver.ExecerContext).ExecContext(ctx, query, args)
	if err == nil && failing {
		err = c.err
	}
	return result, err
}

func (c stepConn) BeginTx(ctx context.Context, opts sqldriver.TxOptions) (sqldriver.Tx, error) {
	tx, err := c.Conn.(sqldriver.ConnBeginTx).BeginTx(ctx, opts)
	return stepTx{tx, c.steps}, err
}

type stepTx struct {
	sqldriver.Tx
	*steps
}

func (tx stepTx) Commit() error {
	err := tx.Tx.Commit()
	if tx.panics {
		panic("of the driver")
	}
	return err
}

func (c stepConn) CheckNamedValue(v *sqldriver.NamedValue) error {
	if checker, ok := c.Conn.(sqldriver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return sqldriver.ErrSkip
}

// TestFailureAtEachStepOfADraw fails each statement of a draw, or its answer. A number
// whose draw failed may be missing. None comes twice, and no connection stays in use.
func TestFailureAtEachStepOfADraw(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, s server) {
		fault := &steps{err: errStep}
		db, d := throughSteps(t, s, fault)
		db.SetMaxOpenConns(1)
		if _, ok, err := d.Draw(t.Context(), driver.Draw{Key: "k", Version: 1, N: 1, Most: 99, Others: true}); err != nil || !ok {
			t.Fatal(ok, err) // PostgreSQL's has tried whether it can flush
		}
		last, failures := int64(1), 0
		for _, draw := range []driver.Draw{{}, {Others: true}} {
			draw.Key, draw.Version, draw.N, draw.Most = "k", 1, 1, 99
			for _, answer := range []bool{false, true} {
				for step := 1; ; step++ {
					fault.left, fault.answer = step, answer
					made, ok, err := d.Draw(t.Context(), draw)
					failed := fault.left <= 0
					fault.left = 0
					if failed {
						failures++
						if ok || !errors.Is(err, errStep) {
							t.Errorf("step %d of %+v: %v, %v", step, draw, ok, err)
						}
						if made, ok, err = d.Draw(t.Context(), draw); err != nil {
							t.Errorf("after step %d of %+v: %v, %v", step, draw, ok, err)
						}
					}
					if made.After <= last || made.After > last+2 {
						t.Errorf("step %d of %+v: number %d after %d", step, draw, made.After, last)
					}
					last = made.After
					if n := db.Stats().InUse; n != 0 {
						t.Errorf("step %d of %+v: %d connections are in use", step, draw, n)
					}
					if !failed {
						break
					}
				}
			}
		}
		t.Logf("%d failures", failures)
		if want := map[sqlsequence.Dialect]int{sqlsequence.PostgreSQL: 6}[s.dialect]; failures < max(want, 4) {
			t.Errorf("%d failures show nothing", failures)
		}
	})
}

// TestLostConnectionIsTransientAtEachStep has the driver say at each statement that the
// connection is lost. The pool closes the connection, so whatever the call still sends
// fails too. Each store is new, and so tries out the server first.
func TestLostConnectionIsTransientAtEachStep(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, s server) {
		fault := &steps{err: sqldriver.ErrBadConn}
		db, _ := throughSteps(t, s, fault)
		failures := 0
		for name, call := range map[string]func(d driver.Driver) error{
			"Draw": func(d driver.Driver) error {
				_, _, err := d.Draw(t.Context(), driver.Draw{Key: "k", Version: 1, N: 1, Most: 999, Others: true})
				return err
			},
			"Put": func(d driver.Driver) error {
				_, err := d.Put(t.Context(), driver.Row{Key: "other", Meaning: "m", Version: 1}, 0)
				return err
			},
			"Read": func(d driver.Driver) error { _, _, err := d.Read(t.Context(), "k"); return err },
		} {
			for step := 1; ; step++ {
				fault.left = step
				d := sqlsequence.New(db, "sequences", s.dialect).Driver()
				err := call(d)
				failed := fault.left <= 0
				fault.left = 0
				if err != nil && !d.Transient(err) {
					t.Errorf("step %d of %s: %v isn't transient", step, name, err)
				}
				if !failed {
					break
				}
				failures++
			}
		}
		t.Logf("%d failures", failures)
		if failures < 6 {
			t.Errorf("%d failures show nothing", failures)
		}
	})
}

// TestDriverThatPanicsFailsThatCallOnly has the driver panic in queries and in other
// statements.
func TestDriverThatPanicsFailsThatCallOnly(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, s server) {
		fault := &steps{panics: true}
		_, d := throughSteps(t, s, fault)
		for name, call := range map[string]func() error{
			"Put": func() error {
				_, err := d.Put(t.Context(), driver.Row{Key: "k", Meaning: "m", Version: 1}, 0)
				return err
			},
			"Read": func() error { _, _, err := d.Read(t.Context(), "k"); return err },
			"Draw": func() error {
				_, _, err := d.Draw(t.Context(), driver.Draw{Key: "k", Version: 1, N: 1, Most: 99})
				return err
			},
		} {
			fault.left = 1
			if err := call(); err == nil || !strings.Contains(err.Error(), "the driver panicked: of the driver") {
				t.Errorf("%s: %v", name, err)
			}
			if err := call(); err != nil {
				t.Errorf("%s afterwards: %v", name, err)
			}
		}
	})
}

// TestDriverThatPanicsInACommitLeavesItUnknown has the driver panic after the server's answer.
func TestDriverThatPanicsInACommitLeavesItUnknown(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, s server) {
		if s.dialect == sqlsequence.SQLite {
			return // InTx commits on the goroutine of the caller, who gets the panic
		}
		fault := &steps{}
		db, _ := throughSteps(t, s, fault)
		fault.panics = true
		err := sqlsequence.New(db, "sequences", s.dialect).InTx(t.Context(), func(*sql.Tx) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "the transaction may have been committed: check before you run it again: commit: the driver panicked: of the driver") {
			t.Errorf("InTx() = %v", err)
		}
	})
}

// throughSteps returns the driver of a store, whose table has the key k, and the pool that
// it draws through, whose connections fail as fault says.
func throughSteps(t *testing.T, s server, fault *steps) (*sql.DB, driver.Driver) {
	t.Helper()
	fault.Connector = connector{s.open(t).Driver(), s.dsn}
	db := sql.OpenDB(fault)
	t.Cleanup(func() { db.Close() })
	store := sqlsequence.New(db, "sequences", s.dialect)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ok, err := store.Driver().Put(t.Context(), driver.Row{Key: "k", Meaning: "m", Version: 1}, 0); err != nil || !ok {
		t.Fatal(ok, err)
	}
	return db, store.Driver()
}

// A connector connects to a database.
type connector struct {
	driver sqldriver.Driver
	dsn    string
}

func (c connector) Driver() sqldriver.Driver { return c.driver }

func (c connector) Connect(context.Context) (sqldriver.Conn, error) { return c.driver.Open(c.dsn) }
