package main

import (
	"bytes"
	"os"
	"testing"
)

// TestOrdersAreGenerated fails if orders.csv is not what the generator writes.
func TestOrdersAreGenerated(t *testing.T) {
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../orders.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("orders.csv is not what generate writes; run go generate ./examples/quickstart")
	}
}
