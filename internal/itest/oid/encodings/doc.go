//go:build nightly

// Package encodings holds the tests of what encoders, web frameworks and
// validators make of an oid.ID. One of them writes tables of docs/libraries.md from what it
// observes, and fails when the page says something else:
//
//	go test -tags nightly ./internal/itest/oid/encodings -run TestTable -update
package encodings
