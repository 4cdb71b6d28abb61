package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompareFindsWhatIsSlower(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ratios.txt")
	variants := []string{"native", "ours", "plain"}
	if err := os.WriteFile(file, []byte(ratios(measured("New", variants, 100, 50, 300))), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		results []*result
		want    string
		fails   bool
	}{
		{measured("New", variants, 100, 50, 300), "", false},
		{measured("New", variants, 200, 110, 100), "", false},
		{measured("New", variants, 100, 57, 300), "p New/ours takes 0.57, was 0.50\n", false},
		{measured("New", variants, 100, 78, 330), "p New/ours takes 0.78, was 0.50\n", true},
		{measured("New", variants[:2], 100, 10), "p New/plain is gone\n", true},
		{[]*result{{pkg: "other", group: "New", variant: "ours"}}, "", false},
	} {
		var out strings.Builder
		err := compareWith(&out, file, tt.results)
		if out.String() != tt.want || (err != nil) != tt.fails {
			t.Errorf("compareWith prints %q, error %v, want %q", &out, err, tt.want)
		}
	}
	if err := os.WriteFile(file, []byte("New/ours\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := compareWith(io.Discard, file, nil); err == nil {
		t.Error("compareWith of a line without a ratio: no error")
	}
}
