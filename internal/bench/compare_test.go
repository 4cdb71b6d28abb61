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
// other. The limits are promises of the packages pgxoid and sequence.
func TestSavedRatiosHoldTheLimits(t *testing.T) {
	ratios := savedRatios(t)
	for name, most := range map[string]float64{
		"sql Scan/oid.ID,Register": 0.35, "sql Scan/oid.For,RegisterFor": 0.35,
		"sql Encode/oid.ID,Register": 0.60, "sql Encode/oid.For,RegisterFor": 0.60,
		"sql Encode1000/oid.ID,Register": 0.22, "sql Encode1000/oid.For,RegisterFor": 0.22,
		"sql ScanText/sqltype.Hex,Register": 0.60, "sql EncodeText/sqltype.Hex,Register": 0.60,
		"sql CopyFrom100k/oid.ID,Register": 1, "sql Any1000/oid.ID,Register": 1,
		// Draws make 0.92, 0.90, 0.90 and 0.88 of what the disk can, and 0.95 of it for one caller.
		"sequence Programs/pgsequence.Sequence": 1 / 0.92, "sequence Programs/pgsequence.Stamper": 1 / 0.90,
		"sequence Programs/pgsequence.Numbering": 1 / 0.90, "sequence Programs/sqlsequence.Sequence": 1 / 0.88,
		"sequence OneCaller/pgsequence.Sequence": 1 / 0.95, "sequence OneCaller/sqlsequence.Sequence": 1 / 0.95,
		"sequence PgxNextIn1/NextIn": 1.10, "sequence PgxNextIn16/NextIn": 1.10,
		"sequence PostgresNextIn1/NextIn": 1.10, "sequence PostgresNextIn16/NextIn": 1.10,
	} {
		if got := ratios[name]; got <= 0 || got > most {
			t.Errorf("the saved ratio of %s is %v, want at most %v", name, got, most)
		}
	}
}

// savedRatios returns the ratios of ratios.txt by their names.
func savedRatios(t *testing.T) map[string]float64 {
	t.Helper()
	data, err := os.ReadFile("ratios.txt")
	if err != nil {
		t.Fatal(err)
	}
	ratios := map[string]float64{}
	for line := range strings.Lines(string(data)) {
		name, ratio := cutLast(strings.TrimSpace(line), " ")
		ratios[name], _ = strconv.ParseFloat(ratio, 64)
	}
	return ratios
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
