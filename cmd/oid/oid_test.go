package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	idforms "github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
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

// watch opens the folders of the program, so that go test runs the tests again after a change
// there. The program isn't linked into the tests.
var watch = sync.OnceFunc(func() {
	fs.WalkDir(os.DirFS("."), ".", func(_ string, _ fs.DirEntry, err error) error { return err })
})

// command returns the command with args, in the zone of Berlin.
func command(args ...string) *exec.Cmd {
	watch()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "GOGC=", "TZ=Europe/Berlin", "COLUMNS=", "NO_COLOR=", "CLICOLOR_FORCE=", "LC_ALL=C.UTF-8")
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

// parsed parses the lines of text.
func parsed(t testing.TB, text string) (ids []oid.ID) {
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
	got := parsed(t, succeed(t, "", "new", "-n", "10k"))
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
	} {
		got := parsed(t, succeed(t, "", args...))
		if len(got) != 3 {
			t.Fatalf("%d IDs", len(got))
		}
		slices.SortFunc(got, oid.ID.Compare)
		if len(slices.Compact(got)) != 3 {
			t.Errorf("%q: an ID came twice: %s", args, got)
		}
		for _, id := range got {
			if at := id.Timestamp().Format(time.RFC3339); at != "2026-03-01T11:00:00Z" {
				t.Errorf("%q: dated %s", args, at)
			}
		}
	}
}

