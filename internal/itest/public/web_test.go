package public_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
)

var _ echo.BindUnmarshaler = (*OrderID)(nil)

// serves requests an order by each text, and wants a status, and the ID in its form in the
// answer.
func serves(t *testing.T, handler http.Handler) {
	t.Helper()
	id := OrderID(sample)
	for text, want := range map[string]int{
		id.String(): 200,
		id.String() + "?shop=" + ShopID(sample).String():          200,
		id.String() + "?shop=" + id.String():                      404,
		id.String() + "?in=" + id.String() + "&in=" + id.String(): 200,
		ShopID(sample).String():                                   404,
		sample.Hex():                                              404,
		id.String()[:29] + "k":                                    404,
		strings.ToUpper(id.String()):                              404,
		"%00":                                                     404,
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/orders/"+text, nil))
		if w.Code != want || want == 200 && !strings.Contains(w.Body.String(), id.String()) || strings.Contains(w.Body.String(), "65b3f7a2") {
			t.Errorf("GET /orders/%s: %d %s, want %d", text, w.Code, w.Body, want)
		}
	}
}

// A params is what a router binds.
type params struct {
	ID   OrderID   `uri:"id" param:"id"`
	Shop *ShopID   `form:"shop" query:"shop"`
	In   []OrderID `form:"in" query:"in"`
}

func TestNetHTTP(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := orderForm.Parse(r.PathValue("id"))
		if shop := r.URL.Query().Get("shop"); shop != "" {
			err = errors.Join(err, new(ShopID).UnmarshalParam(shop))
		}
		if err != nil {
			http.Error(w, "no such order", http.StatusNotFound)
			return
		}
		json.NewEncoder(w).Encode(Order{ID: OrderID(id)})
	})
	serves(t, mux)
}

func TestEcho(t *testing.T) {
	e := echo.New()
	e.GET("/orders/:id", func(c echo.Context) error {
		var p params
		if err := c.Bind(&p); err != nil {
			return c.String(http.StatusNotFound, "no such order")
		}
		return c.JSON(http.StatusOK, Order{ID: p.ID})
	})
	serves(t, e)
}
