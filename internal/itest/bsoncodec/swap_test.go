package bsoncodec_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// swapRules returns the rules of docs/migrating.md that turn a program with
// bson.ObjectID into one with oid.ID, in their order.
func swapRules(t *testing.T) (rules []string) {
	t.Helper()
	doc, err := os.ReadFile("../../../docs/migrating.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`(?m)^gofmt -w -r '(.+)' \.$`).FindAllStringSubmatch(string(doc), -1) {
		rules = append(rules, match[1])
	}
	if len(rules) == 0 {
		t.Fatal("docs/migrating.md has no rules")
	}
	return rules
}

// For driver v1 the document says to write other names in the rules.
var swapV1 = strings.NewReplacer("bsoncodec.", "mongov1.", "bson.", "primitive.")

// The rules turn testdata/swap/before into testdata/swap/after, but for the imports,
// and what comes out compiles.
func TestSwapRules(t *testing.T) {
	text, err := os.ReadFile("testdata/swap/before/orders.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/swap/after/orders.go")
	if err != nil {
		t.Fatal(err)
	}
	body := func(text []byte) string {
		_, body, _ := strings.Cut(string(text), ")\n")
		return body
	}
	for _, driver := range []*strings.Replacer{strings.NewReplacer(), swapV1} {
		got := []byte(driver.Replace(string(text)))
		for _, rule := range swapRules(t) {
			cmd := exec.Command("gofmt", "-r", driver.Replace(rule))
			cmd.Stdin = bytes.NewReader(got)
			if got, err = cmd.Output(); err != nil {
				t.Fatalf("gofmt -r '%s': %v", driver.Replace(rule), err)
			}
		}
		if body(got) != body([]byte(driver.Replace(string(want)))) {
			t.Errorf("the rules make\n%s", got)
		}
	}
	if out, err := exec.Command("go", "vet", "./testdata/swap/before", "./testdata/swap/after").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
