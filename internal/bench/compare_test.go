package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestSavedRatiosHoldTheLimits keeps what is saved from becoming slower, one save after the
// other. Each limit is a promise of package pgxoid.
func TestSavedRatiosHoldTheLimits(t *testing.T) {
	data, err := os.ReadFile("ratios.txt")
	if err != nil {
		t.Fatal(err)
	}
	ratios := map[string]float64{}
	for line := range strings.Lines(string(data)) {
		name, ratio := cutLast(strings.TrimSpace(line), " ")
		ratios[name], _ = strconv.ParseFloat(ratio, 64)
	}
	for name, most := range map[string]float64{
		"Scan/oid.ID,Register": 0.35, "Scan/oid.For,RegisterFor": 0.35,
		"Encode/oid.ID,Register": 0.60, "Encode/oid.For,RegisterFor": 0.60,
		"Encode1000/oid.ID,Register": 0.22, "Encode1000/oid.For,RegisterFor": 0.22,
		"ScanText/sqltype.Hex,Register": 0.60, "EncodeText/sqltype.Hex,Register": 0.60,
		"CopyFrom100k/oid.ID,Register": 1, "Any1000/oid.ID,Register": 1,
	} {
		if got := ratios["sql "+name]; got <= 0 || got > most {
			t.Errorf("the saved ratio of %s is %v, want at most %v", name, got, most)
		}
	}
}

func TestCompareNamesWhatIsNotSaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ratios.txt")
	variants := []string{"native", "oid.ID", "uuid", "oid.For"}
	if err := os.WriteFile(file, []byte(ratios(measured("New", variants[:3], 100, 50, 90))), 0o666); err != nil {
		t.Fatal(err)
	}
	err := compareWith(io.Discard, file, measured("New", variants, 100, 50, 90, 50), nil)
	if want := file + " has no ratio of p New/oid.For: save the ratios with -save"; err == nil || err.Error() != want {
		t.Errorf("compareWith: %v, want %s", err, want)
	}
}

func TestCompareFindsWhatIsSlowerTwice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ratios.txt")
	variants := []string{"native", "oid.ID", "oid-plain", "uuid"}
	if err := os.WriteFile(file, []byte(ratios(measured("New", variants, 100, 50, 300, 90))), 0o666); err != nil {
		t.Fatal(err)
	}
	same := measured("New", variants, 100, 50, 300, 90)
	for _, tt := range []struct {
		results, again []*result
		want           string
		fails          bool
	}{
		{same, nil, "", false},
		{measured("New", variants, 200, 110, 100, 900), nil, "", false},
		{measured("New", variants, 100, 62, 300, 90), nil, "", false},
		{measured("New", variants, 100, 64, 300, 90), same, "p New/oid.ID takes 0.64, was 0.50\nOnce more: New\n", false},
		{measured("New", variants, 100, 64, 300, 90), measured("New", variants, 100, 70, 300, 90),
			"p New/oid.ID takes 0.64, was 0.50\nOnce more: New\np New/oid.ID takes 0.70, was 0.50\n", true},
		{measured("New", variants[:2], 100, 10), measured("New", variants[:2], 100, 10),
			"p New/oid-plain is gone\nOnce more: New\np New/oid-plain is gone\n", true},
		{[]*result{{pkg: "other", group: "New", variant: "oid.ID"}}, nil, "", false},
	} {
		var out strings.Builder
		err := compareWith(&out, file, tt.results, func(pattern string) ([]*result, error) {
			if pattern != "^Benchmark(New)$" || tt.again == nil {
				t.Errorf("%q is measured once more", pattern)
			}
			return tt.again, nil
		})
		if out.String() != tt.want || (err != nil) != tt.fails {
			t.Errorf("compareWith prints %q, error %v, want %q", &out, err, tt.want)
		}
	}
	if err := os.WriteFile(file, []byte("New/oid.ID\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := compareWith(io.Discard, file, nil, nil); err == nil {
		t.Error("compareWith of a line without a ratio: no error")
	}
}
