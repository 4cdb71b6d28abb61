package oid_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/oidkit/oidkit/oid"
)

func ExampleNew() {
	a, b := oid.New(), oid.New()
	fmt.Println(a.Compare(b) < 0, time.Since(a.Timestamp()) < time.Minute)
	// Output: true true
}

func ExampleFill() {
	ids := make([]oid.ID, 1000)
	oid.Fill(ids)
	fmt.Println(slices.IsSortedFunc(ids, oid.ID.Compare))
	// Output: true
}

// Existing rows get IDs with the creation time of the row. The rows then sort by time, and
// can be found by time.
func ExampleNewAt() {
	ordered := time.Date(2019, 5, 17, 14, 3, 22, 0, time.UTC)
	a, err := oid.NewAt(ordered)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, _ := oid.NewAt(ordered)
	fmt.Println(a.Timestamp(), a != b)

	_, err = oid.NewAt(time.Date(1969, 7, 20, 20, 17, 40, 0, time.UTC))
	fmt.Println(errors.Is(err, oid.ErrTime))
	// Output:
	// 2019-05-17 14:03:22 +0000 UTC true
	// true
}

func ExampleParse() {
	id, err := oid.Parse("65b3f7a1c2d3e4f5a6b7c8d9")
	fmt.Println(id, err)
	_, err = oid.Parse("65b3f7a1c2d3e4f5a6b7c8zz")
	fmt.Println(err)
	_, err = oid.Parse("65b3f7a1")
	fmt.Println(err, errors.Is(err, oid.ErrSyntax))
	// Output:
	// 65b3f7a1c2d3e4f5a6b7c8d9 <nil>
	// oid.Parse("65b3f7a1c2d3e4f5a6b7c8zz"): invalid byte 'z' at index 22
	// oid.Parse("65b3f7a1"): length 8, want 24 hex digits true
}

// The rows created in March 2025 are a range of IDs: in SQL
//
//	SELECT * FROM orders WHERE id >= $1 AND id < $2
//
// and in MongoDB {_id: {$gte: lo, $lt: hi}}, both on the primary key.
func ExampleRange() {
	march := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	lo, hi := oid.Range(march, march.AddDate(0, 1, 0))
	fmt.Println(lo, hi)
	// Output: 67c24e000000000000000000 67eb2c800000000000000000
}

// The next page starts after the last ID of the previous page.
func ExampleID_Next() {
	last := oid.MustParse("65b3f7a1c2d3e4f5a6b7c8ff")
	fmt.Println("id >=", last.Next())
	// Output: id >= 65b3f7a1c2d3e4f5a6b7c900
}

func ExampleID_Compare() {
	ids := []oid.ID{
		oid.MustParse("65b3f7a2000000000000000a"),
		oid.MustParse("65b3f7a1000000000000000b"),
	}
	slices.SortFunc(ids, oid.ID.Compare) // by creation time
	fmt.Println(ids)
	// Output: [65b3f7a1000000000000000b 65b3f7a2000000000000000a]
}

func ExampleID_String() {
	id := oid.MustParse("65b3f7a1c2d3e4f5a6b7c8d9")
	fmt.Printf("%v\n%q\n% x\n", id, id, id[:])
	// Output:
	// 65b3f7a1c2d3e4f5a6b7c8d9
	// "65b3f7a1c2d3e4f5a6b7c8d9"
	// 65 b3 f7 a1 c2 d3 e4 f5 a6 b7 c8 d9
}

func ExampleID_UnmarshalJSON() {
	var order struct {
		ID       oid.ID  `json:"id"`
		Customer oid.ID  `json:"customer"`
		Coupon   *oid.ID `json:"coupon"`
	}
	err := json.Unmarshal([]byte(`{
		"id": "65b3f7a1c2d3e4f5a6b7c8d9",
		"customer": {"$oid": "65b3f7a1c2d3e4f5a6b7c8da"},
		"coupon": null
	}`), &order)
	fmt.Println(order.ID, order.Customer, order.Coupon, err)
	// Output: 65b3f7a1c2d3e4f5a6b7c8d9 65b3f7a1c2d3e4f5a6b7c8da <nil> <nil>
}

func ExampleInspect() {
	f := oid.Inspect(oid.MustParse("65b3f7a1c2d3e4f5a6b7c8d9"))
	fmt.Printf("time %v, process %x, counter %#x\n", f.Time, f.Process, f.Counter)
	// Output: time 2024-01-26 18:19:13 +0000 UTC, process c2d3e4f5a6, counter 0xb7c8d9
}

// The compiler refuses the ID of a team where the ID of a user is wanted.
func ExampleFor() {
	type UserID = oid.For[user] // of type user struct{ ID UserID; … }

	rename := func(id UserID, name string) { fmt.Println("user", id, "is now", name) }

	id, err := oid.Parse("65b3f7a1c2d3e4f5a6b7c8d9")
	if err != nil {
		fmt.Println(err)
		return
	}
	rename(UserID(id), "Ada")
	// rename(TeamID(id), "Ada") does not compile, nor does rename(id, "Ada").
	// Output: user 65b3f7a1c2d3e4f5a6b7c8d9 is now Ada
}

// With a seeded source and a clock that stands still, a test gets the same IDs in
// every run.
func ExampleGenerator() {
	g := &oid.Generator{
		Rand: rand.NewChaCha8([32]byte{1}), // of math/rand/v2
		Now:  func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
	}
	fmt.Println(g.New())
	fmt.Println(g.New())
	// Output:
	// 69a42a406ae6783f4fbde91c
	// 69a42a406ae6783f4fbde91d
}

// All processes that are restored from one snapshot have a copy of the same generator.
// After Reseed, a process makes other IDs than its copies.
func ExampleReseed() {
	before := oid.New()
	oid.Reseed() // in the hook that runs after a restore
	after := oid.New()
	fmt.Println(oid.Inspect(before).Process == oid.Inspect(after).Process)
	// Output: false
}

// An import that is killed and runs again makes the same IDs for the same rows.
func ExampleDerive() {
	ordered := time.Date(2020, 2, 29, 13, 24, 16, 0, time.UTC)
	a, err := oid.Derive(ordered, "orders", "17")
	again, _ := oid.Derive(ordered, "orders", "17")
	other, _ := oid.Derive(ordered, "orders", "18")
	fmt.Println(a, err, a.Timestamp())
	fmt.Println(a == again, a == other)
	// Output:
	// 5e5a6600184024d311d7ae35 <nil> 2020-02-29 13:24:16 +0000 UTC
	// true false
}

// Three workers scan the first 30 days of March. Each worker scans ten days.
func ExampleSplit() {
	march := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	lo, hi := oid.Range(march, march.AddDate(0, 0, 30))
	for from, to := range oid.Split(lo, hi, 3) {
		fmt.Println(from, to, from.Timestamp().Format(time.DateOnly))
	}
	// Output:
	// 67c24e000000000000000000 67cf7d000000000000000000 2025-03-01
	// 67cf7d000000000000000000 67dcac000000000000000000 2025-03-11
	// 67dcac000000000000000000 67e9db000000000000000000 2025-03-21
}
