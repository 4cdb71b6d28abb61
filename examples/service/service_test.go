package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// TestMain makes the forms of the IDs, with a key that is the same in every run.
func TestMain(m *testing.M) {
	if err := readKeys("bm90IGEga2V5LCBidXQgYW4gZXhhbXBsZSBvZiBvbmU="); err != nil {
		panic(err)
	}
	m.Run()
}

// onEach runs test on SQLite and on PostgreSQL, with IDs that are the same in every run.
func onEach(t *testing.T, test func(t *testing.T, s *service)) {
	run := func(name string, open func(t *testing.T) (gorm.Dialector, sqlsequence.Dialect)) {
		t.Run(name, func(t *testing.T) {
			dialector, dialect := open(t)
			s, err := newService(t.Context(), dialector, dialect, &oid.Generator{
				Rand: rand.NewChaCha8([32]byte{1}),
				Now:  func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.close(); err != nil {
					t.Error(err)
				}
			})
			test(t, s)
		})
	}
	run("SQLite", func(t *testing.T) (gorm.Dialector, sqlsequence.Dialect) {
		return openSQLite(t.TempDir()), sqlsequence.SQLite
	})
	run("PostgreSQL", func(t *testing.T) (gorm.Dialector, sqlsequence.Dialect) {
		return gormpostgres.Open(postgres.Database(t)), sqlsequence.PostgreSQL
	})
}

// ask sends a request to the service, and returns the answer in one line.
func ask(s *service, method, path, body string) string {
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
}

func TestRequests(t *testing.T) {
	onEach(t, func(t *testing.T, s *service) {
		const created = `"created":"2026-03-01T12:00:00Z"`
		var (
			ada     = customerForm.Text(oid.MustParse("69a42a406ae6783f4fbde91c"))
			nobody  = customerForm.Text(oid.MustParse("69a42a400000000000000000"))
			first   = invoiceForm.Text(oid.MustParse("69a42a406ae6783f4fbde91d"))
			second  = invoiceForm.Text(oid.MustParse("69a42a406ae6783f4fbde91f")) // ...1e went back, as the number did
			third   = invoiceForm.Text(oid.MustParse("69a42a406ae6783f4fbde920"))
			missing = invoiceForm.Text(oid.MustParse("69a42a400000000000000000"))
		)
		year := time.Now().UTC().Format("2006")
		invoice := func(id, serial string, cents int) string {
			return fmt.Sprintf(`{"id":"%s","number":"INV-%s-%s","customer_id":"%s","cents":%d,%s}`, id, year, serial, ada, cents, created)
		}
		one, two, three := invoice(first, "00001", 1999), invoice(second, "00002", 250), invoice(third, "00003", 7)
		for _, tt := range []struct{ method, path, body, want string }{
			{"POST", "/customers", `{"name": "Ada King", "id": "` + nobody + `"}`, `201 {"id":"` + ada + `","name":"Ada King"}`},
			{"POST", "/customers", `{}`, `400 {"error":"name is missing"}`},
			{"POST", "/invoices", `{"customer_id": "` + ada + `", "cents": 1999}`, "201 " + one},
			{"POST", "/invoices", `{"customer_id": "` + nobody + `", "cents": 1}`, `400 {"error":"there is no customer ` + nobody + `"}`},
			{"POST", "/invoices", `{"customer_id": "` + ada + `", "cents": 250}`, "201 " + two},
			{"POST", "/invoices", `{"customer_id": "` + ada + `", "cents": 7}`, "201 " + three},
			{"POST", "/invoices", `{"cents": 1}`, `400 {"error":"want customer_id, and cents above 0"}`},
			{"POST", "/invoices", `{"customer_id": "` + first + `", "cents": 1}`, `400 {"error":"invalid ID: want an ID that starts with cus_"}`},
			{"POST", "/invoices", `{"customer_id": "69a42a406ae6783f4fbde91c", "cents": 1}`, `400 {"error":"invalid ID: want an ID that starts with cus_"}`},
			{"POST", "/invoices", `[]`, `400 {"error":"the body is not the JSON that this address wants"}`},

			{"GET", "/invoices/" + second, "", "200 " + two},
			{"GET", "/invoices/" + missing, "", `404 {"error":"not found"}`},
			{"GET", "/invoices/" + ada, "", `404 {"error":"not found"}`},
			{"GET", "/invoices/inv_00000000000000000000000000", "", `404 {"error":"not found"}`},
			{"GET", "/invoices/69a42a406ae6783f4fbde91f", "", `404 {"error":"not found"}`}, // the plain ID of the second one

			{"GET", "/invoices?customer=" + ada, "", `200 {"invoices":[` + three + "," + two + "," + one + `]}`},
			{"GET", "/invoices?limit=2", "", `200 {"invoices":[` + three + "," + two + `],"next":"/invoices?before=` + second + `&limit=2"}`},
			{"GET", "/invoices?before=" + second + "&limit=2", "", `200 {"invoices":[` + one + `]}`},
			{"GET", "/invoices?id=" + third + "&id=" + missing + "&id=" + first, "", `200 {"invoices":[` + three + "," + one + `]}`},
			{"GET", "/invoices?customer=" + nobody, "", `200 {"invoices":[]}`},
			{"GET", "/invoices?from=2026-03-01T12:00:00Z&to=2026-03-01T12:00:01Z&limit=3", "", `200 {"invoices":[` + three + "," + two + "," + one + `]}`},
			{"GET", "/invoices?to=2026-03-01T12:00:00Z", "", `200 {"invoices":[]}`},
			{"GET", "/invoices?from=2026-03-01T12:00:01Z", "", `200 {"invoices":[]}`},
			{"GET", "/invoices?id=65b3", "", `400 {"error":"id: want an ID that starts with inv_"}`},
			{"GET", "/invoices?customer=cus_1", "", `400 {"error":"customer: length 5, want 30"}`},
			{"GET", "/invoices?before=inv_00000000000000000000000000", "", `400 {"error":"before: no such ID"}`},
			{"GET", "/invoices?from=today", "", `400 {"error":"from: want a time such as 2026-03-01T00:00:00Z"}`},
			{"GET", "/invoices?limit=0", "", `400 {"error":"limit: want a number from 1 to 100"}`},
		} {
			if got := ask(s, tt.method, tt.path, tt.body); got != tt.want {
				t.Errorf("%s %s %s\n got %s\nwant %s", tt.method, tt.path, tt.body, got, tt.want)
			}
		}
	})
}

