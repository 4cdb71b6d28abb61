-- One batch. objectid_derive gives a row the same ID each time, with the time of the row.
UPDATE customers SET new_id = objectid_derive(created_at, 'customers', id::text)
WHERE id IN (SELECT id FROM customers WHERE new_id IS NULL ORDER BY id LIMIT $1);
