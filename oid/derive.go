package oid

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Derive returns an ID that depends only on the strings in parts, and on t rounded down to a
// whole second. An import can therefore run twice: the second run makes the same ID for the
// same row, and ON CONFLICT DO NOTHING skips this row.
//
//	id, err := oid.Derive(row.CreatedAt, "orders", row.OldKey)
//
// The creation time of the ID is the rounded t. The last 8 bytes of the ID are the first
// 8 bytes of a SHA-256 hash of all parts. In the input of the hash, each part is preceded
// by its length in bytes as a big-endian int64. Therefore ("a", "b") and ("ab") give
// different IDs. The PostgreSQL function objectid_derive of package sqltype gives the
// same IDs.
//
// Without parts, Derive returns an error. If the rounded t is before 1970 or after
// 2106-02-07T06:28:15Z, Derive returns an error that matches [ErrTime].
//
// Two rows with different parts can get the same ID. For a million rows of the same
// second, the chance that any two of them get the same ID is 3 in 100 million. Keep a
// primary key or a unique index on the ID, so that the database refuses an ID that another
// row has. With ON CONFLICT DO NOTHING, the database skips such a row without an error, so
// count the rows after the import.
//
// Anyone who knows the time and the parts of a row can compute its ID.
func Derive(t time.Time, parts ...string) (ID, error) {
	id, err := derive(t, parts)
	if err != nil {
		return ID{}, fmt.Errorf("oid.Derive(%s): %w", showTime(t), err)
	}
	return id, nil
}

func derive(t time.Time, parts []string) (id ID, err error) {
	if len(parts) == 0 {
		return ID{}, errors.New("want at least one part")
	}
	sec := t.Unix()
	if sec < 0 || sec > maxSeconds {
		return ID{}, ErrTime
	}
	hashed := make([]byte, 0, 256) // most parts fit, and need no memory
	for _, part := range parts {
		hashed = binary.BigEndian.AppendUint64(hashed, uint64(len(part)))
		hashed = append(hashed, part...)
	}
	sum := sha256.Sum256(hashed)
	binary.BigEndian.PutUint32(id[:], uint32(sec))
	copy(id[4:], sum[:]) // the first 8 bytes
	return id, nil
}
