package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// runWith runs the command with further variables of the environment.
func runWith(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := command(args...)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestColorsAreForcedAndForbidden(t *testing.T) {
	const id = "65b3f7a20123456789abcdef"
	for _, test := range []struct {
		env  string // split at spaces
		want bool
	}{
		{"", false}, // not a terminal
		{"CLICOLOR_FORCE=1", true},
		{"CLICOLOR_FORCE=0", false},
		{"CLICOLOR_FORCE=1 TERM=dumb", true},
		{"CLICOLOR_FORCE=1 NO_COLOR=1", false},
	} {
		if got := strings.Contains(runWith(t, strings.Fields(test.env), "inspect", id), "\x1b[36m65b3f7a2\x1b[0m"); got != test.want {
			t.Errorf("%q: colored %v, want %v", test.env, got, test.want)
		}
	}
}

const asciiDiagram = `65b3f7a2 0123456789 abcdef
+--+---+ +---+----+ +-+--+
   |         |        +- counter  11,259,375 of 16,777,215
   |         +---------- process  0123456789, random as drivers make it today, or
   |                              machine 012345, pid 26505 as before 2018
   +-------------------- time     2024-01-26 18:19:14 UTC
`

// In a locale that has only ASCII, the output is ASCII.
func TestPlainLocalesGetASCII(t *testing.T) {
	text := file(t, "ids.txt", strings.Repeat(march1+"\n", 9)+march2)
	for _, test := range []struct {
		env   string
		ascii bool
	}{
		{"LC_ALL=C", true}, {"LC_ALL=POSIX", true}, {"LC_ALL=de_DE.ISO-8859-1", true}, {"LC_ALL= LC_CTYPE=C LANG=de_DE.UTF-8", true}, {"LC_ALL= LC_CTYPE= LANG=C", true},
		{"LC_ALL=C.UTF-8", false}, {"LC_ALL=C.utf8 LANG=C", false}, {"LC_ALL=de_DE.UTF-8@euro", false}, {"LC_ALL= LC_CTYPE= LANG=", false}, {"LC_ALL=de_DE", false},
	} {
		env := strings.Fields(test.env)
		for _, args := range [][]string{
			{"inspect", "65b3f7a20123456789abcdef"}, {"histogram", text}, {"inspect", strings.Repeat("x", 100)},
		} {
			out := runWith(t, env, args...)
			if got := strings.IndexFunc(out, func(r rune) bool { return r > 126 }) < 0; got != test.ascii {
				t.Errorf("%s %q: only ASCII %v, want %v:\n%s", test.env, args[0], got, test.ascii, out)
			}
		}
	}
	if got := runWith(t, []string{"LC_ALL=C"}, "inspect", "65b3f7a20123456789abcdef"); !strings.HasPrefix(got, asciiDiagram) {
		t.Errorf("%s", got)
	}
	if got := runWith(t, []string{"LC_ALL=C"}, "histogram", "--by", "day", text); !strings.HasPrefix(got,
		"2026-03-01 Sun "+strings.Repeat("#", 62)+" 9\n2026-03-02 Mon "+strings.Repeat("#", 6)+strings.Repeat(" ", 56)+" 1\n") {
		t.Errorf("%s", got)
	}
}

// No byte of the input reaches a terminal as an escape sequence.
func TestErrorsHoldNoEscapeSequences(t *testing.T) {
	const escape = "\x1b[31mred\x07\u009b\u202e"
	march := file(t, "march.csv", escape+"1,b\n")
	for _, args := range [][]string{
		{"--" + escape}, {"new", "-" + escape}, {"new", "--" + escape + "=1"}, {escape}, {"inspect", escape}, {"inspect", "./" + escape},
		{"histogram", escape}, {"filter", "--from", escape}, {"range", escape}, {"range", "2026", escape}, {"range", "--as", escape, "2026"}, {"range", "2026", "--table", escape}, {"range", "2026", "--column", escape},
		{"new", "--zone", escape}, {"new", "--at", escape}, {"new", "-n", escape}, {"new", "--process", escape}, {"convert", "--to", escape},
		{"convert", "--input", escape}, {"completion", escape}, {"sql", escape}, {"new", "--json=" + escape}, {"histogram", "--by", escape},
		{"inspect", "--column", escape, march}, {"inspect", "--column", "x", "--separator", escape}, {"inspect", "--column", escape, "--separator", "\a", march},
	} {
		stdout, stderr, status := run(t, "", args...)
		if strings.ContainsAny(stdout+stderr, "\x1b\x07\u009b\u202e") || status < 1 || !strings.HasPrefix(stderr, "oid") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
	}
	if _, stderr, _ := run(t, "", "new", "--"+escape); !strings.HasPrefix(stderr, `oid new: there is no option "--\x1b[31mred\a\u009b\u202e" (oid new -h`) {
		t.Errorf("%s", stderr)
	}
}

func TestHelpAndVersion(t *testing.T) {
	if got, want := succeed(t, "", "help"), succeed(t, "", "-h"); got != want {
		t.Errorf("oid help:\n%s\nwant\n%s", got, want)
	}
	for _, arg := range []string{"--version", "-v"} {
		if got := succeed(t, "", arg); !regexp.MustCompile(`^oid version \S+\n$`).MatchString(got) {
			t.Errorf("%s: %s", arg, got)
		}
	}
	if _, stderr, status := run(t, "", "help", "nothing"); status != 2 || !strings.Contains(stderr, `"nothing" is not a command: want new,`) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("oid help nothing: status %d, %s", status, stderr)
	}
	if got := succeed(t, "", "inspect", "abc", "-h"); got != succeed(t, "", "help", "inspect") {
		t.Errorf("oid inspect abc -h:\n%s", got)
	}
}

