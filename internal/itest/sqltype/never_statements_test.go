package sqltype_test

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A neverStatement is a line of the table of statements.
type neverStatement struct {
	text                 string
	databases            []string
	statements, with     []string
	result               string
	instead, insteadWith []string
	done                 map[string]bool // by the name of a database, whether the statement had the result
}

const statementsHeader = "| database | statement | argument or variable | what happens | write instead | argument or variable |"

func neverStatements(t *testing.T) (list []neverStatement) {
	t.Helper()
	for text, cells := range neverTable(t, "Statements", statementsHeader) {
		unquoted := func(cell string) []string {
			var list []string
			for _, p := range strings.Split(strings.TrimSpace(cell), "`, `") {
				list = append(list, strings.Trim(p, "`"))
			}
			return list
		}
		for _, name := range phrases(cells[0]) {
			if !slices.Contains([]string{"every database", "PostgreSQL", "MySQL", "MariaDB", "SQLite"}, name) {
				t.Fatalf("%s: %s: the test doesn't know the database %q", neverPage, text, name)
			}
		}
		list = append(list, neverStatement{
			text: text, databases: phrases(cells[0]), statements: unquoted(cells[1]), with: unquoted(cells[2]),
			result: strings.TrimSpace(cells[3]), instead: unquoted(cells[4]), insteadWith: unquoted(cells[5]), done: map[string]bool{},
		})
	}
	if len(list) == 0 {
		t.Fatalf("%s has no statements", neverPage)
	}
	return list
}

// databaseName returns the name of d's server on the page.
func (d database) databaseName() string {
	switch {
	case d.dollar:
		return "PostgreSQL"
	case strings.HasPrefix(d.name, "mysql"):
		return "MySQL"
	case strings.HasPrefix(d.name, "mariadb"):
		return "MariaDB"
	}
	return "SQLite"
}

// makeOrders makes the tables of the statements.
func makeOrders(t *testing.T, db *sql.DB, d database) {
	t.Helper()
	mustExec(t, db, d.sql("create table orders (id {id}, customer {id})"))
	mustExec(t, db, "create table invoices (id char(24))")
	switch d.engine() {
	case "postgres":
		mustExec(t, db, "create table notes (data jsonb)")
	case "mysql":
		mustExec(t, db, "create table notes (data json)")
		mustExec(t, db, "create table tickets (id binary(16))")
	}
	for _, id := range append(neverRows(t), sample) {
		mustExec(t, db, "insert into orders (id) values ("+binaryForm.literal(id, d.engine())+")")
	}
	mustExec(t, db, "insert into invoices values ('"+sample.Hex()+"')")
}

// amends are the right results in place of a wrong one.
var amends = map[string][]string{
	"no row":                      {"the row", "the other rows"},
	"every row":                   {"the row", "the other rows", "an error"},
	"12 zero bytes":               {"NULL"},
	"another value":               {"the ID"},
	"a number if the text is one": {"the ID"},
	"text, not `id.Hex()`":        {"the digits"},
	"12 raw bytes":                {"the digits"},
	"an ID of these 12 bytes":     {"the digits"},
}

// try runs the statements of the line and what the line says instead. A driver may also
// refuse a statement, or be right.
func (l *neverStatement) try(t *testing.T, db *sql.DB, d database) {
	t.Helper()
	name := d.databaseName()
	if !slices.Contains(l.databases, name) && !slices.Contains(l.databases, "every database") {
		return
	}
	rights := amends[l.result]
	if rights == nil {
		t.Fatalf("%s: %s: the test doesn't know the result %q", neverPage, l.text, l.result)
	}
	for _, statement := range l.statements {
		for _, with := range l.with {
			key := name + ": " + statement + " with " + with
			got, err := result(t, db, d, statement, with)
			l.done[key] = l.done[key] || got == l.result
			if got != l.result && got != "an error" && !slices.Contains(rights, got) {
				t.Errorf("%s: %s: over %s: %s, %v", neverPage, l.text, d.name, got, err)
			}
		}
	}
	for _, statement := range l.instead {
		for _, with := range l.insteadWith {
			if got, err := result(t, db, d, statement, with); !slices.Contains(rights, got) {
				t.Errorf("%s: %s: over %s, %s with %s: %s, %v", neverPage, l.text, d.name, statement, with, got, err)
			}
		}
	}
}

