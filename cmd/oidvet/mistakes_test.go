package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTableOfMistakes runs oidvet on the mistakes in testdata/mistakes, and prints a table of
// them. The comment of each names the analyzer that finds it, or "none". Never lower the
// number of those that are found.
func TestTableOfMistakes(t *testing.T) {
	const leastFound = 45
	found := findingsByLine(t)
	data, err := os.ReadFile("testdata/mistakes/mistakes.go")
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`// ([a-z]+): (.*)$`)
	fmt.Println("| mistake | analyzer |\n| --- | --- |")
	count := map[bool]int{}
	for i, line := range strings.Split(string(data), "\n") {
		m := comment.FindStringSubmatch(line)
		got := "none"
		if names := found[i+1]; len(names) > 0 {
			got = strings.Join(slices.Compact(names), ", ")
		}
		switch {
		case m != nil && m[1] == got:
			fmt.Printf("| %s | %s |\n", m[2], got)
			count[got != "none"]++
		case m != nil || got != "none":
			t.Errorf("line %d: %s: found by %s", i+1, strings.TrimSpace(line), got)
		}
	}
	fmt.Printf("%d of %d mistakes are found\n", count[true], count[true]+count[false])
	if count[true] < leastFound {
		t.Errorf("%d mistakes are found, want at least %d", count[true], leastFound)
	}
}

// findingsByLine returns the analyzers that report something, by the line.
func findingsByLine(t *testing.T) map[int][]string {
	t.Helper()
	cmd := exec.Command(program, "-json", "./mistakes")
	cmd.Dir = "testdata"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	var reports map[string]map[string][]struct{ Posn string }
	if err := json.Unmarshal(out, &reports); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := map[int][]string{}
	for _, byAnalyzer := range reports {
		for name, list := range byAnalyzer {
			for _, report := range list {
				var line int
				if _, err := fmt.Sscanf(report.Posn[strings.Index(report.Posn, ".go:")+4:], "%d", &line); err != nil {
					t.Fatal(err)
				}
				found[line] = append(found[line], name)
			}
		}
	}
	return found
}
