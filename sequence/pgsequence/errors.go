package pgsequence

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// SQLSTATEs.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	readOnly             = "25006" // from a primary that a failover has demoted
	undefinedTable       = "42P01"
)

// transientCodes are SQLSTATEs after which a call may succeed if it is made again. Class
// 08, lost connections, belongs to them too.
var transientCodes = []string{
	readOnly,
	serializationFailure,
	deadlockDetected,
	"40003", // statement_completion_unknown
	"53300", // too_many_connections
	"55P03", // lock_not_available, by lock_timeout
	"57014", // query_canceled, by statement_timeout or pg_cancel_backend
	"57P01", // admin_shutdown
	"57P02", // crash_shutdown
	"57P03", // cannot_connect_now
	"57P05", // idle_session_timeout
}

var (
	errNoAnswer  = errors.New("no answer of the server")
	errFlushLost = errors.New("the way to wait for the disk is gone")
)

// transient reports whether a call may succeed if it is made again: the connection was
// lost or can't be made, the server shuts down or starts, or a lock or another transaction
// was in the way. A deadline in err isn't the caller's.
func transient(err error) bool {
	if errors.Is(err, errFlushLost) || errors.Is(err, errNoAnswer) {
		return true
	}
	if state := code(err); state != "" {
		return strings.HasPrefix(state, "08") || slices.Contains(transientCodes, state)
	}
	var connect *pgconn.ConnectError
	var network net.Error // also context.DeadlineExceeded and net.ErrClosed
	return pgconn.SafeToRetry(err) || errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// refused reports whether the server refused a statement, and will refuse it again.
func refused(err error) bool { return code(err) != "" && !transient(err) }

// raced reports whether another program's Migrate was in the way.
func raced(err error) bool {
	switch code(err) {
	case "23505", "42P07", "42710", deadlockDetected, serializationFailure: // unique_violation in a catalog, duplicate_table, duplicate_object
		return true
	}
	return false
}

// missing explains the error for a table that doesn't exist.
func (t *table) missing(err error) error {
	if code(err) == undefinedTable && !errors.Is(err, errFlushLost) {
		return fmt.Errorf("table %s doesn't exist: call Migrate once: %w", t.name, err)
	}
	return err
}

// code returns the SQLSTATE of an error that the server sent, "" for others.
func code(err error) string {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code
	}
	return ""
}
