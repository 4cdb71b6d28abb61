-- Adds the new columns. They are NULL at first, so this takes no time on a large table.
-- The old program goes on: a trigger fills the new columns of the rows that it writes.
BEGIN;
ALTER TABLE customers ADD COLUMN new_id objectid;
ALTER TABLE orders ADD COLUMN new_id objectid, ADD COLUMN new_customer_id objectid;

CREATE FUNCTION rekey_customers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.new_id := coalesce(NEW.new_id, objectid_new());
    RETURN NEW;
END $$;
CREATE TRIGGER rekey BEFORE INSERT ON customers
    FOR EACH ROW EXECUTE FUNCTION rekey_customers();

CREATE FUNCTION rekey_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.new_id := coalesce(NEW.new_id, objectid_new());
    NEW.new_customer_id := (SELECT new_id FROM customers WHERE id = NEW.customer_id);
    RETURN NEW;
END $$;
CREATE TRIGGER rekey BEFORE INSERT OR UPDATE OF customer_id ON orders
    FOR EACH ROW EXECUTE FUNCTION rekey_orders();

-- The backfill finds the rows that are left in these indexes.
CREATE INDEX customers_left ON customers (id) WHERE new_id IS NULL;
CREATE INDEX orders_left ON orders (id) WHERE new_id IS NULL OR new_customer_id IS NULL;
COMMIT;
