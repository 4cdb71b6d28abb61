package fixedids

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixedIDs returns a generator that makes the same IDs in every run. Call it once per
// test: parallel tests that share a generator get its IDs in any order.
func fixedIDs() *oid.Generator {
	return &oid.Generator{
		Rand: rand.NewChaCha8([32]byte{1}), // the seed
		Now:  func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
	}
}

func TestCreate(t *testing.T) {
	shop := &Shop{NewID: fixedIDs().New}
	w := httptest.NewRecorder()
	shop.Create(w, httptest.NewRequest("POST", "/orders?article=tea&article=cup", nil))
	if w.Code != 201 {
		t.Errorf("status %d, want 201", w.Code)
	}
	compare(t, "create.json", w.Body.Bytes())
}

// compare compares JSON with a golden file.
func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	var text bytes.Buffer
	if err := json.Indent(&text, got, "", "\t"); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text.Bytes(), want) {
		t.Errorf("got %s\nwant %s\nRun go test -update if the change is right.", text.Bytes(), want)
	}
}