func TestNewFillsTheProcessBytes(t *testing.T) {
	process := func(value string) string {
		id := parsed(t, succeed(t, "", "new", "-process", value))[0]
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
	if got := succeed(t, "", "inspect", oid.ID{}.Hex()); !strings.Contains(got, "the zero ID, which means no ID\n") {
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
	if !strings.HasPrefix(got, want+"length     30 days 23 hours, beginning ") || !strings.HasSuffix(got, queries) {
		t.Errorf("%s", got)
	}
	lo, hi := oid.Range(time.Unix(0x69a37370, 0), time.Unix(0x69cc43e0, 0))
	for _, args := range [][]string{
		{"range", "2026-03-01", "2026-04-01", "-as", "hex"},
		{"range", "-as", "hex", "2026-02-28T23:00:00Z", "@1774994400"},
		{"range", "-as=hex", "2026-03-01", "+743h"},
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
			"select * from \"users\" where \"key\" >= '69a373700000000000000000' and \"key\" < '69cc43e00000000000000000';\n"},
		{[]string{"-as", "mongosh", "-table", "users", "-column", "user_id"},
			`db.users.find({user_id: {$gte: ObjectId("69a373700000000000000000"), $lt: ObjectId("69cc43e00000000000000000")}})` + "\n"},
		{[]string{"-as", "mongosh", "-table", "shop.orders", "-column", "user._id", "-text"},
			`db.shop.orders.find({"user._id": {$gte: "69a373700000000000000000", $lt: "69cc43e00000000000000000"}})` + "\n"},
		{[]string{"-as", "mongosh", "-table", "2026-orders", "-text"},
			`db.getCollection("2026-orders").find({_id: {$gte: "69a373700000000000000000", $lt: "69cc43e00000000000000000"}})` + "\n"},
		{[]string{"-as", "go", "-text", "-table", "Order", "-column", "userId"},
			"lo, hi := oid.Range(time.Unix(1772319600, 0), time.Unix(1774994400, 0))\n" +
				`rows, err := db.Query("select * from \"Order\" where \"userId\" >= ? and \"userId\" < ?", lo.Hex(), hi.Hex()) // pgx and lib/pq: $1 and $2` + "\n"},
		{[]string{"-as", "mongosh", "-table", "stats"},
			`db.getCollection("stats").find({_id: {$gte: ObjectId("69a373700000000000000000"), $lt: ObjectId("69cc43e00000000000000000")}})` + "\n"},
		{[]string{"-as", "mongosh", "-uuid"},
			`db.orders.find({_id: {$gte: UUID("019ca67a-ed80-7000-8000-00000000031d"), $lt: UUID("019d45e9-2300-7000-8000-00000000031d")}})` + "\n"},
		{[]string{"-as", "go", "-uuid", "-column", "key"},
			"lo, hi := oid.Range(time.Unix(1772319600, 0), time.Unix(1774994400, 0))\n" +
				`rows, err := db.Query("select * from orders where key >= ? and key < ?", sqltype.UUID(lo), sqltype.UUID(hi)) // pgx and lib/pq: $1 and $2` + "\n"},
		{[]string{"-as", "mysql", "-column", "o.key"},
			"select lower(hex(`o`.`key`)) as `key_hex`, orders.* from orders where `o`.`key` >= x'69a373700000000000000000' and `o`.`key` < x'69cc43e00000000000000000';\n"},
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
		{[]string{"filter", "-from", "2024"}, object{"id": id, "time": "2024-01-26T18:19:14Z"}},
		{[]string{"convert"}, object{"id": id, "time": "2024-01-26T18:19:14Z", "xid": "cmpvf8g14d2mf2dbpnng"}},
		{[]string{"sql", "postgres"}, object{"sql": sqltype.PostgresSchema()}},
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

func TestWrongUseEndsWithStatus2AndOneLine(t *testing.T) {
	const noTime = ` is not a time: want 2026-03, 2026-03-01, "2026-03-01 15:04", `
	const limits = ": IDs hold times from 1970-01-01 00:00:00 UTC to 2106-02-07 06:28:15 UTC"
	for _, test := range []struct {
		args  string // split at |
		stdin string
		want  string // how the line begins
	}{
		{"foo", "", `oid: "foo" is not a command: want new, inspect, convert, range, filter, histogram, sql, `},
		{"next", "", `oid: "next" is not a command`},
		{"odds", "", `oid: "odds" is not a command`},
		{"-foo", "", `oid: there is no option "--foo" (oid -h shows the options)`},
		{"new|-foo", "", `oid new: there is no option "--foo" (oid new -h shows the options)`},
		{"new|-x", "", `oid new: there is no option "-x" (oid new -h shows the options)`},
		{"new|-é", "", `oid new: there is no option "-é" (oid new -h shows the options)`},
		{"sql|mysql|--x", "", `oid sql mysql: there is no option "-x" (oid sql mysql -h shows the options)`},
		{"sql", "", `oid sql: "" is not a command: want postgres, mysql`},
		{"sql|oracle", "", `oid sql: "oracle" is not a command: want postgres, mysql`},
		{"sql|mysql|x", "", "oid sql mysql: 1 argument given, want none"},
		{"completion", "", `oid completion: "" is not a command: want bash, zsh, fish, pwsh`},
		{"completion|tcsh", "", `oid completion: "tcsh" is not a command: want bash, zsh, fish, pwsh`},
		{"completion|bash|x", "", "oid completion bash: 1 argument given, want none"},
		{"range|2026|2027|x", "", "oid range: 3 arguments given, want SPAN, or FROM TO\n"},
		{"range", "", "oid range: 0 arguments given, want SPAN, or FROM TO\n"},
		{"new|-n", "", "oid new: -n needs a value (oid new -h shows the options)"},
		{"new|--json=maybe", "", `oid new: invalid value "maybe" for flag -json: parse error (oid new -h shows the options)`},
		{"new|5", "", "oid new: 1 argument given, want none"},
		{"new|help", "", "oid new: 1 argument given, want none"},
		{"new|-n|x", "", `oid new: -n "x" is not a count: want a whole number from 1 to 1e15, such as 1000, 1k or 2.5M`},
		{"new|-n|0", "", `oid new: -n "0" is not a count`},
		{"new|-at|3 days ago", "", `oid new: --at "3 days ago"` + noTime},
		{"new|-at|1969", "", `oid new: --at "1969" is 1969-01-01 00:00:00 +01:00 CET` + limits},
		{"new|-at|2107", "", `oid new: --at "2107" is 2107-01-01 00:00:00 +01:00 CET` + limits},
		{"new|-at|2026|-process|host", "", "oid new: --at and --process are both given: want one of them, because --at draws random process values"},
		{"new|-process|xx", "", `oid new: --process "xx" is not a process value: want host, random or 10 hex digits`},
		{"new|-process|010203040506", "", `oid new: --process "010203040506" is not a process value`},
		{"new|-process|0102030405x", "", `oid new: --process "0102030405x" is not a process value`},
		{"new|-process|01020304050", "", `oid new: --process "01020304050" is not a process value`},
		{"new|-process|01020304", "", `oid new: --process "01020304" is not a process value`},
		{"new|-process|0000000000", "", `oid new: --process "0000000000" is not a process value: want host, random or 10 hex digits that are not all 0`},
		{"new|-zone|Mars", "", `oid new: --zone "Mars" is not a time zone: want UTC, local, an offset such as +05:30, or a name such as Europe/Berlin`},
		{"new|-to|pdf", "", `oid new: --to "pdf" is not a form: want hex, upper, xid,`},
		{"new|-to|xid|-json", "", "oid new: --to and --json are both given: want one of them"},
		{"inspect|-line|-json|x", "", "oid inspect: --line and --json are both given: want one of them"},
		{"inspect|-input|mongosh|x", "", `oid inspect: --input "mongosh" is not a form to read: want hex, xid, base64, base64url, uuid`},
		{"inspect|--separator|;", "", "oid inspect: --separator needs --column: say which column holds the IDs"},
		{"inspect|--column|id|--scan", "", "oid inspect: --column and --scan are both given: want one of them"},
		{"inspect|--column|", "", `oid inspect: --column "" is not a column: want a name, or a number from 1`},
		{"inspect|--column|0", "", `oid inspect: --column "0" is not a column: want a name, or a number from 1`},
		{"inspect|--column|id|--separator|", "", `oid inspect: --separator "" is not a separator: want tab, or one ASCII character`},
		{"inspect|--column|id|--separator|ab", "", `oid inspect: --separator "ab" is not a separator`},
		{"inspect|--column|id|--separator|\"", "", `oid inspect: --separator "\"" is not a separator`},
		{"inspect|--column|id|--separator|é", "", `oid inspect: --separator "é" is not a separator`},
		{"convert|--keep|-json", "", "oid convert: --keep and --json are both given: want one of them"},
		{"convert|--keep|-to|pdf", "", `oid convert: --to "pdf" is not a form`},
		{"convert|-to|xid|-json|x", "", "oid convert: --to and --json are both given: want one of them"},
		{"convert|-to|pdf|x", "", `oid convert: --to "pdf" is not a form: want hex, upper, xid,`},
		{"convert|-scan|-input|mongosh", "", `oid convert: --input "mongosh" is not a form to read`},
		{"filter|-to|now|-input|mongosh", "", `oid filter: --input "mongosh" is not a form to read`},
		{"filter|-from|now|-to|now", "", "oid filter: --from "},
		{"filter|-from|x", "", `oid filter: --from "x" is not a time`},
		{"filter", "", "oid filter: --from and --to are missing: want one of them, or both"},
		{"range|garbage|now", "", `oid range: FROM "garbage"` + noTime},
		{"range|now|2026-02-30", "", `oid range: TO "2026-02-30" is not a time: there is no such date`},
		{"range|2026|+soon", "", `oid range: TO "+soon"` + noTime},
		{"range|2026-02-30", "", `oid range: SPAN "2026-02-30" is not a time: there is no such date`},
		{"range|+1h", "", `oid range: SPAN "+1h" is one moment: want FROM and TO`},
		{"range|2026|-text|-uuid", "", "oid range: --text and --uuid are both given: want one of them"},
		{"range|2026|-table|a..b", "", `oid range: "a..b" is not a name: want no control character, and no empty part before or after a dot`},
		{"range|2026|-column|a\tb", "", `oid range: "a\tb" is not a name`},
		{"range|2026|2026", "", "oid range: FROM 2026-01-01 00:00:00 +01:00 CET is not before TO 2026-01-01 00:00:00 +01:00 CET"},
		{"range|2026|2025", "", "oid range: FROM 2026-01-01 00:00:00 +01:00 CET is not before TO 2025-01-01 00:00:00 +01:00 CET"},
		{"range|2200|2201", "", "oid range: there are no IDs from 2200-01-01 00:00:00 +01:00 CET to 2201-01-01 00:00:00 +01:00 CET" + limits},
		{"range|2025|2026|-as|xml", "", `oid range: --as "xml" is not a form: want hex, mongosh, extjson, postgres, mysql, sqlite, go`},
		{"histogram|-input|mongosh", "", `oid histogram: --input "mongosh" is not a form to read`},
		{"histogram|-to|x", "", `oid histogram: --to "x" is not a time`},
		{"histogram|-by|", "", `oid histogram: --by "" is not a unit`},
		{"histogram|-from|2026|-to|2025", "", "oid histogram: --from 2026-01-01 00:00:00 +01:00 CET is not before --to 2025-01-01 00:00:00 +01:00 CET"},
		{"histogram|-by|fortnight", "", `oid histogram: --by "fortnight" is not a unit: want minute, hour, day, week, month, quarter, year`},
		{"inspct", "", `oid: "inspct" is not a command: did you mean inspect?`},
		{"filter|--form|2026", "", `oid filter: there is no option "--form": did you mean --from? (oid filter -h shows the options)`},
		{"version|x", "", "oid version: 1 argument given, want none"},
		{"new|-zone|+25:00", "", `oid new: --zone "+25:00" is not a time zone`},
		{"histogram|-zone|+05:20", march1, `oid histogram: --zone "+05:20" can't be charted: want a zone whose offset from UTC is a multiple of 15 minutes`},
	} {
		_, stderr, status := run(t, test.stdin, strings.Split(test.args, "|")...)
		if status != 2 || !strings.HasPrefix(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stderr %s\nwant %s", test.args, status, stderr, test.want)
		}
	}
}

func TestBadInputEndsWithStatus1AndOneLine(t *testing.T) {
	table := file(t, "orders.csv", "id,customer\n65b3f7a20123456789abcdef,69a421f00123456789abcdef\n")
	for _, test := range []struct {
		args  string // split at |
		stdin string
		want  string // how the line begins
	}{
		{"convert|h", "", `oid convert: "h" is not an ID: length 1, want 24 hex digits`},
		{"histogram|help", "", "oid histogram: open help: "},
		{"inspect|65b3f7", "", `oid inspect: "65b3f7" is not an ID: length 6, want 24 hex digits`},
		{"inspect|65b3f7a20123456789abcdez", "", `oid inspect: "65b3f7a20123456789abcdez" is not an ID: invalid byte 'z' at index 23`},
		{"inspect|" + strings.Repeat("x", 999), "", `oid inspect: "` + strings.Repeat("x", 60) + `"… is not an ID: length 999, want 24 hex digits`},
		{"inspect|x" + strings.Repeat("é", 99), "", `oid inspect: "x` + strings.Repeat("é", 29) + `"… is not an ID: length 199, want 24 hex digits`},
		{"inspect|x): y", "", `oid inspect: "x): y" is not an ID: length 5, want 24 hex digits`},
		{"inspect|", "", `oid inspect: "" is not an ID: length 0, want 24 hex digits`},
		{"inspect", "65b3f7a20123456789abcdef\n\nzz\n", `oid inspect: line 3: "zz" is not an ID`},
		{"inspect", "65b3f7a20123456789abcdef 65b3f7a20123456789abcdef", "oid inspect: line 1: \"65b3f7a20123456789abcdef 65b3f7a20123456789abcdef\" holds 2 IDs, want one: pass one ID per argument or line; for a file with several per line, use --scan or --column NAME"},
		{"inspect", "", "oid inspect: no IDs: give them as arguments, in files, or one per line on standard input"},
		{"inspect", strings.Repeat("x", 70_000), "oid inspect: line 1: the line is longer than 65,536 bytes: want one ID per line (--scan finds IDs in any text)"},
		{"inspect|x.txt", "", `oid inspect: "x.txt" is not an ID: length 5, want 24 hex digits, and there is no such file`},
		{"inspect|" + strings.Repeat("x.", 200), "", `oid inspect: "` + strings.Repeat("x.", 30) + `"… is not an ID: length 400, want 24 hex digits` + "\n"}, // no file can have that name
		{"inspect|a/b", "", `oid inspect: "a/b" is not an ID: length 3, want 24 hex digits, and there is no such file`},
		{"inspect|a\\b", "", `oid inspect: "a\\b" is not an ID: length 3, want 24 hex digits, and there is no such file`},
		{"inspect|.", "", "oid inspect: read .: is a directory"},
		{"inspect|--column|ID|" + table, "", "oid inspect: " + table + `: there is no column "ID": with the separator ",", the columns of the first line are "id, customer"` + "\n"},
		{"filter|--from|2026|--column|3|" + table, "", "oid filter: " + table + `: there is no column "3": with the separator ","`},
		{"histogram|--column|id|--separator|tab|" + table, "", "oid histogram: " + table + `: there is no column "id": with the separator "\t", the columns of the first line are "id,customer"` + "\n"},
		{"convert|--column|id", "id\n\nNULL\n", `oid convert: no IDs in the column "id"`},
		{"convert|--column|id", "id\n\"half", "oid convert: standard input: a quoted field has no closing quote"},
		{"convert|--column|2", "a,65b3f7a20123456789abcdef\nb\n", "oid convert: line 2: the row has no column 2"},
		{"convert|-input|base64", "zz", `oid convert: line 1: "zz" is not an ID: want 16 characters of base64`},
		{"convert|-input|uuid|x", "", `oid convert: "x" is not an ID: want a UUID of 36 characters`},
		{"convert|-input|xid|x", "", `oid convert: "x" is not an ID: want the 20 characters of an xid`},
		{"convert|-input|base64|x", "", `oid convert: "x" is not an ID: want 16 characters of base64`},
		{"convert|-scan", "no ID here", "oid convert: no IDs in the input: want 24 hex digits"},
		{"convert|-scan|-input|uuid", "no ID here", "oid convert: no IDs in the input: want the form uuid, with no letter or digit next to them\n"},
		{"convert|-scan|65b3f7a20123456789abcdef", "", "oid convert: open 65b3f7a20123456789abcdef: "},
		{"filter|-to|now", "no ID here", "oid filter: no IDs in the input: want 24 hex digits"},
		{"filter|-to|now|.", "", "oid filter: read .: is a directory"},
		{"histogram|.", "", "oid histogram: read .: is a directory"},
		{"histogram", "no ID here", "oid histogram: no IDs in the input: want 24 hex digits, with no letter or digit next to them"},
		{"histogram", "000000000000000000000000", "oid histogram: 1 ID in the input, but none to chart: all are zero, or outside --from and --to"},
		{"histogram|-from|2026", "65b3f7a20123456789abcdef", "oid histogram: 1 ID in the input, but none to chart: all are zero, or outside --from and --to"},
		{"histogram|-by|minute", "65b3f7a20123456789abcdef\n66b3f7a20123456789abcdef",
			"oid histogram: --by minute would draw more than 2,000 bars from 2024-01-26 19:19:14 +01:00 CET to 2024-08-08 00:39:30 +02:00 CEST: use --by month"},
		{"inspect|６５b3f7a20123456789abcdef", "", `oid inspect: "６５b3f7a20123456789abcdef" is not an ID: '６' (U+FF16) at index 0 is not a hex digit` + "\n"},
		{"convert", "6.5E+23", `oid convert: line 1: "6.5E+23" is not an ID: a spreadsheet turned an ID into a number, and most of its digits are lost: export the column as text`},
		{"filter|-to|now", "X65b3f7a20123456789abcdef", "oid filter: no IDs in the input: want 24 hex digits, with no letter or digit next to them (skipped: 1)\n"},
		{"filter|-to|now|-column|id", "id,n,id\n", `oid filter: standard input: the columns 1 and 3 are both called "id": write --column 1 or --column 3` + "\n"},
		{"histogram", "\x16\x00\x00\x00\x07_id\x00\x65\xb3\xf7\xa2\x01\x23\x45\x67\x89\xab\xcd\xef\x00", "oid histogram: standard input: this is BSON, and not text: convert it with bsondump, and read the lines of JSON with --column _id"},
		{"histogram", "\x1f\x8b no gzip", "oid histogram: standard input: gzip: invalid header\n"},
	} {
		_, stderr, status := run(t, test.stdin, strings.Split(test.args, "|")...)
		if status != 1 || !strings.HasPrefix(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stderr %s\nwant %s", test.args, status, stderr, test.want)
		}
	}
}

// The help fits a terminal of 80 columns.
func TestHelpTeaches(t *testing.T) {
	for _, name := range []string{"", "new", "inspect", "convert", "range", "filter", "histogram", "sql", "help", "completion", "sql mysql", "completion bash"} {
		args := append(strings.Fields(name), "-h")
		help := succeed(t, "", args...)
		if !strings.Contains(help, "\n     oid ") && !strings.Contains(help, "\n     source <(oid ") && !strings.Contains(name, " ") {
			t.Errorf("%q shows no example:\n%s", args, help)
		}
		if m := regexp.MustCompile(`[^-\w]-[a-z]{2,}`).FindString(help); m != "" && m != "\n-oid" {
			t.Errorf("%q writes an option with one dash, %q:\n%s", args, m, help)
		}
		if name != "" && !strings.Contains(name, " ") {
			if got := succeed(t, "", "help", name); got != help {
				t.Errorf("oid help %s differs:\n%s", name, got)
			}
		}
		for line := range strings.Lines(help) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
				t.Errorf("%q: %d columns: %s", args, n, line)
			}
		}
	}
	help := succeed(t, "", "convert", "-h")
	for _, f := range idforms.Forms {
		if !regexp.MustCompile(`\n +` + f.Name + ` +` + regexp.QuoteMeta(f.About) + `\n`).MatchString(help) {
			t.Errorf("oid convert -h doesn't explain the form %s:\n%s", f.Name, help)
		}
	}
	if help := succeed(t, ""); help != succeed(t, "", "-h") {
		t.Errorf("without arguments:\n%s", help)
	}
}
