package main

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/oidkit/oidkit/oid"
)

// newChi serves orders with chi. Without chi, write r.PathValue("id") instead of
// chi.URLParam(r, "id").
func newChi(db orders) http.Handler {
	router := chi.NewRouter()
	router.Get("/orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := oid.Parse(chi.URLParam(r, "id"))
		var bad *oid.SyntaxError
		if errors.As(err, &bad) {
			http.Error(w, "invalid ID: "+bad.Problem, http.StatusBadRequest)
			return
		}
		order, err := db.find(id)
		switch {
		case errors.Is(err, errNotFound):
			http.Error(w, err.Error(), http.StatusNotFound)
		case err != nil:
			http.Error(w, "internal error", http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(order)
		}
	})
	return router
}
