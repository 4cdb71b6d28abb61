UPDATE {table} AS t
SET before = t.x, x = GREATEST(t.x, $3::bigint) + $4::bigint, draws = t.draws + 1
WHERE t.key = $1 AND t.version = $2::bigint AND GREATEST(t.x, $3::bigint) <= $5::bigint - $4::bigint
RETURNING t.before, t.x, t.draws, 0::bigint,
	CASE WHEN $6 THEN set_config('synchronous_commit', 'off', true)
		WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END,
	(SELECT relpersistence::text FROM pg_class WHERE oid = t.tableoid)
