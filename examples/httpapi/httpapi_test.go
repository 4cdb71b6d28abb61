package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// start serves seeded orders for a test.
func start(t *testing.T) (url string, db *gorm.DB) {
	t.Helper()
	db, err := openDB(filepath.Join(t.TempDir(), "orders.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeDB(db); err != nil {
			t.Error(err)
		}
	})
	if err := seed(db, time.Now()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(newHandler(db))
	t.Cleanup(server.Close)
	return server.URL, db
}

// ask sends a request and decodes the answer into dest.
func ask(t *testing.T, method, url, body string, dest any) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, dest); err != nil {
		t.Fatalf("%s %s: %v in %s", method, url, err, data)
	}
	return response
}

func TestCreateAndGet(t *testing.T) {
	url, _ := start(t)
	before := time.Now().Truncate(time.Second)
	var created, got OrderBody
	r := ask(t, "POST", url+"/orders", `{"customer": "Ada King", "cents": 1999, "currency": "EUR"}`, &created)
	if r.StatusCode != http.StatusCreated || r.Header.Get("Location") != "/orders/"+created.ID.Hex() {
		t.Errorf("%s, Location %q", r.Status, r.Header.Get("Location"))
	}
	if created.ID.IsZero() || created.Created.Before(before) || created.Created.After(time.Now()) || created.Customer != "Ada King" || created.Cents != 1999 {
		t.Errorf("created %+v", created)
	}
	if r := ask(t, "GET", url+r.Header.Get("Location"), "", &got); r.StatusCode != http.StatusOK || got != created {
		t.Errorf("%s: got %+v, want %+v", r.Status, got, created)
	}
}

func TestProblems(t *testing.T) {
	url, _ := start(t)
	none := oid.New()
	for _, tt := range []struct {
		method, path, body string
		status             int
		detail             string
	}{
		{"GET", "/orders/65b3", "", 400, "path parameter id: not an id: length 4, want 24 hex digits"},
		{"GET", "/orders/65b3f7a0c1d2e3f4050607zz", "", 400, "path parameter id: not an id: invalid byte 'z' at index 22"},
		{"GET", "/orders/" + strings.ToUpper(none.Hex()), "", 400, `path parameter id: expected string to match pattern ^[0-9a-f]{24}$`},
		{"GET", "/orders/" + none.Hex(), "", 404, "there is no order " + none.Hex()},
		{"GET", "/orders/" + oid.ID{}.Hex(), "", 404, "there is no order " + oid.ID{}.Hex()},
		{"GET", "/orders?after=x", "", 400, "query parameter after: not an id: length 1, want 24 hex digits"},
		{"GET", "/ids?before=x", "", 400, "query parameter before: not an id: length 1, want 24 hex digits"},
		{"GET", "/orders?from=yesterday", "", 400, `query parameter from: invalid date/time for format 2006-01-02T15:04:05.999999999Z07:00`},
		{"GET", "/orders?limit=0", "", 400, `query parameter limit: expected number >= 1`},
		{"GET", "/orders?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "", 400, `query parameter to: before from`},
		{"GET", "/orders?after=" + none.Hex() + "&before=" + none.Hex(), "", 400, `query parameter before: not together with after`},
		{"GET", "/orders?since=2026-02-01", "", 400, `query parameter since: unknown query parameter`},
		{"POST", "/orders", `{"customer": "Ada", "cents": 0, "currency": "EUR"}`, 422, "body.cents: expected number >= 1"},
		{"POST", "/orders", `{"customer": "Ada", "cents": 1, "currency": "EUR", "id": "` + none.Hex() + `"}`, 422, "body.id: unexpected property"},
		{"POST", "/orders", `{"customer": `, 400, "body: unexpected end of JSON input"},
	} {
		var problem struct {
			Title, Detail string
			Status        int
		}
		r := ask(t, tt.method, url+tt.path, tt.body, &problem)
		if r.StatusCode != tt.status || problem.Status != tt.status || problem.Title != http.StatusText(tt.status) || problem.Detail != tt.detail {
			t.Errorf("%s %s: %s, %+v\nwant %d %s", tt.method, tt.path, r.Status, problem, tt.status, tt.detail)
		}
		if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s %s: Content-Type %s", tt.method, tt.path, got)
		}
	}
}

