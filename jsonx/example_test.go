package jsonx_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
)

func ExampleExtended() {
	doc := struct {
		ID jsonx.Extended `json:"_id"`
	}{jsonx.Extended(oid.MustParse("65b3f7edd9bfca00daa6e3b1"))}

	data, err := json.Marshal(doc)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(data))
	// Output: {"_id":{"$oid":"65b3f7edd9bfca00daa6e3b1"}}
}
