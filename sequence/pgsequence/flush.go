package pgsequence

import (
	"context"
	"regexp"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// A flush is how a connection waits until everything committed before is on disk.
type flush struct {
	sql     string // "" if there is no way
	warning string // if that can be mended
}

// A transaction that writes nothing doesn't wait for the disk. setval writes to the log.
// So does a message for logical decoding, which nobody decodes below wal_level logical.
const (
	flushBySequence = `SELECT setval('{flusher}', 1),
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END`
	flushByMessage = `SELECT pg_logical_emit_message(true, 'oidkit', ''),
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END`
)

// A finder finds the flush of a server, and remembers it.
type finder struct {
	mu    sync.Mutex
	found flush
	at    time.Time // when it was looked for; the zero Time before that
}

// again is after how long a flush is looked for again if there was none.
const again = time.Minute

// find returns the flush. It is looked for before the first draw that needs it. A failure
// in that draw would waste numbers.
func (f *finder) find(ctx context.Context, t *table, conn *pgx.Conn) (flush, error) {
	f.mu.Lock()
	found, at := f.found, f.at
	f.mu.Unlock()
	if found.sql != "" || !at.IsZero() && time.Since(at) < again {
		return found, nil
	}
	found, err := t.findFlush(ctx, conn)
	if err != nil {
		return flush{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found, f.at = found, time.Now()
	return found, nil
}

// forget has the next draw look again.
func (f *finder) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found, f.at = flush{}, time.Time{}
}

func (t *table) findFlush(ctx context.Context, conn *pgx.Conn) (flush, error) {
	server, err := serverOf(ctx, conn)
	if err != nil || !server.isPostgreSQL() {
		return flush{}, err
	}
	var exists, allowed, message bool
	err = conn.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL, coalesce(has_sequence_privilege(to_regclass($1)::oid, 'UPDATE'), false),
	current_setting('wal_level') <> 'logical' AND has_function_privilege('pg_logical_emit_message(boolean, text, text)', 'EXECUTE')`,
		t.flusher).Scan(&exists, &allowed, &message)
	switch {
	case refused(err): // it isn't a sequence
		return flush{warning: slowly + err.Error()}, nil
	case err != nil:
		return flush{}, err
	case allowed:
		return flush{sql: t.flush}, nil
	case message:
		return flush{sql: flushByMessage}, nil
	case exists:
		return flush{warning: slowly + "this role may not use sequence " + t.flusher + ": GRANT UPDATE ON SEQUENCE " + t.flusher + " to it"}, nil
	}
	return flush{warning: slowly + "sequence " + t.flusher + " is missing: call Migrate as the owner of the table"}, nil
}

const slowly = "programs that draw from one key wait for each other's flushes of the disk: "

// A server is what a server says that it is.
type server struct {
	version string
	citus   bool
}

func serverOf(ctx context.Context, conn *pgx.Conn) (s server, err error) {
	err = conn.QueryRow(ctx, "SELECT version(), to_regproc('citus_is_coordinator') IS NOT NULL").Scan(&s.version, &s.citus)
	return s, err
}

// realPostgreSQL matches versions such as "PostgreSQL 17.2 (Debian …) on x86_64-pc-linux-gnu,
// compiled by …", and relatives those of servers with other logs, or with more than one.
var (
	realPostgreSQL = regexp.MustCompile(`^PostgreSQL \d[^,]* on `)
	relatives      = regexp.MustCompile(`-YB-|Greenplum|XL|Gauss|Dolt`)
)

// isPostgreSQL reports whether the server is PostgreSQL itself, with one log for all its
// tables. Only there, a flush in one transaction is a flush of all.
func (s server) isPostgreSQL() bool {
	return realPostgreSQL.MatchString(s.version) && !relatives.MatchString(s.version) && !s.citus
}
