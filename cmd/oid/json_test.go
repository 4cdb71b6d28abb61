package main

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// documents are lines as mongoexport writes them. The first is of March 1, its user of March 3.
const documents = `{"_id":{"$oid":"` + march1 + `"},"user":{"_id":{"$oid":"` + march3 + `"}},"n":1}
{"n":2,"_id":"` + march2 + `","user":null}
{"n":3,"user":{"_id":null,"name":"` + march1 + `"}, "_id" : {"$oid" : "` + march3 + `"}}
`

func line(n int) string { return strings.SplitAfter(documents, "\n")[n-1] }

// --column reads a field of each line of JSON, and no other IDs in it.
func TestCommandsReadAFieldOfLinesOfJSON(t *testing.T) {
	array := "[" + strings.ReplaceAll(strings.TrimSuffix(documents, "\n"), "}\n", "},\n") + "]\n"
	for _, test := range []struct{ args, in, want string }{
		{"filter --from 2026-03-02 --column _id", documents, line(2) + line(3)},
		{"filter --to 2026-03-02 --column _id", documents, line(1)},
		{"filter --invert --to 2026-03-02 --column _id", documents, line(2) + line(3)},
		{"filter --from 2026-03-02 --column user._id", documents, line(1)},
		{"filter --only --from 2026-03-02 --column _id", documents, march2 + "\n" + march3 + "\n"},
		{"filter --only --invert --from 2026-03-02 --column _id", documents, march1 + "\n"},
		{"filter --only --from 2026-03-02 --column _id", array, march2 + "\n" + march3 + "\n"},
		{"filter --only --from 2026-03-02 --column _id", "[\n" + array[1:], march2 + "\n" + march3 + "\n"},
		{"convert --column _id", documents, march1 + "\n" + march2 + "\n" + march3 + "\n"},
		{"convert --column _id --input xid", `{"_id":"9m4e2mr0ui3e8a215n4g"}`, "4d88e15b60f486e428412dc9\n"},
		{"inspect --line --column user._id", documents, succeed(t, "", "inspect", "--line", march3)},
		{"filter --from 2026 --column id", `{"id":"` + march1 + "\"}\n", `{"id":"` + march1 + "\"}\n"},
	} {
		if got := succeed(t, test.in, strings.Fields(test.args)...); got != test.want {
			t.Errorf("oid %s: %q, want %q", test.args, got, test.want)
		}
	}
	if got := succeed(t, documents, "histogram", "--by", "day", "--column", "_id"); !strings.Contains(got, "\n3 IDs by day, ") {
		t.Errorf("histogram: %s", got)
	}
	stdout, stderr, status := run(t, line(1)+"x\n{\"_id\":\n{\"_id\":7}\n"+line(2), "convert", "--column", "_id")
	const want = `oid convert: line 2: "x" is not a line of JSON, such as those of mongoexport and jq -c
oid convert: line 3: "{\"_id\":" is not a line of JSON, such as those of mongoexport and jq -c
oid convert: line 4: "7" is not an ID: length 1, want 24 hex digits
oid convert: 3 of 5 are not IDs
`
	if stdout != march1+"\n"+march2+"\n" || stderr != want || status != 1 {
		t.Errorf("status %d, %q, %s, want %s", status, stdout, stderr, want)
	}
	if _, stderr, status := run(t, documents, "convert", "--column", "key"); status != 1 || stderr != "oid convert: no IDs in the column \"key\"\n" {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// What mongoexport --query takes is JSON, and selects the range.
func TestRangeAsExtendedJSON(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"", `{"_id":{"$gte":{"$oid":"69a373700000000000000000"},"$lt":{"$oid":"69cc43e00000000000000000"}}}`},
		{"--column user._id --text", `{"user._id":{"$gte":"69a373700000000000000000","$lt":"69cc43e00000000000000000"}}`},
		{"--uuid", `{"_id":{"$gte":{"$uuid":"019ca67a-ed80-7000-8000-00000000031d"},"$lt":{"$uuid":"019d45e9-2300-7000-8000-00000000031d"}}}`},
	} {
		got := succeed(t, "", append([]string{"range", "--as", "extjson", "2026-03"}, strings.Fields(test.args)...)...)
		if got != test.want+"\n" || !json.Valid([]byte(got)) {
			t.Errorf("%q: %s, want %s", test.args, got, test.want)
		}
	}
	var r struct{ Queries map[string]string }
	if err := json.Unmarshal([]byte(succeed(t, "", "range", "--json", "--as", "extjson", "2026-03")), &r); err != nil || len(r.Queries) != 1 || r.Queries["extjson"] == "" {
		t.Errorf("--json: %v, %v", r, err)
	}
}

