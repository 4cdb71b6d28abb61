-- Removes what only a rollback needs. The columns old_id stay, with their unique indexes,
-- for URLs that hold old keys. Drop them when no such URL is left.
BEGIN;
DROP TRIGGER rekey ON orders;
DROP FUNCTION rekey_orders(), rekey_customers();
ALTER TABLE orders DROP COLUMN old_customer_id;
ALTER TABLE customers DROP CONSTRAINT customers_rekeyed;
ALTER TABLE orders DROP CONSTRAINT orders_rekeyed;
DROP INDEX customers_left, orders_left;
COMMIT;
