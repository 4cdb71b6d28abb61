-- ObjectIds in PostgreSQL 14 and later: a domain for columns, and functions between
-- ids and the times of their creation. It may be run again.
--
-- Everything goes into the first schema of search_path. What one of the objects
-- below needs of the others is bound when it is made, so that it works whatever
-- search_path is later, and after pg_dump and restore.
--
--     CREATE TABLE users (id objectid PRIMARY KEY, name text NOT NULL);
--     SELECT objectid_text(id), objectid_time(id), name FROM users
--     WHERE id BETWEEN objectid_min('2026-11-01 00:00Z') AND objectid_max('2026-11-30 23:59:59Z');

-- A column of type bytea takes anything; one of type objectid takes the 12 bytes of
-- an id, and refuses twelve zeros, which is an id that somebody forgot to set.
DO $$
BEGIN
    -- Two programs that start at once take turns, until their transactions end.
    PERFORM pg_advisory_xact_lock(hashtextextended('objectid', 0));
    BEGIN
        CREATE DOMAIN objectid AS bytea
            CONSTRAINT objectid_length CHECK (octet_length(VALUE) = 12)
            CONSTRAINT objectid_nonzero CHECK (VALUE <> '\x000000000000000000000000'::bytea);
        COMMENT ON DOMAIN objectid IS 'ObjectId: 4 bytes of seconds since 1970, 5 of the process, 3 of a counter';
    EXCEPTION WHEN duplicate_object THEN
        IF NOT EXISTS (SELECT FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
            WHERE n.nspname = current_schema() AND t.typname = 'objectid' AND t.typbasetype = 'bytea'::regtype)
        THEN
            RAISE duplicate_object USING
                MESSAGE = format('schema %I has a type objectid that is no domain over bytea', current_schema()),
                HINT = 'Use another schema: it has to come first in search_path.';
        END IF;
    END;
END
$$;

-- objectid_time returns when the id was made, in whole seconds. A range on the id
-- itself uses the primary key: prefer objectid_min and objectid_max in conditions.
CREATE OR REPLACE FUNCTION objectid_time(id bytea) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    -- The first index is below zero, and an error, unless the length is 12.
    RETURN to_timestamp((get_byte(id, -abs(octet_length(id) - 12))::bigint << 24)
        | (get_byte(id, 1) << 16) | (get_byte(id, 2) << 8) | get_byte(id, 3));

-- objectid_min returns the least id of a time's second. Times outside 1970 to 2106
-- count as the first and the last second that an id can hold. It is a bytea: for
-- 1970 it is twelve zeros, which are a bound, but no objectid.
CREATE OR REPLACE FUNCTION objectid_min(ts timestamptz) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    -- EXTRACT from a timestamp is immutable, from a timestamptz it is not.
    RETURN substring(int8send(LEAST(GREATEST(floor(EXTRACT(epoch FROM ts AT TIME ZONE 'UTC')), 0), 4294967295)::bigint), 5, 4)
        || '\x0000000000000000'::bytea;

-- objectid_max returns the greatest id of a time's second.
CREATE OR REPLACE FUNCTION objectid_max(ts timestamptz) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN substring(int8send(LEAST(GREATEST(floor(EXTRACT(epoch FROM ts AT TIME ZONE 'UTC')), 0), 4294967295)::bigint), 5, 4)
        || '\xffffffffffffffff'::bytea;

-- objectid_text returns the 24 hex digits of an id, as in JSON and URLs. What
-- PostgreSQL itself makes of a bytea there is "\\x65b3…".
CREATE OR REPLACE FUNCTION objectid_text(id bytea) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN encode(id, 'hex');

-- objectid_parse returns the id that 24 hex digits stand for, in either case.
CREATE OR REPLACE FUNCTION objectid_parse(s text) RETURNS objectid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
BEGIN
    -- decode alone would skip white space, and take any length.
    IF s !~ '^[0-9A-Fa-f]{24}$' THEN
        RAISE invalid_text_representation USING
            MESSAGE = format('objectid_parse(%L): want 24 hex digits', left(s, 32));
    END IF;
    RETURN decode(s, 'hex');
END
$$;

-- objectid_first and objectid_last are min and max for ids, which PostgreSQL before
-- 18 doesn't have for bytea. They use the index of the column.
CREATE OR REPLACE FUNCTION objectid_smaller(a bytea, b bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN a < b THEN a ELSE b END;

CREATE OR REPLACE FUNCTION objectid_larger(a bytea, b bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN a > b THEN a ELSE b END;

CREATE OR REPLACE AGGREGATE objectid_first(bytea) (
    SFUNC = objectid_smaller, STYPE = bytea, COMBINEFUNC = objectid_smaller,
    SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE);

CREATE OR REPLACE AGGREGATE objectid_last(bytea) (
    SFUNC = objectid_larger, STYPE = bytea, COMBINEFUNC = objectid_larger,
    SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE);
