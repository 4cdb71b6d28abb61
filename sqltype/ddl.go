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
//	objectid_time, objectid_min, objectid_max  convert IDs to creation times and back
//	objectid_text, objectid_parse              convert IDs to 24 hex digits and back
//	objectid_to_uuid, objectid_from_uuid       convert IDs to what a UUID stores and back
//	objectid_derive                            the ID that a time and texts always give
//	objectid_new                               a new ID
//	objectid_first, objectid_last              aggregates: the least and the greatest ID
//
// It is one statement without arguments. It may be run again, by many sessions at
// once, and by roles that own none of the objects. It needs PostgreSQL 14 or later.
func PostgresSchema() string { return postgresSchema }

// MySQLSchema returns the SQL that makes functions in the current database of MariaDB
// or MySQL: objectid_time, objectid_min, objectid_max, objectid_to_uuid,
// objectid_from_uuid and objectid_new. Run it in one Exec on a connection with
// multiStatements=true. It may be run again. Its comment shows a table whose creation
// time is a generated column, and one whose ID is a DEFAULT.
func MySQLSchema() string { return mySQLSchema }

// PartitionBounds returns the bounds of a PostgreSQL partition for the IDs made in
// [from, to). They belong after FOR VALUES:
//
//	CREATE TABLE events_2026_11 PARTITION OF events
//	FOR VALUES FROM ('\x6ae6…') TO ('\x6b0e…')
//
// The table has to be partitioned BY RANGE (id). Bounds that are not whole seconds
// are an error, since IDs hold whole seconds. It is also an error if from is not
// before to. For a bound outside 1970–2106, errors.Is(err, [oid.ErrTime]) is true.
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
		// Twelve zeros are not a value of the domain objectid.
		return fmt.Sprintf(`FROM (MINVALUE) TO ('\x%s')`, hi), nil
	}
	return fmt.Sprintf(`FROM ('\x%s') TO ('\x%s')`, lo, hi), nil
}
