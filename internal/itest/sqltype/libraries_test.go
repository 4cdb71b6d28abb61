package sqltype_test

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	sq "github.com/Masterminds/squirrel"
	"github.com/georgysavva/scany/v2/pgxscan"
	"github.com/georgysavva/scany/v2/sqlscan"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// Ada and Grace, whose parent is Ada, in a table that each library fills and asks.
type person struct {
	ID     oid.ID           `db:"id" bun:",pk"`
	Parent sqltype.ZeroNull `db:"parent"`
	Name   string           `db:"name"`
}

func family() (ada, grace person) {
	ada = person{ID: oid.New(), Name: "Ada"}
	return ada, person{ID: oid.New(), Parent: sqltype.ZeroNull(ada.ID), Name: "Grace"}
}

const peopleTable = "create table people (id {id} primary key, parent {id}, name varchar(20))"

// lastHour is the range that holds what the test has made.
func lastHour() (from, to time.Time) { return time.Now().Add(-time.Hour), time.Now().Add(time.Hour) }

func TestSqlx(t *testing.T) {
	t.Parallel()
	forEachDatabase(t, func(t *testing.T, db *sql.DB, d database) {
		driver := "mysql"
		if d.dollar {
			driver = "postgres"
		}
		x := sqlx.NewDb(db, driver)
		x.MustExec(d.sql(peopleTable))
		ada, grace := family()
		if _, err := x.NamedExec("insert into people (id, parent, name) values (:id, :parent, :name)", []person{ada, grace}); err != nil {
			t.Fatal(err)
		}
		var got person
		if err := x.Get(&got, x.Rebind("select * from people where id = ?"), grace.ID); err != nil || got != grace {
			t.Errorf("Get: %v, %v", got, err)
		}
		query, args, err := sqlx.In("select * from people where id in (?) and id <> ? order by id", []oid.ID{grace.ID, ada.ID}, sample)
		if err != nil {
			t.Fatal(err)
		}
		var all []person
		if err := x.Select(&all, x.Rebind(query), args...); err != nil || !slices.Equal(all, []person{ada, grace}) {
			t.Errorf("In: %v, %v", all, err)
		}
		from, to := lastHour()
		lo, hi := oid.Range(from, to)
		if err := x.Get(&got, x.Rebind("select p.* from people c join people p on p.id = c.parent where c.id >= ? and c.id < ?"), lo, hi); err != nil || got != ada {
			t.Errorf("range and join: %v, %v", got, err)
		}
	})
}

func TestSqlxTouchesTheRowsThatAreNamed(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		x := sqlx.NewDb(db, d.engine())
		ids := newCrowd(t, db, d)
		in := func(statement string, ids any) {
			t.Helper()
			query, args, err := sqlx.In(statement, ids)
			if err != nil {
				t.Fatal(err)
			}
			mustExec(t, db, x.Rebind(query), args...)
		}
		in("update people set name = 'new' where id in (?)", ids[:2])
		wantRows(t, db, "UPDATE … IN", crowd, 2)
		in("delete from people where id in (?)", []userID{userID(ids[1]), userID(ids[2])})
		wantRows(t, db, "DELETE … IN", crowd-2, 1)
		in("delete from people where id = ?", ids[3])
		wantRows(t, db, "DELETE … =", crowd-3, 1)
		in("delete from people where id not in (?)", []*oid.ID{&ids[0], &ids[4]})
		wantRows(t, db, "DELETE … NOT IN", 2, 1)
	})
}

