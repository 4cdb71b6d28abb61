package mongo

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// swap holds the rules of the README that turn a program with bson.ObjectID into one
// with oid.ID, in their order.
var swap = []string{
	"a.(bson.ObjectID) -> bsoncodec.FromAny(a)",
	"a == bson.NilObjectID -> a.IsZero()",
	"a != bson.NilObjectID -> !a.IsZero()",
	"bson.NilObjectID -> oid.ID{}",
	"bson.NewObjectID() -> oid.New()",
	"bson.ObjectIDFromHex(a) -> oid.Parse(a)",
	"bson.ObjectID -> oid.ID",
}

// The rules turn testdata/swap/before into testdata/swap/after, but for the imports,
// and what comes out compiles.
func TestSwapRules(t *testing.T) {
	text, err := os.ReadFile("testdata/swap/before/orders.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range swap {
		cmd := exec.Command("gofmt", "-r", rule)
		cmd.Stdin = bytes.NewReader(text)
		if text, err = cmd.Output(); err != nil {
			t.Fatalf("gofmt -r '%s': %v", rule, err)
		}
	}
	want, err := os.ReadFile("testdata/swap/after/orders.go")
	if err != nil {
		t.Fatal(err)
	}
	body := func(text []byte) string {
		_, body, _ := strings.Cut(string(text), ")\n")
		return body
	}
	if body(text) != body(want) {
		t.Errorf("the rules make\n%s", text)
	}
	if out, err := exec.Command("go", "vet", "./testdata/swap/before", "./testdata/swap/after").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
