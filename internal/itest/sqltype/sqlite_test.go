package sqltype_test

import (
	"testing"

	"github.com/oidkit/oidkit/internal/itest/sqltype/sqlitetest"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// SQLite stores what it is given, whatever the column's type: an ID as a blob, a Hex
// as text. Both read back; they are never equal.
func TestSQLiteBlobAndTextAreNeverEqual(t *testing.T) {
	t.Parallel()
	for name, driver := range sqliteDrivers {
		t.Run(name, func(t *testing.T) {
			db := sqliteWith(driver)(t)
			mustExec(t, db, "create table users (id blob, ref text)")
			mustExec(t, db, "insert into users values (?, ?)", sqltype.Hex(sample), sample)
			var id, ref oid.ID
			if err := db.QueryRow("select id, ref from users").Scan(&id, &ref); err != nil || id != sample || ref != sample {
				t.Errorf("%s: %v, %v, %v", driver, id, ref, err)
			}
			if n := queryOne[int](t, db, "select count(*) from users where id = ? or ref = ?", sample, sqltype.Hex(sample)); n != 0 {
				t.Errorf("%s: found: say so in the documentation", driver)
			}
			if n := queryOne[int](t, db, "select count(*) from users where id = ? and ref = ?", sqltype.Hex(sample), sample); n != 1 {
				t.Errorf("%s: not found", driver)
			}
		})
	}
}

func TestSQLiteTablesOfEachKind(t *testing.T) {
	t.Parallel()
	for name, driver := range sqliteDrivers {
		t.Run(name, func(t *testing.T) { sqlitetest.Check(t, sqliteWith(driver)(t)) })
	}
}
