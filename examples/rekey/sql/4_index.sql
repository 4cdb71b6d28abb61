-- Prepares the switch, while the old program goes on. Run each statement alone, because
-- CREATE INDEX CONCURRENTLY refuses a transaction.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS customers_new_id ON customers (new_id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS customers_old_id ON customers (id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS orders_new_id ON orders (new_id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS orders_old_id ON orders (id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_new_customer_id ON orders (new_customer_id);

-- These fail if a row has no new key. Run the backfill again then. With valid checks, the
-- switch need not read the tables.
ALTER TABLE customers ADD CONSTRAINT customers_rekeyed CHECK (new_id IS NOT NULL) NOT VALID;
ALTER TABLE orders ADD CONSTRAINT orders_rekeyed CHECK (new_id IS NOT NULL AND new_customer_id IS NOT NULL) NOT VALID;
ALTER TABLE orders ADD CONSTRAINT orders_new_customer_id_fkey FOREIGN KEY (new_customer_id) REFERENCES customers (new_id) NOT VALID;
ALTER TABLE customers VALIDATE CONSTRAINT customers_rekeyed;
ALTER TABLE orders VALIDATE CONSTRAINT orders_rekeyed;
ALTER TABLE orders VALIDATE CONSTRAINT orders_new_customer_id_fkey;