// TestFailuresAreNotShown shows that the answer to a request that fails inside
// says nothing of the database.
func TestFailuresAreNotShown(t *testing.T) {
	url, db := start(t)
	if err := db.Exec("DROP TABLE orders").Error; err != nil {
		t.Fatal(err)
	}
	var problem map[string]any
	r := ask(t, "GET", url+"/orders", "", &problem)
	if text := fmt.Sprint(problem); r.StatusCode != 500 || strings.Contains(text, "table") {
		t.Errorf("%s, %s", r.Status, text)
	}
}

// TestPages walks through a window forward and back, and must see each of its
// rows once, in order.
func TestPages(t *testing.T) {
	url, db := start(t)
	from := time.Now().UTC().AddDate(0, 0, -20)
	to := from.AddDate(0, 0, 7)
	lo, hi := oid.Range(from, to)
	var want []oid.ID
	if err := db.Model(&Order{}).Where("id >= ? AND id < ?", lo, hi).Order("id").Pluck("id", &want).Error; err != nil {
		t.Fatal(err)
	}
	if len(want) < 100 {
		t.Fatalf("%d orders in the window are too few for a test", len(want))
	}
	for _, limit := range []int{1, 7, 50, len(want) - 1, len(want), len(want) + 1} {
		var forward, backward []oid.ID
		first := fmt.Sprintf("/ids?from=%s&to=%s&limit=%d", from.Format(time.RFC3339), to.Format(time.RFC3339), limit)
		last := ""
		for path := first; path != ""; {
			last = path
			var out idsOutput
			ask(t, "GET", url+path, "", &out.Body)
			forward = append(forward, out.Body.IDs...)
			if len(out.Body.IDs) == 0 || len(out.Body.IDs) > limit || len(forward) > len(want) {
				t.Fatalf("%s: %d ids, %d in all, want %d", path, len(out.Body.IDs), len(forward), len(want))
			}
			path = out.Body.Next
		}
		for path := last; path != ""; {
			var out idsOutput
			ask(t, "GET", url+path, "", &out.Body)
			backward = append(slices.Clone(out.Body.IDs), backward...)
			if len(out.Body.IDs) == 0 || len(backward) > len(want) {
				t.Fatalf("%s: %d ids, %d in all, want %d", path, len(out.Body.IDs), len(backward), len(want))
			}
			path = out.Body.Previous
		}
		if !slices.Equal(forward, want) {
			t.Errorf("limit %d: %d ids forward, want %d", limit, len(forward), len(want))
		}
		if !slices.Equal(backward, want) {
			t.Errorf("limit %d: %d ids backward, want %d", limit, len(backward), len(want))
		}
	}

	var orders listOutput
	ask(t, "GET", url+"/orders?limit=3&after="+want[4].Hex(), "", &orders.Body)
	if len(orders.Body.Orders) != 3 || orders.Body.Orders[0].ID != want[5] || orders.Body.Orders[2].ID != want[7] {
		t.Errorf("3 orders after the 5th are %v", orders.Body.Orders)
	}
	ask(t, "GET", url+"/orders?limit=3&before="+want[4].Hex(), "", &orders.Body)
	if len(orders.Body.Orders) != 3 || orders.Body.Orders[0].ID != want[1] || orders.Body.Orders[2].ID != want[3] {
		t.Errorf("3 orders before the 5th are %v", orders.Body.Orders)
	}
	for _, nothing := range []string{"from=2100-01-01T00:00:00Z", "after=" + strings.Repeat("f", 24)} {
		orders = listOutput{}
		ask(t, "GET", url+"/orders?"+nothing, "", &orders.Body)
		if orders.Body.Orders == nil || len(orders.Body.Orders) > 0 || orders.Body.Next != "" || orders.Body.Previous != "" {
			t.Errorf("the empty page of %s is %+v", nothing, orders.Body)
		}
	}
}

