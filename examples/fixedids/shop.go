// Package fixedids shows how to test code that makes new IDs. The program takes its IDs
// from a generator in a field. The test sets this field to a generator with a seeded
// source and a fixed clock. This generator makes the same IDs in every run, so the test
// can compare answers with a golden file.
//
//	go test ./examples/fixedids
//	go test ./examples/fixedids -update   # writes the golden file anew
package fixedids

import (
	"encoding/json"
	"net/http"

	"github.com/oidkit/oidkit/oid"
)

// A Shop takes orders over HTTP.
type Shop struct {
	NewID func() oid.ID // oid.New, or the method New of a generator in tests
}

// An Order is the answer to a new order.
type Order struct {
	ID    oid.ID `json:"id"`
	Lines []Line `json:"lines"`
}

// A Line is one article of an order.
type Line struct {
	ID      oid.ID `json:"id"`
	Article string `json:"article"`
}

// Create makes an order of the articles in the query.
func (s *Shop) Create(w http.ResponseWriter, r *http.Request) {
	order := Order{ID: s.NewID()}
	for _, article := range r.URL.Query()["article"] {
		order.Lines = append(order.Lines, Line{ID: s.NewID(), Article: article})
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(order)
}
