-- sqlc needs to know the name alone. The test makes the domain by PostgresSchema.
CREATE DOMAIN objectid AS bytea;
CREATE TABLE people (id objectid PRIMARY KEY, parent objectid REFERENCES people (id), friends objectid[] NOT NULL, name text NOT NULL);
