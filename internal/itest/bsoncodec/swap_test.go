package bsoncodec_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/repo"
)

// swapScript returns the commands of docs/migrating.md that turn a program with
// bson.ObjectID into one with oid.ID.
func swapScript(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile(repo.Path("docs/migrating.md"))
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile("(?ms)^```sh\n(own\\(\\).+?)^```$").FindStringSubmatch(string(doc))
	if match == nil {
		t.Fatal("docs/migrating.md has no rules")
	}
	return match[1]
}

// swapRules returns the rules in them, in their order.
func swapRules(t *testing.T) (rules []string) {
	t.Helper()
	for _, match := range regexp.MustCompile(`(?m)^gofmt -w -r "(.+)" \$\(own\)$`).FindAllStringSubmatch(swapScript(t), -1) {
		rules = append(rules, strings.ReplaceAll(match[1], "$id", "oid"))
	}
	if len(rules) == 0 {
		t.Fatal("docs/migrating.md has no rules")
	}
	return rules
}

// For driver v1, the document names the replacements in the rules.
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

// The commands, as they stand, change the files of the project and none of vendor;
// and where variables are called oid, another name for the package keeps out of
// their way.
func TestSwapScript(t *testing.T) {
	const before = `package p

func parse(s string) (bson.ObjectID, error) {
	oid, err := bson.ObjectIDFromHex(s)
	if oid == bson.NilObjectID {
		oid = bson.NewObjectID()
	}
	return oid, err
}
`
	const after = `package p

func parse(s string) (objectid.ID, error) {
	oid, err := objectid.Parse(s)
	if oid.IsZero() {
		oid = objectid.New()
	}
	return oid, err
}
`
	dir := t.TempDir()
	want := map[string]string{"p.go": after, "deep/down/p.go": after, "vendorp/p.go": after, "vendor/a/p.go": before, "deep/vendor/a/p.go": before}
	for name := range want {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(before), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"bash", "git"} {
		if _, err := daemon.Find(program); err != nil {
			daemon.Skip(t, err)
		}
	}
	script := strings.Replace(swapScript(t), "id=oid ", "id=objectid ", 1)
	cmd := exec.Command("bash", "-ec", "git init -q && git add . && "+script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, want := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is now\n%s", name, got)
		}
	}
}
