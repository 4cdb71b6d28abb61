INSERT INTO {table} AS t (key, meaning, base, version, x, before, draws)
VALUES ($1, $2, $3::bigint, $4::bigint, 0, 0, 0)
ON CONFLICT (key) DO NOTHING
RETURNING
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END,
	(SELECT relpersistence::text FROM pg_class WHERE oid = t.tableoid)
