-- clock_timestamp() is read when the row is ours, after all waiting. now() would be the
-- time when the waiting began, before others drew. Each part reads it again. LEAST keeps x
-- within its bound although the clock goes on between the parts.
UPDATE {table} AS t
SET before = t.x, draws = t.draws + 1, x = $4::bigint + GREATEST(t.x, $3::bigint,
	LEAST((extract(epoch FROM clock_timestamp()) * 1000000)::bigint / $7::bigint * $8::bigint - 1, $5::bigint - $4::bigint))
WHERE t.key = $1 AND t.version = $2::bigint
	AND (extract(epoch FROM clock_timestamp()) * 1000000)::bigint BETWEEN $10::bigint AND $11::bigint
	AND (extract(epoch FROM clock_timestamp()) * 1000000)::bigint / $7::bigint * $8::bigint - 1 <= $5::bigint - $4::bigint
	AND CASE
		WHEN GREATEST(t.x, $3::bigint) > $5::bigint - $4::bigint THEN false
		WHEN $9::bigint < 0 THEN true -- without a bound
		ELSE (GREATEST(t.x, $3::bigint) + $4::bigint) / $8::bigint
			- (extract(epoch FROM clock_timestamp()) * 1000000)::bigint / $7::bigint <= $9::bigint END
RETURNING t.before, t.x, t.draws, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
	CASE WHEN $6 THEN set_config('synchronous_commit', 'off', true)
		WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END,
	(SELECT relpersistence::text FROM pg_class WHERE oid = t.tableoid)