func TestSquirrel(t *testing.T) {
	t.Parallel()
	forEachDatabase(t, func(t *testing.T, db *sql.DB, d database) {
		mustExec(t, db, d.sql(peopleTable))
		build := sq.StatementBuilder.RunWith(db)
		if d.dollar {
			build = build.PlaceholderFormat(sq.Dollar)
		}
		ada, grace := family()
		if _, err := build.Insert("people").Values(ada.ID, ada.Parent, ada.Name).Values(grace.ID, grace.Parent, grace.Name).Exec(); err != nil {
			t.Fatal(err)
		}
		find := func(where any, args ...any) (names []string) {
			t.Helper()
			rows, err := build.Select("c.name").From("people c").LeftJoin("people p on p.id = c.parent").Where(where, args...).OrderBy("c.id").Query()
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var name string
				if err := rows.Scan(&name); err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
			}
			return names
		}
		from, to := lastHour()
		lo, hi := oid.Range(from, to)
		for _, test := range []struct {
			got, want []string
		}{
			{find(sq.Eq{"c.id": grace.ID}), []string{"Grace"}},
			{find(sq.Eq{"c.id": []oid.ID{ada.ID, grace.ID}}), []string{"Ada", "Grace"}},
			{find(sq.Eq{"p.id": ada.ID}), []string{"Grace"}},
			{find("c.id >= ? and c.id < ?", lo, hi), []string{"Ada", "Grace"}},
			{find(sq.Gt{"c.id": oid.ID{}}), []string{"Ada", "Grace"}},
			// The zero ID is a value, and no row has it as its parent; a zero ZeroNull
			// is NULL, and squirrel writes IS NULL.
			{find(sq.Eq{"c.parent": oid.ID{}}), nil},
			{find(sq.Eq{"c.parent": sqltype.ZeroNull{}}), []string{"Ada"}},
		} {
			if !slices.Equal(test.got, test.want) {
				t.Errorf("got %q, want %q", test.got, test.want)
			}
		}
	})
}

func TestSquirrelTouchesTheRowsThatAreNamed(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		build := sq.StatementBuilder.RunWith(db)
		if d.dollar {
			build = build.PlaceholderFormat(sq.Dollar)
		}
		ids := newCrowd(t, db, d)
		if _, err := build.Update("people").Set("name", "new").Where(sq.Eq{"id": ids[:2]}).Exec(); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "UPDATE … IN", crowd, 2)
		if _, err := build.Delete("people").Where(sq.Eq{"id": []userID{userID(ids[1]), userID(ids[2])}}).Exec(); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "DELETE … IN", crowd-2, 1)
		if _, err := build.Delete("people").Where(sq.Eq{"id": &ids[3]}).Exec(); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "DELETE … =", crowd-3, 1)
		if _, err := build.Delete("people").Where(sq.NotEq{"id": []oid.ID{ids[0], ids[4]}}).Exec(); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "DELETE … NOT IN", 2, 1)
		if _, err := build.Delete("people").Where(sq.Eq{"parent": sqltype.ZeroNull{}}).Exec(); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "DELETE … IS NULL", 2, 1)
	})
}

// squirrel asks a nil pointer for its value, and Go panics. A ZeroNull or Null has
// one.
func TestSquirrelPanicsAtANilPointer(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Errorf("no panic: change docs/libraries.md")
		}
	}()
	sq.Eq{"parent": (*oid.ID)(nil)}.ToSql()
}

func TestScany(t *testing.T) {
	t.Parallel()
	forEachDatabase(t, func(t *testing.T, db *sql.DB, d database) {
		mustExec(t, db, d.sql(peopleTable))
		ada, grace := family()
		for _, p := range []person{ada, grace} {
			mustExec(t, db, d.sql("insert into people values (?, ?, ?)"), p.ID, p.Parent, p.Name)
		}
		var all []person
		if err := sqlscan.Select(t.Context(), db, &all, "select * from people order by id"); err != nil || !slices.Equal(all, []person{ada, grace}) {
			t.Errorf("Select: %v, %v", all, err)
		}
		from, to := lastHour()
		lo, hi := oid.Range(from, to)
		var got person
		if err := sqlscan.Get(t.Context(), db, &got, d.sql("select p.* from people c join people p on p.id = c.parent where c.id >= ? and c.id < ?"), lo, hi); err != nil || got != ada {
			t.Errorf("range and join: %v, %v", got, err)
		}
	})
}

func TestScanyWithPgx(t *testing.T) {
	t.Parallel()
	pool := postgresPool(t)
	ada, grace := family()
	for _, p := range []person{ada, grace} {
		if _, err := pool.Exec(t.Context(), "insert into people values ($1, $2, $3)", p.ID, p.Parent, p.Name); err != nil {
			t.Fatal(err)
		}
	}
	var all []person
	err := pgxscan.Select(t.Context(), pool, &all, "select * from people where id = any($1) order by id", []oid.ID{ada.ID, grace.ID})
	if err != nil || !slices.Equal(all, []person{ada, grace}) {
		t.Errorf("%v, %v", all, err)
	}
}

// postgresPool returns a pool with IDs registered and the table people.
func postgresPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	config.AfterConnect = pgxoid.AfterConnect
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), "create table people (id objectid primary key, parent objectid, name text)"); err != nil {
		t.Fatal(err)
	}
	return pool
}
