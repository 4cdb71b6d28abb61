//go:build nightly

package sqlsequence_test

import (
	"path/filepath"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// The driver is written in C, which takes a minute to compile.
func init() {
	drivers["mattn"] = onMattn
	sqliteDrivers = append(sqliteDrivers, onMattn)
}

func onMattn(t testing.TB) server {
	return server{"mattn", "sqlite3", "file:" + filepath.Join(t.TempDir(), "s.db") +
		"?_busy_timeout=5000&_journal_mode=WAL", sqlsequence.SQLite}
}
