package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/oid"
)

// newTestAPI returns the API over an empty collection, and the collection.
func newTestAPI(t *testing.T) (http.Handler, *mongo.Collection) {
	t.Helper()
	server := mongodb.Start(t)
	client, err := connect(t.Context(), server.URI)
	if err != nil {
		t.Fatal(err)
	}
	orders := client.Database(server.Database).Collection("orders")
	t.Cleanup(func() {
		orders.Database().Drop(context.Background())
		client.Disconnect(context.Background())
	})
	return newHandler(orders), orders
}

// request sends a request and returns the answer. It fails the test if the status is
// another one.
func request(t *testing.T, api http.Handler, method, url, body string, status int) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest(method, url, strings.NewReader(body)))
	if w.Code != status {
		t.Fatalf("%s %s %s: status %d, want %d: %s", method, url, body, w.Code, status, w.Body)
	}
	return w
}

func TestOrdersAreStoredWithObjectIds(t *testing.T) {
	api, orders := newTestAPI(t)
	customer := CustomerID(oid.New())
	w := request(t, api, "POST", "/orders", `{"id": "65b3f7a2c1d4e5f6a7b8c9d0", "customer": "`+customer.Hex()+`", "cents": 1999}`, 201)
	var created Order
	if err := json.Unmarshal(w.Body.Bytes(), &created); err != nil {
		t.Fatal(err)
	}
	if created.ID.IsZero() || created.ID.Hex() == "65b3f7a2c1d4e5f6a7b8c9d0" || created.Customer != customer || created.Cents != 1999 {
		t.Errorf("created %+v", created)
	}

	// A program that knows nothing of oidkit reads the same document.
	var stored struct {
		ID       bson.ObjectID `bson:"_id"`
		Customer bson.ObjectID
		Cents    int64
	}
	raw, err := orders.FindOne(t.Context(), bson.D{{Key: "_id", Value: bson.ObjectID(created.ID)}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	if err := bson.Unmarshal(raw, &stored); err != nil || stored.ID != bson.ObjectID(created.ID) || stored.Customer != bson.ObjectID(customer) || stored.Cents != 1999 {
		t.Errorf("stored %s, %v", raw, err)
	}

	url := w.Header().Get("Location")
	if got := request(t, api, "GET", url, "", 200).Body.String(); got != w.Body.String() {
		t.Errorf("GET %s: %s, want %s", url, got, w.Body)
	}
	request(t, api, "DELETE", url, "", 204)
	request(t, api, "GET", url, "", 404)
	request(t, api, "DELETE", url, "", 404)
}

func TestPagesHaveEachOrderOfTheTimeOnce(t *testing.T) {
	api, orders := newTestAPI(t)
	// An order every six hours, from 1 March to 28 March.
	var want []oid.ID
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for at := start; at.Before(start.AddDate(0, 0, 28)); at = at.Add(6 * time.Hour) {
		id, err := oid.NewAt(at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := orders.InsertOne(t.Context(), Order{ID: id, Customer: CustomerID(oid.New())}); err != nil {
			t.Fatal(err)
		}
		if day := at.Day(); day >= 3 && day < 10 {
			want = append(want, id)
		}
	}
	var got []oid.ID
	pages := 0
	for url := "/orders?limit=10&since=2026-03-03T00:00:00Z&until=2026-03-10T00:00:00Z"; url != ""; pages++ {
		var page Page
		if err := json.Unmarshal(request(t, api, "GET", url, "", 200).Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		for _, order := range page.Orders {
			got = append(got, order.ID)
		}
		url = page.Next
	}
	if pages != 3 || len(got) != 28 {
		t.Errorf("%d orders on %d pages, want 28 on 3", len(got), pages)
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("order %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestBadRequests(t *testing.T) {
	api, _ := newTestAPI(t)
	for _, tt := range []struct {
		method, url, body string
		status            int
		want              string
	}{
		{"GET", "/orders/65b3", "", 400, "invalid ID: length 4, want 24 hex digits"},
		{"GET", "/orders/000000000000000000000000", "", 404, "no such order"},
		{"DELETE", "/orders/nope", "", 400, "invalid ID: length 4, want 24 hex digits"},
		{"POST", "/orders", `{"customer": "65b3"}`, 400, "invalid ID: length 4, want 24 hex digits"},
		{"POST", "/orders", `{"cents": 1}`, 400, "bad request: customer is missing"},
		{"POST", "/orders", `nonsense`, 400, "bad request: invalid character 'o' in literal null (expecting 'u')"},
		{"GET", "/orders?after=1", "", 400, "invalid ID: length 1, want 24 hex digits"},
		{"GET", "/orders?limit=0", "", 400, `bad request: limit "0", want 1 to 1000`},
		{"GET", "/orders?since=March", "", 400, `bad request: since "March", want a time such as 2026-03-01T12:00:00Z`},
	} {
		if got := strings.TrimSpace(request(t, api, tt.method, tt.url, tt.body, tt.status).Body.String()); got != tt.want {
			t.Errorf("%s %s %s: %q, want %q", tt.method, tt.url, tt.body, got, tt.want)
		}
	}
}

// TestRun starts the program as a user does, sends a request, and stops it.
func TestRun(t *testing.T) {
	if err := run(t.Context(), io.Discard, "", ""); err == nil || !strings.Contains(err.Error(), "-uri is missing") {
		t.Errorf("without -uri: %v", err)
	}
	server := mongodb.Start(t)
	ctx, cancel := context.WithCancel(t.Context())
	printed, pipe := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, pipe, server.URI, "127.0.0.1:0") }()
	line := make([]byte, 100)
	n, err := printed.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	url := regexp.MustCompile(`^listening on (http://127\.0\.0\.1:\d+/orders)\n$`).FindSubmatch(line[:n])
	if url == nil {
		t.Fatalf("printed %q", line[:n])
	}
	answer, err := http.Get(string(url[1]))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || answer.StatusCode != 200 || !bytes.HasPrefix(body, []byte(`{"orders":[`)) {
		t.Errorf("%s: %s %s, %v", url[1], answer.Status, body, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
}
