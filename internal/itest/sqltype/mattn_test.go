//go:build nightly

package sqltype_test

import _ "github.com/mattn/go-sqlite3"

// The driver is written in C, which takes a minute to compile.
func init() { sqliteDrivers["mattn"] = "sqlite3" }
