package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// An Order is a row.
type Order struct {
	ID     oid.ID `json:"id"`
	Number string `json:"number"`
}

// A Page is the answer to a request for orders.
type Page struct {
	Orders []Order `json:"orders"`
	Next   string  `json:"next,omitempty"` // the URL of the next page; empty on the last one
}

const maxPage = 100

// list returns a handler for GET /orders?before=ID&limit=10.
func list(db *sql.DB) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		before, limit, err := parameters(r.URL.Query())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		page, err := newestBefore(r.Context(), db, before, limit)
		if err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(page)
	}
}

// parameters reads before, which is above all IDs by default, and limit, 10 by default.
func parameters(query url.Values) (before oid.ID, limit int, err error) {
	before = oid.Until(time.Now().Add(time.Hour)) // the clock of another machine may be ahead
	if text := query.Get("before"); text != "" {
		before, err = oid.Parse(text)
		var bad *oid.SyntaxError
		if errors.As(err, &bad) {
			return before, 0, fmt.Errorf("before: %s", bad.Problem)
		}
	}
	limit = 10
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxPage {
			return before, 0, fmt.Errorf("limit: want a number from 1 to %d", maxPage)
		}
	}
	return before, limit, nil
}

// newestBefore returns the newest orders whose ID is less than before.
func newestBefore(ctx context.Context, db *sql.DB, before oid.ID, limit int) (Page, error) {
	// One row more than a page has tells whether there is a next page.
	rows, err := db.QueryContext(ctx, "SELECT id, number FROM orders WHERE id < ? ORDER BY id DESC LIMIT ?", before, limit+1)
	if err != nil {
		return Page{}, err
	}
	defer rows.Close()
	page := Page{Orders: []Order{}}
	for rows.Next() {
		var o Order
		if err := rows.Scan(&o.ID, &o.Number); err != nil {
			return Page{}, err
		}
		page.Orders = append(page.Orders, o)
	}
	if len(page.Orders) > limit {
		page.Orders = page.Orders[:limit]
		page.Next = fmt.Sprintf("/orders?before=%s&limit=%d", page.Orders[limit-1].ID, limit)
	}
	return page, rows.Err()
}
