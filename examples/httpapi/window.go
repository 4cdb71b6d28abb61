package main

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// A window is what a client asks for in a list: the rows created in [from, to), and
// the page of them that follows one row or ends before another. Together they are
// one range of primary keys.
type window struct {
	From   time.Time `query:"from" doc:"Created at or after this moment"`
	To     time.Time `query:"to" doc:"Created before this moment"`
	After  oid.ID    `query:"after" doc:"The page that follows this row"`
	Before oid.ID    `query:"before" doc:"The page that ends before this row"`
	Limit  int       `query:"limit" default:"50" minimum:"1" maximum:"1000"`
}

// Resolve refuses what can't be asked for together.
func (w *window) Resolve(huma.Context) []error {
	if !w.After.IsZero() && !w.Before.IsZero() {
		return []error{&huma.ErrorDetail{Location: "query.before", Message: "can't be used together with \"after\""}}
	}
	if !w.From.IsZero() && !w.To.IsZero() && w.To.Before(w.From) {
		return []error{&huma.ErrorDetail{Location: "query.to", Message: "must not be before \"from\""}}
	}
	return nil
}

// never is a time past what IDs can hold: no bound.
var never = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// bounds returns the range of IDs that w asks for, lo included.
func (w *window) bounds() (lo, hi oid.ID) {
	to := w.To
	if to.IsZero() {
		to = never
	}
	lo, hi = oid.Range(w.From, to)
	if w.After.Compare(lo) >= 0 && !w.After.IsZero() {
		if lo = w.After.Next(); lo.IsZero() { // no ID is greater
			lo = hi
		}
	}
	if !w.Before.IsZero() && w.Before.Compare(hi) < 0 {
		hi = w.Before
	}
	return lo, hi
}

// A page is what a list answers: rows in the order of their IDs, and where the pages
// before and after it are.
type page[T any] struct {
	rows           []T
	next, previous string
}

// find reads the page of db's rows that w asks for. The list is served at path, and
// id returns the ID of a row.
func find[T any](w *window, db *gorm.DB, path string, id func(T) oid.ID) (page[T], error) {
	lo, hi := w.bounds()
	backward := !w.Before.IsZero()
	order := "id"
	if backward {
		order = "id DESC"
	}
	// One row more than asked for tells whether there is another page.
	var p page[T]
	if err := db.Where("id >= ? AND id < ?", lo, hi).Order(order).Limit(w.Limit + 1).Scan(&p.rows).Error; err != nil {
		return p, err
	}
	more := len(p.rows) > w.Limit
	p.rows = p.rows[:min(len(p.rows), w.Limit)]
	if backward {
		slices.Reverse(p.rows)
	}
	if len(p.rows) == 0 {
		return p, nil
	}
	if backward || more {
		p.next = w.link(path, "after", id(p.rows[len(p.rows)-1]))
	}
	if backward && more || !w.After.IsZero() {
		p.previous = w.link(path, "before", id(p.rows[0]))
	}
	return p, nil
}

// link returns the address of the page of the same window on the other side of id.
func (w *window) link(path, side string, id oid.ID) string {
	query := url.Values{side: {id.Hex()}, "limit": {strconv.Itoa(w.Limit)}}
	if !w.From.IsZero() {
		query.Set("from", w.From.Format(time.RFC3339Nano))
	}
	if !w.To.IsZero() {
		query.Set("to", w.To.Format(time.RFC3339Nano))
	}
	return path + "?" + query.Encode()
}
