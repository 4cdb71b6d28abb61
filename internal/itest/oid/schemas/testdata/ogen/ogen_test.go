package ogen

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/oidkit/oidkit/internal/itest/oid/schemas/ids"
	"github.com/oidkit/oidkit/internal/itest/oid/schemas/testdata/ogen/api"
	"github.com/oidkit/oidkit/oid"
)

type handler struct{}

func (handler) GetOrder(_ context.Context, params api.GetOrderParams) (*api.Order, error) {
	return order(params.ID, params.After), nil
}

func order(id oid.ID, parent api.OptID) *api.Order {
	return &api.Order{ID: id, Parent: parent, Lines: []oid.ID{id}, Customer: ids.OgenCustomerID{CustomerID: ids.CustomerID(id)}}
}

func TestClientAndServer(t *testing.T) {
	handler, err := api.NewServer(handler{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	client, err := api.NewClient(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	id, after := oid.New(), api.OptID{Value: oid.New(), Set: true}
	got, err := client.GetOrder(t.Context(), api.GetOrderParams{ID: id, After: after})
	if err != nil || !reflect.DeepEqual(got, order(id, after)) {
		t.Errorf("got %+v, want %+v, %v", got, order(id, after), err)
	}
	for _, path := range []string{"/orders/abc", "/orders/" + id.Hex() + "?after=abc"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 400 {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
}