// result runs a statement of the page, and returns what happens in the words of the page.
func result(t *testing.T, db *sql.DB, d database, statement, with string) (string, error) {
	t.Helper()
	arguments := map[string][]any{
		"":                                nil,
		"id":                              {sample},
		"id.Hex()":                        {sample.Hex()},
		"oid.ID{}":                        {oid.ID{}},
		"oid.Range(from, to)":             {oid.MinAt(sample.Timestamp()), oid.Until(sample.Timestamp().Add(time.Second))},
		"sqltype.ZeroNull{}":              {sqltype.ZeroNull{}},
		"(*oid.ID)(nil)":                  {(*oid.ID)(nil)},
		"sqltype.Hex(id)":                 {sqltype.Hex(sample)},
		"sqltype.UUID(id)":                {sqltype.UUID(sample)},
		"sqltype.Array[oid.ID]{id}":       {sqltype.Array[oid.ID]{sample}},
		"sqltype.Array[sqltype.Hex]{hex}": {sqltype.Array[sqltype.Hex]{sqltype.Hex(sample)}},
	}
	args := arguments[with]
	verb, _, _ := strings.Cut(statement, " ")
	switch {
	case verb == "WHERE":
		var n int
		if err := db.QueryRow(d.sql("select count(*) from orders "+statement), args...).Scan(&n); err != nil {
			return "an error", err
		}
		rows := len(neverRows(t)) + 1
		return map[int]string{0: "no row", 1: "the row", rows - 1: "the other rows", rows: "every row"}[n], nil
	case verb == "SELECT":
		query := d.sql(statement + " FROM orders WHERE id = ?")
		got, err := read(db.QueryRow(query, sample), with)
		if got == "an error" && strings.HasPrefix(d.name, "pgx") {
			return readByPgx(t, db, query, with) // which reads more than database/sql
		}
		return got, err
	case strings.Contains(statement, " notes "):
		mustExec(t, db, "delete from notes")
		digits := oid.MustParse("651234567890123456789012")
		text, err := json.Marshal(digits)
		if err != nil {
			t.Fatal(err)
		}
		if with == "id.Hex()" {
			text = []byte(digits.Hex())
		}
		if _, err := db.Exec(d.sql(statement), string(text)); err != nil {
			return "an error", err
		}
		if queryOne[string](t, db, "select data from notes") != `"`+digits.Hex()+`"` {
			return "a number if the text is one", nil
		}
		return "the ID", nil
	case strings.Contains(statement, " tickets "):
		mustExec(t, db, "delete from tickets")
		mustExec(t, db, statement, args...)
		var id sqltype.UUID
		if err := db.QueryRow("select bin_to_uuid(id) from tickets").Scan(&id); err != nil || oid.ID(id) != sample {
			return "another value", err
		}
		return "the ID", nil
	}
	mustExec(t, db, "delete from orders where id is null")
	if _, err := db.Exec(d.sql(statement), args...); err != nil {
		return "an error", err
	}
	stored := queryOne[[]byte](t, db, "select customer from orders where id is null")
	mustExec(t, db, "delete from orders where id is null")
	switch {
	case stored == nil:
		return "NULL", nil
	case string(stored) == string(sample[:]):
		return "the ID", nil
	case string(stored) == string(make([]byte, 12)):
		return "12 zero bytes", nil
	}
	return "another value", nil
}

// readByPgx is read without database/sql.
func readByPgx(t *testing.T, db *sql.DB, query, variable string) (got string, err error) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.Raw(func(c any) error {
		got, err = read(c.(*stdlib.Conn).Conn().QueryRow(t.Context(), query, sample), variable)
		return nil
	})
	return got, err
}

// read reads a row into a variable of the named type.
func read(row interface{ Scan(...any) error }, variable string) (string, error) {
	var text string
	var err error
	switch variable {
	case "oid.ID":
		var id oid.ID
		err = row.Scan(&id)
		text = id.String()
	case "sql.NullString":
		var null sql.NullString
		err = row.Scan(&null)
		text = null.String
	default:
		err = row.Scan(&text)
	}
	switch {
	case err != nil:
		return "an error", err
	case text == sample.Hex():
		return "the digits", nil
	case text == printable.Hex():
		return "an ID of these 12 bytes", nil
	case text == string(sample[:]):
		return "12 raw bytes", nil
	}
	return "text, not `id.Hex()`", nil
}
