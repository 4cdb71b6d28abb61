package sequence_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// Users store the texts of stamps. The vectors were computed from the documentation, not by
// this package. A change that fails here breaks stored data.
func TestStampsAreThoseOfTheVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/stamps.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Tick   time.Time
		Serial int
		Text   string
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors) < 2 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for _, tt := range vectors {
		stamp := sequence.Stamp{Tick: tt.Tick, Serial: tt.Serial}
		if got := stamp.String(); got != tt.Text {
			t.Errorf("%v.String() = %s, want %s", stamp, got, tt.Text)
		}
		var got sequence.Stamp
		if err := got.UnmarshalText([]byte(tt.Text)); err != nil || got.Compare(stamp) != 0 {
			t.Errorf("UnmarshalText(%s) = %v, %v", tt.Text, got, err)
		}
	}
}
