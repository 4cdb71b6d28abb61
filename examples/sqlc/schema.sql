CREATE TABLE IF NOT EXISTS customers (
    id objectid PRIMARY KEY,
    name text NOT NULL
);

CREATE TABLE IF NOT EXISTS orders (
    id objectid PRIMARY KEY, -- holds the creation time, so there is no created_at
    customer objectid NOT NULL REFERENCES customers,
    referrer objectid REFERENCES customers,
    cents bigint NOT NULL
);
