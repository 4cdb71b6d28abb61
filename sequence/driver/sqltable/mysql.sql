-- MySQL has no RETURNING. An UPDATE tells two numbers: how many rows it changed, and one
-- that LAST_INSERT_ID(n) remembers for the client. Each step changes draws, so that a step
-- of 0 counts as a change too. The clock is that of the moment when the statement began.
--
-- MySQL would name a CHECK after the table, and then the name of a table with 60 letters is
-- too long. A name must be the only one of its schema.
--
-- Outside of transactions, no step is made on a connection with autocommit = 0, because
-- nothing would ever commit it. In a transaction of the caller, true stands in the place of
-- @@autocommit.
--
-- {now} is TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))

-- name: create
CREATE TABLE IF NOT EXISTS {table} (
	`key`     varbinary(255) NOT NULL PRIMARY KEY,
	`meaning` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	`base`    bigint NOT NULL DEFAULT 0,
	`x`       bigint NOT NULL DEFAULT 0,
	`version` bigint NOT NULL,
	`draws`   bigint NOT NULL DEFAULT 0,
	CONSTRAINT {check} CHECK (`x` >= 0 AND `version` > 0)
) ENGINE = InnoDB;

-- MariaDB's Galera keeps copies on other machines instead of flushing, and its manual
-- recommends that setting. MySQL doesn't know the name.
--
-- What is wrong with the table, whether it exists, and two that ask about PostgreSQL. Three
-- parameters are the name of the table, because TiDB finds none in a subquery.
-- name: check
SELECT CASE
	WHEN concat(version(), @@version_comment) LIKE '%dolt%' THEN 'is on Dolt, which can give a number twice: use another server'
	WHEN @@innodb_flush_log_at_trx_commit = 0 /*M! AND NOT @@wsrep_on */ THEN
		'is on a server with innodb_flush_log_at_trx_commit = 0: a crash of the server would make numbers repeat: set it to 1'
	WHEN table_type <> 'BASE TABLE' THEN 'is not a table, but a view or something else'
	WHEN engine <> 'InnoDB' THEN concat('belongs to the engine ', engine, ', not to InnoDB, so numbers could repeat after a crash: change it to InnoDB')
	END, table_type IS NOT NULL, true, false
FROM (SELECT 1) AS one LEFT JOIN information_schema.tables
ON table_schema = IF(? LIKE '%.%', substring_index(?, '.', 1), database()) AND table_name = substring_index(?, '.', -1);

-- name: columns
SELECT `key`, meaning, base, x, version, draws FROM {table} LIMIT 0;

-- At READ UNCOMMITTED, a row that is rolled back later would look as if it were stored. This
-- is for the next statement only.
-- name: level of read
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

-- name: read
SELECT `key`, meaning, base, x, version, {now},
	IF(@@autocommit, NULL, 'is used on a connection with autocommit = 0, on which draws would be lost: set autocommit = 1 in the DSN or on the server')
FROM {table} WHERE `key` = ?;

-- name: lock
SELECT `key`, meaning, base, x, version, {now}, NULL
FROM {table} WHERE `key` = ? FOR UPDATE;

-- name: list
SELECT `key`, meaning, base, x, version, {now}, NULL
FROM {table};

-- If the row exists, this locks it without a look at it before. By MySQL's count, it then
-- changes two rows.
-- name: insert
INSERT INTO {table} (`key`, meaning, base, version) VALUES (?, CONVERT(? USING utf8mb4), ?, ?)
ON DUPLICATE KEY UPDATE draws = draws + 1;

-- name: update
UPDATE {table} SET draws = draws + 1, meaning = CONVERT(? USING utf8mb4), base = ?, version = ?
WHERE `key` = ? AND version = ?;

-- name: draw
UPDATE {table} SET draws = draws + 1, x = GREATEST(LAST_INSERT_ID(x), ?) + ?
WHERE `key` = ? AND version = ? AND @@autocommit AND GREATEST(x, ?) <= ?;

-- name: draw in time
UPDATE {table} SET draws = draws + 1, x = GREATEST(LAST_INSERT_ID(x), ?) + ?
WHERE `key` = ? AND version = ? AND @@autocommit AND GREATEST(x, ?) <= ?
	AND {now} BETWEEN ? AND ?;

-- The last condition compares first, because the sum could be too large to compute.
-- name: draw with clock
UPDATE {table} SET draws = draws + 1,
	x = LAST_INSERT_ID(GREATEST(x, ?, {now} DIV ? * ? - 1) + ?)
WHERE `key` = ? AND version = ? AND @@autocommit
	AND GREATEST(x, ?, {now} DIV ? * ? - 1) <= ?
	AND {now} BETWEEN ? AND ?
	AND CASE WHEN ? < 0 THEN true
		WHEN GREATEST(x, ?) > ? THEN false
		ELSE (GREATEST(x, ?, {now} DIV ? * ? - 1) + ?) DIV ? - {now} DIV ? <= ? END;
