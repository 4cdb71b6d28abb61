package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTableComparesWithTheFirstOfTheGroup(t *testing.T) {
	results := measured("New", []string{"bson.NewObjectID", "oid.New", "xid.New"}, 58, 29, 116)
	results = append(results, measured("Marshal3", []string{"native", "oid-bsoncodec", "oid-plain"}, 12_000, 3_000, 48_000)...)
	results = append(results, measured("Parse", []string{"bson.ObjectIDFromHex", "another"}, 10, 20)...)
	const want = "| | driver v2 | oidkit | time | without `bsoncodec` |\n| --- | --: | --: | --: | --: |\n" +
		"| Make an ID | 58.0 ns | 29.0 ns | 0.50× |  |\n" +
		"| Struct with 3 IDs to BSON, Marshal | 12.0 µs | 3000 ns | 0.25× | 4.00× |\n"
	if got := table(results); got != want {
		t.Errorf("table(…) =\n%s\nwant\n%s", got, want)
	}
}

func TestRowsOfTheTableNameBenchmarks(t *testing.T) {
	files, err := filepath.Glob("[om]*/*_test.go")
	if err != nil || files == nil {
		t.Fatal(files, err)
	}
	var sources strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(data)
	}
	for _, row := range tableRows {
		if captions[row.group] == "" || !strings.Contains(sources.String(), "func Benchmark"+row.group+"(") ||
			!strings.Contains(sources.String(), `"`+row.ours+`"`) {
			t.Errorf("no caption, benchmark or variant for %v", row)
		}
	}
}

// The table of the page comes from the command, without changes by hand.
func TestPageHasTheRowsOfTheTable(t *testing.T) {
	page, err := os.ReadFile("testdata/speed.txt") // a link to docs/mongodb-reference.md
	if err != nil {
		t.Fatal(err)
	}
	_, speed, _ := strings.Cut(string(page), "\n## Speed\n")
	_, speed, _ = strings.Cut(speed, "\n\n|")
	got, _, _ := strings.Cut("|"+speed, "\n\n")
	var results []*result
	for _, row := range tableRows {
		results = append(results, measured(row.group, []string{"native", row.ours}, 1, 1)...)
	}
	if got, want := rows(got), rows(table(results)); !slices.Equal(got, want) {
		t.Errorf("the page has the rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// rows returns the head of a Markdown table, and what stands in the first column.
func rows(table string) []string {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = strings.Split(lines[i]+"|", "|")[1]
	}
	return lines
}
