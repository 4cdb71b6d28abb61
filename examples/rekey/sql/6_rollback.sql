-- Goes back to the old keys, with the rows of the new program. To switch again, run
-- 4_index.sql and 5_switch.sql again.
BEGIN;
DROP TRIGGER rekey ON orders;
ALTER TABLE orders DROP CONSTRAINT orders_new_customer_id_fkey, DROP CONSTRAINT orders_rekeyed, DROP CONSTRAINT orders_pkey;
ALTER TABLE customers DROP CONSTRAINT customers_rekeyed, DROP CONSTRAINT customers_pkey;

ALTER TABLE customers RENAME COLUMN id TO new_id;
ALTER TABLE customers RENAME COLUMN old_id TO id;
ALTER TABLE customers ALTER COLUMN new_id DROP NOT NULL;
ALTER TABLE customers ADD CONSTRAINT customers_pkey PRIMARY KEY USING INDEX customers_old_id;

ALTER TABLE orders RENAME COLUMN id TO new_id;
ALTER TABLE orders RENAME COLUMN old_id TO id;
ALTER TABLE orders ALTER COLUMN new_id DROP NOT NULL;
ALTER TABLE orders ADD CONSTRAINT orders_pkey PRIMARY KEY USING INDEX orders_old_id;
ALTER TABLE orders RENAME COLUMN customer_id TO new_customer_id;
ALTER TABLE orders RENAME COLUMN old_customer_id TO customer_id;
ALTER TABLE orders ALTER COLUMN new_customer_id DROP NOT NULL;
ALTER TABLE orders ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers;

CREATE TRIGGER rekey BEFORE INSERT ON customers
    FOR EACH ROW EXECUTE FUNCTION rekey_customers();
CREATE OR REPLACE FUNCTION rekey_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.new_id := coalesce(NEW.new_id, objectid_new());
    NEW.new_customer_id := (SELECT new_id FROM customers WHERE id = NEW.customer_id);
    RETURN NEW;
END $$;
CREATE TRIGGER rekey BEFORE INSERT OR UPDATE OF customer_id ON orders
    FOR EACH ROW EXECUTE FUNCTION rekey_orders();
COMMIT;
