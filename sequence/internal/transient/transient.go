// Package transient knows the errors of database drivers after which a call may succeed
// if it is made again. It imports no driver. It knows them by their methods, and by their
// texts where they have none.
package transient

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Transient reports whether a call that failed with err may succeed if it is made again:
// the connection was lost or can't be made, the server shuts down or starts, or a lock or
// another transaction was in the way. The call may have been done all the same.
//
// A deadline counts too, because the time limits of drivers look like it. So look at your
// own context first.
func Transient(err error) bool {
	return anyOf(err, isTransient) && !anyOf(err, func(err error) bool { return err == context.Canceled })
}

// RolledBack reports whether err is the server's word that it took the whole transaction
// back, and that it may succeed if it is run again. A lost connection says no such thing.
func RolledBack(err error) bool { return anyOf(err, isRolledBack) }

// anyOf reports whether is holds for err or for an error that it wraps.
func anyOf(err error, is func(error) bool) bool {
	switch e := err.(type) {
	case nil:
		return false
	case interface{ Unwrap() error }:
		return is(err) || anyOf(e.Unwrap(), is)
	case interface{ Unwrap() []error }:
		return is(err) || slices.ContainsFunc(e.Unwrap(), func(err error) bool { return anyOf(err, is) })
	}
	return is(err)
}

// Pause waits before the retry of what failed with failure, after so many retries, and
// reports whether ctx goes on. It doesn't wait before the first, and then waits from 10 ms
// up to a second. A random part makes the pause shorter, so that programs that failed
// together don't come back together.
//
// After a conflict with another transaction, it waits for at most 100 ms. Clusters that find
// conflicts at COMMIT favor the node that won the last one. Those who lose win only if they
// try often.
func Pause(ctx context.Context, retries int, failure error) bool {
	longest := time.Second
	if RolledBack(failure) {
		longest = 100 * time.Millisecond
	}
	if retries > 0 {
		most := min(10*time.Millisecond<<min(retries-1, 10), longest)
		select {
		case <-time.After(most/2 + rand.N(most/2)):
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// A labeled error is one of MongoDB's driver.
type labeled interface{ HasErrorLabel(string) bool }

func isTransient(err error) bool {
	if e, ok := err.(interface{ SafeToRetry() bool }); ok && e.SafeToRetry() { // pgx
		return err.Error() != "conn busy" // the program uses the connection twice at once
	}
	e, ok := err.(labeled)
	code, state := codes(err)
	return ok && slices.ContainsFunc(labels, e.HasErrorLabel) || slices.Contains(transientCodes, code) ||
		strings.HasPrefix(state, "08") && !slices.Contains(refusals, code) || isNetwork(err) || texts.MatchString(err.Error())
}

func isRolledBack(err error) bool {
	e, ok := err.(labeled)
	code, _ := codes(err)
	return ok && e.HasErrorLabel("TransientTransactionError") || slices.Contains(rolledBackCodes, code) ||
		conflict.MatchString(err.Error())
}

// isNetwork reports whether err comes from the network, or is a timeout. It isn't true of
// all that is a net.Error, because any error of the operating system is one.
func isNetwork(err error) bool {
	switch err.(type) {
	case *net.OpError, *net.DNSError:
		return true
	}
	e, ok := err.(interface{ Timeout() bool }) // also context.DeadlineExceeded
	return ok && e.Timeout() || err == io.EOF || err == io.ErrUnexpectedEOF || err == net.ErrClosed || err == driver.ErrBadConn
}

// SQLState returns the SQLSTATE that drivers of PostgreSQL give their errors, "" for
// others.
func SQLState(err error) string {
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return e.SQLState()
	}
	return ""
}

// codes returns the code of an error, by which the lists below know it, and its SQLSTATE.
// The code is the SQLSTATE of an error of PostgreSQL, and the number of one of MySQL. Old
// versions of MySQL's driver leave the SQLSTATE out.
func codes(err error) (code, state string) {
	if e, ok := err.(interface{ SQLState() string }); ok {
		return e.SQLState(), e.SQLState()
	}
	fmt.Sscanf(err.Error(), "Error %5s (%5s)", &code, &state)
	return strings.TrimSuffix(code, ":"), state
}

// transientCodes are SQLSTATEs of PostgreSQL and of servers that speak its protocol, and
// errors of MySQL, MariaDB and TiDB. Class 08, lost connections, belongs to them too.
var transientCodes = append([]string{
	"25006",                            // read_only_sql_transaction, from a primary that a failover has demoted
	"40003",                            // statement_completion_unknown
	"53300",                            // too_many_connections
	"55P03",                            // lock_not_available, by lock_timeout
	"57014",                            // query_canceled, by statement_timeout or pg_cancel_backend
	"57P01", "57P02", "57P03", "57P05", // admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout
	"1040", "1203", // too many connections
	"1047",         // Galera isn't ready
	"1053", "1927", // the server shuts down, or somebody ended the connection
	"1180", "3100", // an error during COMMIT, or in a hook of group replication
	"1205", "3572", // lock wait timeout, NOWAIT
	"1290", "1836", // read-only, after a failover
	"1317", "1969", "3024", // interrupted, max_statement_time, max_execution_time
	"2006", "2013", "4031", // the connection was lost, or idle for too long
	"9001", "9002", "9003", "9004", "9005", // TiDB: a part of the cluster is busy or away
}, rolledBackCodes...)

// refusals are errors of MySQL in class 08 that come again: a bad handshake, a packet that
// is too large, and an old way to log in.
var refusals = []string{"1043", "1153", "1251"}

// rolledBackCodes are PostgreSQL's serialization_failure and deadlock_detected. Those of
// MySQL and TiDB are a record that has changed since the last read, a deadlock, a conflict
// in group replication, and TiDB's "try again" and write conflict.
var rolledBackCodes = []string{"40001", "40P01", "1020", "1213", "3101", "8002", "8022", "8028", "9007"}

// conflict matches an error during COMMIT whose reason is InnoDB's 149: group replication has
// taken the transaction back, because one of another node came first. The text around the
// number depends on the language of the server. With other reasons, error 1180 doesn't say
// whether the transaction is stored.
var conflict = regexp.MustCompile(`^Error 1180(?: \(HY000\))?: \D*149\b`)

// labels are those of MongoDB.
var labels = []string{"RetryableWriteError", "TransientTransactionError", "NetworkError"}

// texts match errors that have nothing else to know them by: of drivers of MySQL and of
// SQLite, and MongoDB's for a server that isn't there.
var texts = regexp.MustCompile(`^invalid connection$|\bdatabase (table |schema )?is locked\b|\bSQLITE_(BUSY|LOCKED)\b|^server selection error\b`)
