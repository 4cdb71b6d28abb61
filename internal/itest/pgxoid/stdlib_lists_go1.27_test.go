//go:build go1.27

package pgxoid_test

// scansLists says that pgx's stdlib reads an array into a slice. From Go 1.27 on,
// database/sql asks the driver.
const scansLists = true
