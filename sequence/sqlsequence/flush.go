package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// A flush knows the keys for which it is worth a statement to wait for the disk apart from
// the draw, and whether that works. It is PostgreSQL's.
type flush struct {
	sequence string // quoted

	mu      sync.Mutex
	traffic map[string]traffic
	works   bool
	tried   time.Time // the zero Time if nobody has tried
	err     error     // why it doesn't work
}

// traffic says whether others draw from a key.
type traffic struct {
	draws  int64 // the row's count of draws after our last one
	shared int   // how many more draws expect others
}

const (
	expected   = 16          // how many draws expect others after others drew
	mostKeys   = 10000       // how many keys a store remembers
	flushAgain = time.Minute // how soon a store tries again what didn't work
)

// isShared reports whether others draw from the key too.
func (f *flush) isShared(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.traffic[key].shared > 0
}

// drew keeps the row's count of draws after one of ours. If it grew by more than one,
// others draw too.
func (f *flush) drew(key string, draws int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.traffic[key]
	if k.draws != 0 && draws != k.draws+1 {
		k.shared = expected
	} else {
		k.shared = max(k.shared-1, 0)
	}
	k.draws = draws
	if f.traffic == nil || len(f.traffic) >= mostKeys {
		f.traffic = map[string]traffic{} // later draws find out again
	}
	f.traffic[key] = k
}

// mayDrawEarly reports whether the store can flush. It tries before the first early draw:
// a failure there would waste numbers.
func (t *table) mayDrawEarly(ctx context.Context, conn *sql.Conn) bool {
	f := t.flush
	f.mu.Lock()
	works, tried := f.works, f.tried
	f.mu.Unlock()
	if works || time.Since(tried) < flushAgain {
		return works
	}
	return t.wait(ctx, conn) == nil
}

// wait returns when everything that was committed before is on disk.
func (t *table) wait(ctx context.Context, conn *sql.Conn) error {
	var known bool
	var setting sql.NullString
	err := conn.QueryRowContext(ctx, t.sql["flush"], t.flush.sequence).Scan(&known, &setting)
	if err == nil && !known {
		err = errNotPostgres
	}
	if err != nil && transient.Transient(err) {
		return err
	}
	f := t.flush
	f.mu.Lock()
	defer f.mu.Unlock()
	f.works, f.err, f.tried = err == nil, err, time.Now()
	if err != nil {
		// The sequence isn't there, or there is no right to set it. Draws do without.
		return &timeout{"nobody knows whether the numbers are on disk: " + err.Error()}
	}
	return nil
}

// errNotPostgres is for servers that only speak as PostgreSQL does.
var errNotPostgres = errors.New("the server isn't PostgreSQL itself")

// warning says what makes draws of several programs slow.
func (f *flush) warning() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || f.err == errNotPostgres {
		return ""
	}
	return fmt.Sprintf("programs that draw from this key can't share the flushes of the disk: as the owner of the table, call Migrate, and GRANT UPDATE ON SEQUENCE %s to this role: %v", f.sequence, f.err)
}
