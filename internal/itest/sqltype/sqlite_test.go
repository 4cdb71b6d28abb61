package sqltype_test

import (
	"testing"

	"github.com/oidkit/oidkit/internal/itest/sqltype/sqlitetest"
)

func TestSQLiteTablesOfEachKind(t *testing.T) {
	t.Parallel()
	for name, driver := range sqliteDrivers {
		t.Run(name, func(t *testing.T) { sqlitetest.Check(t, sqliteWith(driver)(t)) })
	}
}
