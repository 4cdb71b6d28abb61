package sqltype_test

import (
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// postgresDrivers are the ways into a PostgreSQL.
func postgresDrivers() []database {
	var list []database
	for _, d := range databases() {
		if d.dollar {
			list = append(list, d)
		}
	}
	return list
}

func TestArraysThroughDatabaseSQL(t *testing.T) {
	t.Parallel()
	ids := []oid.ID{sample, printable}
	for _, d := range postgresDrivers() {
		t.Run(d.name, func(t *testing.T) {
			db := d.open(t)
			mustExec(t, db, d.sql("create table users (id {id} primary key)"))
			mustExec(t, db, "create table lists (ids bytea[], own objectid[])")
			for _, id := range ids {
				mustExec(t, db, "insert into users values ($1)", id)
			}
			mustExec(t, db, "insert into lists values ($1, $2)", sqltype.Array[oid.ID](ids), sqltype.Array[oid.ID](ids))
			for _, column := range []string{"ids", "own"} {
				var got []oid.ID
				if err := db.QueryRow("select " + column + " from lists").Scan((*sqltype.Array[oid.ID])(&got)); err != nil || !slices.Equal(got, ids) {
					t.Errorf("%s: %v, %v", column, got, err)
				}
				got = nil
				if err := db.QueryRow("select " + column + " from lists").Scan(pq.Array(&got)); err != nil || !slices.Equal(got, ids) {
					t.Errorf("%s by pq.Array: %v, %v", column, got, err)
				}
			}
			if n := queryOne[int](t, db, "select count(*) from users where id = any($1)", sqltype.Array[oid.ID](append(ids, oid.ID{}))); n != 2 {
				t.Errorf("= any finds %d rows", n)
			}
			mustExec(t, db, "update lists set ids = $1, own = $2", sqltype.Array[oid.ID](nil), sqltype.Array[oid.ID]{})
			var null, empty sqltype.Array[oid.ID]
			if err := db.QueryRow("select ids, own from lists").Scan(&null, &empty); err != nil || null != nil || empty == nil || len(empty) != 0 {
				t.Errorf("NULL %v, empty %v, %v", null, empty, err)
			}
			for want, column := range map[bool]string{false: "ids", true: "own"} {
				var list sql.Null[sqltype.Array[oid.ID]]
				if err := db.QueryRow("select " + column + " from lists").Scan(&list); err != nil || list.Valid != want {
					t.Errorf("%s into a sql.Null: %v, %v", column, list, err)
				}
				mustExec(t, db, "update lists set "+column+" = $1", list)
				if n := queryOne[int](t, db, "select count(*) from lists where "+column+" is not null"); (n == 1) != want {
					t.Errorf("%s from a sql.Null: %d rows are not NULL", column, n)
				}
			}
			// pq.Array writes the bytes of a Valuer as text.
			_, err := db.Exec("insert into lists (ids) values ($1)", pq.Array([]oid.ID{sample}))
			if err == nil {
				t.Error("pq.Array writes ids: say so in the documentation")
			}
		})
	}
}

// TestArrayWithTheCastOfItsType pins that PostgreSQL compares an Array only with a column of
// its form if the SQL casts the Array to its form. A cast to the form of the column doesn't
// help: as a bytea[], an Array[Hex] is a list of texts.
func TestArrayWithTheCastOfItsType(t *testing.T) {
	t.Parallel()
	lists := map[string]any{
		"bytea": sqltype.Array[oid.ID]{sample},
		"text":  sqltype.Array[sqltype.Hex]{sqltype.Hex(sample)},
		"uuid":  sqltype.Array[sqltype.UUID]{sqltype.UUID(sample)},
	}
	columns := map[string]string{"bytea": "bytea", "objectid": "bytea", "text": "text", "char(24)": "text", "uuid": "uuid"}
	for _, d := range postgresDrivers() {
		t.Run(d.name, func(t *testing.T) {
			db := d.open(t)
			for column, form := range columns {
				mustExec(t, db, `create table "a `+column+`" (id `+column+`)`)
				mustExec(t, db, `insert into "a `+column+`" select unnest($1::`+form+`[])`, lists[form])
				for cast, list := range lists {
					var n int
					err := db.QueryRow(`select count(*) from "a `+column+`" where id = any($1::`+cast+`[])`, list).Scan(&n)
					if fits := cast == form; fits != (err == nil) || fits && n != 1 {
						t.Errorf("%T in %s: %d rows, %v", list, column, n, err)
					}
				}
			}
		})
	}
}

func TestCopyIn(t *testing.T) {
	t.Parallel()
	db := open(t, "postgres", postgres(t))
	mustExec(t, db, "create table users (id bytea, own objectid, parent bytea, digits text)")
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	//lint:ignore SA1019 people still write it
	copied, err := tx.Prepare(pq.CopyIn("users", "id", "own", "parent", "digits"))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range awkward {
		if _, err := copied.Exec(id, id, sql.Null[oid.ID]{}, sqltype.Hex(id)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := copied.Exec(); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if n := queryOne[int](t, db, "select count(*) from users where id = own and parent is null and encode(id, 'hex') = digits"); n != len(awkward) {
		t.Errorf("%d of %d rows are as they were copied", n, len(awkward))
	}
}

// A slice of IDs is a parameter for pgx, not for lib/pq.
func TestSliceOfIDsAsAParameter(t *testing.T) {
	t.Parallel()
	for _, d := range postgresDrivers() {
		t.Run(d.name, func(t *testing.T) {
			db := d.open(t)
			mustExec(t, db, d.sql("create table users (id {id} primary key)"))
			mustExec(t, db, "insert into users values ($1)", sample)
			var n int
			err := db.QueryRow("select count(*) from users where id = any($1)", []oid.ID{sample, printable}).Scan(&n)
			works := strings.HasPrefix(d.name, "pgx") && d.name != "pgx exec"
			if works != (err == nil) || works && n != 1 {
				t.Errorf("%d rows, %v", n, err)
			}
		})
	}
}

// lib/pq doesn't know that the domain is a bytea, and sends the bytes as text:
// PostgreSQL takes those that are text. None is stored as another ID.
func TestLibPQNeedsBinaryParametersForTheDomain(t *testing.T) {
	t.Parallel()
	db := open(t, "postgres", postgres(t))
	mustExec(t, db, "create table users (id objectid primary key)")
	for _, id := range awkward {
		_, err := db.Exec("insert into users values ($1)", id)
		if err != nil {
			var pqErr *pq.Error
			if !errors.As(err, &pqErr) {
				t.Errorf("%q: %v", id[:], err)
			}
		} else if got := queryOne[oid.ID](t, db, "select id from users"); got != id {
			t.Errorf("%q is stored as %q", id[:], got[:])
		}
		mustExec(t, db, "delete from users")
	}
	if _, err := db.Exec("insert into users values ($1)", sample); err == nil {
		t.Error("lib/pq writes ids into the domain: say so in the documentation")
	}
	mustExec(t, db, "insert into users values ($1::bytea)", sample)
	if got := queryOne[oid.ID](t, db, "select id from users where id = $1", sample); got != sample {
		t.Errorf("with a cast: %v", got)
	}
}

func TestErrorOfTheServerIsNotHidden(t *testing.T) {
	t.Parallel()
	config, err := pgx.ParseConfig(postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(pgxoid.AfterConnect))
	defer db.Close()
	mustExec(t, db, "create table users (id objectid)")
	_, err = db.Exec("insert into users values ($1)", oid.ID{})
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.ConstraintName != "objectid_nonzero" {
		t.Errorf("the zero id: %v", err)
	}
}
