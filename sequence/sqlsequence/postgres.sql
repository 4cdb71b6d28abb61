-- Package pgsequence knows the table too.
--
-- RETURNING has the new values only. So before keeps the old x. draws counts the steps. If
-- it grew by more than a program's own, others draw too.
--
-- Every step updates one row. Pages half empty let the new version of the row stay on the
-- page of the old one, without a change to the index.

-- name: create
CREATE TABLE IF NOT EXISTS {table} (
	key     text PRIMARY KEY,
	meaning text NOT NULL,
	base    bigint NOT NULL,
	x       bigint NOT NULL CHECK (x >= 0),
	before  bigint NOT NULL,
	version bigint NOT NULL CHECK (version > 0),
	draws   bigint NOT NULL
) WITH (fillfactor = 50);

-- name: create flush
CREATE SEQUENCE IF NOT EXISTS {flush};

-- name: check
SELECT CASE
	WHEN relkind NOT IN ('r', 'p') THEN 'is a view or something else, not a table'
	WHEN relpersistence = 'u' THEN 'is UNLOGGED: a crash would empty it'
	WHEN relpersistence = 't' THEN 'is temporary'
	END
FROM pg_class WHERE oid = to_regclass($1);

-- name: read
SELECT key, meaning, base, x, version, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
	(SELECT 'is UNLOGGED: a crash would empty it' FROM pg_class WHERE oid = t.tableoid AND relpersistence = 'u')
FROM {table} AS t WHERE key = $1;

-- name: lock
SELECT key, meaning, base, x, version, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
	(SELECT 'is UNLOGGED: a crash would empty it' FROM pg_class WHERE oid = t.tableoid AND relpersistence = 'u')
FROM {table} AS t WHERE key = $1 FOR UPDATE;

-- name: list
SELECT key, meaning, base, x, version, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, NULL FROM {table};

-- The commit waits until it is on disk, also where the session's synchronous_commit is off
-- or local.
-- name: insert
INSERT INTO {table} (key, meaning, base, version, x, before, draws) VALUES ($1, $2, $3, $4, 0, 0, 0) ON CONFLICT (key) DO NOTHING
RETURNING CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END;

-- name: update
UPDATE {table} SET meaning = $1, base = $2, version = $3 WHERE key = $4 AND version = $5
RETURNING CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END;

-- $6 is on for a commit that waits until it is on disk, off for one that doesn't, and
-- empty for the session's setting.
-- name: draw
UPDATE {table} AS t SET draws = t.draws + 1, before = t.x, x = GREATEST(t.x, $3) + $4::bigint
WHERE t.key = $1 AND t.version = $2 AND GREATEST(t.x, $3) <= $5
RETURNING t.before, t.x, t.draws, 0::bigint,
	CASE WHEN $6::text = 'off' OR $6 = 'on' AND current_setting('synchronous_commit') IN ('off', 'local')
	THEN set_config('synchronous_commit', $6, true) END;

-- clock_timestamp() is read when the row is ours, after all waiting. now() would be the
-- time when the waiting began, before others drew. Each part reads it again. LEAST keeps x
-- within its bound although the clock goes on between the parts. $7 is the length of a
-- tick in microseconds, $8 the width, $9 how many ticks x may be ahead, or -1.
-- name: draw with clock
UPDATE {table} AS t SET draws = t.draws + 1, before = t.x, x = $4::bigint + GREATEST(t.x, $3,
	LEAST((extract(epoch FROM clock_timestamp()) * 1000000)::bigint / $7 * $8 - 1, $5))
WHERE t.key = $1 AND t.version = $2
	AND GREATEST(t.x, $3, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint / $7 * $8 - 1) <= $5
	AND (extract(epoch FROM clock_timestamp()) * 1000000)::bigint BETWEEN $10 AND $11
	AND CASE WHEN $9::bigint < 0 THEN true
		WHEN GREATEST(t.x, $3) > $5 THEN false -- the sum could be too large to compute
		ELSE (GREATEST(t.x, $3) + $4) / $8 - (extract(epoch FROM clock_timestamp()) * 1000000)::bigint / $7 <= $9 END
RETURNING t.before, t.x, t.draws, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
	CASE WHEN $6::text = 'off' OR $6 = 'on' AND current_setting('synchronous_commit') IN ('off', 'local')
	THEN set_config('synchronous_commit', $6, true) END;

-- setval writes to the log, so its commit waits for the disk. A transaction that writes
-- nothing doesn't wait. What only speaks as PostgreSQL does may not wait for all that was
-- committed before.
-- name: flush
SELECT setval($1::text::regclass, 1) > 0 AND version() LIKE 'PostgreSQL %' AND version() NOT LIKE '%-YB-%' AND to_regproc('citus_is_coordinator') IS NULL,
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END;
