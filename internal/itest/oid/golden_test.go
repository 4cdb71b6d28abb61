package oid_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
)

// What docs/testing.md shows, at work.

var update = flag.Bool("update", false, "rewrite the golden files")

// fixedIDs returns a generator that makes the same IDs in every run.
func fixedIDs() *oid.Generator {
	return &oid.Generator{
		Rand: rand.NewChaCha8([32]byte{1}),
		Now:  func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
	}
}

// golden compares got with a file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A shop is a service whose IDs a test can choose.
type shop struct {
	newID func() oid.ID // oid.New outside of tests
}

func (s *shop) create(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(map[string]oid.ID{"id": s.newID()})
}

func TestHandlersAnswerAsTheGoldenFile(t *testing.T) {
	s := &shop{newID: fixedIDs().New}
	w := httptest.NewRecorder()
	for range 2 {
		s.create(w, httptest.NewRequest("POST", "/orders", nil))
	}
	golden(t, "created.json", w.Body.Bytes())
}

func TestGORMStoresTheIDsOfTheGoldenFile(t *testing.T) {
	type Order struct {
		ID     oid.ID
		Number string
	}
	db, err := gorm.Open(sqlite.Open(":memory:"), &gorm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Use(gormplugin.New(gormplugin.WithGenerator(fixedIDs()))); err != nil {
		t.Fatal(err)
	}
	if err := db.AutoMigrate(&Order{}); err != nil {
		t.Fatal(err)
	}
	orders := []Order{{Number: "A1"}, {Number: "A2"}}
	if err := db.Create(&orders).Error; err != nil {
		t.Fatal(err)
	}
	var stored []Order
	if err := db.Order("id").Find(&stored).Error; err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "orders.json", append(got, '\n'))
}

func TestIDsOfAnotherDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &oid.Generator{Rand: rand.NewChaCha8([32]byte{1})} // the bubble has the clock
		first := g.New()
		time.Sleep(24 * time.Hour) // takes no time
		second := g.New()
		lo, hi := oid.Range(time.Now(), time.Now().Add(time.Hour))
		if second.Compare(lo) < 0 || second.Compare(hi) >= 0 || first.Compare(lo) >= 0 {
			t.Errorf("%v and %v, a day later", first, second)
		}
		if got := second.Timestamp().Sub(first.Timestamp()); got != 24*time.Hour {
			t.Errorf("%v apart, want 24h", got)
		}
		if first.Hex() != "386d43806ae6783f4fbde91c" {
			t.Errorf("first is %v", first)
		}
	})
}
