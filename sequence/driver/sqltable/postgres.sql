-- x is the count. RETURNING has the new values only, so before keeps the x before the last
-- step. package sequence gives a meaning to meaning, base and version.
--
-- Every step updates one row. Pages half empty let the new version of the row stay on the
-- page of the old one, without a change to the index.
--
-- {now} is (extract(epoch FROM clock_timestamp()) * 1000000)::bigint

-- name: create
CREATE TABLE IF NOT EXISTS {table} (
	key     text   PRIMARY KEY,
	meaning text   NOT NULL,
	base    bigint NOT NULL DEFAULT 0,
	x       bigint NOT NULL DEFAULT 0 CHECK (x >= 0),
	before  bigint NOT NULL DEFAULT 0,
	version bigint NOT NULL CHECK (version > 0)
) WITH (fillfactor = 50);

-- name: create flush
CREATE SEQUENCE IF NOT EXISTS {flush};

-- Then the sequence is dumped and dropped with the table.
-- name: own flush
ALTER SEQUENCE {flush} OWNED BY {table}.x;

-- What is wrong with the table, whether it exists, whether its sequence exists, and
-- whether the server has Citus.
-- name: check
SELECT CASE
	WHEN version() LIKE '%Dolt%' THEN 'is on Dolt, which can give a number twice: use another server'
	WHEN relkind NOT IN ('r', 'p') THEN 'is not a table, but a view or something else'
	WHEN relpersistence = 'u' THEN 'is UNLOGGED, and a crash would empty it: run ALTER TABLE ... SET LOGGED'
	WHEN relpersistence = 't' THEN 'is temporary: use a permanent table'
	END, relkind IS NOT NULL, to_regclass($2::text) IS NOT NULL, to_regproc('citus_is_coordinator') IS NOT NULL
FROM (VALUES (to_regclass($1::text))) AS named (it) LEFT JOIN pg_class ON oid = it;

-- name: check citus
SELECT CASE WHEN NOT citus_is_coordinator() THEN 'is on a worker of Citus: connect to the coordinator, which all programs share' END;

-- name: columns
SELECT key, meaning, base, x, before, version FROM {table} LIMIT 0;

-- name: read
SELECT key, meaning, base, x, version, {now},
	(SELECT 'is UNLOGGED, and a crash would empty it: run ALTER TABLE ... SET LOGGED' FROM pg_class WHERE oid = t.tableoid AND relpersistence = 'u')
FROM {table} AS t WHERE key = $1;

-- name: lock
SELECT key, meaning, base, x, version, {now},
	(SELECT 'is UNLOGGED, and a crash would empty it: run ALTER TABLE ... SET LOGGED' FROM pg_class WHERE oid = t.tableoid AND relpersistence = 'u')
FROM {table} AS t WHERE key = $1 FOR UPDATE;

-- name: list
SELECT key, meaning, base, x, version, {now}, NULL FROM {table};

-- The commit waits until it is on disk, also where the session's synchronous_commit is off
-- or local.
-- name: insert
INSERT INTO {table} (key, meaning, base, version)
VALUES ($1, $2, $3::bigint, $4::bigint) ON CONFLICT (key) DO NOTHING
RETURNING CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END;

-- name: update
UPDATE {table} SET meaning = $1, base = $2::bigint, version = $3::bigint WHERE key = $4 AND version = $5::bigint
RETURNING CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END;

-- $3 is the floor, $4 is N, $5 is the most that x may be before the step. With $6, the commit
-- doesn't wait until it is on disk.
-- name: draw
UPDATE {table} AS t SET before = t.x, x = GREATEST(t.x, $3::bigint) + $4::bigint
WHERE t.key = $1 AND t.version = $2::bigint AND GREATEST(t.x, $3::bigint) <= $5::bigint
RETURNING t.before, t.x, 0::bigint,
	CASE WHEN $6::boolean THEN set_config('synchronous_commit', 'off', true)
		WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END;

-- $7 is the length of a tick in microseconds, $8 the width, $9 how many ticks x may be
-- ahead, or -1. $10 and $11 are the first and the last time.
--
-- clock_timestamp() is read when the row is ours, after all waiting. now() would be the
-- time when the waiting began, before others drew. Each part reads it again. LEAST keeps x
-- within its bound although the clock goes on between the parts. The operator / isn't used:
-- on CockroachDB, it doesn't round.
-- name: draw with clock
UPDATE {table} AS t SET before = t.x, x = $4::bigint + GREATEST(t.x, $3::bigint,
	LEAST(div({now}, $7::bigint) * $8::bigint - 1, $5::bigint))
WHERE t.key = $1 AND t.version = $2::bigint
	AND GREATEST(t.x, $3::bigint, div({now}, $7::bigint) * $8::bigint - 1) <= $5::bigint
	AND {now} BETWEEN $10::bigint AND $11::bigint
	AND CASE WHEN $9::bigint < 0 THEN true
		WHEN div($4::bigint - 1, $8::bigint) > $9::bigint THEN false -- too many for one time
		WHEN GREATEST(t.x, $3::bigint) > $5::bigint THEN false -- the sum could be too large to compute
		ELSE div(GREATEST(t.x, $3::bigint) + $4::bigint, $8::bigint)
			- div({now}, $7::bigint) <= $9::bigint END
RETURNING t.before, t.x, {now},
	CASE WHEN $6::boolean THEN set_config('synchronous_commit', 'off', true)
		WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END;

-- setval writes to the log, so its commit waits for the disk. A transaction that writes
-- nothing doesn't wait. Only PostgreSQL itself has one log for all its tables. There, the
-- wait is one for all that was committed before. Only the first flush asks for the server's
-- version, which takes time.
-- name: first flush
SELECT CASE WHEN version() ~ '^PostgreSQL \d[^,]* on ' AND version() !~ '-YB-|Greenplum|XL|Gauss|Dolt'
		AND to_regproc('citus_is_coordinator') IS NULL
	THEN setval($1::text::regclass, 1) > 0 ELSE false END,
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END;

-- name: flush
SELECT CASE WHEN to_regproc('citus_is_coordinator') IS NULL THEN setval($1::text::regclass, 1) > 0 ELSE false END,
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END;
