UPDATE {table} AS t SET meaning = $2, base = $3::bigint, version = $4::bigint
WHERE t.key = $1 AND t.version = $5::bigint
RETURNING
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END,
	(SELECT relpersistence::text FROM pg_class WHERE oid = t.tableoid)
