-- Makes the new columns the keys. Stop the old program before it, and start the new one
-- after it. The old keys stay, and a trigger goes on to fill them.
BEGIN;
DROP TRIGGER rekey ON customers;
DROP TRIGGER rekey ON orders;
ALTER TABLE orders DROP CONSTRAINT orders_customer_id_fkey, DROP CONSTRAINT orders_pkey;
ALTER TABLE customers DROP CONSTRAINT customers_pkey;

ALTER TABLE customers RENAME COLUMN id TO old_id;
ALTER TABLE customers RENAME COLUMN new_id TO id;
ALTER TABLE customers ADD CONSTRAINT customers_pkey PRIMARY KEY USING INDEX customers_new_id;

ALTER TABLE orders RENAME COLUMN id TO old_id;
ALTER TABLE orders RENAME COLUMN new_id TO id;
ALTER TABLE orders ADD CONSTRAINT orders_pkey PRIMARY KEY USING INDEX orders_new_id;
ALTER TABLE orders RENAME COLUMN customer_id TO old_customer_id;
ALTER TABLE orders RENAME COLUMN new_customer_id TO customer_id;
ALTER TABLE orders ALTER COLUMN customer_id SET NOT NULL;

-- old_id keeps its default, so new rows get one. The trigger fills the foreign key.
CREATE OR REPLACE FUNCTION rekey_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.old_customer_id := (SELECT old_id FROM customers WHERE id = NEW.customer_id);
    RETURN NEW;
END $$;
CREATE TRIGGER rekey BEFORE INSERT OR UPDATE OF customer_id ON orders
    FOR EACH ROW EXECUTE FUNCTION rekey_orders();
COMMIT;
