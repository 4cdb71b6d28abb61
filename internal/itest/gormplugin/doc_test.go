// Package gormplugin_test holds the tests of gormplugin on real databases: SQLite in pure
// Go, PostgreSQL and MariaDB.
package gormplugin_test
