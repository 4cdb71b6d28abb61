package pgsequence

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// An error of a commit says that nothing was stored only if the server refused the statement
// and went on, or if pgx sent no COMMIT that could store anything.
func TestErrorsThatSayThatNothingWasStored(t *testing.T) {
	for _, tt := range []struct {
		err  error
		said bool
	}{
		{&pgconn.PgError{Code: "23514", SeverityUnlocalized: "ERROR"}, true},
		{&pgconn.PgError{Code: "40003", SeverityUnlocalized: "ERROR"}, false},
		{&pgconn.PgError{Code: "57P01", SeverityUnlocalized: "FATAL"}, false},
		{&pgconn.PgError{Code: "53100", SeverityUnlocalized: "PANIC"}, false}, // the log's disk is full
		{io.ErrUnexpectedEOF, false},
		{errors.New("tls: bad record MAC"), false},
		{pgx.ErrTxCommitRollback, true},
		{pgx.ErrTxClosed, true},
	} {
		if got := said(fmt.Errorf("wrapped: %w", tt.err)); got != tt.said {
			t.Errorf("said(%v) = %v", tt.err, got)
		}
	}
}
