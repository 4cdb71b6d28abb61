package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gorm.io/gorm"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

type service struct {
	db      *gorm.DB
	store   *sqlsequence.Store
	numbers *sequence.Numbering
	admin   string // the password of the admin route, which isn't there if it is empty
	close   func() error
}

func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /customers", endpoint(http.StatusCreated, s.createCustomer))
	mux.Handle("POST /invoices", endpoint(http.StatusCreated, s.createInvoice))
	mux.Handle("GET /invoices/{id}", endpoint(http.StatusOK, s.invoice))
	mux.Handle("GET /invoices", endpoint(http.StatusOK, s.invoices))
	if s.admin != "" {
		mux.Handle("GET /admin/ids/{id}", s.onlyAdmin(endpoint(http.StatusOK, plainID)))
	}
	return mux
}

func (s *service) createCustomer(r *http.Request) (any, error) {
	var customer Customer
	if err := decode(r, &customer); err != nil {
		return nil, err
	}
	if customer.Name == "" {
		return nil, bad("name is missing")
	}
	customer.ID = CustomerID{} // clients don't choose IDs: the plugin makes this one
	return customer, s.db.WithContext(r.Context()).Create(&customer).Error
}

func (s *service) createInvoice(r *http.Request) (any, error) {
	var in struct {
		CustomerID CustomerID `json:"customer_id"`
		Cents      int64      `json:"cents"`
	}
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if in.CustomerID.IsZero() || in.Cents <= 0 {
		return nil, bad("want customer_id, and cents above 0")
	}
	invoice := Invoice{CustomerID: in.CustomerID, Cents: in.Cents}
	err := s.db.WithContext(r.Context()).Transaction(func(tx *gorm.DB) (err error) {
		invoice.Number, err = s.numbers.NextIn(r.Context(), s.store.Tx(tx.Statement.ConnPool))
		if err != nil {
			return err
		}
		return tx.Create(&invoice).Error // an error gives the number back
	})
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return nil, bad("there is no customer " + in.CustomerID.String())
	}
	return invoice, err
}

func (s *service) invoice(r *http.Request) (any, error) {
	id, err := invoiceForm.Parse(r.PathValue("id"))
	if err != nil {
		return nil, gorm.ErrRecordNotFound // the client can't tell a wrong text from a missing row
	}
	var invoice Invoice
	return &invoice, s.db.WithContext(r.Context()).Take(&invoice, id).Error
}

// A page is the answer to GET /invoices, newest first.
type page struct {
	Invoices []Invoice `json:"invoices"`
	Next     string    `json:"next,omitempty"` // the address of the next page; none on the last one
}

// invoices lists the invoices of a customer, of a time range, or with some IDs:
//
//	GET /invoices?customer=cus_6gj…&from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z&before=inv_3xm…&limit=20
//	GET /invoices?id=inv_3xm…&id=inv_0m4…
func (s *service) invoices(r *http.Request) (any, error) {
	query := r.URL.Query()
	conditions, limit, err := parameters(query)
	if err != nil {
		return nil, err
	}
	found := page{Invoices: []Invoice{}}
	// One more than a page has tells whether there is a next page.
	err = s.db.WithContext(r.Context()).Scopes(conditions).Order("id DESC").Limit(limit + 1).Find(&found.Invoices).Error
	if len(found.Invoices) > limit {
		found.Invoices = found.Invoices[:limit]
		query.Set("before", found.Invoices[limit-1].ID.String())
		found.Next = r.URL.Path + "?" + query.Encode()
	}
	return found, err
}

const maxPage = 100

