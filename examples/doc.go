// Package examples holds one program a task, each in a folder of its own, that
// runs with nothing installed: go run ./examples/quickstart. Only pgx needs a
// PostgreSQL.
package examples
