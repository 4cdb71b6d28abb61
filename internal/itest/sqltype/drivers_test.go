package sqltype_test

import (
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

type user struct{}

type userID = oid.For[user]

// awkward are IDs that drivers and padded columns could spoil.
var awkward = []oid.ID{
	sample, printable, oid.New(),
	oid.ID([]byte("ends in    \x20")), oid.ID([]byte("and zero \x00\x00\x00")), oid.ID([]byte(`it's \"not"?`)), oid.ID([]byte("\xff\xfe\x80\x00\x1a\n\r'\\\"%_")),
	oid.MaxAt(time.Unix(1<<32-1, 0)).Prev(), {11: 1},
}

func TestStoreFindRangeAndJoin(t *testing.T) {
	t.Parallel()
	forEachDatabase(t, func(t *testing.T, db *sql.DB, d database) {
		mustExec(t, db, d.sql("create table users (id {id} primary key, parent {id}, hex {hex}, name varchar(20))"))
		mustExec(t, db, d.sql("create table orders (id {id} primary key, user_id {id} not null references users (id))"))
		for i, id := range awkward {
			var parent *oid.ID
			if i > 0 {
				parent = &awkward[i-1]
			}
			mustExec(t, db, d.sql("insert into users values (?, ?, ?, ?)"), id, parent, sqltype.Hex(id), "Ada")
			mustExec(t, db, d.sql("insert into orders values (?, ?)"), id.Next(), userID(id))
		}
		for i, id := range awkward {
			var got struct {
				id      oid.ID
				typed   userID
				hex     sqltype.Hex
				fromHex oid.ID
				parent  *oid.ID
				zn      sqltype.ZeroNull
				sqlNull sql.Null[oid.ID]
			}
			err := db.QueryRow(d.sql("select id, id, hex, hex, parent, parent, parent from users where id = ? and hex = ?"), id, sqltype.Hex(id)).
				Scan(&got.id, &got.typed, &got.hex, &got.fromHex, &got.parent, &got.zn, &got.sqlNull)
			if err != nil {
				t.Errorf("%q: %v", id[:], err)
				continue
			}
			if got.id != id || oid.ID(got.typed) != id || got.hex != sqltype.Hex(id) || got.fromHex != id {
				t.Errorf("%q: got %+v", id[:], got)
			}
			if hasParent := i > 0; (got.parent != nil) != hasParent || got.sqlNull.Valid != hasParent || got.zn.IsZero() == hasParent {
				t.Errorf("%q: parents %+v", id[:], got)
			} else if hasParent && (*got.parent != awkward[i-1] || got.sqlNull.V != awkward[i-1] || oid.ID(got.zn) != awkward[i-1]) {
				t.Errorf("%q: parents %+v", id[:], got)
			}
			if name := queryOne[string](t, db, d.sql("select u.name from orders o join users u on u.id = o.user_id where o.id = ?"), id.Next()); name != "Ada" {
				t.Errorf("%q: joined %q", id[:], name)
			}
		}
		// Zero is no NULL, and sorts before every ID.
		if n := queryOne[int](t, db, d.sql("select count(*) from users where id > ?"), oid.ID{}); n != len(awkward) {
			t.Errorf("%d ids after the zero id, want %d", n, len(awkward))
		}
		if n := queryOne[int](t, db, d.sql("select count(*) from users where id not in (?, ?)"), oid.ID{}, sample); n != len(awkward)-1 {
			t.Errorf("%d ids but two, want %d", n, len(awkward)-1)
		}
		if n := queryOne[int](t, db, d.sql("select count(*) from users where id > ?"), sqltype.ZeroNull{}); n != 0 {
			t.Errorf("%d ids after a zero ZeroNull, which is NULL", n)
		}
		from, to := sample.Timestamp(), sample.Timestamp().Add(time.Second)
		lo, hi := oid.Range(from, to)
		if got := queryOne[oid.ID](t, db, d.sql("select id from users where id >= ? and id < ?"), lo, hi); got != sample {
			t.Errorf("by creation time: %v", got)
		}
		if d.engine() == "sqlite" {
			if got := queryOne[oid.ID](t, db, "select id from users where id >= :lo and id < :hi", sql.Named("lo", lo), sql.Named("hi", hi)); got != sample {
				t.Errorf("by creation time, with named parameters: %v", got)
			}
		}
		if got := queryOne[oid.ID](t, db, d.sql("select id from users where hex >= ? and hex < ?"), sqltype.Hex(lo), sqltype.Hex(hi)); got != sample {
			t.Errorf("by creation time in a text column: %v", got)
		}
		rows, err := db.Query("select id from users order by id")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var sorted []oid.ID
		for rows.Next() {
			var id oid.ID
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			sorted = append(sorted, id)
		}
		want := slices.SortedFunc(slices.Values(awkward), oid.ID.Compare)
		if !slices.Equal(sorted, want) {
			t.Errorf("sorted %v, want %v", sorted, want)
		}
	})
}

func TestNULLIntoAnIDIsAnErrorAndLeavesItAlone(t *testing.T) {
	t.Parallel()
	forEachDatabase(t, func(t *testing.T, db *sql.DB, d database) {
		mustExec(t, db, d.sql("create table users (id {id}, hex {hex})"))
		mustExec(t, db, d.sql("insert into users values (?, ?)"), (*oid.ID)(nil), (*sqltype.Hex)(nil))
		id, hex := sample, sqltype.Hex(sample)
		if err := db.QueryRow("select id from users").Scan(&id); !errors.Is(err, oid.ErrSyntax) || id != sample {
			t.Errorf("%v, %v", id, err)
		}
		if err := db.QueryRow("select hex from users").Scan(&hex); !errors.Is(err, oid.ErrSyntax) || hex != sqltype.Hex(sample) {
			t.Errorf("%v, %v", hex, err)
		}
		p := &id
		if err := db.QueryRow("select id from users").Scan(&p); err != nil || p != nil {
			t.Errorf("%v, %v", p, err)
		}
		for _, v := range []any{sqltype.ZeroNull{}, sql.Null[oid.ID]{}} {
			mustExec(t, db, "delete from users")
			mustExec(t, db, d.sql("insert into users (id) values (?)"), v)
			if n := queryOne[int](t, db, "select count(*) from users where id is null"); n != 1 {
				t.Errorf("%T is no NULL", v)
			}
		}
	})
}

// One variable serves all rows, and none of them keeps the driver's memory.
func TestOneVariableOverThousandsOfRows(t *testing.T) {
	t.Parallel()
	forEachDatabase(t, func(t *testing.T, db *sql.DB, d database) {
		mustExec(t, db, d.sql("create table users (id {id} primary key)"))
		ids := make([]oid.ID, 3000)
		oid.Fill(ids)
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		insert, err := tx.Prepare(d.sql("insert into users values (?)"))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if _, err := insert.Exec(id); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		rows, err := db.Query("select id from users order by id")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var id oid.ID
		var got []oid.ID
		for rows.Next() {
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			got = append(got, id)
		}
		if err := rows.Err(); err != nil || !slices.Equal(got, ids) {
			t.Errorf("%d rows, %v", len(got), err)
		}
	})
}
