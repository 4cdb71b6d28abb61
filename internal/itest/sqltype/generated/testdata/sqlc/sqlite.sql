CREATE TABLE people (id blob PRIMARY KEY NOT NULL, parent blob, name text NOT NULL);
