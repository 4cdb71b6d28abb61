-- x is the count, and before is x before the last draw. draws counts the draws: if it
-- grew by more than a program's own, others draw too. package sequence gives a meaning to
-- meaning, base and version.
--
-- Every draw updates one row. On a page half empty, the new row finds room beside the old
-- one, and no index changes.
CREATE TABLE IF NOT EXISTS {table} (
	key     text   PRIMARY KEY,
	meaning text   NOT NULL,
	base    bigint NOT NULL,
	x       bigint NOT NULL CHECK (x >= 0),
	before  bigint NOT NULL,
	version bigint NOT NULL CHECK (version > 0),
	draws   bigint NOT NULL
) WITH (fillfactor = 50)
