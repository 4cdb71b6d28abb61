// Package gormplugin_test tests gormplugin on real databases. They are SQLite in
// pure Go, PostgreSQL and MariaDB.
package gormplugin_test
