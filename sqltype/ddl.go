package sqltype

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/oid"
)

//go:embed postgres.sql
var postgresSchema string

//go:embed mysql.sql
var mySQLSchema string

// PostgresSchema returns the SQL that makes the domain objectid and its functions in
// the first schema of search_path:
//
//	objectid_time, objectid_min, objectid_max  IDs and the times of their creation
//	objectid_text, objectid_parse              IDs and 24 hex digits
//	objectid_to_uuid, objectid_from_uuid       IDs and what a UUID stores
//	objectid_derive                            the id that a time and texts always give
//	objectid_new                               a new ID
//	objectid_first, objectid_last              aggregates: the least and the greatest ID
//
// It is one statement, without arguments. It may be run again, by many sessions at
// once, and by roles that own nothing of it. PostgreSQL 14 is the oldest that takes
// it.
func PostgresSchema() string { return postgresSchema }

// MySQLSchema returns the SQL that makes the functions objectid_time, objectid_min,
// objectid_max, objectid_to_uuid, objectid_from_uuid and objectid_new in the current
// database of MariaDB or MySQL. It is one Exec on a connection with
// multiStatements=true, and may be run again. Its comment shows tables whose creation
// time is a generated column, and whose ID is a DEFAULT.
func MySQLSchema() string { return mySQLSchema }

// PartitionBounds returns the bounds of a PostgreSQL partition for the IDs made in
// [from, to), to go behind FOR VALUES:
//
//	CREATE TABLE events_2026_11 PARTITION OF events
//	FOR VALUES FROM ('\x6ae6…') TO ('\x6b0e…')
//
// The table has to be partitioned BY RANGE (id). Bounds are whole seconds, as IDs
// are, and from is before to; if not, that is an error. An error for which
// errors.Is(err, [oid.ErrTime]) holds is one outside 1970–2106.
func PartitionBounds(from, to time.Time) (string, error) {
	call := fmt.Sprintf("sqltype.PartitionBounds(%s, %s)", from.UTC().Format(time.RFC3339Nano), to.UTC().Format(time.RFC3339Nano))
	for _, t := range []time.Time{from, to} {
		switch {
		case t.Nanosecond() != 0:
			return "", fmt.Errorf("%s: not whole seconds", call)
		case !oid.MinAt(t).Timestamp().Equal(t):
			return "", fmt.Errorf("%s: %w", call, oid.ErrTime)
		}
	}
	if !from.Before(to) {
		return "", fmt.Errorf("%s: the end is not after the start", call)
	}
	lo, hi := oid.Range(from, to)
	if lo.IsZero() {
		// Twelve zeros are no value of the domain objectid.
		return fmt.Sprintf(`FROM (MINVALUE) TO ('\x%s')`, hi), nil
	}
	return fmt.Sprintf(`FROM ('\x%s') TO ('\x%s')`, lo, hi), nil
}