// parameters reads the query of GET /invoices.
func parameters(query url.Values) (conditions func(*gorm.DB) *gorm.DB, limit int, err error) {
	customer, err := idParameter[Customer](query, "customer")
	if err != nil {
		return nil, 0, err
	}
	before, err := idParameter[Invoice](query, "before")
	if err != nil {
		return nil, 0, err
	}
	from, err := timeParameter(query, "from")
	if err != nil {
		return nil, 0, err
	}
	to, err := timeParameter(query, "to")
	if err != nil {
		return nil, 0, err
	}
	var some []oid.ID
	for _, text := range query["id"] {
		id, err := invoiceForm.Parse(text)
		if err != nil {
			return nil, 0, parameterError("id", err)
		}
		some = append(some, id)
	}
	limit = 20
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxPage {
			return nil, 0, bad(fmt.Sprintf("limit: want a number from 1 to %d", maxPage))
		}
	}
	return func(db *gorm.DB) *gorm.DB {
		if len(some) > 0 {
			db = db.Where(gormplugin.IDs(some...))
		}
		if !customer.IsZero() {
			db = db.Where("customer_id = ?", customer)
		}
		if !from.IsZero() {
			db = db.Where(gormplugin.CreatedSince(from))
		}
		if !to.IsZero() {
			db = db.Where(gormplugin.CreatedBefore(to))
		}
		if !before.IsZero() {
			db = db.Where("id < ?", before)
		}
		return db
	}, limit, nil
}

// idParameter returns the ID in a query parameter. It is the zero ID if there is none.
func idParameter[T public.Former](query url.Values, name string) (id public.ID[T], err error) {
	if text := query.Get(name); text != "" {
		if err := id.UnmarshalParam(text); err != nil {
			return id, parameterError(name, err)
		}
	}
	return id, nil
}

func timeParameter(query url.Values, name string) (t time.Time, err error) {
	if text := query.Get(name); text != "" {
		if t, err = time.Parse(time.RFC3339, text); err != nil {
			return t, bad(name + ": want a time such as 2026-03-01T00:00:00Z")
		}
	}
	return t, nil
}

// plainID answers what the database and the logs of the database call an ID, for support.
func plainID(r *http.Request) (any, error) {
	for _, form := range []*public.Form{customerForm, invoiceForm} {
		if id, err := form.Parse(r.PathValue("id")); err == nil {
			return map[string]any{"id": id, "created": id.Timestamp()}, nil
		}
	}
	return nil, gorm.ErrRecordNotFound
}

// onlyAdmin asks for the password.
func (s *service) onlyAdmin(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(s.admin))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		got := sha256.Sum256([]byte(password))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="admin"`)
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// A badRequest is an error whose text is for the client.
type badRequest string

func (e badRequest) Error() string { return string(e) }

func bad(text string) error { return badRequest(text) }

func parameterError(name string, err error) error {
	var syntax *oid.SyntaxError
	if errors.As(err, &syntax) {
		return bad(name + ": " + syntax.Problem)
	}
	return err
}

// decode reads a JSON body. An ID in it that is not one is an oid.SyntaxError.
func decode(r *http.Request, dest any) error {
	err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 64<<10)).Decode(dest)
	var syntax *oid.SyntaxError
	if err != nil && !errors.As(err, &syntax) {
		return bad("the body is not the JSON that this address wants")
	}
	return err
}

// endpoint answers with the result of do as JSON. It is the only place where an error
// becomes a status.
func endpoint(success int, do func(r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := success
		answer, err := do(r)
		if err != nil {
			var text string
			status, text = explain(r.Context(), err)
			answer = map[string]string{"error": text}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		out := json.NewEncoder(w)
		out.SetEscapeHTML(false) // the addresses in it have an &
		out.Encode(answer)       // an error here means that the client is gone
	})
}

func explain(ctx context.Context, err error) (status int, text string) {
	var syntax *oid.SyntaxError
	if errors.As(err, &syntax) {
		return http.StatusBadRequest, "invalid ID: " + syntax.Problem
	}
	var request badRequest
	if errors.As(err, &request) {
		return http.StatusBadRequest, string(request)
	}
	if errors.Is(err, gorm.ErrRecordNotFound) { // also for the zero ID
		return http.StatusNotFound, "not found"
	}
	slog.ErrorContext(ctx, "request failed", "error", err)
	return http.StatusInternalServerError, "the server failed"
}
