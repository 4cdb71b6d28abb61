package sqlsequence

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/sequence/internal/transient"
)

// again is after how long a flush that didn't work is tried again.
const again = time.Minute

// canFlush reports whether the driver can flush, and what to mend if it can't. It tries
// before the first draw that needs it. A failure in that draw would waste numbers.
func (t *table) canFlush(ctx context.Context, conn *sql.Conn) (works bool, warning string) {
	if f := t.flush.Load(); !f.works && time.Since(f.tried) > again {
		t.wait(ctx, conn)
	}
	f := t.flush.Load()
	return f.works, f.warning
}

// wait returns when everything that was committed before is on disk.
func (t *table) wait(ctx context.Context, conn *sql.Conn) error {
	f := flush{tried: time.Now()}
	err := conn.QueryRowContext(ctx, t.sql["flush"], t.flushName).Scan(&f.works, new(any))
	if err != nil && transient.Transient(err) {
		return err
	}
	if err != nil { // the sequence is missing, or this role may not set it
		f.warning = fmt.Sprintf("programs that draw from this key can't share the flushes of the disk: as the owner of the table, call Migrate, and GRANT UPDATE ON SEQUENCE %s to this role: %v", t.flushName, err)
		err = timeout("nobody knows whether the numbers are on disk: " + err.Error())
	}
	t.flush.Store(&f)
	return err
}
