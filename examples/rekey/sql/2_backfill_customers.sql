-- One batch of $1 rows. Repeat it until it changes no row. objectid_derive gives a row the
-- same ID each time, with the time of the row. Without created_at, write a fixed time.
UPDATE customers SET new_id = objectid_derive(created_at, 'customers', id::text)
WHERE id IN (SELECT id FROM customers WHERE new_id IS NULL ORDER BY id LIMIT $1);
