package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oidkit/oidkit/oid"
)

//go:embed sql
var files embed.FS

// batchSize is how many rows one statement of the backfill changes.
const batchSize = 1000

// migrate goes through the steps, with a rollback in the middle.
func migrate(ctx context.Context, w io.Writer, pool *pgxpool.Pool, keys string, n int) error {
	step := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	if err := fill(ctx, pool, keys, n); err != nil {
		return err
	}
	step("before", "%d orders", n)

	// The old program goes on while the new columns are added, filled and indexed.
	if err := execFile(ctx, pool, "1_expand.sql"); err != nil {
		return err
	}
	step("expand", "the new columns exist")
	old := startOldProgram(ctx, pool)
	rows, err := backfill(ctx, pool)
	if err == nil {
		step("backfill", "%d rows, in batches of %d", rows, batchSize)
		err = execEach(ctx, pool, "4_index.sql")
	}
	added, oldErr := old.stop()
	if err := errors.Join(err, oldErr); err != nil {
		return err
	}
	step("index", "the old program has stored %d orders in the meantime", added)

	// Both keys are there. They must give the same orders to each customer.
	before, err := orders(ctx, pool, "o.customer_id = c.id")
	if err != nil {
		return err
	}
	same := func(on string, want int) error {
		got, err := orders(ctx, pool, on)
		if err != nil {
			return err
		}
		if len(got) != want || strings.Join(got[:len(before)], "") != strings.Join(before, "") {
			return fmt.Errorf("ON %s: %d orders, want %d, or some belong to another customer", on, len(got), want)
		}
		return nil
	}
	if err := same("o.new_customer_id = c.new_id", len(before)); err != nil {
		return err
	}
	step("compare", "%d orders, and the same customers by old keys and by new keys", len(before))

	if err := execFile(ctx, pool, "5_switch.sql"); err != nil {
		return err
	}
	if err := newProgram(ctx, pool); err != nil {
		return err
	}
	if err := same("o.customer_id = c.id", len(before)+1); err != nil {
		return err
	}
	step("switch", "%d orders, one of the new program", len(before)+1)

	if err := execFile(ctx, pool, "6_rollback.sql"); err != nil {
		return err
	}
	if err := same("o.customer_id = c.id", len(before)+1); err != nil {
		return err
	}
	step("rollback", "%d orders under the old keys", len(before)+1)

	if err := execEach(ctx, pool, "4_index.sql"); err != nil {
		return err
	}
	for _, name := range []string{"5_switch.sql", "7_contract.sql"} {
		if err := execFile(ctx, pool, name); err != nil {
			return err
		}
	}
	if err := newProgram(ctx, pool); err != nil {
		return err
	}
	if err := same("o.customer_id = c.id", len(before)+2); err != nil {
		return err
	}
	return oldLinks(ctx, pool, step)
}

// fill makes the old tables with n orders of the last 100 days.
func fill(ctx context.Context, pool *pgxpool.Pool, keys string, n int) error {
	if err := execFile(ctx, pool, keys+".sql"); err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, "INSERT INTO customers (name, created_at) SELECT 'Customer ' || i, now() - interval '200 days' FROM generate_series(1, $1) i", max(n/10, 1)); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, `INSERT INTO orders (customer_id, cents, created_at)
		SELECT c.id, i, now() - interval '100 days' * (1 - i::float / $1)
		FROM generate_series(1, $1) i
		JOIN (SELECT id, row_number() OVER () AS n, count(*) OVER () AS all_of_them FROM customers) c ON c.n = i % c.all_of_them + 1`, n)
	return err
}

// backfill fills the new columns of the rows that existed before. It can be stopped at
// any time: the next call goes on.
func backfill(ctx context.Context, pool *pgxpool.Pool) (rows int64, err error) {
	for _, name := range []string{"2_backfill_customers.sql", "3_backfill_orders.sql"} {
		for {
			n, err := backfillBatch(ctx, pool, name)
			if err != nil {
				return rows, err
			}
			if n == 0 {
				break
			}
			rows += n
		}
	}
	return rows, nil
}

func backfillBatch(ctx context.Context, pool *pgxpool.Pool, name string) (int64, error) {
	data, err := files.ReadFile("sql/" + name)
	if err != nil {
		return 0, err
	}
	tag, err := pool.Exec(ctx, string(data), batchSize)
	return tag.RowsAffected(), err
}

// orders returns a line per order with the customer's name, by one pair of keys. The
// order of the lines is that of the creation times.
func orders(ctx context.Context, pool *pgxpool.Pool, on string) ([]string, error) {
	rows, err := pool.Query(ctx, "SELECT o.created_at::text || c.name || o.cents FROM orders o JOIN customers c ON "+on+" ORDER BY o.created_at, o.cents")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}

// newProgram stores an order with keys of its own.
func newProgram(ctx context.Context, pool *pgxpool.Pool) error {
	var customer oid.ID
	if err := pool.QueryRow(ctx, "SELECT id FROM customers ORDER BY id LIMIT 1").Scan(&customer); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, "INSERT INTO orders (id, customer_id, cents) VALUES ($1, $2, 4200)", oid.New(), customer)
	return err
}

// oldLinks finds an order by its old key, as a handler of old URLs does.
func oldLinks(ctx context.Context, pool *pgxpool.Pool, step func(string, string, ...any)) error {
	var old string
	var id, found oid.ID
	if err := pool.QueryRow(ctx, "SELECT old_id::text, id FROM orders ORDER BY id LIMIT 1").Scan(&old, &id); err != nil {
		return err
	}
	if err := pool.QueryRow(ctx, "SELECT id FROM orders WHERE old_id = $1", old).Scan(&found); err != nil {
		return err
	}
	if found != id {
		return fmt.Errorf("the order with the old key %s is %v, want %v", old, found, id)
	}
	step("contract", "the order with the old key %s is %s, of %s", old, id, id.Timestamp().Format(time.DateOnly))
	return nil
}

// execFile executes a file. A file with BEGIN and COMMIT takes effect as a whole.
func execFile(ctx context.Context, pool *pgxpool.Pool, name string) error {
	data, err := files.ReadFile("sql/" + name)
	if err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, string(data)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// execEach executes the statements of a file one by one.
func execEach(ctx context.Context, pool *pgxpool.Pool, name string) error {
	data, err := files.ReadFile("sql/" + name)
	if err != nil {
		return err
	}
	for statement := range strings.SplitSeq(string(data), ";\n") {
		if _, err := pool.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