// The database has the plain IDs, and only an administrator learns which.
func TestOnlyAnAdminSeesPlainIDs(t *testing.T) {
	onEach(t, func(t *testing.T, s *service) {
		customer := Customer{Name: "Ada King"}
		if err := s.db.Create(&customer).Error; err != nil {
			t.Fatal(err)
		}
		var stored []byte
		if err := s.db.Raw("SELECT id FROM customers").Row().Scan(&stored); err != nil || oid.ID(stored) != oid.ID(customer.ID) {
			t.Errorf("the database has %x, %v", stored, err)
		}
		const want = `200 {"created":"2026-03-01T12:00:00Z","id":"69a42a406ae6783f4fbde91c"}`
		path := "/admin/ids/" + customer.ID.String()
		if got := ask(s, "GET", path, ""); !strings.HasPrefix(got, "404 ") {
			t.Errorf("without a password of the service: %s", got)
		}
		s.admin = "secret"
		for password, want := range map[string]string{"": "401 unauthorized", "Secret": "401 unauthorized", "secret": want} {
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
			r.SetBasicAuth("ada", password)
			s.handler().ServeHTTP(w, r)
			if got := fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String())); got != want {
				t.Errorf("with the password %q: %s, want %s", password, got, want)
			}
		}
	})
}

func TestBadKeys(t *testing.T) {
	customers, invoices := customerForm, invoiceForm
	defer func() { customerForm, invoiceForm = customers, invoices }()
	for _, text := range []string{"", "c2hvcnQ=", "not base64!"} {
		if err := readKeys(text); err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("readKeys(%q): %v", text, err)
		}
	}
}

// Callers at once, some of which fail, leave no number out.
func TestInvoiceNumbersHaveNoGap(t *testing.T) {
	onEach(t, func(t *testing.T, s *service) {
		customer := Customer{Name: "Ada King"}
		if err := s.db.Create(&customer).Error; err != nil {
			t.Fatal(err)
		}
		const callers, each = 8, 10
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for i := range each {
					id, want := customer.ID, "201 "
					if i%3 == 0 {
						id, want = CustomerID(oid.ID(id).Next()), "400 "
					}
					if got := ask(s, "POST", "/invoices", fmt.Sprintf(`{"customer_id": "%s", "cents": 1}`, id)); !strings.HasPrefix(got, want) {
						t.Errorf("got %s, want %s", got, want)
					}
				}
			})
		}
		wg.Wait()
		var numbers []string
		if err := s.db.Model(&Invoice{}).Order("number").Pluck("number", &numbers).Error; err != nil {
			t.Fatal(err)
		}
		if want := callers * 6; len(numbers) != want {
			t.Errorf("%d invoices, want %d", len(numbers), want)
		}
		for i, number := range numbers {
			if want := fmt.Sprintf("-%05d", i+1); !strings.HasSuffix(number, want) {
				t.Errorf("invoice %d has the number %s, want the end %s", i+1, number, want)
			}
		}
	})
}

// A server that fails tells the client nothing about the database.
func TestFailureOfTheDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, s *service) {
		if err := s.db.Exec("DROP TABLE invoices").Error; err != nil {
			t.Fatal(err)
		}
		if got, want := ask(s, http.MethodGet, "/invoices", ""), `500 {"error":"the server failed"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestDemo(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, config{addr: "127.0.0.1:0", demo: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-00003", "there is no customer", "404 Not Found"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the demo doesn't print %s:\n%s", want, out.String())
		}
	}
}
