package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/examples/sqlc/db"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
)

// newTestAPI returns the API over an empty database.
func newTestAPI(t *testing.T) api {
	t.Helper()
	pool, err := connect(t.Context(), postgres.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return api{db.New(pool)}
}

// request sends a request and decodes the answer. It fails the test if the status is
// another one.
func request[T any](t *testing.T, a api, method, url, body string, status int) T {
	t.Helper()
	w := httptest.NewRecorder()
	newHandler(a.db).ServeHTTP(w, httptest.NewRequest(method, url, strings.NewReader(body)))
	if w.Code != status {
		t.Fatalf("%s %s %s: status %d, want %d: %s", method, url, body, w.Code, status, w.Body)
	}
	var v T
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s %s: %v: %s", method, url, err, w.Body)
	}
	return v
}

func TestOrders(t *testing.T) {
	a := newTestAPI(t)
	ada := request[db.Customer](t, a, "POST", "/customers", `{"name": "Ada"}`, 201)
	bob := request[db.Customer](t, a, "POST", "/customers", `{"name": "Bob"}`, 201)
	one := request[db.Order](t, a, "POST", "/orders", fmt.Sprintf(`{"customer": %q, "cents": 1999}`, ada.ID), 201)
	two := request[db.Order](t, a, "POST", "/orders", fmt.Sprintf(`{"customer": %q, "referrer": %q, "cents": 500}`, bob.ID, ada.ID), 201)
	if one.ID.IsZero() || one.Customer != ada.ID || one.Referrer != nil || one.Cents != 1999 {
		t.Errorf("created %+v", one)
	}
	for _, none := range []string{`""`, `null`, `"000000000000000000000000"`} {
		body := fmt.Sprintf(`{"customer": %q, "referrer": %s}`, ada.ID, none)
		if got := request[db.Order](t, a, "POST", "/orders", body, 201); got.Referrer != nil {
			t.Errorf("%s: the referrer is %v", body, got.Referrer)
		}
	}
	if two.Referrer == nil || *two.Referrer != ada.ID {
		t.Errorf("created %+v with the referrer %v, want %v", two, two.Referrer, ada.ID)
	}
	if got := request[db.Order](t, a, "GET", "/orders/"+one.ID.Hex(), "", 200); got != one {
		t.Errorf("GET: %+v, want %+v", got, one)
	}
	got := request[[]db.Order](t, a, "GET", fmt.Sprintf("/orders?id=%s&id=%s&id=%s", two.ID, oid.New(), one.ID), "", 200)
	if len(got) != 2 || got[0].ID != one.ID || got[1].ID != two.ID {
		t.Errorf("GET by two IDs and a third one: %+v", got)
	}
}

func TestListStartsAtATimeAndAfterAnID(t *testing.T) {
	a := newTestAPI(t)
	ada := request[db.Customer](t, a, "POST", "/customers", `{"name": "Ada"}`, 201)
	var ids []oid.ID
	for day := range 5 {
		id, err := oid.NewAt(time.Date(2026, 3, 1+day, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.db.CreateOrder(t.Context(), db.CreateOrderParams{ID: id, Customer: ada.ID}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for query, want := range map[string][]oid.ID{
		"":                           ids,
		"since=2026-03-03T00:00:00Z": ids[2:],
		"after=" + ids[3].Hex():      ids[4:],
		"since=2026-03-03T00:00:00Z&after=" + ids[0].Hex(): ids[2:],
		"since=2026-03-06T00:00:00Z":                       nil,
	} {
		var got []oid.ID
		for _, order := range request[[]db.Order](t, a, "GET", "/orders?"+query, "", 200) {
			got = append(got, order.ID)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("GET /orders?%s: %v, want %v", query, got, want)
		}
	}
}

func TestBadRequests(t *testing.T) {
	a := newTestAPI(t)
	for _, tt := range []struct {
		method, url, body string
		status            int
		want              string
	}{
		{"GET", "/orders/65b3", "", 400, "invalid ID: length 4, want 24 hex digits"},
		{"GET", "/orders/000000000000000000000000", "", 404, "not found"},
		{"GET", "/orders?id=65b3", "", 400, "invalid ID: length 4, want 24 hex digits"},
		{"GET", "/orders?since=March", "", 400, `bad request: since "March", want a time such as 2026-03-01T12:00:00Z`},
		{"POST", "/orders", `{"cents": 1}`, 400, "bad request: customer is missing"},
		{"POST", "/orders", `{"customer": "65b3"}`, 400, "invalid ID: length 4, want 24 hex digits"},
		{"POST", "/orders", `{"customer": "65b3f7a2c1d4e5f6a7b8c9d0"}`, 400, "no such customer"},
	} {
		w := httptest.NewRecorder()
		newHandler(a.db).ServeHTTP(w, httptest.NewRequest(tt.method, tt.url, strings.NewReader(tt.body)))
		if got := strings.TrimSpace(w.Body.String()); w.Code != tt.status || got != tt.want {
			t.Errorf("%s %s %s: %d %q, want %d %q", tt.method, tt.url, tt.body, w.Code, got, tt.status, tt.want)
		}
	}
}

// TestRun starts the program as a user does, twice on one database.
func TestRun(t *testing.T) {
	if err := run(t.Context(), io.Discard, "", ""); err == nil || !strings.Contains(err.Error(), "-dsn is missing") {
		t.Errorf("without -dsn: %v", err)
	}
	dsn := postgres.Database(t)
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		printed, pipe := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			err := run(ctx, pipe, dsn, "127.0.0.1:0")
			pipe.CloseWithError(fmt.Errorf("run has ended: %w", err))
			ended <- err
		}()
		line := make([]byte, 100)
		n, err := printed.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		url := regexp.MustCompile(`^listening on (http://127\.0\.0\.1:\d+)\n$`).FindSubmatch(line[:n])
		if url == nil {
			t.Fatalf("printed %q", line[:n])
		}
		answer, err := http.Get(string(url[1]) + "/orders")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != 200 || string(body) != "[]\n" {
			t.Errorf("GET /orders: %s %s, %v", answer.Status, body, err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	}
}
