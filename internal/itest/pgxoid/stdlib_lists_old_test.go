//go:build !go1.27

package pgxoid_test

// scansLists says that pgx's stdlib reads an array into a slice: not before Go 1.27.
const scansLists = false
