package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

func TestRouters(t *testing.T) {
	var out strings.Builder
	run(&out)
	const (
		found     = `  GET /orders/([0-9a-f]{24})  200 \{"id":"([0-9a-f]{24})","number":"A1001"\}\n`
		zero      = `  GET /orders/0{24}  404 `
		malformed = `  GET /orders/65b3 {20}  400 `
	)
	// What each router answers, where %s is the reason.
	errors := map[string]string{"chi": `%s`, "echo": `\{"message":"%s"\}`, "gin": `\{"error":"%s"\}`}
	want := `^`
	for _, name := range slices.Sorted(maps.Keys(routers)) {
		reason := func(text string) string { return fmt.Sprintf(errors[name], text) + `\n` }
		want += name + `\n` + found + zero + reason("no such order") + malformed + reason("invalid ID: length 4, want 24 hex digits")
	}
	want += `$`
	m := regexp.MustCompile(want).FindStringSubmatch(out.String())
	if m == nil {
		t.Fatalf("it prints\n%s\nwant\n%s", out.String(), want)
	}
	for _, id := range m[2:] { // one in each request, one in each answer
		if id != m[1] {
			t.Errorf("an answer has the ID %s, want %s:\n%s", id, m[1], out.String())
		}
	}
}

// No order has the zero ID, even if a bug has stored one under it.
func TestTheZeroIDIsNotFound(t *testing.T) {
	if order, err := (orders{{}: {Number: "A1"}}).find(oid.ID{}); err != errNotFound {
		t.Errorf("find(zero ID) = %+v, %v, want %v", order, err, errNotFound)
	}
}
