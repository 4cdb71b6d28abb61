-- One batch of $1 rows. Start it after all customers have new IDs, and repeat it until it
-- changes no row.
UPDATE orders o
SET new_id = coalesce(o.new_id, objectid_derive(o.created_at, 'orders', o.id::text)), new_customer_id = c.new_id
FROM customers c
WHERE c.id = o.customer_id
    AND o.id IN (SELECT id FROM orders WHERE new_id IS NULL OR new_customer_id IS NULL ORDER BY id LIMIT $1);
