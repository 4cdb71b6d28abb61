package pgsequence

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// again is after how long a flush that didn't work is tried again.
const again = time.Minute

// canFlush reports whether the driver can flush, and what to mend if it can't. It tries
// before the first draw that needs it. A failure in that draw would waste numbers.
func (t *table) canFlush(ctx context.Context, conn *pgx.Conn) (works bool, warning string) {
	if f := t.flush.Load(); !f.works && time.Since(f.tried) > again {
		t.flushed(conn.QueryRow(ctx, t.sql["flush"], t.flushName))
	}
	f := t.flush.Load()
	return f.works, f.warning
}

// flushed returns nil if everything that was committed before is on disk. row is the
// answer to the statement flush.
func (t *table) flushed(row pgx.Row) error {
	f := flush{tried: time.Now()}
	err := row.Scan(&f.works, nil)
	if err != nil && !refused(err) {
		return err
	}
	if err != nil { // the sequence is missing, or this role may not set it
		f.warning = fmt.Sprintf("programs that draw from this key can't share the flushes of the disk: as the owner of the table, call Migrate, and GRANT UPDATE ON SEQUENCE %s to this role: %v", t.flushName, err)
		err = transient{fmt.Errorf("nobody knows whether the numbers are on disk: %w", err)}
	}
	t.flush.Store(&f)
	return err
}
