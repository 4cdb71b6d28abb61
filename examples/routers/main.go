// Command routers reads an ID from the path with chi, gin and echo. For a malformed ID,
// the answer is status 400. For the zero ID, and for any other ID that no order has, the
// answer is status 404. Copy chi.go, echo.go, or gin.go without its build tag, and use your
// database instead of the type orders.
//
//	go run ./examples/routers                 # chi and echo
//	go run -tags nightly ./examples/routers   # gin too, which takes long to compile
//
// It sends three requests to each router, and prints the answers.
package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/oid"
)

// An Order is what the handlers return.
type Order struct {
	ID     oid.ID `json:"id"`
	Number string `json:"number"`
}

// orders stands for a database.
type orders map[oid.ID]Order

var errNotFound = errors.New("no such order")

// find returns the order with the ID. No order has the zero ID.
func (o orders) find(id oid.ID) (Order, error) {
	order, ok := o[id]
	if !ok || id.IsZero() {
		return Order{}, errNotFound
	}
	return order, nil
}

// routers make a handler of each router.
var routers = map[string]func(orders) http.Handler{"chi": newChi, "echo": newEcho}

func main() {
	run(os.Stdout)
}

func run(w io.Writer) {
	order := Order{ID: oid.New(), Number: "A1001"}
	db := orders{order.ID: order}
	for _, name := range slices.Sorted(maps.Keys(routers)) {
		handler := routers[name](db)
		fmt.Fprintln(w, name)
		for _, id := range []string{order.ID.Hex(), "000000000000000000000000", "65b3"} {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, httptest.NewRequest("GET", "/orders/"+id, nil))
			fmt.Fprintf(w, "  GET /orders/%-24s  %d %s\n", id, answer.Code, strings.TrimSpace(answer.Body.String()))
		}
	}
}
