package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// start serves seeded orders for a test.
func start(t *testing.T) (url string, db *gorm.DB) {
	t.Helper()
	db = openSeededDB(t)
	server := httptest.NewServer(newHandler(db))
	t.Cleanup(server.Close)
	return server.URL, db
}

// seeded returns the file of a database with the orders of a new one.
var seeded = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "httpapi")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "orders.db")
	db, err := openDB(file)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(seed(db, time.Now()), closeDB(db)); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// openSeededDB opens a database with orders.
func openSeededDB(t *testing.T) *gorm.DB {
	t.Helper()
	data, err := seeded()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "orders.db")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return openFile(t, file)
}

// openTestDB opens a database without orders.
func openTestDB(t *testing.T) *gorm.DB {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "orders.db"))
}

// openFile opens a database. The log of the test gets the log of the service.
func openFile(t *testing.T, file string) *gorm.DB {
	t.Helper()
	keepLog(t, t.Output(), slog.LevelWarn)
	db, err := openDB(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeDB(db); err != nil {
			t.Error(err)
		}
	})
	return db
}

// keepLog writes the log of the service to w until t ends.
func keepLog(t *testing.T, w io.Writer, level slog.Level) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})))
	t.Cleanup(func() { slog.SetDefault(before) })
}

// ask sends a request and decodes the answer into dest.
func ask(t *testing.T, method, url, body string, dest any) *http.Response {
	t.Helper()
	return askWith(t, method, url, body, http.Header{}, dest)
}

