package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// orders is a table with two columns of IDs, quotes, and rows without an ID.
const orders = "id,customer,note\r\n" +
	march1 + "," + march3 + ",\"a, \"\"b\"\"\"\r\n" +
	"\"" + march2 + "\"," + march1 + ",\"two\nlines\"\r\n" +
	",NULL,\\N\r\n" +
	"\r\n" +
	march3 + "," + march2 + ",\r\n"

// row returns the rows of orders with these numbers, from 0 for the header.
func rowsOf(numbers ...int) (text string) {
	all := strings.SplitAfter(orders, "\r\n")
	for _, n := range numbers {
		text += all[n]
	}
	return text
}

// With a column, other columns don't count. The rows that are printed stay as they are,
// and so does the header.
func TestFilterReadsAColumn(t *testing.T) {
	tsv := strings.NewReplacer(",", "\t", "\"", "", "two\nlines", "").Replace(orders)
	for _, test := range []struct {
		args string // split at spaces
		in   string
		want string
	}{
		{args: "--from 2026-03-02 --column id", in: orders, want: rowsOf(0, 2, 5)},
		{args: "--from 2026-03-02 --column customer", in: orders, want: rowsOf(0, 1, 5)},
		{args: "--from 2026-03-02 --column 2", in: orders, want: rowsOf(0, 1, 5)},
		{args: "--to 2026-03-02 --column 1 --separator ,", in: orders, want: rowsOf(0, 1)},
		{args: "--to 2026-03-02 --column 1", in: rowsOf(1, 2, 3), want: rowsOf(1)}, // no header
		{args: "--from 2026-03-03 --column id --only", in: orders, want: march3 + "\n"},
		{args: "--from 2026-03-03 --column id --json", in: orders, want: `{"id":"` + march3 + `","time":"2026-03-03T11:24:32Z"}` + "\n"},
		{args: "--from 2026-03-03 --column id --separator tab", in: tsv, want: "id\tcustomer\tnote\r\n" + march3 + "\t" + march2 + "\t\r\n"},
		{args: "--from 2026-03-03 --column id --separator ;", in: strings.ReplaceAll(orders, ",", ";"), want: strings.ReplaceAll(rowsOf(0, 5), ",", ";")},
		{args: "--from 2026-03-03 --column id", in: "\ufeff" + orders, want: rowsOf(0, 5)},
		{args: "--from 2026 --column id", in: "x,\"id\"\n1,ObjectId(\"" + march1 + "\")\n", want: "x,\"id\"\n1,ObjectId(\"" + march1 + "\")\n"}, // mongosh
	} {
		if got := succeed(t, test.in, append([]string{"filter"}, strings.Fields(test.args)...)...); got != test.want {
			t.Errorf("filter %s: %q, want %q", test.args, got, test.want)
		}
	}
	if got, errs, status := run(t, orders, "filter", "--from", "2027", "--column", "id"); got != rowsOf(0) || errs != "" || status != 1 {
		t.Errorf("no row fits: %q, %s, status %d", got, errs, status)
	}
	// Files with one header have it once.
	a, b, c := file(t, "a.csv", orders), file(t, "b.csv", orders), file(t, "c.csv", "key,id\n1,"+march3+"\n")
	if got, want := succeed(t, "", "filter", "--from", "2026-03-03", "--column", "id", a, b, c), rowsOf(0, 5, 5)+"key,id\n1,"+march3+"\n"; got != want {
		t.Errorf("three files: %q, want %q", got, want)
	}
}

func TestCommandsReadAColumn(t *testing.T) {
	if got, want := succeed(t, orders, "convert", "--column", "customer"), march3+"\n"+march1+"\n"+march2+"\n"; got != want {
		t.Errorf("convert: %q, want %q", got, want)
	}
	if got := succeed(t, orders, "inspect", "--line", "--column", "id"); strings.Count(got, "\n") != 3 || !strings.HasPrefix(got, march1) {
		t.Errorf("inspect: %s", got)
	}
	if got := succeed(t, orders, "histogram", "--by", "day", "--column", "id"); !strings.Contains(got, "\n3 IDs by day, ") {
		t.Errorf("histogram: %s", got)
	}
	if got, want := succeed(t, "id\n9m4e2mr0ui3e8a215n4g\n", "convert", "--column", "id", "--input", "xid"), "4d88e15b60f486e428412dc9\n"; got != want {
		t.Errorf("convert --input xid: %q, want %q", got, want)
	}
}

// A line with several IDs is no mistake, but its reader is told.
func TestLinesWithSeveralIDsAreNoted(t *testing.T) {
	const note = ": note: there are lines with several IDs, and each ID counts; --column NAME reads one column of a table, or one field of lines of JSON\n"
	for _, args := range [][]string{{"filter", "--from", "2026"}, {"filter", "--only", "--from", "2026"}, {"histogram"}, {"inspect", "--scan"}, {"convert", "--scan"}, {"convert", "--keep"}} {
		if _, stderr, status := run(t, orders, args...); stderr != "oid "+args[0]+note || status != 0 {
			t.Errorf("%q: status %d, stderr %q, want %q", args, status, stderr, "oid "+args[0]+note)
		}
		succeed(t, march1+"\n"+march2+" x\n\n"+march3, args...) // without a note
	}
}

