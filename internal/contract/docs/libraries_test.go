package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// TestEachLibraryNamesItsTest looks into docs/libraries.md for rows that no test shows. The
// tables between marks are what a test observes.
func TestEachLibraryNamesItsTest(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(tree.Root(t), "docs", "libraries.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := regexp.MustCompile(`(?s)<!-- \w+ -->.*?<!-- end -->`).ReplaceAllString(string(data), "")
	n := 0
	for _, row := range regexp.MustCompile(`(?m)^\| .*$`).FindAllString(page, -1) {
		if strings.HasSuffix(row, " | test |") || strings.HasPrefix(row, "| --- |") {
			continue
		}
		n++
		if !strings.Contains(row, " | [`Test") {
			t.Errorf("no test shows %s", row)
		}
		if !regexp.MustCompile(`\*\*(Works|With|with|Never)\*\*`).MatchString(row) {
			t.Errorf("doesn't say whether it works: %s", row)
		}
	}
	if n < 30 {
		t.Errorf("docs/libraries.md has only %d rows", n)
	}
}
