package sqltype_test

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// These queries return the rows of November, with each style of placeholders.
func Example_createdInARange() {
	from := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	lo, hi := oid.Range(from, from.AddDate(0, 1, 0))
	for _, query := range []struct {
		text string
		args []any
	}{
		{"select * from users where id >= $1 and id < $2", []any{lo, hi}},                                     // bytea
		{"select * from users where id >= ? and id < ?", []any{lo, hi}},                                       // binary(12)
		{"select * from users where id >= :lo and id < :hi", []any{sql.Named("lo", lo), sql.Named("hi", hi)}}, // SQLite
		{"select * from users where id >= @p1 and id < @p2", []any{lo, hi}},                                   // SQL Server
		{"select * from old_users where id >= $1 and id < $2", []any{sqltype.Hex(lo), sqltype.Hex(hi)}},       // text
	} {
		fmt.Println(query.text) // db.Query(query.text, query.args...)
	}
	fmt.Println(lo, hi)
	// Output:
	// select * from users where id >= $1 and id < $2
	// select * from users where id >= ? and id < ?
	// select * from users where id >= :lo and id < :hi
	// select * from users where id >= @p1 and id < @p2
	// select * from old_users where id >= $1 and id < $2
	// 6ae681000000000000000000 6b0e0e000000000000000000
}

func ExamplePostgresPartitionBounds() {
	from := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	bounds, err := sqltype.PostgresPartitionBounds(from, from.AddDate(0, 1, 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("create table events_2026_11 partition of events for values " + bounds)
	// Output:
	// create table events_2026_11 partition of events for values FROM ('\x6ae681000000000000000000') TO ('\x6b0e0e000000000000000000')
}

func ExampleMySQLPartitionBounds() {
	from := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	bounds, err := sqltype.MySQLPartitionBounds(from, from.AddDate(0, 1, 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("alter table events add partition (partition events_2026_11 " + bounds + ")")
	// Output:
	// alter table events add partition (partition events_2026_11 VALUES LESS THAN (x'6b0e0e000000000000000000'))
}

// A ZeroNull is an optional foreign key without a pointer.
func ExampleZeroNull() {
	type Person struct {
		ID     oid.ID
		Parent sqltype.ZeroNull
	}
	var ada Person
	value, _ := ada.Parent.Value()
	fmt.Println(value)

	ada.Parent = sqltype.ZeroNull(oid.MustParse("65b3f7a40c1b2d3e4f506172"))
	value, _ = ada.Parent.Value()
	fmt.Printf("%x\n", value)
	// Output:
	// <nil>
	// 65b3f7a40c1b2d3e4f506172
}

func ExampleHex() {
	id := oid.MustParse("65b3f7a40c1b2d3e4f506172")
	binary, _ := id.Value()
	text, _ := sqltype.Hex(id).Value()
	fmt.Printf("%T, %T %v\n", binary, text, text)
	// Output: []uint8, string 65b3f7a40c1b2d3e4f506172
}

func ExampleArray() {
	ids := []oid.ID{oid.MustParse("65b3f7a40c1b2d3e4f506172")}
	binary, _ := sqltype.Array[oid.ID](ids).Value() // db.Query("select … where id = any($1)", sqltype.Array[oid.ID](ids))
	fmt.Println(binary)

	var old sqltype.Array[sqltype.Hex] // for a text column
	for _, id := range ids {
		old = append(old, sqltype.Hex(id))
	}
	text, _ := old.Value()
	fmt.Println(text)
	// Output:
	// {"\\x65b3f7a40c1b2d3e4f506172"}
	// {"65b3f7a40c1b2d3e4f506172"}
}

// A sqltype.UUID stores an ID in a uuid column.
func ExampleUUID() {
	id := oid.MustParse("65b3f7a40c1b2d3e4f506172")
	value, _ := sqltype.UUID(id).Value()
	fmt.Println(value)

	var back sqltype.UUID
	if err := back.Scan(value); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(oid.ID(back))
	// Output:
	// 018d46ff-58a0-70c1-acb4-f93d4185cb1d
	// 65b3f7a40c1b2d3e4f506172
}
