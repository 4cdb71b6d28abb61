package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// measured returns results of a group with one round and these times.
func measured(group string, variants []string, times ...float64) []*result {
	var results []*result
	for i, variant := range variants {
		results = append(results, &result{"p", group, variant, map[string][]float64{"ns/op": {times[i]}}})
	}
	return results
}

func TestChartShowsEveryRatio(t *testing.T) {
	results := measured("New", []string{"a<b", "oid.New", "slow", "slowest"}, 100, 50, 284, 1234)
	results = append(results, measured("Alone", []string{"x"}, 5)...)
	results = append(results, measured("In1000", []string{"native", "oid-plain"}, 10, 30)...)
	svg := chart(results, "go run ./internal/bench & more")

	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
	for _, want := range []string{
		">Make an ID<", ">a&lt;b<", ">1.00×<", `class="name ours" x="172" y="119">oid.New<`, ">0.50×<", ">2.84×<", ">12×<",
		">Filter for one of 1,000 IDs<", ">bson.ObjectID<", ">oid.ID, no registry<", ">3.00×<", "internal/bench &amp; more",
		`<path class="peer" d="M180 90h66v12h-66z"/>`, // 1×
		`<path class="own" d="M180 109h33v12h-33z"/>`, // 0.5×
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if strings.Contains(svg, "Alone") {
		t.Error("a group without a peer is in the chart")
	}
	if again := chart(results, "go run ./internal/bench & more"); again != svg {
		t.Error("the same results make another chart")
	}
}

func TestBarsThatAreTooLongAreCut(t *testing.T) {
	for _, test := range []struct {
		times  float64
		length int
		cut    bool
	}{{0.001, 1, false}, {3, 198, false}, {3.01, 198, true}, {1000, 198, true}} {
		var b strings.Builder
		if got := drawBar(&b, "own", 0, 0, test.times); got != test.length {
			t.Errorf("%v×: length %d, want %d", test.times, got, test.length)
		}
		if cut := strings.Count(b.String(), "M") == 2; cut != test.cut {
			t.Errorf("%v×: cut: %v, want %v", test.times, cut, test.cut)
		}
	}
}

func TestCaptionsAndLabelsNameBenchmarks(t *testing.T) {
	var sources strings.Builder
	for _, folder := range []string{"oid", "mongo"} {
		files, err := filepath.Glob(folder + "/*_test.go")
		if err != nil || files == nil {
			t.Fatal(folder, files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(data)
		}
	}
	for group := range captions {
		if !strings.Contains(sources.String(), "func Benchmark"+group+"(") {
			t.Errorf("no benchmark %s", group)
		}
	}
	for variant := range labels {
		if !strings.Contains(sources.String(), `"`+variant+`"`) {
			t.Errorf("no variant %s", variant)
		}
	}
}

// TestChartAndTableAreNoOlderThanRatios finds figures of users' pages that were measured with
// older code than ratios.txt was.
func TestChartAndTableAreNoOlderThanRatios(t *testing.T) {
	saved := savedRatios(t)
	check := func(group, variant, shown string) (ours bool) {
		for _, folder := range []string{"oid", "mongo"} {
			ratio, ok := saved[folder+" "+group+"/"+variant]
			times, err := strconv.ParseFloat(shown, 64)
			if err != nil || ok && (times > 2*ratio+0.05 || times < ratio/2-0.05) { // noise makes less
				t.Errorf("%s/%s is %s on the page and %v in ratios.txt: measure again with -table -svg", group, variant, shown, ratio)
			}
			ours = ours || ok
		}
		return ours
	}

	groups, names, n := keys(captions), keys(labels), 0
	title, bar := regexp.MustCompile(`class="title".*>(.+)<`), regexp.MustCompile(`class="name.*?>(.+?)<.*>([0-9.]+)×<`)
	group := ""
	for line := range strings.Lines(page(t, "speed.svg")) {
		if m := title.FindStringSubmatch(line); m != nil {
			group = groups[m[1]][0]
		} else if m := bar.FindStringSubmatch(line); m != nil {
			for _, variant := range append(names[m[1]], m[1]) {
				if check(group, variant, m[2]) {
					n++
					break
				}
			}
		}
	}
	if n < 60 {
		t.Errorf("%d bars are ratios of ours, want 60 or more", n)
	}

	table := page(t, "speed.txt")
	for _, row := range tableRows {
		m := regexp.MustCompile(`(?m)^\| ` + captions[row.group] + ` \|.* ([0-9.]+)× \| (?:([0-9.]+)×)? *\|$`).FindStringSubmatch(table)
		if m == nil {
			t.Errorf("the table has no row %s", captions[row.group])
			continue
		}
		if !check(row.group, row.ours, m[1]) {
			t.Errorf("ratios.txt has no %s/%s", row.group, row.ours)
		}
		if m[2] != "" {
			check(row.group, "oid-plain", m[2])
		}
	}
}

// keys returns the keys of each value of m, in order.
func keys(m map[string]string) map[string][]string {
	of := map[string][]string{}
	for key, value := range m {
		of[value] = append(of[value], key)
		slices.Sort(of[value])
	}
	return of
}

// page returns what a link in the folder testdata leads to.
func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
