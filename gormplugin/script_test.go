package gormplugin_test

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// A step is a statement that a script expects, and the answer to it.
type step struct {
	sql      string // the statement, with short names for a and b
	affected int64
	rows     [][]driver.Value
	column   string // the name of each column of the rows
	err      error  // instead of an answer
	readErr  error  // after the rows
}

// A script is a database that expects certain statements.
type script struct {
	t     *testing.T
	steps []step
	at    int
}

// openScript opens a database of the dialect that expects the steps. The test fails if
// other statements are sent, or not all of them.
func openScript(t *testing.T, dialect string, steps ...step) *gorm.DB {
	t.Helper()
	s := &script{t: t, steps: steps}
	pool := sql.OpenDB(s)
	t.Cleanup(func() {
		if n := pool.Stats().InUse; n > 0 {
			t.Errorf("%d connections are still in use", n)
		}
		pool.Close()
		if s.at != len(s.steps) {
			t.Errorf("%d of %d statements were sent", s.at, len(s.steps))
		}
	})
	db, err := gorm.Open(named{name: dialect}, &gorm.Config{ConnPool: pool, DisableAutomaticPing: true, SkipDefaultTransaction: true, Logger: logger.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Use(gormplugin.New(gormplugin.WithGenerator(&oid.Generator{
		Process: [5]byte{1}, Now: func() time.Time { return time.Unix(0x65b3f7a2, 0) }, Rand: zeros{},
	}))); err != nil {
		t.Fatal(err)
	}
	return db
}

func (s *script) next(query string, args []driver.NamedValue) (step, error) {
	for _, arg := range args {
		text := fmt.Sprint(arg.Value)
		if b, ok := arg.Value.([]byte); ok {
			text = fmt.Sprintf("x'%x'", b)
		}
		query = strings.Replace(query, "?", text, 1)
	}
	query = short(query)
	if s.at == len(s.steps) {
		s.t.Errorf("sent %s\nwant no more", query)
		return step{}, errors.New("no more")
	}
	next := s.steps[s.at]
	s.at++
	if query != next.sql {
		s.t.Errorf("sent %s\nwant %s", query, next.sql)
	}
	return next, next.err
}

func (s *script) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s *script) Driver() driver.Driver                        { return nil }
func (s *script) Prepare(string) (driver.Stmt, error)          { return nil, errors.New("not expected") }
func (s *script) Begin() (driver.Tx, error)                    { return nil, errors.New("not expected") }
func (s *script) Close() error                                 { return nil }

func (s *script) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	next, err := s.next(query, args)
	return driver.RowsAffected(next.affected), err
}

func (s *script) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	next, err := s.next(query, args)
	columns := 1
	if len(next.rows) > 0 {
		columns = len(next.rows[0])
	}
	return &answer{next, columns}, err
}

// An answer is the rows of a step.
type answer struct {
	step
	columns int
}

func (a *answer) Columns() []string {
	return slices.Repeat([]string{cmp.Or(a.column, "column")}, a.columns)
}

func (a *answer) Close() error { return nil }

func (a *answer) Next(dest []driver.Value) error {
	if len(a.rows) == 0 {
		if a.readErr != nil {
			return a.readErr
		}
		return io.EOF
	}
	copy(dest, a.rows[0])
	a.rows = a.rows[1:]
	return nil
}
