package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// An Order is a document of the collection, and the JSON of the API. Its IDs are
// ObjectIds in MongoDB and 24 hex digits in JSON.
type Order struct {
	ID       oid.ID     `bson:"_id" json:"id"`
	Customer CustomerID `bson:"customer" json:"customer"`
	Cents    int64      `bson:"cents" json:"cents"`
}

// A CustomerID is a type of its own: the compiler refuses the ID of an order in its
// place.
type CustomerID = oid.For[Customer]

// A Customer gives orders.
type Customer struct{}

// A Page is a part of the list of orders.
type Page struct {
	Orders []Order `json:"orders"`
	Next   string  `json:"next,omitempty"` // where the next page is; empty on the last one
}

type api struct{ orders *mongo.Collection }

func newHandler(orders *mongo.Collection) http.Handler {
	a := api{orders}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", answer(a.create))
	mux.HandleFunc("GET /orders", answer(a.list))
	mux.HandleFunc("GET /orders/{id}", answer(a.get))
	mux.HandleFunc("DELETE /orders/{id}", answer(a.remove))
	return mux
}

// errBadRequest is the cause of an answer 400.
var errBadRequest = errors.New("bad request")

// answer makes a handler of f. The error that f returns decides the status.
func answer(f func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := f(w, r)
		var bad *oid.SyntaxError
		switch {
		case err == nil:
		case errors.As(err, &bad): // Problem is fit for a client's eyes
			http.Error(w, "invalid ID: "+bad.Problem, http.StatusBadRequest)
		case errors.Is(err, errBadRequest):
			http.Error(w, err.Error(), http.StatusBadRequest)
		case errors.Is(err, mongo.ErrNoDocuments):
			http.Error(w, "no such order", http.StatusNotFound)
		default:
			log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
	}
}

// create stores an order. The program makes the ID, so it needs no answer from MongoDB
// to know it.
func (a api) create(w http.ResponseWriter, r *http.Request) error {
	var order Order
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&order); err != nil {
		return fmt.Errorf("%w: %w", errBadRequest, err)
	}
	if order.Customer.IsZero() {
		return fmt.Errorf("%w: customer is missing", errBadRequest)
	}
	order.ID = oid.New() // a client doesn't choose it
	if _, err := a.orders.InsertOne(r.Context(), order); err != nil {
		return err
	}
	w.Header().Set("Location", "/orders/"+order.ID.Hex())
	return writeJSON(w, http.StatusCreated, order)
}

// get returns one order. The zero ID is in no document, so it is not found.
func (a api) get(w http.ResponseWriter, r *http.Request) error {
	id, err := oid.Parse(r.PathValue("id"))
	if err != nil {
		return err
	}
	var order Order
	if err := a.orders.FindOne(r.Context(), bson.D{{Key: "_id", Value: id}}).Decode(&order); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, order)
}

// remove deletes one order.
func (a api) remove(w http.ResponseWriter, r *http.Request) error {
	id, err := oid.Parse(r.PathValue("id"))
	if err != nil {
		return err
	}
	result, err := a.orders.DeleteOne(r.Context(), bson.D{{Key: "_id", Value: id}})
	if err != nil {
		return err
	}
	if result.DeletedCount == 0 {
		return mongo.ErrNoDocuments
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// list returns a page of orders, oldest first. The parameters since and until are times,
// and after is the last ID of the page before. All three are bounds of _id.
func (a api) list(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	since, until, err := window(query)
	if err != nil {
		return err
	}
	var after oid.ID // the zero ID is before all others
	if text := query.Get("after"); text != "" {
		if after, err = oid.Parse(text); err != nil {
			return err
		}
	}
	limit := 20
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > 1000 {
			return fmt.Errorf("%w: limit %q, want 1 to 1000", errBadRequest, text)
		}
	}
	filter := bson.D{{Key: "$and", Value: bson.A{
		bsoncodec.CreatedBetween("_id", since, until),
		bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: after}}}},
	}}}
	// One order more than a page has tells whether there is a next page.
	cursor, err := a.orders.Find(r.Context(), filter,
		options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(int64(limit)+1))
	if err != nil {
		return err
	}
	page := Page{Orders: []Order{}}
	if err := cursor.All(r.Context(), &page.Orders); err != nil {
		return err
	}
	if len(page.Orders) > limit {
		page.Orders = page.Orders[:limit]
		query.Set("after", page.Orders[limit-1].ID.Hex())
		page.Next = "/orders?" + query.Encode()
	}
	return writeJSON(w, http.StatusOK, page)
}

// window returns the times since and until of a query. Without them, they include every
// ID.
func window(query url.Values) (since, until time.Time, err error) {
	since, until = time.Unix(0, 0), time.Date(2107, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, t := range map[string]*time.Time{"since": &since, "until": &until} {
		text := query.Get(name)
		if text == "" {
			continue
		}
		if *t, err = time.Parse(time.RFC3339, text); err != nil {
			return since, until, fmt.Errorf("%w: %s %q, want a time such as 2026-03-01T12:00:00Z", errBadRequest, name, text)
		}
	}
	return since, until, nil
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
