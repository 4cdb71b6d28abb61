package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	idforms "github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/oid"
)

// Three IDs, of March 1, 2 and 3 in 2026.
const (
	march1 = "69a421f00123456789abcdef"
	march2 = "69a573700123456789abcdef"
	march3 = "69a6c4f00123456789abcdef"
)

// file writes a file and returns its name.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func berlin(t testing.TB) *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// IDs come from arguments, files and standard input, in the order of the arguments.
func TestIDsComeFromArgumentsFilesAndStandardInput(t *testing.T) {
	ids := file(t, "ids.txt", march2+"\n\n  "+march3)
	for _, command := range []string{"inspect --line", "convert"} {
		var got []string
		for line := range strings.Lines(succeed(t, march1+"\r\n", append(strings.Fields(command), march1, ids, "-")...)) {
			got = append(got, line[:24])
		}
		if want := []string{march1, march2, march3, march1}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestTextsComeFromFilesAndStandardInput(t *testing.T) {
	log := file(t, "server.log", "a "+march2+"\nb "+march3+"\n")
	if got, want := succeed(t, "c "+march1, "filter", "--from", "2026", log, "-"), "a "+march2+"\nb "+march3+"\nc "+march1; got != want {
		t.Errorf("filter: %q, want %q", got, want)
	}
	if got := succeed(t, march1, "histogram", "--by", "day", log, "-"); !strings.Contains(got, "\n3 IDs by day, from 2026-03-01 12:24:32") {
		t.Errorf("%s", got)
	}
	if got, want := succeed(t, "", "inspect", "--scan", "--line", log), 2; strings.Count(got, "\n") != want {
		t.Errorf("inspect --scan: %s", got)
	}
	// Standard input stays open.
	if got := succeed(t, march1, "convert", "-", "-"); got != march1+"\n" {
		t.Errorf("convert - -: %s", got)
	}
	if got := succeed(t, march1, "filter", "--from", "2026", "-", "-"); got != march1 {
		t.Errorf("filter - -: %s", got)
	}
	for _, command := range []string{"filter|--from|2026", "histogram", "inspect|--scan"} {
		none := filepath.Join(t.TempDir(), "none.log")
		_, stderr, status := run(t, "", append(strings.Split(command, "|"), none, none)...)
		if status != 1 || strings.Count(stderr, "none.log: no such file or directory\n") != 2 || strings.Count(stderr, "\n") != 2 {
			t.Errorf("%s: status %d, %s", command, status, stderr)
		}
	}
}

// A bad line is reported with its place, the others are used, and the status is 1.
func TestBadLinesAreReportedAndPassedOver(t *testing.T) {
	ids := file(t, "ids.txt", "zz\n"+march2+"\n"+strings.Repeat("x", 70_000)+"\n"+march3)
	long := march1 + strings.Repeat(" ", 64<<10-len(march1)-1) + "\n"
	for _, test := range []struct {
		stdin  string
		args   []string
		want   []string
		errors string
	}{
		{long + " " + long, nil, []string{march1}, "oid convert: line 2: the line is longer than 65,536 bytes: want one ID per line (--scan finds IDs in any text)\n"},
		{"x\n" + march1, nil, []string{march1}, `oid convert: line 1: "x" is not an ID: length 1, want 24 hex digits` + "\n"},
		{march1 + "\nzz\n" + march2, nil, []string{march1, march2}, `oid convert: line 2: "zz" is not an ID: length 2, want 24 hex digits` + "\n"},
		{"", []string{march1, "zz", march2}, []string{march1, march2}, `oid convert: "zz" is not an ID: length 2, want 24 hex digits` + "\n"},
		{"", []string{march1, ids}, []string{march1, march2, march3}, "oid convert: " + ids + `:1: "zz" is not an ID: length 2, want 24 hex digits
oid convert: ` + ids + `:3: the line is longer than 65,536 bytes: want one ID per line (--scan finds IDs in any text)
oid convert: 2 of 5 are not IDs
`},
		{"", []string{march1, "none.txt"}, []string{march1}, `oid convert: "none.txt" is not an ID: length 8, want 24 hex digits, and there is no such file` + "\n"},
		{"", []string{"zz", "\x1b[31m\n"}, nil, `oid convert: "zz" is not an ID: length 2, want 24 hex digits
oid convert: "\x1b[31m\n" is not an ID: length 6, want 24 hex digits
oid convert: 2 of 2 are not IDs
`},
	} {
		stdout, stderr, status := run(t, test.stdin, append([]string{"convert"}, test.args...)...)
		if want := strings.Join(test.want, "\n"); strings.TrimSuffix(stdout, "\n") != want || stderr != test.errors || status != 1 {
			t.Errorf("%q: status %d, stdout %s, stderr %s\nwant %s, %s", test.args, status, stdout, stderr, want, test.errors)
		}
	}
}

// Editors and shells of Windows put a byte order mark before a text.
func TestByteOrderMarksAreNoPartOfAnID(t *testing.T) {
	text := march1 + "\r\né 😀\r\n" + march2 + "\r\n"
	wide := func(text string, order func(unit uint16) []byte) string {
		var b []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			b = append(b, order(unit)...)
		}
		return string(b)
	}
	for name, marked := range map[string]string{
		"UTF-8":    "\ufeff" + text,
		"UTF-16LE": wide(text, func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} }),
		"UTF-16BE": wide(text, func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} }),
	} {
		for _, args := range [][]string{{file(t, "ids.txt", marked)}, {}} {
			stdin := ""
			if len(args) == 0 {
				stdin = marked
			}
			if got := succeed(t, stdin, append([]string{"convert", "--scan"}, args...)...); got != march1+"\n"+march2+"\n" {
				t.Errorf("%s %q: %q", name, args, got)
			}
			if got := succeed(t, stdin, append([]string{"histogram", "--by", "day"}, args...)...); !strings.Contains(got, "\n2 IDs by day, ") {
				t.Errorf("%s %q: %s", name, args, got)
			}
			if got := succeed(t, stdin, append([]string{"filter", "--from", "2026"}, args...)...); got != march1+"\r\n"+march2+"\r\n" {
				t.Errorf("%s %q: %q", name, args, got)
			}
			stdout, stderr, status := run(t, stdin, append([]string{"convert"}, args...)...)
			if stdout != march1+"\n"+march2+"\n" || status != 1 || !strings.Contains(stderr, `"é 😀" is not an ID`) {
				t.Errorf("%s %q: %q, %s", name, args, stdout, stderr)
			}
		}
	}
	for _, start := range []string{"", "\xef", "\xef\xbb", "\xff", "\xfe", "\xef\xbbx", "\xffx"} { // no marks
		stdout, _, _ := run(t, start+"\n"+march1+"\n", "convert")
		if stdout != march1+"\n" {
			t.Errorf("%q before an ID: %q", start, stdout)
		}
	}
}

