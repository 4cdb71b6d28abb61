package main

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

func TestPages(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	want := `^GET /orders\?limit=10
  10 orders, from A025 to A016
GET /orders\?before=[0-9a-f]{24}&limit=10
  10 orders, from A015 to A006
GET /orders\?before=[0-9a-f]{24}&limit=10
  5 orders, from A005 to A001
$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("it prints\n%s\nwant\n%s", out.String(), want)
	}
}

func TestLastPage(t *testing.T) {
	db, err := openDB(t.Context(), filepath.Join(t.TempDir(), "orders.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for n, want := range []string{"0 orders, next false", "1 orders, next false", "2 orders, next false", "2 orders, next true"} {
		page, err := newestBefore(t.Context(), db, oid.New().Next(), 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%d orders, next %t", len(page.Orders), page.Next != ""); got != want {
			t.Errorf("a table of %d rows: %s, want %s", n, got, want)
		}
		if err := insert(t.Context(), db, "A"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBadParameters(t *testing.T) {
	for query, want := range map[string]string{
		"before=65b3":   "before: length 4, want 24 hex digits",
		"limit=0":       "limit: want a number from 1 to 100",
		"limit=101":     "limit: want a number from 1 to 100",
		"limit=nothing": "limit: want a number from 1 to 100",
	} {
		w := httptest.NewRecorder()
		list(nil)(w, httptest.NewRequest("GET", "/orders?"+query, nil))
		if got := strings.TrimSpace(w.Body.String()); w.Code != 400 || got != want {
			t.Errorf("%s: %d %s, want 400 %s", query, w.Code, got, want)
		}
	}
}
