package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"

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

// IDs come from arguments, files and standard input, in the order of the arguments.
func TestIDsComeFromArgumentsFilesAndStandardInput(t *testing.T) {
	ids := file(t, "ids.txt", march2+"\n\n  "+march3)
	for _, command := range []string{"inspect --line", "convert", "next", "prev"} {
		name := strings.Fields(command)
		want := []string{march1, march2, march3, march1}
		for i, hex := range want {
			switch id := oid.MustParse(hex); name[0] {
			case "next":
				want[i] = id.Next().Hex()
			case "prev":
				want[i] = id.Prev().Hex()
			}
		}
		var got []string
		for line := range strings.Lines(succeed(t, march1+"\r\n", append(name, march1, ids, "-")...)) {
			got = append(got, line[:24])
		}
		if !slices.Equal(got, want) {
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
		_, stderr, status := run(t, "", append(strings.Split(command, "|"), filepath.Join(t.TempDir(), "none.log"))...)
		if status != 1 || !strings.Contains(stderr, "none.log: no such file or directory\n") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s", command, status, stderr)
		}
	}
}

// A bad line is reported with its place, the others are used, and the status is 1.
func TestBadLinesAreReportedAndPassedOver(t *testing.T) {
	ids := file(t, "ids.txt", "zz\n"+march2+"\n"+strings.Repeat("x", 70_000)+"\n"+march3)
	long := march1 + strings.Repeat(" ", longestLine-len(march1)-1) + "\n"
	for _, test := range []struct {
		stdin  string
		args   []string
		want   []string
		errors string
	}{
		{long + " " + long, nil, []string{march1}, "oid convert: line 2: longer than 65,536 bytes: want one ID per line (--scan finds IDs in any text)\n"},
		{"x\n" + march1, nil, []string{march1}, `oid convert: line 1: "x" is not an ID: length 1, want 24 hex digits` + "\n"},
		{march1 + "\nzz\n" + march2, nil, []string{march1, march2}, `oid convert: line 2: "zz" is not an ID: length 2, want 24 hex digits` + "\n"},
		{"", []string{march1, "zz", march2}, []string{march1, march2}, `oid convert: "zz" is not an ID: length 2, want 24 hex digits` + "\n"},
		{"", []string{march1, ids}, []string{march1, march2, march3}, "oid convert: " + ids + `:1: "zz" is not an ID: length 2, want 24 hex digits
oid convert: ` + ids + `:3: longer than 65,536 bytes: want one ID per line (--scan finds IDs in any text)
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

// However a text comes and is read, its mark is gone and its characters are there.
func TestMarkedTextsAreReadInAnyParts(t *testing.T) {
	const text = "a " + march1 + "\r\né 😀 €\r\n"
	little := func(u uint16) string { return string([]byte{byte(u), byte(u >> 8)}) }
	big := func(u uint16) string { return string([]byte{byte(u >> 8), byte(u)}) }
	wide := func(text string, order func(uint16) string) (s string) {
		for _, unit := range utf16.Encode([]rune(text)) {
			s += order(unit)
		}
		return s
	}
	for _, test := range []struct{ in, want string }{
		{text, text}, {"\ufeff" + text, text}, {wide("\ufeff"+text, little), text}, {wide("\ufeff"+text, big), text},
		{"", ""}, {"\ufeff", ""}, {"\xff\xfe", ""}, {"\xfe\xff", ""},
		{"\xef", "\xef"}, {"\xef\xbb", "\xef\xbb"}, {"\xff", "\xff"}, {"\xfe", "\xfe"}, {"\xef\xbbx", "\xef\xbbx"}, {"\xffxyz", "\xffxyz"}, {"x\ufeffy", "x\ufeffy"},
		{wide("\ufeffa", little) + "b", "a"},                                    // half a unit at the end
		{wide("\ufeff", little) + little(0xd83d) + wide("a", little), "\ufffd"}, // half a pair
		{wide("\ufeff", big) + big(0xdc00) + big(0xdc00) + wide("a", big), "\ufffda"},
	} {
		for name, parts := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader, "by halves": iotest.HalfReader, "with the end": iotest.DataErrReader,
		} {
			for _, size := range []int{1, 2, 3, 4, 5, 16, 512} {
				r := &markedText{source: parts(strings.NewReader(test.in))}
				var got []byte
				var err error
				for p := make([]byte, size); err == nil; {
					var n int
					n, err = r.Read(p)
					got = append(got, p[:n]...)
				}
				if string(got) != test.want || err != io.EOF {
					t.Errorf("%q %s in reads of %d bytes: %q, %v; want %q", test.in, name, size, got, err, test.want)
				}
			}
		}
		unplugged := errors.New("unplugged")
		got, err := io.ReadAll(&markedText{source: io.MultiReader(strings.NewReader(test.in), iotest.ErrReader(unplugged))})
		if err != unplugged || !strings.HasPrefix(test.want, string(got)) {
			t.Errorf("%q and an error: %q, %v", test.in, got, err)
		}
	}
}

// A typed line is read at once, even if it is shorter than a byte order mark.
func TestShortLinesDoNotWaitForAMark(t *testing.T) {
	for in, reads := range map[string]int{"\n": 1, "xyz": 1, "\xffx": 2, "\xff\xfe": 2, "\xfe\xff": 2, "\xefx": 2, "\xef\xbbx": 3, "\xef\xbb\xbf": 3} {
		n := 0
		r := &markedText{source: iotest.OneByteReader(readerFunc(func(p []byte) (int, error) {
			if n++; n > reads {
				return 0, errors.New("waited")
			}
			return copy(p, in[n-1:]), nil
		}))}
		buf := make([]byte, 8)
		got, err := r.Read(buf)
		if strings.HasPrefix(in, "\xef\xbb\xbf") || strings.HasPrefix(in, "\xff\xfe") || strings.HasPrefix(in, "\xfe\xff") {
			if got != 0 || n != reads+1 { // the mark was recognized, and the text after it is read
				t.Errorf("%q: %d bytes after %d reads", in, got, n)
			}
		} else if err != nil || string(buf[:got]) != in[:reads] || n != reads {
			t.Errorf("%q: %q, %v after %d reads, want %q after %d", in, buf[:got], err, n, in[:reads], reads)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestConvertReadsAndWritesForms(t *testing.T) {
	const hex, xid, base64 = "4d88e15b60f486e428412dc9", "9m4e2mr0ui3e8a215n4g", "TYjhW2D0huQoQS3J"
	raw := "\x4d\x88\xe1\x5b\x60\xf4\x86\xe4\x28\x41\x2d\xc9"
	for _, test := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{hex, "--to", "xid"}, xid + "\n"},
		{"", []string{xid}, hex + "\n"},
		{"", []string{"--to", "base64", xid}, base64 + "\n"},
		{base64 + "\n" + base64, []string{"--input", "base64"}, hex + "\n" + hex + "\n"},
		{hex + "\n" + hex, []string{"--to", "bytes"}, raw + raw},
		{raw + raw, []string{"--input", "bytes", "--to", "extjson"}, `{"$oid":"` + hex + "\"}\n" + `{"$oid":"` + hex + "\"}\n"},
		{"", []string{"--input", "bytes", "--to", "upper", file(t, "raw", raw)}, strings.ToUpper(hex) + "\n"},
		{"see " + xid + ", " + xid + "x, A" + xid, []string{"--scan", "--input", "xid"}, hex + "\n"},
		{"", []string{"--template", `{{.Hex}} {{.XID}} {{.Base64}} {{.Base64URL}} {{.Time.Format "2006-01-02 15:04 MST"}} {{.Unix}} {{.Process}} {{.Machine}} {{.PID}} {{.Counter}}`, hex},
			"4d88e15b60f486e428412dc9 9m4e2mr0ui3e8a215n4g TYjhW2D0huQoQS3J TYjhW2D0huQoQS3J 2011-03-22 18:50 CET 1300816219 60f486e428 60f486 58408 4271561\n"},
		{"", []string{"--template", "{{.}}", hex, "--zone", "UTC"}, hex + "\n"},
		{"", []string{"--template", "{{.Bytes}}|{{.Time.Year}}", hex}, raw + "|2011\n"},
		{"", []string{"--json", hex}, `{"id":"4d88e15b60f486e428412dc9","time":"2011-03-22T17:50:19Z","xid":"9m4e2mr0ui3e8a215n4g","base64":"TYjhW2D0huQoQS3J","base64url":"TYjhW2D0huQoQS3J","uuid":"` +
			formNamed("uuid").text(oid.MustParse(hex)) + "\"}\n"},
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
	if got := succeed(t, "", "new", "--at", "2026-03-01", "--template", "{{.Time.Day}}"); got != "1\n" {
		t.Errorf("new --template: %q", got)
	}
	if got := succeed(t, "", "next", "--to", "mongosh", hex); got != `ObjectId("4d88e15b60f486e428412dca")`+"\n" {
		t.Errorf("next --to: %q", got)
	}
}

// Next and prev pass over no ID, and stop at the ends.
func TestNeighborsOfIDs(t *testing.T) {
	for _, test := range []struct{ command, in, want string }{
		{"next", "65b3f7a20123456789abcdef", "65b3f7a20123456789abcdf0"},
		{"next", "65b3f7a2ffffffffffffffff", "65b3f7a30000000000000000"},
		{"prev", "65b3f7a30000000000000000", "65b3f7a2ffffffffffffffff"},
		{"prev", "000000000000000000000001", "000000000000000000000000"},
	} {
		if got := succeed(t, "", test.command, test.in); got != test.want+"\n" {
			t.Errorf("%s %s: %s, want %s", test.command, test.in, got, test.want)
		}
	}
	for command, id := range map[string]string{"next": strings.Repeat("f", 24), "prev": strings.Repeat("0", 24)} {
		stdout, stderr, status := run(t, "", command, id, march1) // and goes on
		if want := fmt.Sprintf("oid %s: %s has no %[1]s ID\n", command, id); stderr != want || status != 1 || !strings.HasPrefix(stdout, march1[:20]) {
			t.Errorf("%s: %d, %s, %s, want %s", command, status, stdout, stderr, want)
		}
	}
}

func TestFilterPassesOnLines(t *testing.T) {
	long := strings.Repeat("-", 200_000)
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
		if got := succeed(t, text, append([]string{"filter"}, test.args...)...); got != test.want {
			t.Errorf("%q: %.200q, want %.200q", test.args, got, test.want)
		}
	}
	bound := oid.MinAt(time.Date(2026, time.March, 2, 0, 0, 0, 0, berlin(t))).Hex()
	if got := succeed(t, bound, "filter", "--from", "2026-03-02"); got != bound {
		t.Errorf("the first ID of the time: %q", got)
	}
	if got := succeed(t, bound, "filter", "--to", "2026-03-02"); got != "" {
		t.Errorf("the first ID after the time: %q", got)
	}
	const first = "000000000000000000000001" // of the first second
	if got := succeed(t, first, "filter", "--to", "2026"); got != first {
		t.Errorf("the first ID: %q", got)
	}
	if got := succeed(t, strings.Repeat("f", 24), "filter", "--from", "2106"); got != strings.Repeat("f", 24) {
		t.Errorf("the last ID: %q", got)
	}
	if got := succeed(t, march1, "filter", "--from", "3000"); got != "" {
		t.Errorf("later than any ID: %q", got)
	}
	if got := succeed(t, march1, "filter", "--to", "1960"); got != "" {
		t.Errorf("earlier than any ID: %q", got)
	}
	raw := succeed(t, march1+"\n"+march2, "convert", "--to", "bytes")
	if got := succeed(t, raw, "filter", "--input", "bytes", "--only", "--from", "2026"); got != march1+"\n"+march2+"\n" {
		t.Errorf("raw bytes, only IDs: %q", got)
	}
	if got := succeed(t, raw, "filter", "--input", "bytes", "--json", "--from", "2026-03-02"); !strings.HasPrefix(got, `{"id":"`+march2) || strings.Count(got, "\n") != 1 {
		t.Errorf("raw bytes as JSON: %q", got)
	}
	if got := succeed(t, raw, "filter", "--input", "bytes", "--to", "2026-03-02"); got != raw[:12] {
		t.Errorf("raw bytes: %q", got)
	}
	uuids := succeed(t, march1+"\n"+march2, "convert", "--to", "uuid")
	if got := succeed(t, uuids, "filter", "--input", "uuid", "--to", "2026-03-02"); got != uuids[:37] {
		t.Errorf("UUIDs: %q", got)
	}
}

// A line is held in memory, so that its length has a bound.
func TestFilterRefusesEndlessLines(t *testing.T) {
	for _, test := range []struct {
		in   io.Reader
		want string
	}{
		{strings.NewReader(strings.Repeat("-", 100_000)), ""},
		{strings.NewReader("\n" + strings.Repeat("-", 100_001)), "line 2 is longer than 100,000 bytes"},
		{io.MultiReader(strings.NewReader("\n\n"), endless("-")), "line 3 is longer than 100,000 bytes"},
	} {
		f := &filter{e: &env{}, form: formNamed("hex"), most: 100_000}
		err := f.text(&input{Reader: test.in, name: "text", source: os.Stdin})
		if (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
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

// A line of UTF-16 that is typed is there before the next one.
func TestWideTextsDoNotWait(t *testing.T) {
	reads := 0
	r := &markedText{source: io.MultiReader(strings.NewReader("\xff\xfea"), readerFunc(func(p []byte) (int, error) {
		if reads++; reads > 1 {
			return 0, errors.New("waited")
		}
		return copy(p, "\x00b\x00c"), nil
	}))}
	p := make([]byte, 8)
	if n, err := r.Read(p); err != nil || string(p[:n]) != "ab" {
		t.Errorf("%q, %v, want %q", p[:n], err, "ab")
	}
}