// askWith is like ask, with headers.
func askWith(t *testing.T, method, url, body string, header http.Header, dest any) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	if body != "" && header.Get("Content-Type") == "" {
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

// A problem is a problem document as clients read it.
type problem struct {
	Title, Detail string
	Status        int
	Errors        []struct{ Location, Message string }
}

// TestProblems shows that each error is a problem document (RFC 9457), and tells
// people what is wrong, where, and what to do.
func TestProblems(t *testing.T) {
	url, _ := start(t)
	none := oid.New()
	upper := strings.ToUpper(none.Hex()[:23] + "a")
	good := `{"customer": "Ada", "cents": 1, "currency": "EUR"}`
	for _, tt := range []struct {
		method, path, body string
		status             int
		detail             string
	}{
		{"GET", "/orders/65b3", "", 400, `The path parameter "id" is not an ID: length 4, want 24 hex digits. It is "65b3".`},
		{"GET", "/orders/65b3f7a0c1d2e3f4050607zz", "", 400, `The path parameter "id" is not an ID: invalid byte 'z' at index 22. It is "65b3f7a0c1d2e3f4050607zz".`},
		{"GET", "/orders/" + strings.Repeat("7", 50), "", 400, `The path parameter "id" is not an ID: length 50, want 24 hex digits. It is "` + strings.Repeat("7", 40) + `…".`},
		{"GET", "/orders/" + upper, "", 400, `The path parameter "id" must be an ID in lower case: 24 hex digits. It is "` + upper + `".`},
		{"GET", "/orders/" + none.Hex(), "", 404, "There is no order " + none.Hex() + "."},
		{"GET", "/orders/" + oid.ID{}.Hex(), "", 404, "There is no order " + oid.ID{}.Hex() + "."},
		{"GET", "/orders?after=x", "", 400, `The query parameter "after" is not an ID: length 1, want 24 hex digits. It is "x".`},
		{"GET", "/ids?before=x", "", 400, `The query parameter "before" is not an ID: length 1, want 24 hex digits. It is "x".`},
		{"GET", "/orders?from=2026-01-01", "", 400, `The query parameter "from" is not a time with a zone, such as 2026-01-31T00:00:00Z. It is "2026-01-01".`},
		{"GET", "/orders?from=2026-01-01T00:00:00+01:00", "", 400, `The query parameter "from" is not a time with a zone, such as 2026-01-31T00:00:00Z. In an address, write + as %2B. It is "2026-01-01T00:00:00 01:00".`},
		{"GET", "/orders?limit=0", "", 400, `The query parameter "limit" must be at least 1. It is 0.`},
		{"GET", "/orders?limit=1001", "", 400, `The query parameter "limit" must be at most 1000. It is 1001.`},
		{"GET", "/orders?limit=ten", "", 400, `The query parameter "limit" must be a whole number. It is "ten".`},
		{"GET", "/orders?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "", 400, `The query parameter "to" must not be before "from".`},
		{"GET", "/orders?after=" + none.Hex() + "&before=" + none.Hex(), "", 400, `The query parameter "before" can't be used together with "after".`},
		{"GET", "/orders?since=2026-02-01", "", 400, `The query parameter "since" is unknown.`},
		{"POST", "/orders", `{"customer": "Ada", "cents": 0, "currency": "EUR"}`, 422, `The field "cents" of the body must be at least 1. It is 0.`},
		{"POST", "/orders", `{"customer": "Ada", "cents": 1.5, "currency": "EUR"}`, 422, `The field "cents" of the body must be a whole number. It is 1.5.`},
		{"POST", "/orders", `{"customer": "", "cents": 1, "currency": "EUR"}`, 422, `The field "customer" of the body must have a length of at least 1.`},
		{"POST", "/orders", `{"customer": "Ada", "cents": 1, "currency": "euro"}`, 422, `The field "currency" of the body must be three capital letters, such as EUR. It is "euro".`},
		{"POST", "/orders", `{"customer": "Ada", "currency": "EUR"}`, 422, `The body lacks the field "cents".`},
		{"POST", "/orders", `{"customer": "Ada", "cents": 1, "currency": "EUR", "id": "` + none.Hex() + `"}`, 422, `The field "id" of the body is unknown.`},
		{"POST", "/orders", `[]`, 422, `The body must be a JSON object.`},
		{"POST", "/orders", `{"customer": `, 400, "The body is not valid JSON: unexpected end of JSON input."},
		{"POST", "/orders", "", 400, "The body is missing. Send a JSON object."},
		{"POST", "/orders", `{"customer": "` + strings.Repeat("x", maxBody) + `"}`, 413, "The body is too large. Send less than 64 KiB."},
		{"POST", "/samples", `{"count": 1001}`, 422, `The field "count" of the body must be at most 1000. It is 1001.`},
		{"text/plain", "/orders", good, 415, "The body has an unknown Content-Type. Send application/json."},
		{"another site", "/orders", good, 403, "The request comes from a page of another site. Send it from this site's own page, or from a program."},
		{"GET", "/nothing/here", "", 404, "There is nothing at /nothing/here. The page is at /, the description of the API at /openapi.yaml."},
		{"GET", "/index.html", "", 404, "There is nothing at /index.html. The page is at /, the description of the API at /openapi.yaml."},
		{"DELETE", "/orders", "", 405, "DELETE can't be used for /orders. Use GET or HEAD or POST."},
		{"POST", "/", good, 405, "POST can't be used for /. Use GET or HEAD."},
	} {
		method, header := tt.method, http.Header{}
		switch tt.method {
		case "text/plain":
			method = "POST"
			header.Set("Content-Type", "text/plain")
		case "another site":
			method = "POST"
			header.Set("Sec-Fetch-Site", "cross-site")
		}
		var got problem
		r := askWith(t, method, url+tt.path, tt.body, header, &got)
		if r.StatusCode != tt.status || got.Status != tt.status || got.Title != http.StatusText(tt.status) || got.Detail != tt.detail {
			t.Errorf("%s %s %.60s: %s, %+v\nwant %d %s", tt.method, tt.path, tt.body, r.Status, got, tt.status, tt.detail)
		}
		if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s %s: Content-Type %s", tt.method, tt.path, got)
		}
		if allow := r.Header.Get("Allow"); (allow != "") != (tt.status == 405) {
			t.Errorf("%s %s: Allow %q", tt.method, tt.path, allow)
		}
	}
}

// TestAllProblemsAreListed shows that a client learns of each bad field at once.
func TestAllProblemsAreListed(t *testing.T) {
	url, _ := start(t)
	var got problem
	ask(t, "POST", url+"/orders", `{"customer": "Ada", "cents": 0, "currency": "euro"}`, &got)
	places := []string{}
	for _, e := range got.Errors {
		places = append(places, e.Location)
	}
	slices.Sort(places)
	if !slices.Equal(places, []string{"body.cents", "body.currency"}) {
		t.Errorf("the problem lists %v", places)
	}
}

// TestPanics shows that a handler that panics is a problem for the client, which
// names the line of the log. Half an answer is no answer.
func TestPanics(t *testing.T) {
	var lines bytes.Buffer
	keepLog(t, &lines, slog.LevelInfo)
	server := httptest.NewUnstartedServer(logged(recovered(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			fmt.Fprint(w, `{"half":`)
			http.NewResponseController(w).Flush()
		}
		panic("secret")
	}))))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()

	var got problem
	r := ask(t, "GET", server.URL, "", &got)
	id := r.Header.Get("X-Request-Id")
	want := "The server failed. Try again. If it fails again, look for " + id + " in the server's log."
	if r.StatusCode != 500 || got.Detail != want || strings.Contains(fmt.Sprint(got), "secret") {
		t.Errorf("%s, %+v\nwant %s", r.Status, got, want)
	}
	late, err := http.Get(server.URL + "/late")
	if err == nil {
		_, err = io.ReadAll(late.Body)
	}
	if err == nil {
		t.Error("half an answer looks whole")
	}
	server.Close() // so that lines is written no more
	if text := lines.String(); !regexp.MustCompile(`"msg":"request failed","id":"` + id + `","error":"panic: secret\\n`).MatchString(text) {
		t.Errorf("the log has no panic of %s:\n%s", id, text)
	}
}

