-- name: CreatePerson :exec
INSERT INTO people (id, parent, name) VALUES (?, ?, ?);

-- name: ListPeople :many
SELECT * FROM people WHERE id IN (sqlc.slice(ids)) ORDER BY id;

-- name: RenamePeople :execrows
UPDATE people SET name = 'new' WHERE id IN (sqlc.slice(ids));

-- name: DeleteChildren :execrows
DELETE FROM people WHERE parent = ? AND id NOT IN (sqlc.slice(but));