// COLUMNS sets the width of a chart, and a bar has at least eight columns.
func TestChartsHaveTheWidthOfTheEnvironment(t *testing.T) {
	text := file(t, "ids.txt", march1)
	for columns, want := range map[string]int{"100": 82, "27": 9, "26": 8, "25": 8, "1": 8, "0": 62, "-5": 62, "wide": 62, "99999999999999999999": 62, "": 62} {
		got := runWith(t, []string{"COLUMNS=" + columns}, "histogram", "--by", "day", text)
		if line, _, _ := strings.Cut(got, "\n"); line != "2026-03-01 Sun "+strings.Repeat("█", want)+" 1" {
			t.Errorf("COLUMNS=%s: %s, want %d columns", columns, line, want)
		}
	}
}

func TestZonesAreNamedInAnyCase(t *testing.T) {
	for zone, want := range map[string]string{"utc": "11:24:32 UTC", "UTC": "11:24:32 UTC", "Utc": "11:24:32 UTC", "local": "12:24:32 +01:00 CET",
		"LOCAL": "12:24:32 +01:00 CET", "": "12:24:32 +01:00 CET", "Asia/Tokyo": "20:24:32 +09:00 JST"} {
		if got := succeed(t, "", "inspect", "--line", march1, "--zone", zone); !strings.HasPrefix(got, march1+"  2026-03-01 "+want+"  ") {
			t.Errorf("--zone %q: %s, want %s", zone, got, want)
		}
	}
}

