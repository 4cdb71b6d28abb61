package oid

import "hash/crc32"

// Bucket returns a number from 0 to n-1 that depends only on id and n: the CRC-32 (IEEE) of
// the 12 bytes of id, modulo n. An n below 1 counts as 1. The result is the same in all
// versions of this package. The SQL function objectid_bucket(id, n) of package sqltype
// returns the same number. On MariaDB and MySQL, so does CRC32(id) % n for a binary column
// and a positive n.
//
// Use Bucket if a cluster sends all inserts to one of its servers. New IDs are among the
// greatest of their table. A cluster that divides a table by ranges of the primary key
// therefore sends all inserts to the server with the last range. With the primary key
// (bucket, id), inserts go to n ranges. A query by creation time must then read n ranges,
// one for each bucket.
//
// Don't use the last bits of an ID as the bucket. Suppose that a program makes 8 IDs for
// each row, and only one of them is the primary key. The counters of two consecutive keys
// then differ by 8, and the last four bits of the keys have only two of the 16 possible
// values.
func Bucket[T ~[12]byte](id T, n int) int {
	return int(uint64(crc32.ChecksumIEEE(id[:])) % uint64(max(n, 1)))
}
