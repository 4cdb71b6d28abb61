-- RETURNING has the new values only. So before keeps the old x. The arguments of a draw and
-- what it returns are those of PostgreSQL, but for what SQLite has no use for.
--
-- SQLite reads the clock of its machine, down to the millisecond, once for each statement.
--
-- {now} is (CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000)

-- name: create
CREATE TABLE IF NOT EXISTS {table} (
	"key"     TEXT NOT NULL PRIMARY KEY,
	"meaning" TEXT NOT NULL,
	"base"    INTEGER NOT NULL DEFAULT 0,
	"x"       INTEGER NOT NULL DEFAULT 0 CHECK ("x" >= 0),
	"before"  INTEGER NOT NULL DEFAULT 0,
	"version" INTEGER NOT NULL CHECK ("version" > 0)
);

-- Any program may run CREATE TABLE IF NOT EXISTS, so nothing need be known of the table.
-- name: check
SELECT NULL, false, true, false;

-- name: columns
SELECT "key", "meaning", "base", "x", "before", "version" FROM {table} LIMIT 0;

-- name: read
SELECT "key", "meaning", "base", "x", "version", {now}, NULL FROM {table} WHERE "key" = ?;

-- An UPDATE takes the lock for writing.
-- name: lock
UPDATE {table} SET "before" = "before" WHERE "key" = ?
RETURNING "key", "meaning", "base", "x", "version", {now}, NULL;

-- name: list
SELECT "key", "meaning", "base", "x", "version", {now}, NULL FROM {table};

-- name: insert
INSERT INTO {table} ("key", "meaning", "base", "version") VALUES (?, ?, ?, ?) ON CONFLICT ("key") DO NOTHING;

-- name: update
UPDATE {table} SET "meaning" = ?, "base" = ?, "version" = ? WHERE "key" = ? AND "version" = ?;

-- name: draw
UPDATE {table} SET "before" = "x", "x" = max("x", ?3) + ?4
WHERE "key" = ?1 AND "version" = ?2 AND max("x", ?3) <= ?5
RETURNING "before", "x", 0, ?6;

-- The comments are those of PostgreSQL.
-- name: draw with clock
UPDATE {table} SET "before" = "x", "x" = ?4 + max("x", ?3, min({now} / ?7 * ?8 - 1, ?5))
WHERE "key" = ?1 AND "version" = ?2
	AND max("x", ?3, {now} / ?7 * ?8 - 1) <= ?5
	AND {now} BETWEEN ?10 AND ?11
	AND CASE WHEN ?9 < 0 THEN true
		WHEN (?4 - 1) / ?8 > ?9 THEN false
		WHEN max("x", ?3) > ?5 THEN false
		ELSE (max("x", ?3) + ?4) / ?8 - {now} / ?7 <= ?9 END
RETURNING "before", "x", {now}, ?6;

-- This takes the lock for writing, and changes nothing.
-- name: touch
UPDATE {table} SET "before" = "before" WHERE "key" = '';
