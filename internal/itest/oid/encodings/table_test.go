//go:build nightly

package encodings

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/oid"
)

var update = flag.Bool("update", false, "write the tables of docs/libraries.md")

// TestTable shows that docs/libraries.md says what the libraries do: between its marks it has
// what this test observes.
func TestTable(t *testing.T) {
	file := repo.Path("docs/libraries.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := string(page)
	for mark, observed := range map[string]string{
		"written":    written(t),
		"read":       readTable(t),
		"exceptions": exceptions(t),
		"bound":      boundTable(),
	} {
		_, after, found := strings.Cut(got, "<!-- "+mark+" -->\n")
		old, _, ended := strings.Cut(after, "<!-- end -->")
		if !found || !ended {
			t.Fatalf("docs/libraries.md has no mark %s", mark)
		}
		want := "\n" + observed + "\n\n" // for a table, Markdown needs a line without text
		if old == want {
			continue
		}
		if *update {
			got = strings.Replace(got, "<!-- "+mark+" -->\n"+old, "<!-- "+mark+" -->\n"+want, 1)
			continue
		}
		t.Errorf("docs/libraries.md says\n%s\nbut it is so:\n%s\nTo write it: go test -tags nightly ./internal/itest/oid/encodings -run TestTable -update", old, want)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// exceptions is the table of the bad inputs that codecs take.
func exceptions(t *testing.T) string {
	rows := [][]string{{"", "what is sent", "result"}}
	for _, c := range codecs {
		for _, in := range taken(t, c) {
			name, result, _ := strings.Cut(in, ": ")
			rows = append(rows, []string{c.name, name, result})
		}
	}
	return table(rows)
}

// table returns rows as Markdown, the first one as the head.
func table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func names(inputs []input) (list []string) {
	for _, in := range inputs {
		list = append(list, in.name)
	}
	return list
}

// written is the table of what the codecs write.
func written(t *testing.T) string {
	rows := [][]string{{"", "an ID", "nil `*oid.ID`", "zero ID", "an ID as a map's key"}}
	for _, c := range codecs {
		encode := func(v any) string {
			data, err := c.encode(v)
			if err != nil {
				return "no maps"
			}
			return show(data)
		}
		omitted := "zeros"
		data, err := c.encode(box(oid.ID{}, ""))
		if err != nil {
			t.Fatal(err)
		}
		if held, err := unbox(c, data, preset); err == nil && held == preset {
			omitted = "left out"
		} else if c.omit != "" {
			empty, _ := c.encode(box((*order)(nil), ",omitempty"))
			zero, err := c.encode(box(oid.ID{}, ","+c.omit))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(zero, empty) {
				omitted = "left out by `" + c.omit + "`"
			} else {
				omitted += ", in spite of `" + c.omit + "`"
			}
		}
		rows = append(rows, []string{
			c.name + version(t, c.module),
			encode(sample),
			null(t, c),
			omitted,
			encode(map[oid.ID]int{sample: 1}),
		})
	}
	return table(rows)
}

// null says how c writes a nil *oid.ID.
func null(t *testing.T, c codec) string {
	t.Helper()
	data, err := c.encode(box((*oid.ID)(nil), ""))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("null")) {
		return "`null`"
	}
	held := preset
	if got, err := unbox(c, data, &held); err == nil && got == &held && held == preset {
		return "left out"
	}
	return show(data[len(data)-1:])
}

// show prints what a codec wrote: text as it is, and bytes as hex with the 12 of
// the ID named, and no more than two before them.
func show(data []byte) string {
	before, after, binary := bytes.Cut(data, sample[:])
	switch {
	case !binary && bytes.ContainsFunc(data, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }):
		return "`" + hex.EncodeToString(data) + "`"
	case !binary:
		return "`" + strings.TrimSuffix(string(data), "\n") + "`"
	}
	text := hex.EncodeToString(before[max(0, len(before)-2):]) + " ‹12 bytes› " + hex.EncodeToString(after)
	if len(before) > 2 {
		text = "… " + text
	}
	return "`" + strings.TrimSpace(text) + "`"
}

// readTable is the table of what the codecs read.
func readTable(t *testing.T) string {
	rows := [][]string{append(append([]string{""}, names(goodInputs)...), "all else", "`errors.Is`", "to add")}
	for _, c := range codecs {
		row := []string{c.name}
		for _, in := range goodInputs {
			row = append(row, outcome(read(t, c, in)))
		}
		allElse := "error"
		if len(taken(t, c)) > 0 {
			allElse = "error, with exceptions"
		}
		is := "no"
		if isSyntax(t, c) {
			is = "yes"
		}
		rows = append(rows, append(row, allElse, is, c.add))
	}
	return table(rows)
}

// boundTable is the table of what the frameworks bind.
func boundTable() string {
	queries := []struct{ name, query string }{
		{"24 hex digits", "?after=" + hexText},
		{"upper case", "?after=" + strings.ToUpper(hexText)},
		{"`?after=`", "?after="},
		{"no `after`", ""},
		{"all else", "?after=abc"},
	}
	head := []string{""}
	for _, q := range queries {
		head = append(head, q.name)
	}
	rows := [][]string{append(head, "the error names the parameter", "to add")}
	for _, f := range frameworks {
		row := []string{f.name}
		for _, q := range queries {
			row = append(row, bound(f, q.query))
		}
		named := "no"
		if namesParameter(f) {
			named = "yes"
		}
		rows = append(rows, append(row, named, f.add))
	}
	return table(rows)
}

// version returns the version of module that the tests require, after a space.
func version(t *testing.T, module string) string {
	t.Helper()
	if module == "" {
		return ""
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(module) + ` (v\S+)`).FindSubmatch(mod)
	if m == nil {
		t.Fatalf("%s isn't in go.mod", module)
	}
	return " " + string(m[1])
}
