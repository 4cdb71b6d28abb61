// Package gormplugin_test tests gormplugin on real databases. They are SQLite in
// pure Go, PostgreSQL, MariaDB and MySQL.
package gormplugin_test