// Convert changes the IDs of a text and no other byte.
func TestConvertKeepsTheTextAroundIDs(t *testing.T) {
	form := func(name, hex string) string { return strings.TrimSpace(succeed(t, "", "convert", "--to", name, hex)) }
	for _, test := range []struct{ args, in, want string }{
		{"--to xid", "a " + march1 + "\r\n\nb ObjectId(\"" + march2 + "\") \xff\n" + march3,
			"a " + form("xid", march1) + "\r\n\nb ObjectId(\"" + form("xid", march2) + "\") \xff\n" + form("xid", march3)},
		{"--input xid", form("xid", march1) + ";" + "\n", march1 + ";\n"},
		{"--input uuid --to mongosh", "(" + form("uuid", march1) + ")\n", `(ObjectId("` + march1 + "\"))\n"},
		{"--to upper", "none\n" + march1 + "\n", "none\n" + strings.ToUpper(march1) + "\n"},
		{"--to xid --column id", orders, strings.NewReplacer("\n"+march1+",", "\n"+form("xid", march1)+",", "\""+march2+"\",", "\""+form("xid", march2)+"\",", "\n"+march3+",", "\n"+form("xid", march3)+",").Replace(orders)},
		{"--to extjson --column 1", march1 + ",a\n", `"{""$oid"":""` + march1 + `""}",a` + "\n"},
		{"--to extjson --column 1 --separator tab", march1 + "\ta\n", `{"$oid":"` + march1 + "\"}\ta\n"},
		{"--column b", "a,b\n1,\\x" + march1 + "\n2,\n", "a,b\n1," + march1 + "\n2,\n"}, // as psql writes bytea
	} {
		args := append([]string{"convert", "--keep"}, strings.Fields(test.args)...)
		if got := succeed(t, test.in, args...); got != test.want {
			t.Errorf("%q: %q, want %q", args, got, test.want)
		}
	}
	// A row whose column holds no ID is reported, and stays.
	stdout, stderr, status := run(t, "id,b\nzz,1\n"+march1+",2\n", "convert", "--keep", "--column", "id", "--to", "upper")
	if want := "id,b\nzz,1\n" + strings.ToUpper(march1) + ",2\n"; stdout != want || stderr != "oid convert: line 2: \"zz\" is not an ID: length 2, want 24 hex digits\n" || status != 1 {
		t.Errorf("status %d, %q, %s, want %q", status, stdout, stderr, want)
	}
}

// Ten errors are shown, and all are counted.
func TestErrorsStopAfterTen(t *testing.T) {
	text := strings.Repeat("zz\n", 1000) + march1 + "\n"
	for _, args := range [][]string{{"convert"}, {"inspect", "--line"}, {"convert", "--column", "1"}, {"filter", "--from", "2026", "--column", "1"}} {
		bad := 1000
		if slices.Contains(args, "--column") {
			bad-- // the first is a header
		}
		_, stderr, status := run(t, text, args...)
		lines := strings.Split(stderr, "\n")
		if want := fmt.Sprintf("oid %s: %s of %s are not IDs; the first 10 are shown", args[0], thousands(bad), thousands(bad+1)); status != 1 || len(lines) != 12 || lines[10] != want {
			t.Errorf("%q: status %d, %d lines, stderr\n%s\nwant %s", args, status, len(lines), stderr, want)
		}
	}
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// A table of 20,000 orders, read by encoding/csv too, has the rows of March by each column.
func TestFilterAgreesWithEncodingCSV(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	year := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()
	notes := []string{"", "plain", "a, b", `say "hi"`, "two\nlines", march1}
	var text strings.Builder
	w := csv.NewWriter(&text)
	w.Write([]string{"customer", "note", "id"})
	id := func() string { return oid.MinAt(time.Unix(year+random.Int64N(365*86400), 0)).Hex() }
	for range 20_000 {
		w.Write([]string{id(), notes[random.IntN(len(notes))], id()})
	}
	w.Flush()
	path := file(t, "orders.csv", text.String())
	records, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := oid.Range(time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC))
	for column, name := range records[0] {
		if name == "note" {
			continue
		}
		want := [][]string{records[0]}
		for _, record := range records[1:] {
			if id := oid.MustParse(record[column]); lo.Compare(id) <= 0 && id.Compare(hi) < 0 {
				want = append(want, record)
			}
		}
		out := succeed(t, "", "filter", "--zone", "UTC", "--from", "2026-03", "--to", "2026-04", "--column", name, path)
		got, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("--column %s: %d rows, %v, want %d", name, len(got), err, len(want))
		}
	}
}