// A form with quotes replaces the quotes around an ID, and what is another such form.
func TestConvertKeepsNoQuotesWithinQuotes(t *testing.T) {
	for _, test := range []struct{ to, in, want string }{
		{"mongosh", `{"_id":{"$oid":"` + march1 + `"},"a":"` + march2 + `"}`, `{"_id":ObjectId("` + march1 + `"),"a":ObjectId("` + march2 + `")}`},
		{"extjson", `_id: ObjectId("` + march1 + `"), new ObjectId( '` + march2 + `' )`, `_id: {"$oid":"` + march1 + `"}, {"$oid":"` + march2 + `"}`},
		{"extjson", `{ "$oid" : "` + march1 + `" }`, `{"$oid":"` + march1 + `"}`},
		{"postgres", `x'` + march1 + `' X'` + march2 + `' '` + march3 + `' '\x` + march1 + `' \x` + march2, `'\x` + march1 + `' '\x` + march2 + `' '\x` + march3 + `' '\x` + march1 + `' '\x` + march2 + `'`},
		{"mysql", `E'\\x` + march1 + `' 0x` + march2 + ` ` + march3, `x'` + march1 + `' x'` + march2 + `' x'` + march3 + `'`},
		{"go", `oid.MustParse("` + march1 + `") "` + march2 + `"`, `oid.MustParse("` + march1 + `") oid.MustParse("` + march2 + `")`},
		{"uuid", `ObjectId("4d88e15b60f486e428412dc9")`, `ObjectId("` + strings.TrimSpace(succeed(t, "", "convert", "--to", "uuid", "4d88e15b60f486e428412dc9")) + `")`},
	} {
		got, _, status := run(t, test.in, "convert", "--keep", "--to", test.to)
		if got != test.want || status != 0 {
			t.Errorf("--to %s of %s: %s, status %d, want %s", test.to, test.in, got, status, test.want)
		}
	}
	for _, test := range []struct{ args, in, want string }{
		{"--column _id --to mongosh", line(1), `{"_id":ObjectId("` + march1 + `"),"user":{"_id":{"$oid":"` + march3 + `"}},"n":1}` + "\n"},
		{"--column user._id --to extjson", `{"user":{"_id":"` + march1 + `"}}`, `{"user":{"_id":{"$oid":"` + march1 + `"}}}`},
		{"--column _id --to xid", `{"_id":{"$oid":"4d88e15b60f486e428412dc9"}}`, `{"_id":"9m4e2mr0ui3e8a215n4g"}`},
	} {
		if got := succeed(t, test.in, append([]string{"convert", "--keep"}, strings.Fields(test.args)...)...); got != test.want {
			t.Errorf("%s of %s: %s, want %s", test.args, test.in, got, test.want)
		}
	}
	stdout, stderr, status := run(t, "{\"msg\":\"no user "+march1+" here\"}\n", "convert", "--keep", "--to", "extjson")
	if want := "oid convert: line 1: " + march1 + " is not changed, because it is within quotes, and the form extjson adds quotes\n"; stderr != want || status != 1 || !strings.Contains(stdout, march1+" here") {
		t.Errorf("status %d, %q, %s, want %s", status, stdout, stderr, want)
	}
}

