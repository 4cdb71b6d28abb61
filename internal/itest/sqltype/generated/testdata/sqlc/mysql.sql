CREATE TABLE people (id binary(12) PRIMARY KEY, parent binary(12), name varchar(20) NOT NULL);
