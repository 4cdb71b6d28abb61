package public_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

var (
	_ pgtype.BytesValuer  = OrderID{}
	_ pgtype.BytesScanner = (*OrderID)(nil)
)

var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// Each case says what the column holds after an INSERT, as SQL: the plain ID, never a text in
// its form.
func TestPgx(t *testing.T) {
	ctx := t.Context()
	conn := postgres.Connect(t)
	if _, err := conn.Exec(ctx, sqltype.PostgresSchema()); err != nil {
		t.Fatal(err)
	}
	for name, setUp := range map[string]func(*pgx.Conn) error{
		"Register":    func(c *pgx.Conn) error { pgxoid.Register(c.TypeMap()); return nil },
		"RegisterFor": func(c *pgx.Conn) error { pgxoid.RegisterFor[OrderID](c.TypeMap()); return nil },
		"AfterConnectTypes": func(c *pgx.Conn) error {
			pgxoid.RegisterFor[OrderID](c.TypeMap())
			return pgxoid.AfterConnectTypes("objectid")(ctx, c)
		},
	} {
		config := conn.Config().Copy()
		registered, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		defer registered.Close(context.Background())
		if err := setUp(registered); err != nil {
			t.Fatal(err)
		}
		for _, mode := range modes {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				pgxColumn(t, registered, mode, "bytea", oid.ID{}, `\x`+oid.ID{}.Hex())
				for _, id := range []oid.ID{sample, printable, oid.New()} {
					pgxColumn(t, registered, mode, "bytea", id, `\x`+id.Hex())
					if name == "AfterConnectTypes" || mode == pgx.QueryExecModeExec || mode == pgx.QueryExecModeSimpleProtocol {
						pgxColumn(t, registered, mode, "objectid", id, `\x`+id.Hex())
					}
					if mode != pgx.QueryExecModeExec && mode != pgx.QueryExecModeSimpleProtocol {
						pgxColumn(t, registered, mode, "text", id, id.Hex())
						pgxColumn(t, registered, mode, "char(24)", id, id.Hex())
					}
				}
				pgxLists(t, registered, mode)
				if mode != pgx.QueryExecModeExec && mode != pgx.QueryExecModeSimpleProtocol {
					pgxUUID(t, registered, mode)
				}
			})
		}
	}
}

var tables int

// newTable makes a table whose name no cached statement has.
func newTable(t *testing.T, conn *pgx.Conn, columns string) string {
	t.Helper()
	tables++
	table := fmt.Sprint("o", tables)
	if _, err := conn.Exec(t.Context(), "CREATE TEMP TABLE "+table+" ("+columns+")"); err != nil {
		t.Fatal(err)
	}
	return table
}

// pgxColumn stores an ID in each way, and reads it in each way.
func pgxColumn(t *testing.T, conn *pgx.Conn, mode pgx.QueryExecMode, column string, id oid.ID, want string) {
	t.Helper()
	ctx, order := t.Context(), OrderID(id)
	table := newTable(t, conn, "n int, id "+column)
	for n, param := range []any{order, &order, sql.Null[OrderID]{V: order, Valid: true}} {
		if _, err := conn.Exec(ctx, "INSERT INTO "+table+" VALUES ($1, $2)", mode, n, param); err != nil {
			t.Fatalf("%s: INSERT of a %T: %v", column, param, err)
		}
		var stored string
		if err := conn.QueryRow(ctx, "SELECT id::text FROM "+table+" WHERE n = $1", mode, n).Scan(&stored); err != nil || stored != want {
			t.Errorf("%s: a %T is stored as %q, %v, want %q", column, param, stored, err, want)
		}
		var got OrderID
		var pointer *OrderID
		var null sql.Null[OrderID]
		row := func() pgx.Row {
			return conn.QueryRow(ctx, "SELECT id FROM "+table+" WHERE n = $1 AND id = $2", mode, n, order)
		}
		if err := row().Scan(&got); err != nil || got != order {
			t.Errorf("%s: Scan = %v, %v", column, oid.ID(got), err)
		}
		if err := row().Scan(&pointer); err != nil || *pointer != order {
			t.Errorf("%s: Scan into a pointer: %v", column, err)
		}
		if err := row().Scan(&null); err != nil || null.V != order || !null.Valid {
			t.Errorf("%s: Scan into sql.Null: %v, %v", column, null, err)
		}
	}
	if _, err := conn.Exec(ctx, "INSERT INTO "+table+" VALUES (9, $1)", mode, (*OrderID)(nil)); err != nil {
		t.Errorf("%s: NULL: %v", column, err)
	}
	pointer := &order
	if err := conn.QueryRow(ctx, "SELECT id FROM "+table+" WHERE n = 9", mode).Scan(&pointer); err != nil || pointer != nil {
		t.Errorf("%s: NULL = %v, %v", column, pointer, err)
	}
	if err := conn.QueryRow(ctx, "SELECT id FROM "+table+" WHERE n = 9", mode).Scan(new(OrderID)); err == nil {
		t.Errorf("%s: NULL into an ID is no error", column)
	}
	if strings.HasPrefix(column, "char") || column == "text" {
		if _, err := conn.Exec(ctx, "UPDATE "+table+" SET id = rpad('ord_', 24, 'x') WHERE n = 0", mode); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRow(ctx, "SELECT id FROM "+table+" WHERE n = 0", mode).Scan(new(OrderID)); err == nil {
			t.Errorf("%s: a text that isn't hex digits is read", column)
		}
	}
}

