-- name: CreateCustomer :one
INSERT INTO customers (id, name) VALUES (@id, @name) RETURNING *;

-- name: CreateOrder :one
INSERT INTO orders (id, customer, referrer, cents) VALUES (@id, @customer, @referrer, @cents) RETURNING *;

-- name: GetOrder :one
SELECT * FROM orders WHERE id = @id;

-- name: GetOrders :many
SELECT * FROM orders WHERE id = ANY(@ids::objectid[]) ORDER BY id;

-- name: ListOrders :many
SELECT * FROM orders WHERE id >= @lo AND id < @hi ORDER BY id LIMIT @page_size;
