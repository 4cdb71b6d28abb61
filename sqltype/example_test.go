package sqltype_test

import (
	"fmt"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func ExampleCreatedBetween() {
	from := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	where, args := sqltype.CreatedBetween("id", from, from.AddDate(0, 1, 0), "$1", "$2")
	fmt.Println("select * from users where", where)
	fmt.Println(args...)
	// Output:
	// select * from users where (id >= $1 and id < $2)
	// 6ae681000000000000000000 6b0e0e000000000000000000
}

func ExamplePartitionBounds() {
	from := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	bounds, err := sqltype.PartitionBounds(from, from.AddDate(0, 1, 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("create table events_2026_11 partition of events for values " + bounds)
	// Output:
	// create table events_2026_11 partition of events for values FROM ('\x6ae681000000000000000000') TO ('\x6b0e0e000000000000000000')
}

// An optional foreign key without a pointer.
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

func ExampleNull() {
	var parent sqltype.Null
	value, _ := parent.Value()
	fmt.Println(value)

	parent = sqltype.Null{ID: oid.MustParse("65b3f7a40c1b2d3e4f506172"), Valid: true}
	value, _ = parent.Value()
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
	value, _ := sqltype.Array(ids).Value() // db.Query("select … where id = any($1)", sqltype.Array(ids))
	fmt.Println(value)
	// Output: {"\\x65b3f7a40c1b2d3e4f506172"}
}

// An ID in a uuid column.
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

func ExampleAfter() {
	last := oid.MustParse("65b3f7a40c1b2d3e4f506172")
	where, args := sqltype.After("id", last, "$1")
	fmt.Println("select * from users where", where, "order by id limit 50")
	fmt.Println(args...)
	// Output:
	// select * from users where (id > $1) order by id limit 50
	// 65b3f7a40c1b2d3e4f506172
}
