package sqlsequence

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/oidkit/oidkit/sequence"
)

// A stateError is an error of PostgreSQL as its drivers have it.
type stateError string

func (e stateError) Error() string    { return "the server's text" }
func (e stateError) SQLState() string { return string(e) }

func TestTransientFailures(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{stateError("40001"), true},
		{stateError("57P03"), true},
		{stateError("08006"), true},
		{stateError("08P01"), true},
		{stateError("42501"), false},
		{stateError("23505"), false},
		{&net.OpError{Op: "dial", Err: errors.New("connection refused")}, true},
		{driver.ErrBadConn, true},
		{context.DeadlineExceeded, true},
		{context.Canceled, false},
		{io.EOF, true},
		{io.ErrUnexpectedEOF, true},
		{net.ErrClosed, true},
		{errors.New("invalid connection"), true},
		{errors.New("Error 1205 (HY000): Lock wait timeout exceeded"), true},
		{errors.New("Error 1213: Deadlock found"), true},
		{errors.New("Error 12050: not that one"), false},
		{errors.New("Error 1045 (28000): Access denied"), false},
		{errors.New("the text Error 1205 stands later"), false},
		{errors.New("database is locked (5) (SQLITE_BUSY)"), true},
		{errors.New("database table is locked"), true},
		{errors.New("no such table: sequences"), false},
	} {
		wrapped := fmt.Errorf("one: %w", fmt.Errorf("two: %w", tt.err))
		for _, err := range []error{tt.err, wrapped} {
			if got := errors.Is(failed(t.Context(), "Take()", err), sequence.ErrTransient); got != tt.want {
				t.Errorf("%v: transient %v, want %v", err, got, tt.want)
			}
			if errors.Is(failed(ended, "Take()", err), sequence.ErrTransient) {
				t.Errorf("%v, after the caller's context: transient", err)
			}
		}
	}
}

func TestDialectNames(t *testing.T) {
	for d, want := range map[Dialect]string{MySQL: "MySQL", SQLite: "SQLite", PostgreSQL: "PostgreSQL", 0: "Dialect(0)", 4: "Dialect(4)", -1: "Dialect(-1)"} {
		if got := d.String(); got != want {
			t.Errorf("Dialect(%d).String() = %q, want %q", int(d), got, want)
		}
	}
}