// Logs are packed, and URLs in them are encoded.
func TestTextsAsSupportGetsThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(f)
	w.Write([]byte("GET /a?id%3D" + march1 + "%26 \n" + march2 + "\n"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got, want := succeed(t, "", "filter", "--only", "--from", "2026", path), march1+"\n"+march2+"\n"; got != want {
		t.Errorf("a packed log: %q, want %q", got, want)
	}
	for _, text := range []string{"%22" + march1 + "%22", "a%253D" + march1, "LIKE '%" + march1 + "%'"} {
		if got := succeed(t, "", "convert", text); got != march1+"\n" {
			t.Errorf("%s: %q", text, got)
		}
	}
	const note = "oid filter: note: IDs with a letter next to them are skipped: 2\n"
	const xid = "9m4e2mr0ui3e8a215n4g"
	stdout, stderr, _ := run(t, xid+"x, A"+xid+" "+xid, "convert", "--scan", "--input", "xid")
	if want := "oid convert: note: IDs with a letter next to them are skipped: 2\n"; stdout != "4d88e15b60f486e428412dc9\n" || stderr != want {
		t.Errorf("xids: %q, %q, want the note %q", stdout, stderr, want)
	}
	hash := strings.Repeat("0123456789", 4)
	got, errs, status := run(t, "X"+march1+" "+march1+"g\n"+hash+" "+march2+"\n", "filter", "--only", "--from", "2026")
	if got != march2+"\n" || errs != note || status != 0 {
		t.Errorf("%q, %q, status %d, want the note %q", got, errs, status, note)
	}
}

// The status is that of grep.
func TestStatus(t *testing.T) {
	for _, test := range []struct {
		args, in string
		want     int
	}{
		{"filter --from 2026", march1, 0},
		{"filter --from 2027", march1, 1},
		{"filter --invert --from 2027", march1 + "\nnone\n", 0},
		{"filter --invert --from 2026", march1, 1},
		{"filter --from x", march1, 2},
		{"filter", march1, 2},
		{"convert", "zz", 1},
		{"convert --to pdf", march1, 2},
		{"histogram", "", 1},
		{"none", "", 2},
	} {
		if _, _, status := run(t, test.in, strings.Fields(test.args)...); status != test.want {
			t.Errorf("oid %s: status %d, want %d", test.args, status, test.want)
		}
	}
	if got, want := succeed(t, march1+"\nnone\n"+march2, "filter", "--invert", "--from", "2026-03-02"), march1+"\nnone\n"; got != want {
		t.Errorf("--invert: %q, want %q", got, want)
	}
}

func TestVersionIsACommand(t *testing.T) {
	got := succeed(t, "", "version")
	if want := succeed(t, "", "--version"); got != want {
		t.Errorf("oid version: %q, want %q", got, want)
	}
	var v struct{ Version string }
	if err := json.Unmarshal([]byte(succeed(t, "", "version", "--json")), &v); err != nil || "oid version "+v.Version+"\n" != got {
		t.Errorf("oid version --json: %v, %v", v, err)
	}
}

func TestSpansThatHistogramPrints(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"2026-W09", "2026-02-23 2026-03-02"}, {"2026-Q1", "2026 2026-04"}, {"2026-03 --zone +05:30", "2026-02-28T18:30:00Z 2026-03-31T18:30:00Z"},
		{"2026-03 --zone -0800", "2026-03-01T08:00:00Z 2026-04-01T08:00:00Z"}, {"2026-03 --zone +00", "2026-03-01T00:00:00Z 2026-04-01T00:00:00Z"},
	} {
		got := succeed(t, "", append([]string{"range", "--as", "hex"}, strings.Fields(test.args)...)...)
		if want := succeed(t, "", append([]string{"range", "--as", "hex"}, strings.Fields(test.want)...)...); got != want {
			t.Errorf("%s: %s, want %s", test.args, got, want)
		}
	}
}
