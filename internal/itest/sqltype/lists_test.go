package sqltype_test

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A listForm is a form of IDs in a list.
type listForm struct {
	name    string
	cast    string
	columns []string                                               // the types of columns that hold this form
	list    func(...oid.ID) any                                    // a sqltype.Array
	scan    func(row *sql.Row) (ids []oid.ID, isNil bool, e error) // into a sqltype.Array
}

func formOf[T interface {
	~[12]byte
	driver.Valuer
}](cast string, columns ...string) listForm {
	return listForm{
		cast:    cast,
		name:    fmt.Sprintf("%T", *new(T)),
		columns: columns,
		list: func(ids ...oid.ID) any {
			list := sqltype.Array[T]{}
			for _, id := range ids {
				list = append(list, T(id))
			}
			return list
		},
		scan: func(row *sql.Row) (ids []oid.ID, isNil bool, err error) {
			list := sqltype.Array[T]{{1}}
			err = row.Scan(&list)
			for _, id := range list {
				ids = append(ids, oid.ID(id))
			}
			return ids, list == nil, err
		},
	}
}

var listForms = []listForm{
	formOf[oid.ID]("bytea[]", "bytea", "objectid"),
	formOf[userID]("bytea[]", "bytea", "objectid"),
	formOf[sqltype.ZeroNull]("bytea[]", "bytea", "objectid"),
	formOf[sqltype.ZeroNullFor[user]]("bytea[]", "bytea", "objectid"),
	formOf[sqltype.Hex]("text[]", "text", "varchar(24)", "char(24)"),
	formOf[sqltype.UUID]("uuid[]", "uuid"),
}

// zeroIsNull reports whether the form writes the zero ID as NULL.
func (form listForm) zeroIsNull() bool { return strings.Contains(form.name, "ZeroNull") }

// A listTable is a table with IDs of a form, stored by SQL, so that no driver has a part
// in it.
type listTable struct {
	*sql.DB
	form   listForm
	column string // the type of the column id
	name   string // its own, since pgx keeps plans of statements
	ids    []oid.ID
}

func newListTable(t *testing.T, db *sql.DB, form listForm, column, name string) listTable {
	t.Helper()
	const count = 20
	value := `'%s'`
	switch column {
	case "bytea", "objectid":
		value = `'\x%s'`
	case "uuid":
		value = `objectid_to_uuid('\x%s')`
	}
	table := listTable{db, form, column, name, slices.Clone(awkward)}
	for len(table.ids) < count {
		table.ids = append(table.ids, oid.New())
	}
	mustExec(t, db, "create table "+name+" (id "+column+" primary key, digits text, name text)")
	for _, id := range table.ids {
		mustExec(t, db, "insert into "+name+" values ("+fmt.Sprintf(value, id)+", '"+id.Hex()+"', 'old')")
	}
	return table
}

// count returns how many rows a condition names.
func (table listTable) count(t *testing.T, condition string, args ...any) int {
	t.Helper()
	return queryOne[int](t, table.DB, "select count(*) from "+table.name+" where "+condition, args...)
}

// Each form, in each column that holds it, by each driver.
func TestLists(t *testing.T) {
	t.Parallel()
	for _, d := range postgresDrivers() {
		t.Run(d.name, func(t *testing.T) {
			db := d.open(t)
			for f, form := range listForms {
				for c, column := range form.columns {
					t.Run(form.name+" in "+column, func(t *testing.T) {
						table := newListTable(t, db, form, column, fmt.Sprintf("rows_%d_%d", f, c))
						testCastRefusesOtherForms(t, table)
						testListNamesItsRows(t, table)
						testListIsStored(t, table)
					})
				}
			}
		})
	}
}

