//go:build nightly

package gormplugin_test

import (
	"gorm.io/driver/clickhouse"
	"gorm.io/driver/sqlserver"
	"gorm.io/gorm"
)

// These drivers take long to compile.
func init() {
	dialects["SQL Server"] = dialect{
		func(pool gorm.ConnPool) gorm.Dialector { return sqlserver.New(sqlserver.Config{Conn: pool}) },
		[]string{`"id" binary(12)`, `"parent_id" binary(12)`, `"plain" binary(12)`, `"indexed" binary(12)`, `"zero" binary(12)`, `PRIMARY KEY ("id")`},
	}
	dialects["ClickHouse"] = dialect{
		func(pool gorm.ConnPool) gorm.Dialector {
			return clickhouse.New(clickhouse.Config{Conn: pool, SkipInitializeWithVersion: true})
		},
		[]string{"`id` String", "`parent_id` String", "`plain` String", "`indexed` String", "`zero` String"},
	}
}
