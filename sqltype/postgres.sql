-- ObjectIds in PostgreSQL 14 and later: a domain for columns, and functions that
-- convert IDs to creation times, text and UUIDs, and back.
--
--     CREATE TABLE users (id objectid PRIMARY KEY, name text NOT NULL);
--     SELECT objectid_text(id), objectid_time(id), name FROM users
--     WHERE id >= objectid_min('2026-11-01 00:00Z') AND id < objectid_min('2026-12-01 00:00Z');
--
-- Everything goes into the current schema. It is one statement. It may be
-- run again, and by many sessions at once. A role that may not change what another
-- role has made may run it too, and so may a session on a standby: then it only checks
-- that all objects exist.
--
-- No function depends on the search_path of its caller. Each name in it is bound when
-- the function is made, or has its schema. This is also true after pg_dump and restore.
--
-- The comments with a plus sign are for the migration tools goose and sql-migrate. They
-- say that the semicolons in the script don't end it.
--
-- +goose Up
-- +goose StatementBegin
-- +migrate Up
-- +migrate StatementBegin
DO $schema$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    is_domain boolean; -- NULL: there is no such type yet
    missing pg_catalog.text;
BEGIN
    IF pg_catalog.current_schema() IS NULL THEN
        RAISE invalid_schema_name USING MESSAGE = 'objectid: search_path names no schema that exists';
    END IF;
    -- Programs that start at the same time take turns. Each holds the lock until its
    -- transaction ends.
    PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('objectid', 0));
    -- From here on, every name is one of PostgreSQL or one of this script.
    PERFORM pg_catalog.set_config('search_path', pg_catalog.concat(pg_catalog.quote_ident(pg_catalog.current_schema()), ', pg_temp'), true);

    SELECT typtype = 'd' AND typbasetype = 'bytea'::regtype INTO is_domain FROM pg_type
        WHERE typname = 'objectid' AND typnamespace = quote_ident(current_schema())::regnamespace;
    IF NOT is_domain THEN
        RAISE duplicate_object USING
            MESSAGE = format('schema %I has a type objectid that is not a domain over bytea', current_schema()),
            HINT = 'Use another schema, and put it first in search_path.';
    END IF;

    BEGIN
        -- A column of type bytea accepts any bytes. A column of type objectid accepts
        -- only the 12 bytes of an ID. It refuses twelve zeros, because they are an ID
        -- that somebody forgot to set.
        IF is_domain IS NULL THEN
            CREATE DOMAIN objectid AS bytea
                CONSTRAINT objectid_length CHECK (octet_length(VALUE) = 12)
                CONSTRAINT objectid_nonzero CHECK (VALUE <> E'\\x000000000000000000000000'::bytea);
            COMMENT ON DOMAIN objectid IS 'ObjectId: 4 bytes of seconds since 1970, 5 of the process, 3 of a counter';
        END IF;

        -- objectid_seconds returns the first four bytes of an ID: its creation time in
        -- seconds since 1970.
        CREATE OR REPLACE FUNCTION objectid_seconds(id bytea) RETURNS bigint
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            -- Unless the length is 12, the first index is negative, which is an error.
            RETURN (((pg_catalog.get_byte(id, OPERATOR(pg_catalog.-) pg_catalog.abs(pg_catalog.octet_length(id) OPERATOR(pg_catalog.-) 12))::bigint
                    OPERATOR(pg_catalog.<<) 24)
                OPERATOR(pg_catalog.|) (pg_catalog.get_byte(id, 1) OPERATOR(pg_catalog.<<) 16))
                OPERATOR(pg_catalog.|) (pg_catalog.get_byte(id, 2) OPERATOR(pg_catalog.<<) 8))
                OPERATOR(pg_catalog.|) pg_catalog.get_byte(id, 3);

        -- objectid_time returns the creation time of an ID. Prefer objectid_min and
        -- objectid_max in conditions: a range on the ID itself uses the primary key.
        CREATE OR REPLACE FUNCTION objectid_time(id bytea) RETURNS timestamptz
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN pg_catalog.to_timestamp(objectid_seconds(id));

        -- objectid_min returns the least ID of a time's second: id >= objectid_min(ts)
        -- holds for the IDs whose creation time is ts or later. A time before 1970 gives
        -- twelve zeros, and one after 2106 gives twelve bytes 0xff. No ID in use is as
        -- low or as high, so the result is a bytea: a bound, but not an objectid.
        CREATE OR REPLACE FUNCTION objectid_min(ts timestamptz) RETURNS bytea
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            -- EXTRACT is immutable for a timestamp, but not for a timestamptz.
            RETURN CASE WHEN EXTRACT(epoch FROM ts AT TIME ZONE 'UTC') OPERATOR(pg_catalog.>=) 4294967296
                THEN E'\\xffffffffffffffffffffffff'::pg_catalog.bytea
                ELSE pg_catalog.substring(pg_catalog.int8send(GREATEST(pg_catalog.floor(EXTRACT(epoch FROM ts AT TIME ZONE 'UTC')), 0)::bigint), 5, 4)
                    OPERATOR(pg_catalog.||) E'\\x0000000000000000'::pg_catalog.bytea END;

        -- objectid_max returns the greatest ID of a time's second, and the same bounds as
        -- objectid_min for times before 1970 and after 2106.
        CREATE OR REPLACE FUNCTION objectid_max(ts timestamptz) RETURNS bytea
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN CASE WHEN EXTRACT(epoch FROM ts AT TIME ZONE 'UTC') OPERATOR(pg_catalog.<) 0
                THEN E'\\x000000000000000000000000'::pg_catalog.bytea
                ELSE pg_catalog.substring(pg_catalog.int8send(LEAST(pg_catalog.floor(EXTRACT(epoch FROM ts AT TIME ZONE 'UTC')), 4294967295)::bigint), 5, 4)
                    OPERATOR(pg_catalog.||) E'\\xffffffffffffffff'::pg_catalog.bytea END;

        -- objectid_text returns the 24 hex digits of an ID, as in JSON and URLs. In JSON,
        -- PostgreSQL itself writes a bytea as "\\x65b3...".
        CREATE OR REPLACE FUNCTION objectid_text(id bytea) RETURNS text
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN pg_catalog.encode(id, 'hex');

        -- objectid_parse returns the ID that 24 hex digits, in either case, represent.
        CREATE OR REPLACE FUNCTION objectid_parse(s text) RETURNS objectid
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
        AS $function$
        BEGIN
            -- decode would skip white space and accept any length.
            IF s OPERATOR(pg_catalog.!~) '^[0-9A-Fa-f]{24}$' THEN
                RAISE invalid_text_representation USING
                    MESSAGE = pg_catalog.format('objectid_parse(%L): want 24 hex digits', pg_catalog."left"(s, 32));
            END IF;
            RETURN pg_catalog.decode(s, 'hex');
        END
        $function$;

        -- objectid_to_uuid returns the UUIDv7 that sqltype.UUID stores for an ID: its
        -- seconds * 1000, the version, 12 bits, the variant, 52 bits, and the mark 0x31d.
        -- UUIDs sort in the order of their IDs, so objectid_to_uuid(objectid_min(...)) is
        -- a bound for a column of type uuid.
        CREATE OR REPLACE FUNCTION objectid_to_uuid(id bytea) RETURNS uuid
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN (pg_catalog.lpad(pg_catalog.to_hex(objectid_seconds(id) OPERATOR(pg_catalog.*) 1000), 12, '0')
                OPERATOR(pg_catalog.||) '7'
                OPERATOR(pg_catalog.||) pg_catalog.substr(pg_catalog.encode(id, 'hex'), 9, 3)
                OPERATOR(pg_catalog.||) pg_catalog.to_hex(
                    (('x' OPERATOR(pg_catalog.||) pg_catalog.substr(pg_catalog.encode(id, 'hex'), 12))::bit(52)::bigint OPERATOR(pg_catalog.<<) 10)
                    OPERATOR(pg_catalog.|) x'800000000000031d'::bit(64)::bigint))::pg_catalog.uuid;

        -- objectid_from_uuid returns the ID of such a UUID. Any other UUID is an error.
        CREATE OR REPLACE FUNCTION objectid_from_uuid(u uuid) RETURNS objectid
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
        AS $function$
        DECLARE
            digits pg_catalog.text := pg_catalog.encode(pg_catalog.uuid_send(u), 'hex');
            milliseconds bigint := ('x' OPERATOR(pg_catalog.||) pg_catalog.substr(digits, 1, 12))::bit(48)::bigint;
            rest bigint := ('x' OPERATOR(pg_catalog.||) pg_catalog.substr(digits, 17))::bit(64)::bigint;
        BEGIN
            IF pg_catalog.substr(digits, 13, 1) OPERATOR(pg_catalog.<>) '7'
                OR (rest OPERATOR(pg_catalog.&) x'c0000000000003ff'::bit(64)::bigint) OPERATOR(pg_catalog.<>) x'800000000000031d'::bit(64)::bigint
                OR milliseconds OPERATOR(pg_catalog.>) 4294967295000
                OR (milliseconds OPERATOR(pg_catalog.%) 1000) OPERATOR(pg_catalog.<>) 0
            THEN
                RAISE invalid_text_representation USING
                    MESSAGE = pg_catalog.format('objectid_from_uuid(%L): the UUID was not made from an ID', u);
            END IF;
            RETURN pg_catalog.decode(pg_catalog.lpad(pg_catalog.to_hex(milliseconds OPERATOR(pg_catalog./) 1000), 8, '0')
                OPERATOR(pg_catalog.||) pg_catalog.substr(digits, 14, 3)
                OPERATOR(pg_catalog.||) pg_catalog.lpad(pg_catalog.to_hex((rest OPERATOR(pg_catalog.>>) 10) OPERATOR(pg_catalog.&) 4503599627370495), 13, '0'), 'hex');
        END
        $function$;

        -- objectid_derive returns the ID that is computed from a time and texts. It is
        -- the same ID that oid.Derive in Go returns. Its last 8 bytes are the first 8
        -- bytes of a SHA-256. The hash is over the parts: for each, its length in bytes
        -- as a bigint, and then the part in UTF-8.
        --
        -- It is IMMUTABLE, although convert_to is STABLE: PostgreSQL doesn't compare the
        -- two. convert_to is STABLE because CREATE DEFAULT CONVERSION can replace a
        -- conversion. A database in UTF-8 needs none, and any other correct conversion
        -- of the database's encoding to UTF-8 gives the same bytes.
        CREATE OR REPLACE FUNCTION objectid_derive(ts timestamptz, VARIADIC parts text[]) RETURNS objectid
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
        AS $function$
        DECLARE
            seconds pg_catalog.numeric := pg_catalog.floor(EXTRACT(epoch FROM ts AT TIME ZONE 'UTC'));
            part pg_catalog.text;
            hashed pg_catalog.bytea := '';
        BEGIN
            IF seconds OPERATOR(pg_catalog.<) 0 OR seconds OPERATOR(pg_catalog.>) 4294967295 THEN
                RAISE datetime_field_overflow USING
                    MESSAGE = pg_catalog.format('objectid_derive(%L): an ID cannot hold this time', ts);
            END IF;
            IF pg_catalog.cardinality(parts) OPERATOR(pg_catalog.=) 0 THEN
                RAISE invalid_parameter_value USING MESSAGE = 'objectid_derive: want at least one part';
            END IF;
            FOREACH part IN ARRAY parts LOOP
                IF part IS NULL THEN
                    RAISE null_value_not_allowed USING MESSAGE = 'objectid_derive: a part is NULL';
                END IF;
                hashed := (hashed
                    OPERATOR(pg_catalog.||) pg_catalog.int8send(pg_catalog.octet_length(pg_catalog.convert_to(part, 'UTF8'))::bigint))
                    OPERATOR(pg_catalog.||) pg_catalog.convert_to(part, 'UTF8');
            END LOOP;
            RETURN pg_catalog.substring(pg_catalog.int8send(seconds::bigint), 5)
                OPERATOR(pg_catalog.||) pg_catalog.substring(pg_catalog.sha256(hashed), 1, 8);
        END
        $function$;

        -- objectid_bucket returns a number from 0 to n-1 that depends only on id and n: the
        -- CRC-32 (IEEE) of its 12 bytes, modulo n. It is what oid.Bucket in Go returns.
        -- Less than 1 counts as 1. PostgreSQL 18 has the same function as crc32(id). The
        -- table is the CRC-32 of each number of four bits.
        CREATE OR REPLACE FUNCTION objectid_bucket(id bytea, n integer) RETURNS integer
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
        AS $function$
        DECLARE
            crc bigint := 4294967295;
        BEGIN
            IF pg_catalog.octet_length(id) OPERATOR(pg_catalog.<>) 12 THEN
                RAISE invalid_parameter_value USING
                    MESSAGE = pg_catalog.format('objectid_bucket: length %s, want 12 bytes', pg_catalog.octet_length(id));
            END IF;
            FOR i IN 0..11 LOOP
                crc := crc OPERATOR(pg_catalog.#) pg_catalog.get_byte(id, i)::bigint;
                FOR half IN 1..2 LOOP
                    crc := (crc OPERATOR(pg_catalog.>>) 4) OPERATOR(pg_catalog.#) ('[0:15]={0,498536548,997073096,651767980,1994146192,1802195444,1303535960,1342533948,3988292384,4027552580,3604390888,3412177804,2607071920,2262029012,2685067896,3183342108}'::bigint[])[crc OPERATOR(pg_catalog.&) 15];
                END LOOP;
            END LOOP;
            RETURN (crc OPERATOR(pg_catalog.#) 4294967295) OPERATOR(pg_catalog.%) GREATEST(n, 1)::bigint;
        END
        $function$;

        -- objectid_new returns a new ID, for rows that are made in SQL: as a DEFAULT, in
        -- triggers, in psql. The seconds are those of the clock. The five bytes of the
        -- process are a random number drawn here, XOR the server's start time, XOR a hash
        -- of the database's name. So they change after a restart and a promotion, and they
        -- differ in a copy of the database under another name. The counter is a sequence,
        -- which all roles may use.
        --
        -- The sequence has no cache. A session with cached numbers could use them after
        -- the counter has wrapped, in a second in which others draw the same numbers.
        IF to_regclass(format('%I.objectid_counter', current_schema())) IS NULL THEN
            CREATE SEQUENCE objectid_counter AS integer MINVALUE 0 MAXVALUE 16777215 CYCLE;
            PERFORM setval('objectid_counter', (random() * 16777215)::integer);
        END IF;
        GRANT USAGE ON SEQUENCE objectid_counter TO PUBLIC; -- pg_dump may have left it out
        -- An existing function keeps its random number. So IDs that it made before this
        -- run and IDs that it makes after it have the same process bytes, and stay in order.
        IF to_regprocedure('objectid_new()') IS NULL THEN
            EXECUTE format($function$
                CREATE FUNCTION objectid_new() RETURNS objectid LANGUAGE sql VOLATILE
                RETURN (pg_catalog.substring(pg_catalog.int8send(pg_catalog.floor(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()))::bigint), 5)
                    OPERATOR(pg_catalog.||) pg_catalog.int8send(
                        (((%s
                            OPERATOR(pg_catalog.#) ((pg_catalog.date_part('epoch', pg_catalog.pg_postmaster_start_time()) OPERATOR(pg_catalog.*) 1000000)::bigint
                                OPERATOR(pg_catalog.&) 1099511627775))
                            OPERATOR(pg_catalog.#) (pg_catalog.hashname(pg_catalog.current_database())::bigint OPERATOR(pg_catalog.&) 4294967295))
                        OPERATOR(pg_catalog.<<) 24)
                        OPERATOR(pg_catalog.|) pg_catalog.nextval('objectid_counter'::pg_catalog.regclass)))::objectid
                $function$, quote_literal(('x' || right(replace(gen_random_uuid()::text, '-', ''), 10))::bit(40)::bigint) || '::bigint');
        END IF;

        -- objectid_first and objectid_last are min and max for IDs. PostgreSQL before 18
        -- has no min and max for bytea. They use the index of the column.
        CREATE OR REPLACE FUNCTION objectid_smaller(a bytea, b bytea) RETURNS bytea
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN CASE WHEN a OPERATOR(pg_catalog.<) b THEN a ELSE b END;
        CREATE OR REPLACE FUNCTION objectid_larger(a bytea, b bytea) RETURNS bytea
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN CASE WHEN a OPERATOR(pg_catalog.>) b THEN a ELSE b END;
        CREATE OR REPLACE AGGREGATE objectid_first(bytea) (
            SFUNC = objectid_smaller, STYPE = bytea, COMBINEFUNC = objectid_smaller,
            SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE);
        CREATE OR REPLACE AGGREGATE objectid_last(bytea) (
            SFUNC = objectid_larger, STYPE = bytea, COMBINEFUNC = objectid_larger,
            SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE);
    EXCEPTION WHEN insufficient_privilege OR read_only_sql_transaction THEN
        -- Another role, or the primary, has made all objects, or some are missing.
        SELECT string_agg(name, ', ') INTO missing FROM unnest(ARRAY['objectid_seconds(bytea)', 'objectid_time(bytea)',
            'objectid_min(timestamptz)', 'objectid_max(timestamptz)', 'objectid_text(bytea)', 'objectid_parse(text)',
            'objectid_to_uuid(bytea)', 'objectid_from_uuid(uuid)', 'objectid_derive(timestamptz, text[])', 'objectid_bucket(bytea, integer)', 'objectid_new()', 'objectid_first(bytea)', 'objectid_last(bytea)']) name
            WHERE to_regprocedure(name) IS NULL;
        IF missing IS NOT NULL OR is_domain IS NULL THEN
            RAISE EXCEPTION USING
                ERRCODE = SQLSTATE,
                MESSAGE = format('%s, and schema %I lacks %s', SQLERRM, current_schema(), coalesce(missing, 'the domain objectid')),
                HINT = 'Run this on the primary, as the owner of the schema or of the objects that exist, or in a schema of your own.';
        END IF;
    END;
    PERFORM set_config('search_path', path, true);
END
$schema$;
-- +migrate StatementEnd
-- +goose StatementEnd
