//go:build goexperiment.jsonv2 && !go1.27

package jsonx_test

import (
	"encoding/json/v2"
	"fmt"
	"log"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
)

func ExampleMarshalers() {
	type Order struct {
		ID    oid.ID   `json:"_id"`
		Lines []oid.ID `json:"lines"`
	}
	order := Order{ID: id1, Lines: []oid.ID{id2}}
	data, err := json.Marshal(order, json.WithMarshalers(jsonx.Marshalers()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(data))

	var back Order
	if err := json.Unmarshal(data, &back, json.WithUnmarshalers(jsonx.Unmarshalers())); err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.ID == order.ID, back.Lines[0] == order.Lines[0])
	// Output:
	// {"_id":{"$oid":"65b3f7edd9bfca00daa6e3b1"},"lines":[{"$oid":"00112233445566778899aabb"}]}
	// true true
}
