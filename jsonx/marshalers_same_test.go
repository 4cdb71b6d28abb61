package jsonx_test

import (
	"os"
	"strings"
	"testing"
)

// The two versions of Marshalers and Unmarshalers must stay one.
func TestMarshalersAreTheSameForEveryGo(t *testing.T) {
	var body [2]string
	for i, file := range []string{"marshalers.go", "marshalers_go126.go"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, source, _ := strings.Cut(string(data), "\npackage jsonx\n")
		source = strings.ReplaceAll(source, "errors.ErrUnsupported", "json.SkipFunc")
		body[i] = strings.Replace(source, "\t\"errors\"\n", "", 1)
	}
	if body[0] != body[1] || len(body[0]) < 500 {
		t.Error("marshalers.go and marshalers_go126.go differ in more than the name of the error")
	}
}
