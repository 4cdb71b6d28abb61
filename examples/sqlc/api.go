package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oidkit/oidkit/examples/sqlc/db"
	"github.com/oidkit/oidkit/oid"
)

const pageSize = 100

type api struct{ db *db.Queries }

func newHandler(queries *db.Queries) http.Handler {
	a := api{queries}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /customers", answer(a.createCustomer))
	mux.HandleFunc("POST /orders", answer(a.createOrder))
	mux.HandleFunc("GET /orders/{id}", answer(a.getOrder))
	mux.HandleFunc("GET /orders", answer(a.listOrders))
	return mux
}

// errBadRequest is the cause of an answer 400.
var errBadRequest = errors.New("bad request")

// answer makes a handler of f. The error that f returns decides the status.
func answer(f func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := f(w, r)
		var bad *oid.SyntaxError
		var refused *pgconn.PgError
		switch {
		case err == nil:
		case errors.As(err, &bad): // Problem is fit for a client's eyes
			http.Error(w, "invalid ID: "+bad.Problem, http.StatusBadRequest)
		case errors.Is(err, errBadRequest):
			http.Error(w, err.Error(), http.StatusBadRequest)
		case errors.As(err, &refused) && refused.Code == "23503": // foreign_key_violation
			http.Error(w, "no such customer", http.StatusBadRequest)
		case errors.Is(err, pgx.ErrNoRows):
			http.Error(w, "not found", http.StatusNotFound)
		default:
			log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
	}
}

func (a api) createCustomer(w http.ResponseWriter, r *http.Request) error {
	var params db.CreateCustomerParams
	if err := readJSON(w, r, &params); err != nil {
		return err
	}
	params.ID = oid.New() // a client doesn't choose it
	customer, err := a.db.CreateCustomer(r.Context(), params)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, customer)
}

func (a api) createOrder(w http.ResponseWriter, r *http.Request) error {
	var params db.CreateOrderParams
	if err := readJSON(w, r, &params); err != nil {
		return err
	}
	if params.Customer.IsZero() {
		return fmt.Errorf("%w: customer is missing", errBadRequest)
	}
	if params.Referrer != nil && params.Referrer.IsZero() {
		params.Referrer = nil // "" and 24 zeros mean no referrer: NULL
	}
	params.ID = oid.New()
	order, err := a.db.CreateOrder(r.Context(), params)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/orders/"+order.ID.Hex())
	return writeJSON(w, http.StatusCreated, order)
}

// getOrder returns one order. The zero ID is in no row, because the domain refuses it.
func (a api) getOrder(w http.ResponseWriter, r *http.Request) error {
	id, err := oid.Parse(r.PathValue("id"))
	if err != nil {
		return err
	}
	order, err := a.db.GetOrder(r.Context(), id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, order)
}

// listOrders returns the orders whose IDs the query names: id=…&id=…. Without IDs, it
// returns a page of those made since a time, oldest first: since=2026-03-01T00:00:00Z.
// The parameter after is the last ID of the page before.
func (a api) listOrders(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if query.Has("id") {
		var ids []oid.ID
		for _, text := range query["id"] {
			id, err := oid.Parse(text)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		orders, err := a.db.GetOrders(r.Context(), ids)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, orders)
	}

	// The clock of another machine may be ahead.
	params := db.ListOrdersParams{Hi: oid.Until(time.Now().Add(time.Hour)), PageSize: pageSize}
	if text := query.Get("since"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return fmt.Errorf("%w: since %q, want a time such as 2026-03-01T12:00:00Z", errBadRequest, text)
		}
		params.Lo = oid.MinAt(since)
	}
	if text := query.Get("after"); text != "" {
		after, err := oid.Parse(text)
		if err != nil {
			return err
		}
		if params.Lo.Compare(after) <= 0 {
			params.Lo = after.Next()
		}
	}
	orders, err := a.db.ListOrders(r.Context(), params)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, orders)
}

func readJSON(w http.ResponseWriter, r *http.Request, v any) error {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(v); err != nil {
		return fmt.Errorf("%w: %w", errBadRequest, err)
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(data, '\n')) // an error here means that the client has gone
	return nil
}