// TestOpenAPI shows that each id in the document is a string of 24 hex digits.
func TestOpenAPI(t *testing.T) {
	url, _ := start(t)
	var document any
	if r := ask(t, "GET", url+"/openapi.json", "", &document); r.StatusCode != 200 {
		t.Fatal(r.Status)
	}
	found := map[string]bool{}
	var walk func(place string, v any)
	walk = func(place string, v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(place, e)
			}
		case map[string]any:
			if v["pattern"] == "^[0-9a-f]{24}$" {
				found[place] = v["type"] == "string"
			}
			name, _ := v["name"].(string)
			for key, e := range v {
				switch key {
				case "schema":
					walk(place+"?"+name, e)
				default:
					walk(place+"/"+key, e)
				}
			}
		}
	}
	walk("", document)
	for _, place := range []string{
		"/paths//orders/{id}/get/parameters?id",
		"/paths//orders/get/parameters?after",
		"/paths//orders/get/parameters?before",
		"/paths//ids/get/parameters?after",
		"/paths//ids/get/parameters?before",
		"/components/schemas/OrderBody/properties/id",
		"/components/schemas/IdsOutputBody/properties/ids/items",
	} {
		if !found[place] {
			t.Errorf("%s is no string of 24 digits; found %v", place, found)
		}
	}
}

// TestDemo runs the program as a user does.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var out bytes.Buffer
	if err := run(t.Context(), &out, config{addr: "127.0.0.1:0", demo: true}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		`(?m)^201 Created\n  {"id":"[0-9a-f]{24}","created":"20`,
		`(?m)^GET /ids\?after=[0-9a-f]{24}&from=\S+&limit=2&to=\S+\n200 OK$`,
		`(?m)^GET /ids\?before=[0-9a-f]{24}&from=\S+&limit=2&to=\S+\n200 OK$`,
		`(?m)^GET /orders/65b3\n400 Bad Request\n  .*path parameter id: .*length 4, want 24 hex digits`,
		`(?m)^404 Not Found\n  .*there is no order 000000000000000000000000`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("the output has no %s:\n%s", want, out.String())
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestServeUntilStopped shows that the program prints its address, keeps orders in
// the file that it is given, and ends without an error when it is told to.
func TestServeUntilStopped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orders.db")
	var created OrderBody
	for i := range 2 {
		ctx, stop := context.WithCancel(t.Context())
		reader, writer := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			err := run(ctx, writer, config{addr: "127.0.0.1:0", file: file})
			writer.CloseWithError(io.EOF)
			ended <- err
		}()
		text := make([]byte, 4096)
		n, err := reader.Read(text)
		if err != nil {
			t.Fatal(err, <-ended)
		}
		go io.Copy(io.Discard, reader)
		url := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(string(text[:n]))
		if i == 0 {
			ask(t, "POST", url+"/orders", `{"customer": "Ada", "cents": 1, "currency": "EUR"}`, &created)
		} else {
			var list listOutput
			ask(t, "GET", url+"/orders", "", &list.Body)
			if len(list.Body.Orders) != 1 || list.Body.Orders[0] != created {
				t.Errorf("after a restart there are %v, want %v", list.Body.Orders, created)
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestRequestsUnderWayEnd shows that a shutdown waits for answers.
func TestRequestsUnderWayEnd(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stop()
		time.Sleep(100 * time.Millisecond)
		fmt.Fprint(w, `"done"`)
	})
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, listener, handler, func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		})
	}()
	var answer string
	ask(t, "GET", "http://"+listener.Addr().String(), "", &answer)
	if err := <-ended; answer != "done" || err != nil {
		t.Errorf("answered %q, ended with %v", answer, err)
	}
}

func TestAddressInUse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	err = run(t.Context(), io.Discard, config{addr: listener.Addr().String(), demo: true})
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("error %v", err)
	}
}