// With one argument, a range is all of the span; with two, it is between them.
func TestRangesOfSpans(t *testing.T) {
	hex := func(args ...string) string {
		return succeed(t, "", append([]string{"range", "--as", "hex"}, args...)...)
	}
	for _, test := range []struct{ span, from, to string }{
		{"2026", "2026-01-01", "2027-01-01"},
		{"2026-03", "2026-03-01", "2026-04-01"},
		{"2026-03-01", "2026-03-01", "2026-03-02"},
		{"2026-03-01T12:00:00Z", "@1772366400", "@1772366401"},
		{"@1772366400", "@1772366400", "@1772366401"},
		{"2026-03-01 17:30", "2026-03-01 17:30", "+60s"},
	} {
		if got, want := hex(test.span), hex(test.from, test.to); got != want {
			t.Errorf("%s: %s, want %s", test.span, got, want)
		}
	}
	if got, want := hex("2026-01-31", "+7d"), hex("2026-01-31", "2026-02-07"); got != want {
		t.Errorf("+7d: %s, want %s", got, want)
	}
	if got, want := hex("2026-03", "2026-05"), hex("2026-03-01", "2026-05-01"); got != want {
		t.Errorf("2026-03 to 2026-05: %s, want %s", got, want)
	}
	if got, want := succeed(t, march1+"\n"+march2, "filter", "--from", "2026-03-01", "--to", "+1d"), march1+"\n"; got != want {
		t.Errorf("filter --to +1d: %q, want %q", got, want)
	}
	if date, err := exec.LookPath("date"); err == nil {
		for _, format := range []string{"-Iseconds", "--rfc-3339=seconds", "+@%s"} { // the output of date is read back
			cmd := exec.Command(date, "-d", "@1772366400", format)
			cmd.Env = append(command().Env, "LC_ALL=C")
			out, err := cmd.Output()
			if err != nil {
				continue // not GNU's
			}
			if got, want := hex(strings.TrimSpace(string(out))), hex("@1772366400"); got != want {
				t.Errorf("date %s printed %s: %s, want %s", format, out, got, want)
			}
		}
	}
}

func TestRangeAsJSONHoldsTheFormAskedFor(t *testing.T) {
	for as, want := range map[string][]string{"": {"go", "mongosh", "mysql", "postgres", "sqlite"}, "mysql": {"mysql"}, "hex": {}} {
		args := []string{"range", "2026", "--json"}
		if as != "" {
			args = append(args, "--as", as)
		}
		var r struct{ Queries map[string]string }
		out := succeed(t, "", args...)
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, `\u003`) {
			t.Errorf("--as %q escapes < and >: %s", as, out)
		}
		if len(r.Queries) != len(want) {
			t.Errorf("--as %q: %v, want %v", as, r.Queries, want)
		}
		for _, form := range want {
			if got := strings.TrimSuffix(succeed(t, "", "range", "2026", "--as", form), "\n"); r.Queries[form] != got {
				t.Errorf("--as %q: %s is %s, want %s", as, form, r.Queries[form], got)
			}
		}
	}
}

func TestHistogramByWeekAndQuarter(t *testing.T) {
	text := strings.Join([]string{"69552f700000000000000000", march1, march2, march3}, "\n") // the first is of 2025-12-31
	for _, test := range []struct{ by, first, last string }{
		{"week", "2026-W01 12-29 ", "2026-W10 03-02 "},
		{"quarter", "2025-Q4 ", "2026-Q1 "},
	} {
		out := succeed(t, text, "histogram", "--by", test.by)
		lines := strings.Split(out, "\n")
		if !strings.HasPrefix(lines[0], test.first) || !strings.HasSuffix(lines[0], " 1") {
			t.Errorf("--by %s:\n%s", test.by, out)
		}
		if last := lines[len(lines)-4]; !strings.HasPrefix(last, test.last) || !strings.Contains(out, "\n4 IDs by "+test.by) {
			t.Errorf("--by %s:\n%s", test.by, out)
		}
	}
	var h struct{ Zone string }
	if err := json.Unmarshal([]byte(succeed(t, text, "histogram", "--json")), &h); err != nil || h.Zone != "Europe/Berlin" {
		t.Errorf("zone %q, %v", h.Zone, err)
	}
	// Without TZ the name is that of the system's zone.
	link, err := os.Readlink("/etc/localtime")
	if _, name, ok := strings.Cut(link, "/zoneinfo/"); err == nil && ok {
		cmd := exec.Command(program, "histogram", "--json", file(t, "ids.txt", text))
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TZ=") })
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &h); err != nil || h.Zone != name && !strings.HasSuffix(h.Zone, "UTC") { // Etc/UTC may be a link to UTC
			t.Errorf("zone %q, %v; want %q", h.Zone, err, name)
		}
	}
}
