-- ObjectIds in MariaDB 10.3, MySQL 8.0.29 and later: functions between ids and the
-- times of their creation, which are in UTC. It may be run again.
--
-- A column is of type binary(12). The creation time can stand beside it, stored and
-- indexed, filled by the server; it needs the whole expression, as a generated
-- column may not call functions of one's own:
--
--     CREATE TABLE users (
--         id binary(12) PRIMARY KEY,
--         created datetime AS (timestamp'1970-01-01 00:00:00'
--             + INTERVAL CAST(CONV(HEX(SUBSTR(id, 1, 4)), 16, 10) AS UNSIGNED) SECOND) STORED,
--         KEY (created)
--     );
--
-- FROM_UNIXTIME would depend on the session's time zone, and ends in 2038.
-- For text there are LOWER(HEX(id)) and UNHEX('65b3f7a40c1b2d3e4f506172').

-- objectid_time returns when the id was made, in whole seconds and UTC.
CREATE FUNCTION IF NOT EXISTS objectid_time(id binary(12)) RETURNS datetime DETERMINISTIC NO SQL
    RETURN timestamp'1970-01-01 00:00:00' + INTERVAL CAST(CONV(HEX(SUBSTR(id, 1, 4)), 16, 10) AS UNSIGNED) SECOND;

-- objectid_min returns the least id of a second. Times outside 1970 to 2106 count as
-- the first and the last second that an id can hold.
CREATE FUNCTION IF NOT EXISTS objectid_min(utc datetime(6)) RETURNS binary(12) DETERMINISTIC NO SQL
    RETURN UNHEX(CONCAT(LPAD(HEX(LEAST(GREATEST(FLOOR(TIMESTAMPDIFF(MICROSECOND, timestamp'1970-01-01 00:00:00', utc) / 1000000), 0), 4294967295)), 8, '0'), '0000000000000000'));

-- objectid_max returns the greatest id of a second.
CREATE FUNCTION IF NOT EXISTS objectid_max(utc datetime(6)) RETURNS binary(12) DETERMINISTIC NO SQL
    RETURN UNHEX(CONCAT(LPAD(HEX(LEAST(GREATEST(FLOOR(TIMESTAMPDIFF(MICROSECOND, timestamp'1970-01-01 00:00:00', utc) / 1000000), 0), 4294967295)), 8, '0'), 'ffffffffffffffff'));
