// Package ncruces_test shows IDs in github.com/ncruces/go-sqlite3, which registers
// the same name as mattn's driver.
package ncruces_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver"
	"github.com/oidkit/oidkit/internal/itest/sqltype/sqlitetest"
)

func TestNcruces(t *testing.T) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sqlitetest.Check(t, db)
}
