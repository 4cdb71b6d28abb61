package transient_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// A stateError is an error of PostgreSQL as its drivers have it.
type stateError string

func (e stateError) Error() string    { return "the server's text" }
func (e stateError) SQLState() string { return string(e) }

// A labeledError is an error of MongoDB as its driver has it.
type labeledError []string

func (e labeledError) Error() string                   { return "the server's text" }
func (e labeledError) HasErrorLabel(label string) bool { return slices.Contains(e, label) }

// A safeError is an error of pgx.
type safeError string

func (e safeError) Error() string     { return string(e) }
func (e safeError) SafeToRetry() bool { return true }

func TestTransientAndRolledBackErrors(t *testing.T) {
	const neither, passing, rolledBack = 0, 1, 2
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, neither},
		{errors.New("something else"), neither},
		{context.Canceled, neither},
		{fmt.Errorf("%w: %w", context.Canceled, io.EOF), neither},
		{context.DeadlineExceeded, passing},
		{sql.ErrNoRows, neither},
		{sql.ErrTxDone, neither},
		{sql.ErrConnDone, neither},

		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, passing},
		{&net.DNSError{Err: "no such host", IsNotFound: true}, passing},
		{os.ErrDeadlineExceeded, passing},
		{driver.ErrBadConn, passing},
		{io.EOF, passing},
		{io.ErrUnexpectedEOF, passing},
		{net.ErrClosed, passing},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, neither}, // an Errno is a net.Error
		{&url.Error{Op: "Get", URL: "x", Err: errors.New("unsupported protocol scheme")}, neither},

		{stateError("40001"), rolledBack},
		{stateError("40P01"), rolledBack},
		{stateError("40003"), passing},
		{stateError("57P03"), passing},
		{stateError("08006"), passing},
		{stateError("08P01"), passing},
		{stateError("25006"), passing},
		{stateError("25P02"), neither},
		{stateError("42501"), neither},
		{stateError("23505"), neither},
		{safeError("conn closed"), passing},
		{safeError("conn busy"), neither},

		{errors.New("invalid connection"), passing},
		{errors.New("Error 1205 (HY000): Lock wait timeout exceeded"), passing},
		{errors.New("Error 1213 (40001): Deadlock found"), rolledBack},
		{errors.New("Error 1213: Deadlock found"), rolledBack},
		{errors.New("Error 1040 (08004): Too many connections"), passing},
		{errors.New("Error 1159 (08S01): Got timeout reading communication packets"), passing},
		{errors.New("Error 1153 (08S01): Got a packet bigger than 'max_allowed_packet' bytes"), neither},
		{errors.New("Error 1251 (08004): Client does not support authentication protocol"), neither},
		{errors.New("Error 1054 (42S22): Unknown column '(08S01)'"), neither},
		{errors.New("Error 1020 (HY000): Record has changed since last read in table 'x'"), rolledBack},
		{errors.New("Error 1047 (08S01): WSREP has not yet prepared node for application use"), passing},
		{errors.New("Error 1180 (HY000): Got error 149 - 'Lock deadlock; Retry transaction' during COMMIT"), rolledBack},
		{errors.New("Error 1180: Got error 149 - 'Lock deadlock; Retry transaction' during COMMIT"), rolledBack},
		{errors.New("Error 1180 (HY000): Fehler 149 - 'Lock deadlock; Retry transaction' beim COMMIT"), rolledBack},
		{errors.New("Error 1180 (HY000): Got error 5 - 'Input/output error' during COMMIT"), passing},
		{errors.New("Error 1180 (HY000): Got error 1 - 'the text has 149 - later' during COMMIT"), passing},
		{errors.New("Error 1180 (HY000): Got error 1490 - 'another one' during COMMIT"), passing},
		{errors.New("Error 1105 (HY000): Got error 149 - 'Lock deadlock; Retry transaction'"), neither},
		{errors.New("Error 3100 (HY000): Error on observer"), passing},
		{errors.New("Error 3101 (40000): Plugin instructed the server to rollback"), rolledBack},
		{errors.New("Error 8002 (HY000): [1] can not retry select for update"), rolledBack},
		{errors.New("Error 8022 (HY000): KV error"), rolledBack},
		{errors.New("Error 8028 (HY000): Information schema is changed"), rolledBack},
		{errors.New("Error 9007 (HY000): Write conflict"), rolledBack},
		{errors.New("Error 9005 (HY000): Region is unavailable"), passing},
		{errors.New("Error 12050: not that one"), neither},
		{errors.New("Error 1045 (28000): Access denied"), neither},
		{errors.New("Error 1062 (23000): Duplicate entry 'Error 1213'"), neither},
		{errors.New("the text Error 1205 stands later"), neither},

		{errors.New("database is locked (5) (SQLITE_BUSY)"), passing}, // modernc, glebarez
		{errors.New("database is locked (517)"), passing},             // BUSY_SNAPSHOT
		{errors.New("database is locked"), passing},                   // mattn
		{errors.New("database table is locked: sequences"), passing},
		{errors.New("sqlite3: database is locked"), passing},
		{errors.New("no such table: sequences"), neither},

		{labeledError{"RetryableWriteError"}, passing},
		{labeledError{"NetworkError"}, passing},
		{labeledError{"TransientTransactionError"}, rolledBack},
		{labeledError{"UnknownTransactionCommitResult"}, neither},
		{labeledError{}, neither},
		{errors.New("server selection error: server selection timeout"), passing},
	} {
		errs := []error{tt.err}
		if tt.err != nil {
			errs = append(errs, fmt.Errorf("one: %w", fmt.Errorf("two: %w", tt.err)),
				errors.Join(errors.New("three"), fmt.Errorf("%w: %w", errors.New("four"), tt.err)))
		}
		for _, err := range errs {
			if got := transient.Transient(err); got != (tt.want >= passing) {
				t.Errorf("Transient(%v) = %v", err, got)
			}
			if got := transient.RolledBack(err); got != (tt.want == rolledBack) {
				t.Errorf("RolledBack(%v) = %v", err, got)
			}
		}
	}
}

// TestPauseIsShortAfterAConflict retries often. What lost a conflict comes back within
// 100 ms. What lost its server waits longer.
func TestPauseIsShortAfterAConflict(t *testing.T) {
	for _, tt := range []struct {
		failure     error
		least, most time.Duration // of the pause after many retries
	}{
		{errors.New("invalid connection"), 500 * time.Millisecond, time.Second},
		{fmt.Errorf("commit: %w", errors.New("Error 3101 (40000): Plugin instructed the server to rollback")), 50 * time.Millisecond, 100 * time.Millisecond},
		{nil, 500 * time.Millisecond, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			for range 100 {
				begin := time.Now()
				if !transient.Pause(t.Context(), 20, tt.failure) {
					t.Error("the context has ended")
				}
				if took := time.Since(begin); took < tt.least || took > tt.most {
					t.Errorf("Pause(20, %v) took %v, want %v to %v", tt.failure, took, tt.least, tt.most)
				}
			}
		})
	}
}
