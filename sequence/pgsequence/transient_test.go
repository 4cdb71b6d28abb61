package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oidkit/oidkit/sequence"
)

func TestTransientFailures(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{&pgconn.PgError{Code: "40001"}, true},
		{&pgconn.PgError{Code: "57P03"}, true},
		{&pgconn.PgError{Code: "08006"}, true},
		{&pgconn.PgError{Code: "42501"}, false},
		{&pgconn.PgError{Code: "42P01"}, false},
		{&pgconn.PgError{Code: "22003"}, false},
		{&pgconn.ConnectError{Config: &pgconn.Config{}}, true},
		{&net.OpError{Op: "dial", Err: errors.New("connection refused")}, true},
		{context.DeadlineExceeded, true},
		{context.Canceled, false},
		{io.EOF, true},
		{io.ErrUnexpectedEOF, true},
		{net.ErrClosed, true},
		{pgx.ErrNoRows, false},
		{errors.New("something else"), false},
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