// TestLog shows that each request is one line of the log, without what may be secret.
func TestLog(t *testing.T) {
	db := openTestDB(t)
	var lines bytes.Buffer
	keepLog(t, &lines, slog.LevelInfo)
	server := httptest.NewServer(newHandler(db))
	var got map[string]any
	header := http.Header{"Authorization": {"Bearer secret"}}
	r := askWith(t, "GET", server.URL+"/orders?limit=2&secret=1", "", header, &got)
	var out listOutput
	second := ask(t, "GET", server.URL+"/orders", "", &out.Body)
	server.Close()

	type line struct {
		Msg, Method, Path, ID   string
		Status, Bytes, Duration int64
	}
	var logged []line
	for decoder := json.NewDecoder(&lines); ; {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			break
		}
		if strings.Contains(string(raw), "secret") {
			t.Errorf("logged: %s", raw)
		}
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		if l.Duration <= 0 {
			t.Errorf("no duration in %s", raw)
		}
		l.Duration = 0
		logged = append(logged, l)
	}
	want := []line{
		{Msg: "request", Method: "GET", Path: "/orders", ID: r.Header.Get("X-Request-Id"), Status: 400, Bytes: r.ContentLength},
		{Msg: "request", Method: "GET", Path: "/orders", ID: second.Header.Get("X-Request-Id"), Status: 200, Bytes: second.ContentLength},
	}
	if !slices.Equal(logged, want) {
		t.Errorf("logged %+v\nwant   %+v", logged, want)
	}
}

// TestCanceledRequests shows that a client that goes away is no failure of the server.
func TestCanceledRequests(t *testing.T) {
	var lines bytes.Buffer
	db := openTestDB(t)
	keepLog(t, &lines, slog.LevelInfo)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	newHandler(db).ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/orders", nil))
	if w.Code != http.StatusServiceUnavailable || strings.Contains(lines.String(), "request failed") {
		t.Errorf("status %d, logged %s", w.Code, lines.String())
	}
}

func TestSecurityHeaders(t *testing.T) {
	url, _ := start(t)
	for _, path := range []string{"/", "/page.js", "/orders", "/nothing", "/openapi.json"} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		csp := r.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: the policy %q lacks %s", path, csp, want)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
			t.Errorf("%s: policy %q", path, csp)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Cache-Control":                "no-store",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

// TestSamples shows that each sample is dated within the 13 weeks until now.
func TestSamples(t *testing.T) {
	for _, now := range []time.Time{time.Now(), time.Date(2026, 3, 1, 0, 0, 1, 0, time.UTC)} {
		orders, err := samples(rand.New(rand.NewPCG(3, 4)), 2000, now)
		if err != nil || len(orders) != 2000 {
			t.Fatalf("%d orders, %v", len(orders), err)
		}
		first, last := orders[0].ID.Timestamp(), orders[len(orders)-1].ID.Timestamp()
		if first.Before(now.AddDate(0, 0, -seedDays)) || last.After(now) {
			t.Errorf("samples of %s to %s", first, last)
		}
		if !slices.IsSortedFunc(orders, func(a, b Order) int { return a.ID.Compare(b.ID) }) {
			t.Error("the samples aren't in order")
		}
	}
}

// TestFailuresAreNotShown shows that the answer to a request that fails in the
// server says nothing about the database.
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

// TestOpenAPI shows that each ID in the document is a string of 24 hex digits.
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
			t.Errorf("%s isn't a string of 24 digits; found %v", place, found)
		}
	}
	for path, operations := range document.(map[string]any)["paths"].(map[string]any) {
		if get, ok := operations.(map[string]any)["get"].(map[string]any); ok && get["responses"].(map[string]any)["422"] != nil {
			t.Errorf("GET %s is said to answer 422", path)
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
		`(?m)^GET /orders/65b3\n400 Bad Request\n  .*The path parameter .*is not an ID: length 4, want 24 hex digits`,
		`(?m)^404 Not Found\n  .*There is no order 000000000000000000000000`,
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
	if err == nil || !strings.HasSuffix(err.Error(), "address already in use: choose another address with -addr") {
		t.Errorf("error %v", err)
	}
}
