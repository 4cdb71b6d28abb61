-- ObjectIds in MariaDB 10.3, MySQL 8.0.29 and later: functions that convert IDs to
-- creation times, which are in UTC, to UUIDs, and back. It may be run again.
--
-- A column for IDs has the type binary(12). Another column can hold the creation time,
-- stored and indexed. The server fills it. A generated column may not call functions
-- that users have made, so it needs the whole expression:
--
--     CREATE TABLE users (
--         id binary(12) PRIMARY KEY,
--         created datetime AS (timestamp'1970-01-01 00:00:00'
--             + INTERVAL CAST(CONV(HEX(SUBSTR(id, 1, 4)), 16, 10) AS UNSIGNED) SECOND) STORED,
--         KEY (created)
--     );
--
-- Call objectid_new() in an INSERT or a trigger to make the ID of a row in SQL. A
-- DEFAULT may not call it, so it needs the whole expression too.
--
--     CREATE TABLE events (
--         id binary(12) PRIMARY KEY DEFAULT (CONCAT(UNHEX(LPAD(HEX(UNIX_TIMESTAMP()), 8, '0')), UNHEX(LPAD(HEX(UUID_SHORT()), 16, '0')))),
--         name varchar(20)
--     );
--
-- A quotient by / has four digits on MySQL, which rounds .99995 seconds up. DIV is exact.
-- FROM_UNIXTIME is not used: it depends on the session's time zone, and ends in 2038.
-- LOWER(HEX(id)) and UNHEX('65b3f7a40c1b2d3e4f506172') convert IDs to text and back.
--
-- The comments with a plus sign are for the migration tools goose and sql-migrate.
--
-- +goose Up
-- +migrate Up

-- objectid_time returns the creation time of an ID, in whole seconds and UTC.
CREATE FUNCTION IF NOT EXISTS objectid_time(id binary(12)) RETURNS datetime DETERMINISTIC NO SQL
    RETURN timestamp'1970-01-01 00:00:00' + INTERVAL CAST(CONV(HEX(SUBSTR(id, 1, 4)), 16, 10) AS UNSIGNED) SECOND;

-- objectid_min returns the least ID of a second: id >= objectid_min(utc) holds for the
-- IDs whose creation time is utc or later. A time before 1970 gives twelve zeros, and one
-- after 2106 gives twelve bytes 0xff. No ID in use is as low or as high.
CREATE FUNCTION IF NOT EXISTS objectid_min(utc datetime(6)) RETURNS binary(12) DETERMINISTIC NO SQL
    RETURN IF(utc >= timestamp'2106-02-07 06:28:16', UNHEX('ffffffffffffffffffffffff'),
        UNHEX(CONCAT(LPAD(HEX(GREATEST(TIMESTAMPDIFF(MICROSECOND, timestamp'1970-01-01 00:00:00', utc) DIV 1000000, 0)), 8, '0'), '0000000000000000')));

-- objectid_max returns the greatest ID of a second, and the same bounds as objectid_min
-- for times before 1970 and after 2106.
CREATE FUNCTION IF NOT EXISTS objectid_max(utc datetime(6)) RETURNS binary(12) DETERMINISTIC NO SQL
    RETURN IF(utc < timestamp'1970-01-01 00:00:00', UNHEX('000000000000000000000000'),
        UNHEX(CONCAT(LPAD(HEX(LEAST(TIMESTAMPDIFF(MICROSECOND, timestamp'1970-01-01 00:00:00', utc) DIV 1000000, 4294967295)), 8, '0'), 'ffffffffffffffff')));

-- objectid_bucket returns a number from 0 to n-1 that depends only on id and n: the CRC-32
-- of id, modulo n. It is what oid.Bucket in Go returns. Less than 1 counts as 1.
CREATE FUNCTION IF NOT EXISTS objectid_bucket(id binary(12), n int) RETURNS int DETERMINISTIC NO SQL
    RETURN CRC32(id) % GREATEST(n, 1);

-- objectid_new returns a new ID. Its process value is the server's ID, modulo 256, and
-- the second in which the server started. Servers that share a table or replicate to
-- each other need different server IDs, as the manual says of UUID_SHORT. With
-- binlog_format STATEMENT, a replica makes another ID than its source.
CREATE FUNCTION IF NOT EXISTS objectid_new() RETURNS binary(12) NOT DETERMINISTIC NO SQL
    RETURN CONCAT(UNHEX(LPAD(HEX(UNIX_TIMESTAMP()), 8, '0')), UNHEX(LPAD(HEX(UUID_SHORT()), 16, '0')));

-- objectid_to_uuid returns the text of the UUIDv7 that sqltype.UUID stores for an ID: its
-- seconds * 1000, the version, 12 bits, the variant, 52 bits, and the mark 0x31d.
CREATE FUNCTION IF NOT EXISTS objectid_to_uuid(id binary(12)) RETURNS char(36) CHARACTER SET ascii DETERMINISTIC NO SQL
    RETURN LOWER(INSERT(INSERT(INSERT(INSERT(CONCAT(
        LPAD(HEX(CAST(CONV(HEX(SUBSTR(id, 1, 4)), 16, 10) AS UNSIGNED) * 1000), 12, '0'), '7', SUBSTR(HEX(id), 9, 3),
        HEX(CAST(CONV(SUBSTR(HEX(id), 12), 16, 10) AS UNSIGNED) << 10 | 9223372036854776605)),
        21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'));

-- objectid_from_uuid returns the ID of such a UUID, and NULL for any other text.
CREATE FUNCTION IF NOT EXISTS objectid_from_uuid(uuid char(36) CHARACTER SET ascii) RETURNS binary(12) DETERMINISTIC NO SQL
    RETURN IF(uuid REGEXP '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{9}[37BFbf]1[Dd]$'
            AND CONV(REPLACE(SUBSTR(uuid, 1, 13), '-', ''), 16, 10) % 1000 = 0
            AND CONV(REPLACE(SUBSTR(uuid, 1, 13), '-', ''), 16, 10) <= 4294967295000,
        UNHEX(CONCAT(LPAD(HEX(CAST(CONV(REPLACE(SUBSTR(uuid, 1, 13), '-', ''), 16, 10) AS UNSIGNED) DIV 1000), 8, '0'), SUBSTR(uuid, 16, 3),
            LPAD(HEX(CAST(CONV(REPLACE(SUBSTR(uuid, 20), '-', ''), 16, 10) AS UNSIGNED) >> 10 & 4503599627370495), 13, '0'))),
        NULL);
