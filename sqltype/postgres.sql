-- ObjectIds in PostgreSQL 14 and later: a domain for columns, and functions between
-- IDs, the times of their creation, text and UUIDs.
--
--     CREATE TABLE users (id objectid PRIMARY KEY, name text NOT NULL);
--     SELECT objectid_text(id), objectid_time(id), name FROM users
--     WHERE id >= objectid_min('2026-11-01 00:00Z') AND id < objectid_min('2026-12-01 00:00Z');
--
-- Everything goes into the first schema of search_path. It is one statement. It may be
-- run again, by many sessions at once, and by roles that may not change what another
-- role has made: for them it only looks whether all is there.
--
-- No function depends on the search_path of its caller: what it needs is bound when it
-- is made, or named with its schema. That holds after pg_dump and restore too.
DO $schema$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    is_domain boolean; -- NULL: there is no such type yet
    missing pg_catalog.text;
BEGIN
    IF pg_catalog.current_schema() IS NULL THEN
        RAISE invalid_schema_name USING MESSAGE = 'objectid: search_path names no schema that exists';
    END IF;
    -- Programs that start at once take turns, until their transactions end.
    PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('objectid', 0));
    -- From here on a name is PostgreSQL's own, or one of this script.
    PERFORM pg_catalog.set_config('search_path', pg_catalog.concat(pg_catalog.quote_ident(pg_catalog.current_schema()), ', pg_temp'), true);

    SELECT typtype = 'd' AND typbasetype = 'bytea'::regtype INTO is_domain FROM pg_type
        WHERE typname = 'objectid' AND typnamespace = quote_ident(current_schema())::regnamespace;
    IF NOT is_domain THEN
        RAISE duplicate_object USING
            MESSAGE = format('schema %I has a type objectid that is no domain over bytea', current_schema()),
            HINT = 'Use another schema: it has to come first in search_path.';
    END IF;

    BEGIN
        -- A column of type bytea takes anything. One of type objectid takes the 12 bytes
        -- of an ID. It refuses twelve zeros, which is an ID that somebody forgot to set.
        IF is_domain IS NULL THEN
            CREATE DOMAIN objectid AS bytea
                CONSTRAINT objectid_length CHECK (octet_length(VALUE) = 12)
                CONSTRAINT objectid_nonzero CHECK (VALUE <> E'\\x000000000000000000000000'::bytea);
            COMMENT ON DOMAIN objectid IS 'ObjectId: 4 bytes of seconds since 1970, 5 of the process, 3 of a counter';
        END IF;

        -- objectid_seconds returns the first four bytes of an ID: when it was made, in
        -- seconds since 1970.
        CREATE OR REPLACE FUNCTION objectid_seconds(id bytea) RETURNS bigint
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            -- The first index is below zero, and an error, unless the length is 12.
            RETURN (((pg_catalog.get_byte(id, OPERATOR(pg_catalog.-) pg_catalog.abs(pg_catalog.octet_length(id) OPERATOR(pg_catalog.-) 12))::bigint
                    OPERATOR(pg_catalog.<<) 24)
                OPERATOR(pg_catalog.|) (pg_catalog.get_byte(id, 1) OPERATOR(pg_catalog.<<) 16))
                OPERATOR(pg_catalog.|) (pg_catalog.get_byte(id, 2) OPERATOR(pg_catalog.<<) 8))
                OPERATOR(pg_catalog.|) pg_catalog.get_byte(id, 3);

        -- objectid_time returns the same as a time. A range on the ID itself uses the
        -- primary key: prefer objectid_min and objectid_max in conditions.
        CREATE OR REPLACE FUNCTION objectid_time(id bytea) RETURNS timestamptz
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN pg_catalog.to_timestamp(objectid_seconds(id));

        -- objectid_min returns the least ID of a time's second. Times outside 1970 to
        -- 2106 count as the first and the last second that an ID can hold. It is a bytea:
        -- for 1970 it is twelve zeros, which are a bound, but not an objectid.
        CREATE OR REPLACE FUNCTION objectid_min(ts timestamptz) RETURNS bytea
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            -- EXTRACT from a timestamp is immutable, from a timestamptz it is not.
            RETURN pg_catalog.substring(pg_catalog.int8send(LEAST(GREATEST(pg_catalog.floor(EXTRACT(epoch FROM ts AT TIME ZONE 'UTC')), 0), 4294967295)::bigint), 5, 4)
                OPERATOR(pg_catalog.||) E'\\x0000000000000000'::pg_catalog.bytea;

        -- objectid_max returns the greatest ID of a time's second.
        CREATE OR REPLACE FUNCTION objectid_max(ts timestamptz) RETURNS bytea
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN pg_catalog.substring(pg_catalog.int8send(LEAST(GREATEST(pg_catalog.floor(EXTRACT(epoch FROM ts AT TIME ZONE 'UTC')), 0), 4294967295)::bigint), 5, 4)
                OPERATOR(pg_catalog.||) E'\\xffffffffffffffff'::pg_catalog.bytea;

        -- objectid_text returns the 24 hex digits of an ID, as in JSON and URLs. What
        -- PostgreSQL itself makes of a bytea there is "\\x65b3...".
        CREATE OR REPLACE FUNCTION objectid_text(id bytea) RETURNS text
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN pg_catalog.encode(id, 'hex');

        -- objectid_parse returns the ID that 24 hex digits stand for, in either case.
        CREATE OR REPLACE FUNCTION objectid_parse(s text) RETURNS objectid
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
        AS $function$
        BEGIN
            -- decode alone would skip white space, and take any length.
            IF s OPERATOR(pg_catalog.!~) '^[0-9A-Fa-f]{24}$' THEN
                RAISE invalid_text_representation USING
                    MESSAGE = pg_catalog.format('objectid_parse(%L): want 24 hex digits', pg_catalog."left"(s, 32));
            END IF;
            RETURN pg_catalog.decode(s, 'hex');
        END
        $function$;

        -- objectid_to_uuid returns the UUIDv7 that sqltype.UUID stores for an ID: its
        -- seconds * 1000, the version, 12 bits, the variant, 52 bits, and the mark 0x31d.
        -- UUIDs sort as their IDs do, so that objectid_to_uuid(objectid_min(...)) is a
        -- bound for a column of type uuid.
        CREATE OR REPLACE FUNCTION objectid_to_uuid(id bytea) RETURNS uuid
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN (pg_catalog.lpad(pg_catalog.to_hex(objectid_seconds(id) OPERATOR(pg_catalog.*) 1000), 12, '0')
                OPERATOR(pg_catalog.||) '7'
                OPERATOR(pg_catalog.||) pg_catalog.substr(pg_catalog.encode(id, 'hex'), 9, 3)
                OPERATOR(pg_catalog.||) pg_catalog.to_hex(
                    (('x' OPERATOR(pg_catalog.||) pg_catalog.substr(pg_catalog.encode(id, 'hex'), 12))::bit(52)::bigint OPERATOR(pg_catalog.<<) 10)
                    OPERATOR(pg_catalog.|) x'800000000000031d'::bit(64)::bigint))::pg_catalog.uuid;

        -- objectid_from_uuid returns the ID of such a UUID. Any other is an error.
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
                    MESSAGE = pg_catalog.format('objectid_from_uuid(%L): not the UUID of an id', u);
            END IF;
            RETURN pg_catalog.decode(pg_catalog.lpad(pg_catalog.to_hex(milliseconds OPERATOR(pg_catalog./) 1000), 8, '0')
                OPERATOR(pg_catalog.||) pg_catalog.substr(digits, 14, 3)
                OPERATOR(pg_catalog.||) pg_catalog.lpad(pg_catalog.to_hex((rest OPERATOR(pg_catalog.>>) 10) OPERATOR(pg_catalog.&) 4503599627370495), 13, '0'), 'hex');
        END
        $function$;

        -- objectid_derive returns the ID that a time and texts always give: the one of
        -- oid.Derive in Go. Its last 8 bytes are the first ones of a SHA-256 over each
        -- part in UTF-8, after its length as a bigint.
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
                    MESSAGE = pg_catalog.format('objectid_derive(%L): an id cannot hold this time', ts);
            END IF;
            IF pg_catalog.cardinality(parts) OPERATOR(pg_catalog.=) 0 THEN
                RAISE invalid_parameter_value USING MESSAGE = 'objectid_derive: no parts to derive an id from';
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

        -- objectid_new returns a new ID, for rows that SQL itself makes: as a DEFAULT, in
        -- triggers, in psql. The seconds are those of the clock. The five bytes of the
        -- process are a number drawn here, XOR the time at which the server started, XOR
        -- the name of the database: they are others after a restart, a promotion, a
        -- restore and in a copy of the database. The counter is a sequence, which
        -- all roles may use.
        --
        -- The sequence has no cache: a session that kept numbers back could use them
        -- after a whole turn of the counter, in the second of their next use.
        IF to_regclass(format('%I.objectid_counter', current_schema())) IS NULL THEN
            CREATE SEQUENCE objectid_counter AS integer MINVALUE 0 MAXVALUE 16777215 CYCLE;
            PERFORM setval('objectid_counter', (random() * 16777215)::integer);
        END IF;
        GRANT USAGE ON SEQUENCE objectid_counter TO PUBLIC; -- pg_dump may have left it out
        -- The drawn number stays, and so IDs made before and after still sort by it.
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

        -- objectid_first and objectid_last are min and max for IDs, which PostgreSQL
        -- before 18 doesn't have for bytea. They use the index of the column.
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
    EXCEPTION WHEN insufficient_privilege THEN
        -- Another role has made all of it, or nobody has.
        SELECT string_agg(name, ', ') INTO missing FROM unnest(ARRAY['objectid_seconds(bytea)', 'objectid_time(bytea)',
            'objectid_min(timestamptz)', 'objectid_max(timestamptz)', 'objectid_text(bytea)', 'objectid_parse(text)',
            'objectid_to_uuid(bytea)', 'objectid_from_uuid(uuid)', 'objectid_derive(timestamptz, text[])', 'objectid_new()', 'objectid_first(bytea)', 'objectid_last(bytea)']) name
            WHERE to_regprocedure(name) IS NULL;
        IF missing IS NOT NULL OR is_domain IS NULL THEN
            RAISE insufficient_privilege USING
                MESSAGE = format('%s, and schema %I lacks %s', SQLERRM, current_schema(), coalesce(missing, 'the domain objectid')),
                HINT = 'Let the owner of the schema, or of what is there, run this.';
        END IF;
    END;
    PERFORM set_config('search_path', path, true);
END
$schema$;
