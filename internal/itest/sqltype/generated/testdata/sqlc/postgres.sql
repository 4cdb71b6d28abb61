-- sqlc needs to know only the name. The test makes the domain by PostgresSchema.
CREATE DOMAIN objectid AS bytea;
CREATE TABLE people (id objectid PRIMARY KEY, parent objectid REFERENCES people (id), friends objectid[] NOT NULL, name text NOT NULL);
CREATE TABLE notes (id char(24) PRIMARY KEY, parent char(24) REFERENCES notes (id));
