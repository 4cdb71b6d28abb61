package rows

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct{ line, name, want string }{
		{`{"_id":{"$oid":"5a94"},"n":1}`, "_id", `{"$oid":"5a94"}`},
		{`{ "a" : [1, {"_id": 2}], "_id" : "x" }` + "\r\n", "_id", `"x"`},
		{`{"user":{"name":"a","_id":"u"},"_id":"o"}`, "user._id", `"u"`},
		{`{"user":{"_id":"u"},"user._id":"dotted"}`, "user._id", `"dotted"`},
		{`{"user._id":"dotted","user":{"_id":"u"}}`, "user._id", `"dotted"`},
		{`{"a":{"b":{"c":null}}}`, "a.b.c", `null`},
		{`{"a":[{"b":1}]}`, "a.b", ``},
		{`{"a":1}`, "a.b", ``},
		{`{"a":1}`, "b", ``},
		{`{}`, "b", ``},
		{`{"q\"\\":"}\"","b":-1.5e3,"c":true}`, "b", `-1.5e3`},
		{`{"\u005fid":"x"}`, "_id", `"x"`},
		{`[{"_id":1},`, "_id", `1`}, {`{"_id":2}]`, "_id", `2`}, {`,{"_id":3}`, "_id", `3`}, {"[\n", "_id", ``}, {"]\n", "_id", ``}, {"\n", "_id", ``},
	} {
		start, end, err := Find([]byte(tt.line), tt.name)
		if got := tt.line[start:end]; got != tt.want || err != nil {
			t.Errorf("Find(%q, %q) = %q, %v, want %q", tt.line, tt.name, got, err, tt.want)
		}
	}
}

func TestFindRefusesWhatIsNotJSON(t *testing.T) {
	for _, line := range []string{"x", `x {"a":1}`, `{"a":1} x`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":"`, `{"a":"\`, `{a:1}`, `{"a" 1}`, `{"a":{"b":1}`, `{"a":,}`, `{"a":[1,2}`, `{"a":}`} {
		if start, end, err := Find([]byte(line), "a"); err != ErrNotJSON {
			t.Errorf("Find(%q) = %d, %d, %v, want %v", line, start, end, err, ErrNotJSON)
		}
	}
}

func TestIsJSON(t *testing.T) {
	for start, want := range map[string]bool{"{": true, "[{": true, "[\n": true, "[ ": true, "[": false, "[]": false, "": false, "i": false, "[1": false} {
		if got := IsJSON(bufio.NewReader(strings.NewReader(start))); got != want {
			t.Errorf("IsJSON(%q) = %v, want %v", start, got, want)
		}
	}
}

// What encoding/json reads, Find reads too, with the same value.
func FuzzFind(f *testing.F) {
	f.Add(`{"_id":{"$oid":"5a94"},"n":[1,{}]}`)
	f.Fuzz(func(t *testing.T, line string) {
		start, end, err := Find([]byte(line), "_id")
		var document map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &document) != nil {
			return
		}
		if err != nil {
			t.Fatalf("Find(%q): %v", line, err)
		}
		if want := string(document["_id"]); document != nil && len(document["_id"]) > 0 && line[start:end] != want {
			t.Errorf("Find(%q) = %q, want %q", line, line[start:end], want)
		}
	})
}
