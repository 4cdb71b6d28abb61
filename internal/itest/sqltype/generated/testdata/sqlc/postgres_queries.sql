-- name: CreatePerson :one
INSERT INTO people (id, parent, friends, name) VALUES ($1, $2, $3, $4) RETURNING *;

-- name: ListPeople :many
SELECT * FROM people WHERE id = ANY(@ids::objectid[]) ORDER BY id;

-- name: ListParents :many
SELECT p.* FROM people c JOIN people p ON p.id = c.parent WHERE c.id >= @lo AND c.id < @hi;

-- name: RenamePeople :execrows
UPDATE people SET name = 'new' WHERE id = ANY(@ids::objectid[]);

-- name: DeleteChildren :execrows
DELETE FROM people WHERE parent = @parent AND NOT id = ANY(@but::objectid[]);

-- name: CreateNote :one
INSERT INTO notes (id, parent) VALUES ($1, $2) RETURNING *;

-- name: ListNotes :many
SELECT * FROM notes WHERE id = ANY(@ids::char(24)[]) ORDER BY id;
