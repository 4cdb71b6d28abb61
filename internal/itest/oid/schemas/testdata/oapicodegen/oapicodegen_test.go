package oapicodegen

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/oidkit/oidkit/internal/itest/oid/schemas/ids"
	"github.com/oidkit/oidkit/internal/itest/oid/schemas/testdata/oapicodegen/api"
	"github.com/oidkit/oidkit/oid"
)

type server struct{ t *testing.T }

func (s server) GetOrder(w http.ResponseWriter, _ *http.Request, id api.ID, params api.GetOrderParams) {
	order := api.Order{Id: id, Parent: params.After, Lines: []oid.ID{id}, Customer: ids.CustomerID(id)}
	if err := json.NewEncoder(w).Encode(order); err != nil {
		s.t.Error(err)
	}
}

func TestServer(t *testing.T) {
	handler := api.Handler(server{t})
	id, after := oid.New(), oid.New()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/orders/"+id.Hex()+"?after="+after.Hex(), nil))
	var got api.Order
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || !reflect.DeepEqual(got, api.Order{Id: id, Parent: &after, Lines: []oid.ID{id}, Customer: ids.CustomerID(id)}) {
		t.Errorf("%d %s, %v", w.Code, w.Body, err)
	}
	for _, path := range []string{"/orders/abc", "/orders/" + id.Hex() + "?after=abc"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 400 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