func pgxLists(t *testing.T, conn *pgx.Conn, mode pgx.QueryExecMode) {
	t.Helper()
	ctx := t.Context()
	ids := []OrderID{OrderID(sample), OrderID(printable), OrderID(oid.New())}
	table := newTable(t, conn, "id bytea, list bytea[]")
	for _, id := range ids {
		if _, err := conn.Exec(ctx, "INSERT INTO "+table+" VALUES ($1, $2)", mode, id, ids); err != nil {
			t.Fatalf("a list: %v", err)
		}
	}
	var n int
	var list []OrderID
	if err := conn.QueryRow(ctx, "SELECT count(*), min(list) FROM "+table+" WHERE id = ANY($1)", mode, ids[:2]).Scan(&n, &list); err != nil || n != 2 || !slices.Equal(list, ids) {
		t.Errorf("= ANY finds %d rows, want 2; the list is %v, %v", n, list, err)
	}
	if err := conn.QueryRow(ctx, "SELECT array_agg(id ORDER BY id) FROM "+table, mode).Scan(&list); err != nil || len(list) != 3 {
		t.Errorf("array_agg = %v, %v", list, err)
	}
}

// A uuid column takes the UUID form. An ID in it is an error, as an oid.ID is.
func pgxUUID(t *testing.T, conn *pgx.Conn, mode pgx.QueryExecMode) {
	t.Helper()
	ctx, id := t.Context(), OrderID(sample)
	var got sqltype.UUID
	if err := conn.QueryRow(ctx, "SELECT $1::uuid", mode, sqltype.UUID(id)).Scan(&got); err != nil || OrderID(got) != id {
		t.Errorf("uuid: %v, %v", got, err)
	}
	if err := conn.QueryRow(ctx, "SELECT $1::uuid::text", mode, id).Scan(new(string)); err == nil {
		t.Error("an ID in a uuid column is no error")
	}
}

// In JSON, also that of a column, an ID is outside.
func TestJSONColumnHoldsTheForm(t *testing.T) {
	conn := postgres.Connect(t)
	pgxoid.RegisterFor[OrderID](conn.TypeMap())
	order := newOrder()
	var text string
	if err := conn.QueryRow(t.Context(), "SELECT $1::jsonb ->> 'id'", order).Scan(&text); err != nil || text != order.ID.String() {
		t.Errorf("jsonb holds %q, %v", text, err)
	}
	var got Order
	if err := conn.QueryRow(t.Context(), "SELECT $1::jsonb", order).Scan(&got); err != nil || got != order {
		t.Errorf("jsonb gives %v, %v", got, err)
	}
	for _, column := range []string{"json", "jsonb"} {
		for name, value := range map[string]any{"ID": order.ID, "pointer": &order.ID, "sql.Null": sql.Null[OrderID]{V: order.ID, Valid: true}} {
			var lone OrderID
			err := conn.QueryRow(t.Context(), "SELECT ($1::"+column+") #>> '{}', $1::"+column, value).Scan(&text, &lone)
			if err != nil || text != order.ID.String() || lone != order.ID {
				t.Errorf("%s of a lone %s holds %q and gives %v, %v, want %v", column, name, text, lone, err, order.ID)
			}
		}
		if _, err := conn.Exec(t.Context(), "SELECT $1::"+column, public.ID[formless](sample)); err == nil || !strings.Contains(err.Error(), "IDForm returns no form") {
			t.Errorf("%s of an ID without a form: %v", column, err)
		}
	}
}

// A formless model has no form.
type formless struct{}

func (formless) IDForm() *public.Form { return nil }

// Without pgxoid, pgx sends what it sends for an oid.ID.
func TestPgxWithoutRegistration(t *testing.T) {
	ctx, conn := t.Context(), postgres.Connect(t)
	for _, mode := range modes {
		for _, id := range []oid.ID{sample, printable} {
			for _, column := range []string{"bytea", "text", "uuid", "jsonb"} {
				var got, want string
				err := conn.QueryRow(ctx, "SELECT $1::"+column+"::text", mode, OrderID(id)).Scan(&got)
				wantErr := conn.QueryRow(ctx, "SELECT $1::"+column+"::text", mode, id).Scan(&want)
				if column == "jsonb" && wantErr == nil {
					want = strings.Replace(want, id.Hex(), OrderID(id).String(), 1) // outside
				}
				if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%v: %s of %v holds %q, %v, want %q, %v", mode, column, id, got, err, want, wantErr)
				}
			}
			var got OrderID
			if err := conn.QueryRow(ctx, "SELECT $1::bytea", mode, OrderID(id)).Scan(&got); err != nil || oid.ID(got) != id {
				t.Errorf("%v: bytea: %v, %v", mode, got, err)
			}
		}
	}
}
