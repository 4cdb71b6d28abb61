// Command pages lists orders over HTTP, newest first, in pages. The URL of the next page
// holds the last ID of the page before. The database starts reading at this ID, so page
// 1,000 is as fast as page 1. A new order never moves an older order to another page.
//
//	go run ./examples/pages
//
// It fills an SQLite database with 25 orders, follows the URLs from page to page, and
// prints each page. After each page it adds an order, which changes no later page. The
// handler is in pages.go.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite"

	"github.com/oidkit/oidkit/oid"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

// run serves the handler, and is its client too.
func run(ctx context.Context, w io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "oidkit-pages-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := openDB(ctx, filepath.Join(dir, "orders.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for n := 1; n <= 25; n++ {
		if err := insert(ctx, db, fmt.Sprintf("A%03d", n)); err != nil {
			return err
		}
	}
	server := httptest.NewServer(list(db)) // a real program calls http.ListenAndServe
	defer server.Close()
	for path := "/orders?limit=10"; path != ""; {
		page, err := get(ctx, server.URL+path)
		if err != nil {
			return err
		}
		first, last := page.Orders[0], page.Orders[len(page.Orders)-1]
		fmt.Fprintf(w, "GET %s\n  %d orders, from %s to %s\n", path, len(page.Orders), first.Number, last.Number)
		path = page.Next
		if err := insert(ctx, db, "new"); err != nil {
			return err
		}
	}
	return nil
}

func openDB(ctx context.Context, file string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(file))
	if err != nil {
		return nil, err
	}
	_, err = db.ExecContext(ctx, "CREATE TABLE orders (id blob PRIMARY KEY NOT NULL, number text NOT NULL) WITHOUT ROWID")
	return db, err
}

func insert(ctx context.Context, db *sql.DB, number string) error {
	_, err := db.ExecContext(ctx, "INSERT INTO orders (id, number) VALUES (?, ?)", oid.New(), number)
	return err
}

// get requests a page.
func get(ctx context.Context, url string) (Page, error) {
	var page Page
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return page, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return page, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return page, fmt.Errorf("GET %s: %s", url, answer.Status)
	}
	return page, json.NewDecoder(answer.Body).Decode(&page)
}
