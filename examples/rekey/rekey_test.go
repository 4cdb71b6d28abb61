package main

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
)

func TestRekey(t *testing.T) {
	if err := run(t.Context(), io.Discard, "", 1); err == nil || !strings.Contains(err.Error(), "-dsn is missing") {
		t.Errorf("without -dsn: %v", err)
	}
	var out strings.Builder
	dsn := postgres.Database(t)
	if err := run(t.Context(), &out, dsn, 3000); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	const steps = `  before    3000 orders
  expand    the new columns exist
  backfill  [23]\d{3} rows, in batches of 1000
  index     the old program has stored [1-9]\d* orders in the meantime
  compare   3\d{3} orders, and the same customers by old keys and by new keys
  switch    3\d{3} orders, one of the new program
  rollback  3\d{3} orders under the old keys
`
	want := `^integer keys\n` + steps + `  contract  the order with the old key 1 is [0-9a-f]{24}, of \d{4}-\d\d-\d\d\n\n` +
		`uuid keys\n` + steps + `  contract  the order with the old key [0-9a-f-]{36} is [0-9a-f]{24}, of \d{4}-\d\d-\d\d\n\n$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("it prints\n%s\nwant\n%s", out.String(), want)
	}
	pool, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var schemas int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'oidkit_rekey_%'").Scan(&schemas); err != nil || schemas != 0 {
		t.Errorf("%d schemas left behind, %v", schemas, err)
	}
}

// A backfill that is stopped goes on. The new IDs have the times of their rows.
func TestBackfillGoesOn(t *testing.T) {
	err := withSchema(t.Context(), postgres.Database(t), func(pool *pgxpool.Pool) error {
		if err := fill(t.Context(), pool, "integer", 2500); err != nil {
			return err
		}
		if err := execFile(t.Context(), pool, "1_expand.sql"); err != nil {
			return err
		}
		n, err := backfillBatch(t.Context(), pool, "2_backfill_customers.sql")
		if err != nil || n != 250 {
			t.Errorf("the customers: %d, %v, want 250", n, err)
		}
		if n, err := backfillBatch(t.Context(), pool, "3_backfill_orders.sql"); err != nil || n != 1000 {
			t.Errorf("the first batch: %d, %v, want 1000", n, err)
		}
		var before oid.ID
		if err := pool.QueryRow(t.Context(), "SELECT new_id FROM orders WHERE id = 1").Scan(&before); err != nil {
			return err
		}
		if n, err := backfill(t.Context(), pool); err != nil || n != 1500 {
			t.Errorf("the rest: %d, %v, want 1500", n, err)
		}
		var after oid.ID
		var wrong int
		if err := pool.QueryRow(t.Context(), "SELECT new_id FROM orders WHERE id = 1").Scan(&after); err != nil {
			return err
		}
		if before != after {
			t.Errorf("order 1 has the ID %v, and had %v", after, before)
		}
		err = pool.QueryRow(t.Context(), "SELECT count(*) FROM orders WHERE objectid_time(new_id) <> date_trunc('second', created_at)").Scan(&wrong)
		if wrong != 0 {
			t.Errorf("%d IDs have another time than their row", wrong)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An index step that finds a row without a new key fails, and the old keys stay.
func TestARowThatWasLeftOut(t *testing.T) {
	err := withSchema(t.Context(), postgres.Database(t), func(pool *pgxpool.Pool) error {
		if err := fill(t.Context(), pool, "integer", 10); err != nil {
			return err
		}
		if err := execFile(t.Context(), pool, "1_expand.sql"); err != nil {
			return err
		}
		if err := execEach(t.Context(), pool, "4_index.sql"); err == nil || !strings.Contains(err.Error(), "customers_rekeyed") {
			t.Errorf("without a backfill: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// At the end the new keys are primary keys and foreign keys, and the old ones are unique.
func TestTheNewKeysAreKeys(t *testing.T) {
	for _, keys := range []string{"integer", "uuid"} {
		err := withSchema(t.Context(), postgres.Database(t), func(pool *pgxpool.Pool) error {
			if err := migrate(t.Context(), io.Discard, pool, keys, 20); err != nil {
				return err
			}
			for _, tt := range []struct{ statement, code string }{
				{"INSERT INTO orders (customer_id, cents) SELECT id, 1 FROM customers LIMIT 1", "23502"},               // not null
				{"INSERT INTO orders (id, customer_id, cents) SELECT id, customer_id, 1 FROM orders LIMIT 1", "23505"}, // unique
				{"INSERT INTO orders (id, cents) VALUES (objectid_new(), 1)", "23502"},
				{"INSERT INTO orders (id, customer_id, cents) VALUES (objectid_new(), objectid_new(), 1)", "23503"}, // foreign key
				{"INSERT INTO orders (id, old_id, customer_id, cents) SELECT objectid_new(), old_id, customer_id, 1 FROM orders LIMIT 1", "23505"},
				{"INSERT INTO customers (name) VALUES ('nobody')", "23502"},
				{"DELETE FROM customers WHERE id = (SELECT customer_id FROM orders LIMIT 1)", "23503"},
			} {
				_, err := pool.Exec(t.Context(), tt.statement)
				var refused *pgconn.PgError
				if !errors.As(err, &refused) || refused.Code != tt.code {
					t.Errorf("%s keys: %s: %v, want the error %s", keys, tt.statement, err, tt.code)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s keys: %v", keys, err)
		}
	}
}