// A list names rows, and NOT names all others: no other row is changed or deleted.
func testListNamesItsRows(t *testing.T, table listTable) {
	ids, list := table.ids, table.form.list
	named, others := ids[:7], ids[7:]
	parameter := list(named...)
	if table.form.zeroIsNull() {
		// With NOT, a NULL in a list makes the condition unknown, which names no row.
		if n := table.count(t, "not (id = any($1))", list(oid.ID{}, ids[0])); n != 0 {
			t.Errorf("NOT of a list with NULL finds %d rows, want 0", n)
		}
	} else {
		parameter = list(append([]oid.ID{{}, oid.New()}, named...)...) // no row has the first two
	}
	for condition, want := range map[string]int{"id = any($1)": len(named), "not (id = any($1))": len(others), "id <> all($1)": len(others)} {
		if n := table.count(t, condition, parameter); n != want {
			t.Errorf("%s finds %d rows, want %d", condition, n, want)
		}
	}
	if n := table.count(t, "id = any($1)", list()); n != 0 {
		t.Errorf("= any of no IDs finds %d rows", n)
	}
	mustExec(t, table.DB, "update "+table.name+" set name = 'named' where id = any($1)", parameter)
	mustExec(t, table.DB, "update "+table.name+" set name = 'other' where not (id = any($1))", parameter)
	mustExec(t, table.DB, "delete from "+table.name+" where id = any($1)", list(named[:3]...))
	mustExec(t, table.DB, "delete from "+table.name+" where not (id = any($1))", list(ids[3:11]...))
	for i, id := range ids {
		want := "deleted"
		switch {
		case 3 <= i && i < 7:
			want = "named"
		case 7 <= i && i < 11:
			want = "other"
		}
		got := "deleted"
		if err := table.QueryRow("select name from "+table.name+" where digits = $1", id.Hex()).Scan(&got); err != nil && err != sql.ErrNoRows {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("row %d, %v, is %s, want %s", i, id, got, want)
		}
	}
}

// A cast names the form of the list, so the server refuses a column of another form.
func testCastRefusesOtherForms(t *testing.T, table listTable) {
	for _, other := range listForms {
		matches := slices.Contains(other.columns, table.column)
		condition := "not (id = any($1::" + other.cast + "))"
		_, err := table.Exec("delete from "+table.name+" where "+condition, other.list(table.ids...))
		if (err == nil) != matches {
			t.Errorf("%s of %s: %v, want an error: %v", condition, other.name, err, !matches)
		}
		if n := table.count(t, "true"); n != len(table.ids) {
			t.Fatalf("%s of %s: %d of %d rows are left", condition, other.name, n, len(table.ids))
		}
	}
}

func testListIsStored(t *testing.T, table listTable) {
	lists := table.name + "_lists"
	mustExec(t, table.DB, "create table "+lists+" (ids "+table.column+"[])")
	for _, want := range [][]oid.ID{{}, table.ids[:1], table.ids} {
		mustExec(t, table.DB, "delete from "+lists)
		mustExec(t, table.DB, "insert into "+lists+" values ($1)", table.form.list(want...))
		if got, isNil, err := table.form.scan(table.QueryRow("select ids from " + lists)); err != nil || isNil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
		// The server sees the same IDs in the list.
		if n := queryOne[int](t, table.DB, "select cardinality(ids) from "+lists); n != len(want) {
			t.Errorf("the list has %d elements, want %d", n, len(want))
		}
	}
	if n := table.count(t, "id in (select unnest(ids) from "+lists+")"); n != 8 { // those that are left
		t.Errorf("%d rows are in the list, want 8", n)
	}
	mustExec(t, table.DB, "update "+lists+" set ids = null")
	if got, isNil, err := table.form.scan(table.QueryRow("select ids from " + lists)); err != nil || !isNil {
		t.Errorf("NULL is read as %v, %v", got, err)
	}
	mustExec(t, table.DB, "update "+lists+" set ids = array[null]::"+table.column+"[]")
	got, _, err := table.form.scan(table.QueryRow("select ids from " + lists))
	if table.form.zeroIsNull() != (err == nil) || err == nil && (len(got) != 1 || !got[0].IsZero()) {
		t.Errorf("a NULL element is read as %v, %v", got, err)
	}
}
