package pgxoid_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
	_ "modernc.org/sqlite"
)

// TestPageOnSQL runs the code of docs/sql.md. internal/contract/docs checks that each block of
// the page stands here.
func TestPageOnSQL(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	page := sqlPage{ctx: t.Context(), uri: conn.Config().ConnString()}
	pool, err := page.install()
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	sqlDB := stdlib.OpenDBFromPool(pool)
	defer sqlDB.Close()
	mustExec(t, conn, "CREATE TABLE orders (id bytea PRIMARY KEY, number text NOT NULL, customer bytea)")
	mustExec(t, conn, "CREATE TABLE invoices (id char(24) PRIMARY KEY, number text NOT NULL)")
	mustExec(t, conn, "CREATE TABLE tickets (id uuid PRIMARY KEY, number text NOT NULL)")
	if err := page.insert(sqlDB); err != nil {
		t.Fatal(err)
	}
	order := Order{ID: oid.New(), Number: "A1"}
	orders := []Order{{oid.New(), "B1"}, {oid.New(), "B2"}}
	if err := page.insertMany(pool, order, orders); err != nil {
		t.Fatal(err)
	}
	if found, err := page.readOne(sqlDB, order.ID.Hex()); err != nil || found != order {
		t.Errorf("%+v, %v, want %+v", found, err, order)
	}
	ids := []oid.ID{orders[0].ID, orders[1].ID}
	if lines, err := page.list(pool, ids); err != nil || !slices.Equal(lines, []string{"B1", "B2"}) {
		t.Error(lines, err)
	}
	numbers := func(rows *sql.Rows, err error) (all []string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id oid.ID
			var number string
			if columns, _ := rows.Columns(); len(columns) == 1 {
				err = rows.Scan(&number)
			} else {
				err = rows.Scan(&id, &number)
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, number)
		}
		slices.Sort(all)
		return all
	}
	want := func(got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	want(numbers(page.array(sqlDB, ids)), "B1", "B2")
	want(numbers(page.after(sqlDB, orders[0].ID)), "B2")
	want(numbers(page.created(sqlDB, from, to)), "A1", "A1001", "B1", "B2")
	mustExec(t, conn, "INSERT INTO orders (id, number) VALUES ($1, 'old')", oid.MinAt(from.Add(-time.Second)))
	if err := page.deleteOld(sqlDB, from); err != nil {
		t.Fatal(err)
	}
	want(numbers(page.created(sqlDB, from.Add(-time.Hour), to)), "A1", "A1001", "B1", "B2")

	lite, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer lite.Close()
	lite.SetMaxOpenConns(1)
	if _, err := lite.ExecContext(page.ctx, "CREATE TABLE orders (id blob PRIMARY KEY, number text NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	for _, o := range orders {
		if _, err := lite.ExecContext(page.ctx, "INSERT INTO orders (id, number) VALUES (?, ?)", o.ID, o.Number); err != nil {
			t.Fatal(err)
		}
	}
	want(numbers(page.placeholders(lite, ids)), "B1", "B2")

	if err := page.insertOtherForms(sqlDB, order); err != nil {
		t.Fatal(err)
	}
	inText, inUUID, err := page.otherForms(sqlDB, from, to)
	want(numbers(inText, err), "I1")
	want(numbers(inUUID, err), "T1")

	id := oid.New()
	customer, err := page.convert(id.Hex())
	if err != nil || oid.ID(customer) != id {
		t.Errorf("converted %v, %v, want %v", customer, err, id)
	}
	if got, err := page.readNull(sqlDB, order); err != nil || !got.IsZero() {
		t.Errorf("the customer %v, %v, want the zero ID", got, err)
	}
	mustExec(t, conn, "UPDATE orders SET customer = $1 WHERE id = $2", customer, order.ID)
	if got, err := page.readNull(sqlDB, order); err != nil || got != customer {
		t.Errorf("the customer %v, %v, want %v", got, err, customer)
	}
	if err := page.change(sqlDB, order, customer); err != nil {
		t.Fatal(err)
	}
	want(numbers(page.created(sqlDB, from, to)), "A1001", "B1", "B2")
}

type Order struct {
	ID     oid.ID
	Number string
}

type Customer struct{ ID oid.ID }

type sqlPage struct {
	ctx context.Context
	uri string
}

func (p sqlPage) convert(text string) (sqltype.ZeroNull, error) {
	type CustomerID = oid.For[Customer]
	id, err := oid.Parse(text)
	parsed, made := CustomerID(id), CustomerID(oid.New())                   // back: oid.ID(made)
	customer, none := sqltype.ZeroNull(id), sqltype.ZeroNull{}              // none is NULL; back: oid.ID(customer)
	typed, inText := sqltype.ZeroNullFor[Customer](made), sqltype.Hex(made) // back: CustomerID(typed)
	if oid.ID(parsed) != id || !none.IsZero() || CustomerID(typed) != made || inText.String() != made.Hex() {
		return none, fmt.Errorf("%v %v %v %v", parsed, none, typed, inText)
	}
	return customer, err
}

func (p sqlPage) install() (*pgxpool.Pool, error) {
	ctx, uri := p.ctx, p.uri
	config, err := pgxpool.ParseConfig(uri)
	if err != nil {
		return nil, err
	}
	config.AfterConnect = pgxoid.AfterConnect
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return pool, err
}

func (p sqlPage) insert(sqlDB *sql.DB) error {
	ctx := p.ctx
	type Order struct {
		ID       oid.ID
		Number   string
		Customer *oid.ID // nil is NULL
	}
	order := Order{ID: oid.New(), Number: "A1001"}
	_, err := sqlDB.ExecContext(ctx, "INSERT INTO orders (id, number, customer) VALUES ($1, $2, $3)", order.ID, order.Number, order.Customer)
	return err
}

