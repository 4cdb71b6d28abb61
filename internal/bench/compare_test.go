package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