func TestConvertReadsAndWritesForms(t *testing.T) {
	const hex, xid, base64 = "4d88e15b60f486e428412dc9", "9m4e2mr0ui3e8a215n4g", "TYjhW2D0huQoQS3J"
	for _, test := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{hex, "--to", "xid"}, xid + "\n"},
		{"", []string{xid}, hex + "\n"},
		{"", []string{"--to", "base64", xid}, base64 + "\n"},
		{base64 + "\n" + base64, []string{"--input", "base64"}, hex + "\n" + hex + "\n"},
		{"", []string{"--to", "upper", hex}, strings.ToUpper(hex) + "\n"},
		{"see " + xid + ", " + xid[1:], []string{"--scan", "--input", "xid"}, hex + "\n"},
		{"", []string{"--json", hex}, `{"id":"4d88e15b60f486e428412dc9","time":"2011-03-22T17:50:19Z","xid":"9m4e2mr0ui3e8a215n4g","base64":"TYjhW2D0huQoQS3J","base64url":"TYjhW2D0huQoQS3J","uuid":"` +
			idforms.Named("uuid").Text(oid.MustParse(hex)) + "\"}\n"},
	} {
		if got := succeed(t, test.stdin, append([]string{"convert"}, test.args...)...); got != test.want {
			t.Errorf("%q: %q, want %q", test.args, got, test.want)
		}
	}
	uuidText := succeed(t, "", "convert", "--to", "uuid", hex)
	if got := succeed(t, uuidText, "convert"); got != hex+"\n" {
		t.Errorf("%s is %s", uuidText, got)
	}
	if got := succeed(t, "", "new", "-n", "2", "--to", "xid"); len(got) != 42 {
		t.Errorf("new --to xid: %q", got)
	}
}