func (p sqlPage) insertOtherForms(sqlDB *sql.DB, order Order) error {
	ctx := p.ctx
	_, err := sqlDB.ExecContext(ctx, "INSERT INTO invoices (id, number) VALUES ($1, $2)", sqltype.Hex(order.ID), "I1") // text
	if err != nil {
		return err
	}
	_, err = sqlDB.ExecContext(ctx, "INSERT INTO tickets (id, number) VALUES ($1, $2)", sqltype.UUID(order.ID), "T1") // uuid
	return err
}

func (p sqlPage) insertMany(pool *pgxpool.Pool, order Order, orders []Order) error {
	ctx := p.ctx
	_, err := pool.Exec(ctx, "INSERT INTO orders (id, number) VALUES ($1, $2)", order.ID, order.Number)
	if err != nil {
		return err
	}
	n, err := pool.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id", "number"},
		pgx.CopyFromSlice(len(orders), func(i int) ([]any, error) {
			return []any{orders[i].ID, orders[i].Number}, nil
		}))
	_ = n
	return err
}

func (p sqlPage) readOne(sqlDB *sql.DB, text string) (order Order, err error) {
	ctx := p.ctx
	err = func() error {
		id, err := oid.Parse(text) // text of a URL
		if err != nil {
			return err
		}
		row := sqlDB.QueryRowContext(ctx, "SELECT id, number FROM orders WHERE id = $1", id)
		err = row.Scan(&order.ID, &order.Number) // sql.ErrNoRows if there is none
		return err
	}()
	return order, err
}

func (p sqlPage) readNull(sqlDB *sql.DB, order Order) (sqltype.ZeroNull, error) {
	ctx := p.ctx
	var customer sqltype.ZeroNull // NULL is read as the zero ID; reading NULL into an oid.ID is an error
	err := sqlDB.QueryRowContext(ctx, "SELECT customer FROM orders WHERE id = $1", order.ID).Scan(&customer)
	return customer, err
}

func (p sqlPage) change(sqlDB *sql.DB, order Order, customer sqltype.ZeroNull) error {
	ctx := p.ctx
	_, err := sqlDB.ExecContext(ctx, "UPDATE orders SET number = $1, customer = $2 WHERE id = $3", "A1002", customer, order.ID)
	if err != nil {
		return err
	}
	_, err = sqlDB.ExecContext(ctx, "DELETE FROM orders WHERE id = $1", order.ID)
	return err
}

func (p sqlPage) list(pool *pgxpool.Pool, ids []oid.ID) (numbers []string, err error) {
	ctx := p.ctx
	err = func() error {
		rows, err := pool.Query(ctx, "SELECT id, number FROM orders WHERE id = ANY($1)", ids)
		if err != nil {
			return err
		}
		type line struct {
			ID     oid.ID
			Number string
		}
		lines, err := pgx.CollectRows(rows, pgx.RowToStructByPos[line])
		for _, l := range lines {
			numbers = append(numbers, l.Number)
		}
		return err
	}()
	slices.Sort(numbers)
	return numbers, err
}

func (p sqlPage) array(sqlDB *sql.DB, ids []oid.ID) (*sql.Rows, error) {
	ctx := p.ctx
	rows, err := sqlDB.QueryContext(ctx, "SELECT id, number FROM orders WHERE id = ANY($1::bytea[])", sqltype.Array[oid.ID](ids))
	return rows, err
}

func (p sqlPage) placeholders(sqlDB *sql.DB, ids []oid.ID) (*sql.Rows, error) {
	ctx := p.ctx
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(ids)), ", ")
	rows, err := sqlDB.QueryContext(ctx, "SELECT id, number FROM orders WHERE id IN ("+marks+")", sqltype.Args(ids)...)
	return rows, err
}

func (p sqlPage) after(sqlDB *sql.DB, last oid.ID) (*sql.Rows, error) {
	ctx := p.ctx
	rows, err := sqlDB.QueryContext(ctx, "SELECT id, number FROM orders WHERE id > $1 ORDER BY id LIMIT 50", last)
	return rows, err
}

func (p sqlPage) created(sqlDB *sql.DB, from, to time.Time) (*sql.Rows, error) {
	ctx := p.ctx
	lo, hi := oid.Range(from, to)
	rows, err := sqlDB.QueryContext(ctx, "SELECT id, number FROM orders WHERE id >= $1 AND id < $2 ORDER BY id", lo, hi)
	return rows, err
}

func (p sqlPage) deleteOld(sqlDB *sql.DB, from time.Time) (err error) {
	ctx := p.ctx
	_, err = sqlDB.ExecContext(ctx, "DELETE FROM orders WHERE id < $1", oid.MinAt(from)) // the rows of the seconds before from
	return err
}

func (p sqlPage) otherForms(sqlDB *sql.DB, from, to time.Time) (texts, uuids *sql.Rows, err error) {
	ctx := p.ctx
	err = func() error {
		lo, hi := oid.Range(from, to)
		inText, err := sqlDB.QueryContext(ctx, "SELECT number FROM invoices WHERE id >= $1 AND id < $2", sqltype.Hex(lo), sqltype.Hex(hi))
		if err != nil {
			return err
		}
		inUUID, err := sqlDB.QueryContext(ctx, "SELECT number FROM tickets WHERE id >= $1 AND id < $2", sqltype.UUID(lo), sqltype.UUID(hi))
		texts, uuids = inText, inUUID
		return err
	}()
	return texts, uuids, err
}
