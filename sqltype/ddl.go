package sqltype

import (
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/oid"
)

//go:embed postgres.sql
var postgresSchema string

//go:embed mysql.sql
var mySQLSchema string

// PostgresSchema returns the SQL that makes the domain objectid, its functions and the
// sequence objectid_counter in the session's current schema. These are the main functions:
//
//	objectid_time, objectid_min, objectid_max  convert IDs to creation times and back
//	objectid_text, objectid_parse              convert IDs to 24 hex digits and back
//	objectid_to_uuid, objectid_from_uuid       convert IDs to the UUIDs of type UUID and back
//	objectid_derive                            oid.Derive: an ID computed from a time and texts
//	objectid_bucket                            oid.Bucket: a number from 0 to n-1, computed from an ID
//	objectid_new                               a new ID
//	objectid_first, objectid_last              aggregates: the least and the greatest ID
//
// The SQL is one statement without arguments. A program may run the SQL again, also in
// many sessions at once. If the domain and all functions exist, a role that doesn't own
// them may run the SQL too, and so may a session on a standby server. The SQL needs
// PostgreSQL 14 or later. Its comments let the migration tools goose and sql-migrate run it
// from a file.
func PostgresSchema() string { return postgresSchema }

// MySQLSchema returns the SQL that makes functions in the current database of MariaDB
// or MySQL: objectid_time, objectid_min, objectid_max, objectid_bucket,
// objectid_to_uuid, objectid_from_uuid and objectid_new. Run the SQL in one Exec. With
// go-sql-driver/mysql, the DSN needs multiStatements=true. A program may run the SQL
// again. The SQL needs MariaDB 10.3 or later, or MySQL 8.0.29 or later. A comment in the SQL
// shows a table with a generated column for the creation time, and a table in which a
// DEFAULT makes the ID.
func MySQLSchema() string { return mySQLSchema }

// PostgresPartitionBounds returns the bounds of a PostgreSQL partition for the IDs made
// in [from, to). Write the result after FOR VALUES:
//
//	CREATE TABLE events_2026_11 PARTITION OF events
//	FOR VALUES FROM ('\x6ae6…') TO ('\x6b0e…')
//
// The table must be partitioned BY RANGE (id), and the type of id must be bytea or
// objectid. If one of the times is not a whole second, PostgresPartitionBounds returns an
// error, because IDs hold whole seconds. PostgresPartitionBounds also returns an error if
// from.Before(to) is false. For a whole second before 1970 or after 2106-02-07T06:28:15Z,
// the error matches [oid.ErrTime].
func PostgresPartitionBounds(from, to time.Time) (string, error) {
	lo, hi, err := partition("PostgresPartitionBounds", from, to)
	switch {
	case err != nil:
		return "", err
	case lo.IsZero():
		// Twelve zeros are not a value of the domain objectid.
		return fmt.Sprintf(`FROM (MINVALUE) TO ('\x%s')`, hi), nil
	}
	return fmt.Sprintf(`FROM ('\x%s') TO ('\x%s')`, lo, hi), nil
}

// MySQLPartitionBounds returns the bound of a MariaDB or MySQL partition for the IDs made
// in [from, to). Write the result after the partition's name:
//
//	ALTER TABLE events ADD PARTITION (PARTITION events_2026_11 VALUES LESS THAN (x'6b0e…'))
//
// The table must be partitioned BY RANGE COLUMNS (id), and the type of id must be
// binary(12). The result has only the end of the partition, because each partition begins
// where the partition before it ends. MySQLPartitionBounds returns an error in the same
// cases as [PostgresPartitionBounds].
func MySQLPartitionBounds(from, to time.Time) (string, error) {
	_, hi, err := partition("MySQLPartitionBounds", from, to)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("VALUES LESS THAN (x'%s')", hi), nil
}

// partition returns the bounds of the IDs made in [from, to), or why no partition can
// have them.
func partition(function string, from, to time.Time) (lo, hi oid.ID, err error) {
	fail := func(reason error) (oid.ID, oid.ID, error) {
		return oid.ID{}, oid.ID{}, fmt.Errorf("sqltype.%s(%s, %s): %w", function, from.UTC().Format(time.RFC3339Nano), to.UTC().Format(time.RFC3339Nano), reason)
	}
	for _, t := range []time.Time{from, to} {
		switch {
		case t.Nanosecond() != 0:
			return fail(errors.New("want times in whole seconds"))
		case !oid.MinAt(t).Timestamp().Equal(t):
			return fail(oid.ErrTime)
		}
	}
	if !from.Before(to) {
		return fail(errors.New("the end is not after the start"))
	}
	lo, hi = oid.Range(from, to)
	return lo, hi, nil
}
