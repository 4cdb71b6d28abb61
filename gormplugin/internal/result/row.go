package result

import (
	"context"
	"database/sql"

	"github.com/oidkit/oidkit/gormplugin/internal/mend"
	"gorm.io/gorm"
)

// Row of GORM returns nil after an error, and Scan of a nil row panics. The plugin puts a row
// there whose Scan returns the error.

// GiveRow gives Row a row whose Scan returns the error of the statement.
func GiveRow(db *gorm.DB) {
	isRows, _ := db.Get("rows")
	if db.Error == nil || isRows == true || db.Statement.ConnPool == nil {
		return
	}
	switch db.Statement.Dest.(type) {
	case *sql.Row, *sql.Rows:
		return
	}
	// A context that is done sends nothing. Package database/sql returns its error.
	ctx, cancel := context.WithCancel(db.Statement.Context)
	cancel()
	db.Statement.Dest = mend.Unprepared(db.Statement.ConnPool).QueryRowContext(ended{ctx, db.Error}, "")
}

// An ended context is done, for the reason err.
type ended struct {
	context.Context
	err error
}

// Err returns the reason.
func (e ended) Err() error { return e.err }
