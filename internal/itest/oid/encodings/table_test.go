//go:build nightly

package encodings

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/oid"
)

var update = flag.Bool("update", false, "write docs/encodings.md")

// TestTable shows that docs/encodings.md says what the libraries do: it holds
// what this test observes.
func TestTable(t *testing.T) {
	file := repo.Path("docs/encodings.md")
	want := render(t)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Errorf("docs/encodings.md:%d says\n  %s\nbut it is so:\n  %s", i+1, gotLines[i], wantLines[i])
		}
	}
	t.Errorf("docs/encodings.md has %d lines, want %d; to write it: go test -tags nightly ./internal/itest/oid/encodings -run TestTable -update", len(gotLines), len(wantLines))
}

func render(t *testing.T) []byte {
	t.Helper()
	funcs := template.FuncMap{
		"written":  func() string { return written(t) },
		"read":     func() string { return readTable(t) },
		"bound":    func() string { return boundTable() },
		"taken":    func(name string) string { return "- " + strings.Join(taken(t, byName(name)), "\n- ") + "\n" },
		"snippet":  func(name string) string { return snippet(t, name) },
		"badInput": func() string { return strings.Join(names(badInputs), ", ") },
	}
	text, err := os.ReadFile("encodings.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := template.Must(template.New("").Funcs(funcs).Parse(string(text))).Execute(&b, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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
		if c.omit != "" {
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
			allElse = "error, with [exceptions](#" + anchor(c.name) + ")"
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

// anchor is GitHub's name for a headline.
func anchor(headline string) string {
	return regexp.MustCompile(`[^a-z0-9-]`).ReplaceAllString(headline, "")
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

// snippet returns the code of NAME.go, without its package clause and imports.
func snippet(t *testing.T, name string) string {
	t.Helper()
	source, err := os.ReadFile(name + ".go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(source), "\n)\n")
	return "```go\n" + strings.TrimSpace(code) + "\n```"
}
