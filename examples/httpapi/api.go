package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// An Order is a row. It has no created_at: the ID tells.
type Order struct {
	ID       oid.ID
	Customer string
	Cents    int64
	Currency string
}

// An OrderBody is an order as clients see it.
type OrderBody struct {
	ID       oid.ID    `json:"id"`
	Created  time.Time `json:"created" doc:"Read from the ID"`
	Customer string    `json:"customer"`
	Cents    int64     `json:"cents"`
	Currency string    `json:"currency"`
}

func (o Order) body() OrderBody {
	return OrderBody{ID: o.ID, Created: o.ID.Timestamp(), Customer: o.Customer, Cents: o.Cents, Currency: o.Currency}
}

type api struct{ db *gorm.DB }

//go:embed page
var files embed.FS

// maxBody is the size of a request's body that is refused.
const maxBody = 64 << 10

// newHandler returns the service over db.
func newHandler(db *gorm.DB) http.Handler {
	mux := http.NewServeMux()
	static, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // of a constant path
	}
	for _, path := range []string{"/{$}", "/page.css", "/page.js"} {
		mux.Handle("GET "+path, http.FileServerFS(static))
	}

	c := huma.DefaultConfig("Orders", "1.0.0")
	c.Info.Description = "Orders whose IDs tell when they were created. Every error is a problem document (RFC 9457)."
	c.DocsPath = ""                        // that page loads scripts from elsewhere
	c.CreateHooks, c.SchemasPath = nil, "" // no $schema in the answers
	c.RejectUnknownQueryParameters = true
	server := humago.New(mux, c)
	server.OpenAPI().Components.Schemas.RegisterTypeAlias(reflect.TypeFor[oid.ID](), reflect.TypeFor[idSchema]())

	a := api{db}
	badBody := []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}
	huma.Register(server, huma.Operation{
		OperationID:   "create-order",
		Method:        http.MethodPost,
		Path:          "/orders",
		Summary:       "Create an order",
		DefaultStatus: http.StatusCreated,
		MaxBodyBytes:  maxBody,
		Errors:        badBody,
	}, a.create)
	huma.Register(server, huma.Operation{
		OperationID:   "create-samples",
		Method:        http.MethodPost,
		Path:          "/samples",
		Summary:       "Create sample orders of the last 13 weeks",
		DefaultStatus: http.StatusCreated,
		MaxBodyBytes:  maxBody,
		Errors:        badBody,
	}, a.createSamples)
	huma.Register(server, huma.Operation{
		OperationID: "get-order",
		Method:      http.MethodGet,
		Path:        "/orders/{id}",
		Summary:     "Get an order",
		Errors:      []int{http.StatusBadRequest, http.StatusNotFound},
	}, a.get)
	huma.Register(server, huma.Operation{
		OperationID: "list-orders",
		Method:      http.MethodGet,
		Path:        "/orders",
		Summary:     "List orders by creation time, in pages",
		Errors:      []int{http.StatusBadRequest},
	}, a.list)
	huma.Register(server, huma.Operation{
		OperationID: "list-ids",
		Method:      http.MethodGet,
		Path:        "/ids",
		Summary:     "List the IDs of orders by creation time, in pages",
		Errors:      []int{http.StatusBadRequest},
	}, a.ids)
	for _, path := range server.OpenAPI().Paths {
		if path.Get != nil {
			delete(path.Get.Responses, "422") // newProblem makes it 400
		}
	}
	return logged(recovered(secure(routed(mux))))
}

// idSchema says in the OpenAPI document what the string of an ID holds.
type idSchema struct{}

func (idSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeString,
		Pattern:     oid.Pattern,
		Description: "12 bytes as hex digits; the first 8 digits are the seconds since 1970",
		// An error says this of text that doesn't match.
		PatternDescription: "an ID in lower case: 24 hex digits",
		Examples:           []any{"65b3f7a0c1d2e3f405060708"},
	}
}

type createInput struct {
	Body struct {
		Customer string `json:"customer" minLength:"1" maxLength:"100"`
		Cents    int64  `json:"cents" minimum:"1" maximum:"100000000"`
		Currency string `json:"currency" pattern:"^[A-Z]{3}$" patternDescription:"three capital letters, such as EUR"`
	}
}

type createOutput struct {
	Location string `header:"Location"`
	Body     OrderBody
}

func (a api) create(ctx context.Context, in *createInput) (*createOutput, error) {
	o := Order{Customer: in.Body.Customer, Cents: in.Body.Cents, Currency: in.Body.Currency}
	if err := a.db.WithContext(ctx).Create(&o).Error; err != nil { // which assigns the ID
		return nil, err
	}
	return &createOutput{"/orders/" + o.ID.Hex(), o.body()}, nil
}

type samplesInput struct {
	Body struct {
		Count int `json:"count" minimum:"1" maximum:"1000"`
	}
}

type samplesOutput struct {
	Body struct {
		Created int `json:"created"`
	}
}

// createSamples creates all of the orders or none. For many orders, a client sends
// many requests, so it can show how far it is, and stop.
func (a api) createSamples(ctx context.Context, in *samplesInput) (*samplesOutput, error) {
	orders, err := samples(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), in.Body.Count, time.Now())
	if err != nil {
		return nil, err
	}
	if err := a.db.WithContext(ctx).Create(&orders).Error; err != nil {
		return nil, err
	}
	var out samplesOutput
	out.Body.Created = len(orders)
	return &out, nil
}

type getInput struct {
	ID oid.ID `path:"id"`
}

type getOutput struct{ Body OrderBody }

func (a api) get(ctx context.Context, in *getInput) (*getOutput, error) {
	var o Order
	err := a.db.WithContext(ctx).Where("id = ?", in.ID).Take(&o).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, huma.Error404NotFound(fmt.Sprintf("There is no order %s.", in.ID))
	}
	if err != nil {
		return nil, err
	}
	return &getOutput{o.body()}, nil
}

type listOutput struct {
	Body struct {
		Orders   []OrderBody `json:"orders" nullable:"false"`
		Next     string      `json:"next,omitempty" doc:"The page after this one"`
		Previous string      `json:"previous,omitempty" doc:"The page before this one"`
	}
}

func (a api) list(ctx context.Context, in *window) (*listOutput, error) {
	p, err := find(in, a.db.WithContext(ctx).Model(&Order{}), "/orders", func(o Order) oid.ID { return o.ID })
	if err != nil {
		return nil, err
	}
	var out listOutput
	out.Body.Orders = make([]OrderBody, len(p.rows))
	for i, o := range p.rows {
		out.Body.Orders[i] = o.body()
	}
	out.Body.Next, out.Body.Previous = p.next, p.previous
	return &out, nil
}

type idsOutput struct {
	Body struct {
		IDs      []oid.ID `json:"ids" nullable:"false"`
		Next     string   `json:"next,omitempty" doc:"The page after this one"`
		Previous string   `json:"previous,omitempty" doc:"The page before this one"`
	}
}

func (a api) ids(ctx context.Context, in *window) (*idsOutput, error) {
	p, err := find(in, a.db.WithContext(ctx).Model(&Order{}).Select("id"), "/ids", func(id oid.ID) oid.ID { return id })
	if err != nil {
		return nil, err
	}
	var out idsOutput
	out.Body.IDs = append([]oid.ID{}, p.rows...) // [] rather than null
	out.Body.Next, out.Body.Previous = p.next, p.previous
	return &out, nil
}
