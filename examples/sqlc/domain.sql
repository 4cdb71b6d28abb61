-- Only sqlc reads this file. The program makes the domain with sqltype.PostgresSchema.
CREATE DOMAIN objectid AS bytea;
