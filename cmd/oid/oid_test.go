package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// program is the command, built once for all tests.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "oidkit-cmd")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "oid")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	status := 1
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
	} else {
		status = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

// command returns the command with args, in the zone of Berlin.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "TZ=Europe/Berlin", "COLUMNS=", "NO_COLOR=", "CLICOLOR_FORCE=", "LC_ALL=C.UTF-8")
	return cmd
}

// run runs the command to its end.
func run(t testing.TB, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// succeed runs the command, which must end well and say nothing on stderr.
func succeed(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	stdout, stderr, status := run(t, stdin, args...)
	if status != 0 || stderr != "" {
		t.Fatalf("oid %q: status %d, %s", args, status, stderr)
	}
	return stdout
}

// ids parses the lines of text.
func ids(t testing.TB, text string) (ids []oid.ID) {
	t.Helper()
	for line := range strings.Lines(text) {
		id, err := oid.Parse(strings.TrimSuffix(line, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func TestNewMakesIncreasingIDsOfNow(t *testing.T) {
	before := time.Now().Truncate(time.Second)
	got := ids(t, succeed(t, "", "new", "-n", "10k"))
	if len(got) != 10_000 {
		t.Fatalf("%d IDs", len(got))
	}
	for i, id := range got {
		if i > 0 && got[i-1].Compare(id) >= 0 {
			t.Fatalf("%s is not after %s", id, got[i-1])
		}
	}
	if first := got[0].Timestamp(); first.Before(before) || first.After(time.Now()) {
		t.Errorf("made at %s", first)
	}
}

func TestNewAtDatesIDs(t *testing.T) {
	for _, args := range [][]string{
		{"new", "-n", "3", "-at", "2026-03-01 12:00"},
		{"new", "-n", "3", "-at", "2026-03-01 11:00", "-zone", "UTC"},
		{"new", "-n", "3", "-at", "2026-03-01 12:00", "-process", "0102030405"},
	} {
		got := ids(t, succeed(t, "", args...))
		if len(got) != 3 {
			t.Fatalf("%d IDs", len(got))
		}
		slices.SortFunc(got, oid.ID.Compare)
		if len(slices.Compact(got)) != 3 {
			t.Errorf("%q: an ID came twice: %s", args, got)
		}
		process := got[0].Hex()[8:18]
		if given := slices.Contains(args, "-process"); given && process != "0102030405" || process == "0000000000" {
			t.Errorf("%q: made by the process %s", args, process)
		}
		for _, id := range got {
			if at := id.Timestamp().Format(time.RFC3339); at != "2026-03-01T11:00:00Z" {
				t.Errorf("%q: dated %s", args, at)
			}
		}
	}
}

// All IDs that a second has are made with its date, whichever the first is.
func TestNewAtWithAProcessStaysInTheSecond(t *testing.T) {
	const lo, hi = "69a41e100102030405000000", "69a41e100102030405ffffff"
	n, last := 0, ""
	for line := range strings.Lines(succeed(t, "", "new", "-n", "16777216", "-at", "2026-03-01T11:08:00Z", "-process", "0102030405")) {
		if line <= last || line < lo || line > hi+"\n" {
			t.Fatalf("%s after %s", line, last)
		}
		n, last = n+1, line
	}
	if n != 1<<24 {
		t.Errorf("%d IDs", n)
	}
}

func TestNewFillsTheProcessBytes(t *testing.T) {
	process := func(value string) string {
		id := ids(t, succeed(t, "", "new", "-process", value))[0]
		return id.Hex()[8:18]
	}
	if got := process("0102aBcDeF"); got != "0102abcdef" {
		t.Errorf("%s", got)
	}
	host := oid.HostProcess()
	if got, want := process("host")[:6], fmt.Sprintf("%x", host[:3]); got != want {
		t.Errorf("host: %s, want %s", got, want)
	}
	if a, b := process("random"), process("random"); a == b {
		t.Errorf("random: %s twice", a)
	}
}

const diagram = `65b3f7a2 0123456789 abcdef
╰──┬───╯ ╰───┬────╯ ╰─┬──╯
   │         │        ╰─ counter  11,259,375 of 16,777,215
   │         ╰────────── process  0123456789, random as drivers make it today, or
   │                              machine 012345, pid 26505 as before 2018
   ╰──────────────────── time     2024-01-26 18:19:14 UTC
                         local    2024-01-26 19:19:14 +01:00 CET
                         age      `

func TestInspectDrawsTheParts(t *testing.T) {
	const id = "65b3f7a20123456789abcdef"
	for _, in := range []string{id, strings.ToUpper(id), `ObjectId("` + id + `")`, `{"$oid":"` + id + `"}`, `\x` + id, "0x" + id} {
		if got := succeed(t, "", "inspect", in); !strings.HasPrefix(got, diagram) || !strings.HasSuffix(got, " ago\n\n") {
			t.Errorf("%s:\n%s", in, got)
		}
		if got := succeed(t, "\n  "+in+"\r\n\n"+in, "inspect"); strings.Count(got, diagram) != 2 {
			t.Errorf("%s on stdin:\n%s", in, got)
		}
	}
	line := succeed(t, id, "inspect", "-line")
	if line != id+"  2024-01-26 19:19:14 +01:00 CET  0123456789  11259375\n" {
		t.Errorf("-line: %s", line)
	}
	if got := succeed(t, "", "inspect", oid.ID{}.Hex()); !strings.Contains(got, "the zero ID: it means no ID\n") {
		t.Errorf("%s", got)
	}
}

func TestRangePrintsBoundsAndQueries(t *testing.T) {
	const want = `from       2026-03-01 00:00:00 +01:00 CET   lo 69a373700000000000000000
until      2026-04-01 00:00:00 +02:00 CEST  hi 69cc43e00000000000000000 (not included)
`
	const queries = `
mongosh    db.orders.find({_id: {$gte: ObjectId("69a373700000000000000000"), $lt: ObjectId("69cc43e00000000000000000")}})
PostgreSQL select * from orders where id >= '\x69a373700000000000000000' and id < '\x69cc43e00000000000000000';
MySQL      select lower(hex(id)) as id_hex, orders.* from orders where id >= x'69a373700000000000000000' and id < x'69cc43e00000000000000000';
SQLite     select lower(hex(id)) as id_hex, * from orders where id >= x'69a373700000000000000000' and id < x'69cc43e00000000000000000';
Go         lo, hi := oid.Range(time.Unix(1772319600, 0), time.Unix(1774994400, 0))
           rows, err := db.Query("select * from orders where id >= ? and id < ?", lo, hi) // pgx and lib/pq: $1 and $2
`
	got := succeed(t, "", "range", "2026-03-01", "2026-04-01")
	if !strings.HasPrefix(got, want+"that is    30 days 23 hours, from ") || !strings.HasSuffix(got, queries) {
		t.Errorf("%s", got)
	}
	lo, hi := oid.Range(time.Unix(0x69a37370, 0), time.Unix(0x69cc43e0, 0))
	for _, args := range [][]string{
		{"range", "2026-03-01", "2026-04-01", "-as", "hex"},
		{"range", "-as", "hex", "2026-02-28T23:00:00Z", "@1774994400"},
		{"range", "-as=hex", "1 Mar 2026", "+743h"},
		{"--zone", "UTC", "range", "--as", "hex", "2026-02-28 23:00", "2026-03-31 22:00"},
	} {
		if got := succeed(t, "", args...); got != lo.Hex()+"\n"+hi.Hex()+"\n" {
			t.Errorf("%q: %s", args, got)
		}
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-as", "postgres", "-text", "-table", "users", "-column", "key"},
			"select * from users where \"key\" >= '69a373700000000000000000' and \"key\" < '69cc43e00000000000000000';\n"},
		{[]string{"-as", "mongosh", "-table", "users", "-column", "user_id"},
			`db.users.find({user_id: {$gte: ObjectId("69a373700000000000000000"), $lt: ObjectId("69cc43e00000000000000000")}})` + "\n"},
		{[]string{"-as", "mongosh", "-table", "shop.orders", "-column", "user._id", "-text"},
			`db.shop.orders.find({"user._id": {$gte: "69a373700000000000000000", $lt: "69cc43e00000000000000000"}})` + "\n"},
		{[]string{"-as", "mongosh", "-table", "2026-orders", "-text"},
			`db.getCollection("2026-orders").find({_id: {$gte: "69a373700000000000000000", $lt: "69cc43e00000000000000000"}})` + "\n"},
		{[]string{"-as", "go", "-text", "-table", `"or.der"`, "-column", "userId"},
			"lo, hi := oid.Range(time.Unix(1772319600, 0), time.Unix(1774994400, 0))\n" +
				`rows, err := db.Query("select * from \"or.der\" where \"userId\" >= ? and \"userId\" < ?", lo.Hex(), hi.Hex()) // pgx and lib/pq: $1 and $2` + "\n"},
		{[]string{"-as", "mongosh", "-table", "stats"},
			`db.getCollection("stats").find({_id: {$gte: ObjectId("69a373700000000000000000"), $lt: ObjectId("69cc43e00000000000000000")}})` + "\n"},
		{[]string{"-as", "mongosh", "-uuid"},
			`db.orders.find({_id: {$gte: UUID("019ca67a-ed80-7000-8000-00000000031d"), $lt: UUID("019d45e9-2300-7000-8000-00000000031d")}})` + "\n"},
		{[]string{"-as", "go", "-uuid", "-column", "key"},
			"lo, hi := oid.Range(time.Unix(1772319600, 0), time.Unix(1774994400, 0))\n" +
				`rows, err := db.Query("select * from orders where \"key\" >= ? and \"key\" < ?", sqltype.UUID(lo), sqltype.UUID(hi)) // pgx and lib/pq: $1 and $2` + "\n"},
		{[]string{"-as", "mysql", "-column", "o.key"},
			"select lower(hex(o.`key`)) as key_hex, orders.* from orders where o.`key` >= x'69a373700000000000000000' and o.`key` < x'69cc43e00000000000000000';\n"},
		{[]string{"-as", "sqlite", "-text"},
			"select * from orders where id >= '69a373700000000000000000' and id < '69cc43e00000000000000000';\n"},
		{[]string{"-as", "postgres", "-uuid"},
			"select * from orders where id >= '019ca67a-ed80-7000-8000-00000000031d' and id < '019d45e9-2300-7000-8000-00000000031d';\n"},
	} {
		if got := succeed(t, "", append([]string{"range", "2026-03-01", "2026-04-01"}, test.args...)...); got != test.want {
			t.Errorf("%q: %s", test.args, got)
		}
	}
	// A part of a second belongs to the range.
	got = succeed(t, "", "range", "-as", "go", "@1772319600.9", "@1774994399.000000001")
	if want := "lo, hi := oid.Range(time.Unix(1772319600, 0), time.Unix(1774994400, 0))\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
}

func TestOddsPrintsChancesAndFormula(t *testing.T) {
	const want = `1,000 processes, 100 IDs per second each, for 1 year: 3,155,695,200,000 IDs

  two of them draw the same process value          4.54e-05 %  1 in 2,201,225
  two with the same value make the same ID         100 %
  an ID comes twice, anywhere                      4.54e-05 %  1 in 2,201,225

with N processes, R IDs per second, T seconds:
  same value   1 - (1 - 2^-40)^(N(N-1)/2)
  same ID      1 - (1 - (2R-1)/2^24)^T
  comes twice  1 - (1 - same ID × 2^-40)^(N(N-1)/2)
`
	if got := succeed(t, "", "odds", "-processes", "1k", "-rate", "100"); got != want {
		t.Errorf("%s", got)
	}
	for args, want := range map[string]string{
		"-processes 1":                             "1 process, 1 ID per second each, for 1 year: 31,556,952 IDs\n",
		"-processes 2 -rate 0.25 -seconds 60":      "2 processes, 0.25 IDs per second each, for 60 seconds: 30 IDs\n",
		"-processes 2 -seconds 1":                  "2 processes, 1 ID per second each, for 1 second: 2 IDs\n",
		"-processes 2 -years 2.5 -rate 16777216":   "2 processes, 16,777,216 IDs per second each, for 2.5 years: 2.65 × 10^15 IDs\n",
		"-processes 2 -years 1e15":                 "2 processes, 1 ID per second each, for 1.00 × 10^15 years: 6.31 × 10^22 IDs\n",
		"-processes 2 -counter-bits 63":            "2 processes, 1 ID per second each, for 1 year: 63,113,904 IDs\n",
		"-processes 2 -counter-bits 64 -rate 1e19": "2 processes, 1.00 × 10^19 IDs per second each, for 1 year: 6.31 × 10^26 IDs\n",
	} {
		if got := succeed(t, "", append([]string{"odds"}, strings.Fields(args)...)...); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	const rare = `  same value   1 - (1 - 2^-64)^(N(N-1)/2)
  same ID      1 - (1 - R²/2^10)^T
  comes twice  1 - (1 - same ID × 2^-64)^(N(N-1)/2)
`
	if got := succeed(t, "", "odds", "-processes", "1e9", "-rate", "0.5", "-process-bits", "64", "-counter-bits", "10"); !strings.HasSuffix(got, rare) {
		t.Errorf("%s", got)
	}
	if got := succeed(t, "", "odds", "-processes", "1"); !strings.Contains(got, "  same ID      1 - (1 - (2R-1)/2^24)^T\n") {
		t.Errorf("%s", got)
	}
	if got := succeed(t, "", "odds", "-processes", "2", "-rate", "1e-45", "-seconds", "1"); !strings.Contains(got, " 5.42e-108 %  1 in 1.84 × 10^109\n") {
		t.Errorf("%s", got)
	}
	const asJSON = `{"processes":1000,"rate":100,"years":2,"ids":6311390400000,"same_process":`
	if got := succeed(t, "", "odds", "-processes", "1k", "-rate", "100", "-years", "2", "-json"); !strings.HasPrefix(got, asJSON) {
		t.Errorf("%s", got)
	}
	if got := succeed(t, "", "odds", "-processes", "1"); !strings.Contains(got, "an ID comes twice, anywhere                      0 %         never\n") {
		t.Errorf("%s", got)
	}
}

func TestOddsOfDerivedIDs(t *testing.T) {
	const want = `1,000,000 IDs derived for one second

  two of them are the same                         2.71e-06 %  1 in 36,893,526

with N IDs of one second, and T such seconds:
  the same     1 - (1 - 2^-64)^(T N(N-1)/2), about T N²/2^65
`
	if got := succeed(t, "", "odds", "--derive"); got != want {
		t.Errorf("%s", got)
	}
	if got := succeed(t, "", "odds", "--derive", "--ids", "1G", "--seconds", "2", "--json"); !strings.HasPrefix(got, `{"ids_per_second":1000000000,"seconds":2,"ids":2000000000,"collision":0.0527`) {
		t.Errorf("%s", got)
	}
	const many = "1,000 IDs derived per second, for 86,400 seconds: 86,400,000 IDs\n\n" +
		"  two of them are the same                         2.34e-07 %  1 in 427,435,401\n"
	if got := succeed(t, "", "odds", "--derive", "--ids", "1k", "--seconds", "86400"); !strings.HasPrefix(got, many) {
		t.Errorf("%s", got)
	}
	// The layout of drivers before 2018 draws 24 bits: two of 10,000 containers
	// nearly always share them.
	if got := succeed(t, "", "odds", "--processes", "10k", "--process-bits", "24"); !strings.Contains(got, "same process value          94.9 %") {
		t.Errorf("%s", got)
	}
}

func TestEveryCommandPrintsJSON(t *testing.T) {
	type object = map[string]any
	const id = "65b3f7a20123456789abcdef"
	for _, test := range []struct {
		args []string
		want object // some of it
	}{
		{[]string{"new", "-at", "2026-03-01"}, object{"time": "2026-02-28T23:00:00Z"}},
		{[]string{"inspect", id}, object{"id": id, "time": "2024-01-26T18:19:14Z", "local": "2024-01-26T19:19:14+01:00",
			"process": "0123456789", "machine": "012345", "pid": 26505.0, "counter": 11259375.0}},
		{[]string{"range", "2026", "2027"}, object{"from": "2026-01-01T00:00:00+01:00", "to": "2027-01-01T00:00:00+01:00",
			"lo": "6955aaf00000000000000000", "hi": "6b36de700000000000000000"}},
		{[]string{"histogram"}, object{"unit": "minute", "ids": 1.0, "zero_ids": 0.0, "first": "2024-01-26T19:19:14+01:00", "last": "2024-01-26T19:19:14+01:00",
			"bars": []any{object{"from": "2024-01-26T19:19:00+01:00", "to": "2024-01-26T19:20:00+01:00", "ids": 1.0}}}},
		{[]string{"odds", "-processes", "1"}, object{"processes": 1.0, "rate": 1.0, "years": 1.0, "collision": 0.0}},
	} {
		for _, args := range [][]string{append(test.args, "-json"), append([]string{"-json"}, test.args...)} {
			out := succeed(t, id, args...)
			var got object
			if err := json.Unmarshal([]byte(out), &got); err != nil || strings.Count(out, "\n") != 1 {
				t.Errorf("%q: %v\n%s", args, err, out)
			}
			for key, want := range test.want {
				if fmt.Sprint(got[key]) != fmt.Sprint(want) {
					t.Errorf("%q: %s is %v, want %v", args, key, got[key], want)
				}
			}
		}
	}
	var age struct {
		Time time.Time
		Age  int64 `json:"age_seconds"`
	}
	before := time.Now().Unix()
	if err := json.Unmarshal([]byte(succeed(t, "", "inspect", "--json", id)), &age); err != nil {
		t.Fatal(err)
	}
	if at := age.Time.Unix() + age.Age; at < before || at > time.Now().Unix() {
		t.Errorf("%d seconds old", age.Age)
	}
	if out := succeed(t, "", "new", "-n", "3", "-json"); strings.Count(out, "}\n") != 3 {
		t.Errorf("not one object a line: %s", out)
	}
}

func TestBadInputEndsWithStatus1AndOneLine(t *testing.T) {
	const noTime = ` is not a time: write 2026-03-01, "2026-03-01 15:04", `
	const limits = ": IDs hold times from 1970-01-01 00:00:00 UTC to 2106-02-07 06:28:15 UTC"
	for _, test := range []struct {
		args  string // split at |
		stdin string
		want  string // how the line begins
	}{
		{"foo", "", `oid: "foo" is not a command: want new, inspect, convert, next, prev, range, filter, histogram, odds, completion, help, version`},
		{"-foo", "", `oid: there is no option "--foo" (oid -h shows the options)`},
		{"new|-foo", "", `oid new: there is no option "--foo" (oid new -h shows the options)`},
		{"new|-x", "", `oid new: there is no option "-x" (oid new -h shows the options)`},
		{"new|-é", "", `oid new: there is no option "-é" (oid new -h shows the options)`},
		{"range|2026|-1h|x", "", `oid range: 3 arguments given, want SPAN, or FROM TO (options come before "-1h")`},
		{"range|1|2|-3", "", "oid range: 3 arguments given, want SPAN, or FROM TO\n"},
		{"new|-n", "", "oid new: -n needs a value (oid new -h shows the options)"},
		{"new|5", "", "oid new: 1 argument given, want none"},
		{"new|help", "", "oid new: 1 argument given, want none"},
		{"convert|h", "", `oid convert: "h" is not an ID: length 1, want 24 hex digits`},
		{"histogram|help", "", "oid histogram: open help: "},
		{"help|h", "", `oid: "h" is not a command`},
		{"new|-n|x", "", `oid new: -n "x" is not a number: write it as 1000, 1,000, 1e3, 1k or 2.5M`},
		{"new|-n|0", "", `oid new: -n "0" is not a count: want a whole number from 1 to 1e15`},
		{"new|-n|1.5", "", `oid new: -n "1.5" is not a count`},
		{"new|-n|1e99", "", `oid new: -n "1e99" is not a count`},
		{"new|-n|NaN", "", `oid new: -n "NaN" is not a number`},
		{"new|-at|3 dais ago", "", `oid new: --at "3 dais ago"` + noTime},
		{"new|-at|1969", "", `oid new: --at "1969" is 1969-01-01 00:00:00 +01:00 CET` + limits},
		{"new|-at|2107", "", `oid new: --at "2107" is 2107-01-01 00:00:00 +01:00 CET` + limits},
		{"new|-process|xx", "", `oid new: --process "xx" is not a process value: want host, random or 10 hex digits`},
		{"new|-process|010203040506", "", `oid new: --process "010203040506" is not a process value`},
		{"new|-process|0102030405x", "", `oid new: --process "0102030405x" is not a process value`},
		{"new|-process|01020304050", "", `oid new: --process "01020304050" is not a process value`},
		{"new|-process|01020304", "", `oid new: --process "01020304" is not a process value`},
		{"new|-process|0000000000", "", `oid new: --process 0000000000: the zero value stands for a random one`},
		{"new|-process|host|-at|2026|-n|16,777,217", "", "oid new: --at and --process together make 16,777,216 IDs at most"},
		{"new|-zone|Mars", "", `oid new: --zone "Mars" is not a time zone: want UTC, local or a name such as Europe/Berlin`},
		{"inspect|65b3f7", "", `oid inspect: "65b3f7" is not an ID: length 6, want 24 hex digits`},
		{"inspect|65b3f7a20123456789abcdez", "", `oid inspect: "65b3f7a20123456789abcdez" is not an ID: invalid byte 'z' at index 23`},
		{"inspect|" + strings.Repeat("x", 999), "", `oid inspect: "` + strings.Repeat("x", 60) + `"… is not an ID: length 999, want 24 hex digits`},
		{"inspect|x" + strings.Repeat("é", 99), "", `oid inspect: "x` + strings.Repeat("é", 29) + `"… is not an ID: length 199, want 24 hex digits`},
		{"inspect|x): y", "", `oid inspect: "x): y" is not an ID: length 5, want 24 hex digits`},
		{"inspect|", "", `oid inspect: "" is not an ID: length 0, want 24 hex digits`},
		{"inspect", "65b3f7a20123456789abcdef\n\nzz\n", `oid inspect: line 3: "zz" is not an ID`},
		{"inspect", "65b3f7a20123456789abcdef 65b3f7a20123456789abcdef", "oid inspect: line 1: \"65b3f7a20123456789abcdef 65b3f7a20123456789abcdef\" holds 2 IDs, want one (--scan takes all)"},
		{"inspect", "", "oid inspect: no IDs: give them as arguments, in files, or one per line on standard input"},
		{"inspect", strings.Repeat("x", 70_000), "oid inspect: line 1: longer than 65,536 bytes: want one ID per line (--scan finds IDs in any text)"},
		{"range", "", "oid range: 0 arguments given, want SPAN, or FROM TO"},
		{"range|2026|2027|2028", "", "oid range: 3 arguments given, want SPAN, or FROM TO"},
		{"range|-36h|-as|hex", "", `oid range: 3 arguments given, want SPAN, or FROM TO (options come before "-36h")`},
		{"inspect|-line|-json|x", "", "oid inspect: --line and --json are both given: want one of them"},
		{"inspect|-input|mongosh|x", "", `oid inspect: --input "mongosh" is not a form to read: want hex, xid, base64, base64url, uuid, bytes`},
		{"convert|-to|xid|-template|x", "", "oid convert: --to and --template are both given: want one of them"},
		{"next|-to|xid|-json|x", "", "oid next: --to and --json are both given: want one of them"},
		{"new|-template|x|-json", "", "oid new: --template and --json are both given: want one of them"},
		{"convert|-template|{{.Foo}}|x", "", `oid convert: --template "{{.Foo}}": there is no field .Foo: want .Hex .XID`},
		{"convert|-template|{{|x", "", `oid convert: --template "{{": 1: unclosed action`},
		{"convert|-to|pdf|x", "", `oid convert: --to "pdf" is not a form: want hex, upper, xid,`},
		{"convert|-input|base64", "zz", `oid convert: line 1: "zz" is not an ID: want 16 characters of base64`},
		{"convert|-input|uuid|x", "", `oid convert: "x" is not an ID: want a UUID of 36 characters`},
		{"convert|-input|xid|x", "", `oid convert: "x" is not an ID: want the 20 characters of an xid`},
		{"convert|-input|base64|x", "", `oid convert: "x" is not an ID: want 16 characters of base64`},
		{"convert|-template|{{if .Counter}}{{index .Hex 99}}{{end}}|65b3f7a20123456789abcdef", "", "oid convert: template: :1:"},
		{"convert|-scan", "no ID here", "oid convert: no IDs in the input: want 24 hex digits"},
		{"convert|-scan|-input|mongosh", "", `oid convert: --input "mongosh" is not a form to read`},
		{"filter|-to|now|-input|mongosh", "", `oid filter: --input "mongosh" is not a form to read`},
		{"histogram|-input|mongosh", "", `oid histogram: --input "mongosh" is not a form to read`},
		{"filter|-from|now|-to|now", "", "oid filter: --from "},
		{"filter|-from|x", "", `oid filter: --from "x" is not a time`},
		{"histogram|-to|x", "", `oid histogram: --to "x" is not a time`},
		{"histogram|-by|", "", `oid histogram: --by "" is not a unit`},
		{"inspect|x.txt", "", `oid inspect: "x.txt" is not an ID: length 5, want 24 hex digits, and there is no such file`},
		{"inspect|" + strings.Repeat("x.", 200), "", `oid inspect: "` + strings.Repeat("x.", 30) + `"… is not an ID: length 400, want 24 hex digits` + "\n"}, // no file can have that name
		{"convert|-scan|65b3f7a20123456789abcdef", "", "oid convert: open 65b3f7a20123456789abcdef: "},
		{"filter|-input|bytes|-to|now", "too short", "oid filter: standard input: the input ends within an ID: 9 bytes of 12"},
		{"inspect|a/b", "", `oid inspect: "a/b" is not an ID: length 3, want 24 hex digits, and there is no such file`},
		{"inspect|a\\b", "", `oid inspect: "a\\b" is not an ID: length 3, want 24 hex digits, and there is no such file`},
		{"convert|-input|bytes", "too short", "oid convert: standard input: the input ends within an ID: 9 bytes of 12"},
		{"filter", "", "oid filter: --from and --to are missing: want one of them, or both"},
		{"filter|-to|now", "no ID here", "oid filter: no IDs in the input: want 24 hex digits"},
		{"filter|-to|now|.", "", "oid filter: read .: is a directory"},
		{"histogram|.", "", "oid histogram: read .: is a directory"},
		{"inspect|.", "", "oid inspect: read .: is a directory"},
		{"range|garbage|now", "", `oid range: FROM "garbage"` + noTime},
		{"range|now|2026-02-30", "", `oid range: TO "2026-02-30" is not a time: there is no such day`},
		{"range|2026|+soon", "", `oid range: TO "+soon"` + noTime},
		{"range|2026-02-30", "", `oid range: SPAN "2026-02-30" is not a time: there is no such day`},
		{"range|2026|-text|-uuid", "", "oid range: --text and --uuid are both given: want one of them"},
		{"range|2026|-table|a..b", "", "oid range: --table and --column: a part of the name is empty"},
		{"range|2026|-column|a..b", "", "oid range: --table and --column: a part of the name is empty"},
		{"range|2026|-column|a\tb", "", "oid range: --table and --column: the name holds a control character"},
		{"range|2026|2026", "", "oid range: FROM 2026-01-01 00:00:00 +01:00 CET is not before TO 2026-01-01 00:00:00 +01:00 CET"},
		{"range|2026|2025", "", "oid range: FROM 2026-01-01 00:00:00 +01:00 CET is not before TO 2025-01-01 00:00:00 +01:00 CET"},
		{"range|2200|2201", "", "oid range: no ID can be made from 2200-01-01 00:00:00 +01:00 CET to 2201-01-01 00:00:00 +01:00 CET" + limits},
		{"range|2025|2026|-table|", "", "oid range: --table is empty: want the name of a table or collection"},
		{"range|2025|2026|-as|xml", "", `oid range: --as "xml" is not a form: want hex, mongosh, postgres, mysql, sqlite, go`},
		{"histogram", "no ID here", "oid histogram: no IDs in the input: want 24 hex digits, with no letter or digit next to them"},
		{"histogram", "000000000000000000000000", "oid histogram: 1 ID in the input, and none left to chart"},
		{"histogram|-from|2026", "65b3f7a20123456789abcdef", "oid histogram: 1 ID in the input, and none left to chart"},
		{"histogram|-from|2026|-to|2025", "", "oid histogram: --from 2026-01-01 00:00:00 +01:00 CET is not before --to 2025-01-01 00:00:00 +01:00 CET"},
		{"histogram|-by|fortnight", "", `oid histogram: --by "fortnight" is not a unit: want minute, hour, day, week, month, quarter or year`},
		{"histogram|-by|minute", "65b3f7a20123456789abcdef 66b3f7a20123456789abcdef",
			"oid histogram: --by minute: more than 2,000 bars from 2024-01-26 19:19:14 +01:00 CET to 2024-08-08 00:39:30 +02:00 CEST; want --by month"},
		{"odds", "", "oid odds: --processes is missing: say how many processes make IDs"},
		{"odds|-processes|many", "", `oid odds: --processes "many" is not a number`},
		{"odds|-processes|2|-rate|0", "", `oid odds: --rate "0": want a number above 0`},
		{"odds|-processes|2|-rate|20M", "", `oid odds: --rate "20M" is above 16,777,216: no process can make more IDs in a second`},
		{"odds|-processes|2|-rate|1,5", "", `oid odds: --rate "1,5" is not a number: write it as 1000, 1,000, 1e3, 1k or 2.5M`},
		{"odds|-processes|1,00,0", "", `oid odds: --processes "1,00,0" is not a number`},
		{"odds|-processes|1,000,00", "", `oid odds: --processes "1,000,00" is not a number`},
		{"odds|-processes|2|-years|1e300G", "", `oid odds: --years "1e300G" is not a number`},
		{"odds|-processes|2|-years|1e300", "", `oid odds: --years "1e300" is above 1e15`},
		{"odds|-processes|2|-years|-1", "", `oid odds: --years "-1": want a number above 0`},
		{"odds|-processes|2|-years|1|-seconds|1", "", "oid odds: --years and --seconds are both given: want one of them"},
		{"odds|-processes|2|-process-bits|65", "", `oid odds: --process-bits "65" is above 64`},
		{"odds|-processes|2|-counter-bits|65", "", `oid odds: --counter-bits "65" is above 64`},
		{"odds|-processes|2|-counter-bits|x", "", `oid odds: --counter-bits "x" is not a number`},
		{"odds|-processes|2|-counter-bits|10|-rate|1025", "", `oid odds: --rate "1025" is above 1,024: no process can make more IDs in a second`},
		{"odds|-processes|2|-counter-bits|62|-rate|1e19", "", `oid odds: --rate "1e19" is above 4,611,686,018,427,387,904: no`},
		{"odds|-processes|2|-seconds|1e16", "", `oid odds: --seconds "1e16" is above 1e15`},
		{"odds|-processes|2|-seconds|x", "", `oid odds: --seconds "x" is not a number`},
		{"odds|-derive|-seconds|0", "", `oid odds: --seconds "0": want a number above 0`},
		{"odds|-derive|-processes|5", "", "oid odds: --processes has no meaning with --derive"},
		{"odds|-derive|-counter-bits|5", "", "oid odds: --counter-bits has no meaning with --derive"},
		{"odds|-derive|-process-bits|5", "", "oid odds: --process-bits has no meaning with --derive"},
		{"odds|--json=maybe", "", `oid odds: invalid value "maybe" for flag -json: parse error (oid odds -h shows the options)`},
		{"odds|-processes|2|-ids|5", "", "oid odds: --ids is for --derive"},
		{"odds|-derive|-rate|5", "", "oid odds: --rate has no meaning with --derive"},
		{"odds|-derive|-ids|0", "", `oid odds: --ids "0" is not a count`},
		{"completion|tcsh", "", `oid completion: "tcsh" is not a shell: want bash, zsh, fish or pwsh`},
	} {
		_, stderr, status := run(t, test.stdin, strings.Split(test.args, "|")...)
		if status != 1 || !strings.HasPrefix(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stderr %s\nwant %s", test.args, status, stderr, test.want)
		}
	}
}

func TestHelpTeaches(t *testing.T) {
	for _, name := range []string{"", "new", "inspect", "convert", "next", "prev", "range", "filter", "histogram", "odds", "completion", "help", "version"} {
		args := []string{name, "-h"}
		if name == "" {
			args = args[1:]
		}
		help := succeed(t, "", args...)
		if !strings.Contains(help, "\n     oid ") {
			t.Errorf("%q shows no example:\n%s", args, help)
		}
		if m := regexp.MustCompile(`[^-\w]-[a-z]{2,}`).FindString(help); m != "" && m != "\n-oid" {
			t.Errorf("%q writes an option with one dash, %q:\n%s", args, m, help)
		}
		if name != "" {
			if got := succeed(t, "", "help", name); got != help {
				t.Errorf("oid help %s differs:\n%s", name, got)
			}
		}
		for line := range strings.Lines(help) {
			if n := len([]rune(line)); n > 140 {
				t.Errorf("%q: %d columns: %s", args, n, line)
			}
		}
	}
	help := succeed(t, "", "convert", "-h")
	for _, f := range forms {
		if !regexp.MustCompile(`\n +` + f.name + ` +` + regexp.QuoteMeta(f.about) + `\n`).MatchString(help) {
			t.Errorf("oid convert -h doesn't explain the form %s:\n%s", f.name, help)
		}
	}
	if help := succeed(t, "", "completion"); help != succeed(t, "", "completion", "-h") {
		t.Errorf("oid completion without a shell:\n%s", help)
	}
	if help := succeed(t, ""); help != succeed(t, "", "-h") {
		t.Errorf("without arguments:\n%s", help)
	}
	if version := succeed(t, "", "-version"); !strings.HasPrefix(version, "oid version ") {
		t.Error(version)
	}
}
