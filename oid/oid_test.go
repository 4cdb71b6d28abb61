package oid_test

import (
	"testing"

	"github.com/oidkit/oidkit/oid"
)

func TestParseReadsWhatHexWrites(t *testing.T) {
	for range 1000 {
		id := oid.New()
		got, err := oid.Parse(id.Hex())
		if err != nil || got != id {
			t.Fatalf("oid.Parse(%q) = %v, %v", id.Hex(), got, err)
		}
	}
}
