// Package gorm holds the tests of gormplugin on real databases: SQLite in pure
// Go, PostgreSQL and MariaDB.
package gorm