func TestFilterPassesOnLines(t *testing.T) {
	long := strings.Repeat("-", 200_000)
	const crowded = "oid filter: note: there are lines with several IDs, and each ID counts; --column NAME reads one column of a table, or one field of lines of JSON\n"
	text := "1 " + march1 + "\nnone here\n2 " + march2 + " and " + march1 + "\r\n" + long + march3 + long + "\nzero " + strings.Repeat("0", 24) + "\n3 " + march3
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--from", "2026-03-02"}, "2 " + march2 + " and " + march1 + "\r\n" + long + march3 + long + "\n3 " + march3},
		{[]string{"--to", "2026-03-02"}, "1 " + march1 + "\n2 " + march2 + " and " + march1 + "\r\n"},
		{[]string{"--from", "2026-03-02", "--to", "2026-03-03"}, "2 " + march2 + " and " + march1 + "\r\n"},
		{[]string{"--from", "2026-03-02", "--only"}, march2 + "\n" + march3 + "\n" + march3 + "\n"},
		{[]string{"--from", "2026-03-03", "--json"}, strings.Repeat(`{"id":"69a6c4f00123456789abcdef","time":"2026-03-03T11:24:32Z"}`+"\n", 2)},
		{[]string{"--from", "2027"}, ""},
	} {
		got, stderr, status := run(t, text, append([]string{"filter"}, test.args...)...)
		want := 0
		if test.want == "" {
			want = 1 // as grep
		}
		if got != test.want || stderr != crowded || status != want {
			t.Errorf("%q: %.200q, %s, status %d; want %.200q", test.args, got, stderr, status, test.want)
		}
	}
	bound := oid.MinAt(time.Date(2026, time.March, 2, 0, 0, 0, 0, berlin(t))).Hex()
	if got := succeed(t, bound, "filter", "--from", "2026-03-02"); got != bound {
		t.Errorf("the first ID of the time: %q", got)
	}
	if got, errs, status := run(t, bound, "filter", "--to", "2026-03-02"); got != "" || errs != "" || status != 1 {
		t.Errorf("the first ID after the time: %q", got)
	}
	const first = "000000000000000000000001" // of the first second
	if got := succeed(t, first, "filter", "--to", "2026"); got != first {
		t.Errorf("the first ID: %q", got)
	}
	if got := succeed(t, strings.Repeat("f", 24), "filter", "--from", "2106"); got != strings.Repeat("f", 24) {
		t.Errorf("the last ID: %q", got)
	}
	if got, errs, status := run(t, march1, "filter", "--from", "3000"); got != "" || errs != "" || status != 1 {
		t.Errorf("later than any ID: %q", got)
	}
	if got, errs, status := run(t, march1, "filter", "--to", "1960"); got != "" || errs != "" || status != 1 {
		t.Errorf("earlier than any ID: %q", got)
	}
	uuids := succeed(t, march1+"\n"+march2, "convert", "--to", "uuid")
	if got := succeed(t, uuids, "filter", "--input", "uuid", "--to", "2026-03-02"); got != uuids[:37] {
		t.Errorf("UUIDs: %q", got)
	}
}

// A line is held in memory, so that its length has a bound. Where a line needn't be held,
// it has none.
func TestFilterRefusesEndlessLines(t *testing.T) {
	const most = 64 << 20
	text := march1 + "\n" + strings.Repeat("-", most) + "\n"
	_, stderr, status := run(t, text, "filter", "--from", "2026")
	if want := "oid filter: standard input: line 2 is longer than 67,108,864 bytes\n"; status != 1 || stderr != want {
		t.Errorf("status %d, %s, want %s", status, stderr, want)
	}
	if got := succeed(t, text, "filter", "--only", "--from", "2026"); got != march1+"\n" {
		t.Errorf("filter --only: %q", got)
	}
}

// endless is a reader of a text again and again.
type endless string

func (s endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(s) <= len(p) {
		n += copy(p[n:], s)
	}
	return n, nil
}
