package oid

import "hash/crc32"

// Bucket returns a number from 0 to n-1 that depends only on id: the CRC-32 (IEEE) of
// its 12 bytes, modulo n. If n is less than 1, it counts as 1. The result is the same
// in all versions of this package. In SQL it is objectid_bucket(id, n) with the
// functions of package sqltype, and CRC32(id) % n on MariaDB and MySQL.
//
// It is for keys without a hot last range. New IDs are the greatest of their table, so
// a database that divides a table by ranges of the key sends all inserts to one place.
// With the key (bucket, id) they go to n places. A range by time is then n ranges, one
// for each bucket.
//
// Don't take the last bits of an ID instead. A program that makes a fixed number of IDs
// for each row steps through the counter in strides, so the IDs of one table use few of
// the values: with strides of 8, two of 16.
func Bucket[T ~[12]byte](id T, n int) int {
	return int(uint64(crc32.ChecksumIEEE(id[:])) % uint64(max(n, 1)))
}
