package apply

import (
	"bytes"
	"cmp"
	"fmt"
	"go/version"
	"io"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// A line of the report is about a place in a file as it is after the move.
type line struct {
	file string // relative to the module
	line int
	text string
}

// describe fills the report: the remarks of the plan, and what changes in go.mod.
func (r *Result) describe() error {
	for _, remark := range r.plan.Remarks {
		r.lines = append(r.lines, line{r.rel(remark.File), r.lineOf(remark.File, remark.At), remark.Text})
	}
	for _, e := range r.program.Unloaded {
		r.lines = append(r.lines, line{text: "the go command can't load a package, so it stays as it is: " + strings.TrimSpace(e.Msg)})
	}
	if len(r.texts) > 0 {
		if err := r.compareMods(); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.lines, func(a, b line) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), strings.Compare(a.text, b.text))
	})
	r.lines = slices.Compact(r.lines)
	return nil
}

// lineOf returns the line of the byte at in a text of the plan. gofmt mostly changes white
// space, so the byte is found again by the number of other bytes before it.
func (r *Result) lineOf(name string, at int) int {
	before, after := r.plan.Texts[name], r.texts[name]
	if before == nil {
		before, after = r.program.Texts[name], r.program.Texts[name]
	}
	count := len(bytes.Join(bytes.Fields(before[:min(at, len(before))]), nil))
	number := 1
	for _, c := range after {
		switch {
		case c == '\n':
			number++
		case c == ' ' || c == '\t' || c == '\r':
		case count == 0:
			return number
		default:
			count--
		}
	}
	return number
}

// compareMods adds what the move changes in go.mod for all of the module: the version of Go,
// and that of the driver.
func (r *Result) compareMods() error {
	before, err := load.Read(r.mod.Dir)
	if err != nil {
		return err
	}
	after, err := load.Read(r.tmp)
	if err != nil {
		return err
	}
	if was, is := before.Go.Version, after.Go.Version; was != is {
		text := fmt.Sprintf("the go version changes from %s to %s, which oidkit needs", was, is)
		if version.Compare("go"+was, "go1.22") < 0 {
			text += ": each round of a for loop now has its own variable, so check closures and goroutines that share the variable"
		}
		r.lines = append(r.lines, line{"go.mod", 1, text})
	}
	for _, r1 := range before.Require {
		for _, r2 := range after.Require {
			if was, is := r1.Mod, r2.Mod; was.Path == is.Path && was.Version != is.Version && (is.Path == names.V1.Module || is.Path == names.V2.Module) {
				r.lines = append(r.lines, line{"go.mod", 1, fmt.Sprintf("%s changes from %s to %s, which oidkit needs: read the release notes", is.Path, was.Version, is.Version)})
			}
		}
	}
	return nil
}

// Report prints what a person must look at, and how much was changed. It returns an error if
// code doesn't compile that did before.
func (r *Result) Report(w io.Writer) error {
	for _, l := range r.lines {
		place := ""
		if l.file != "" {
			place = fmt.Sprintf("%s:%d: ", l.file, l.line)
		}
		fmt.Fprintf(w, "%s%s\n", place, l.text)
	}
	if len(r.texts) > 0 {
		fmt.Fprintf(w, "oidmove: %s changed, %s to look at\n", count(len(r.texts), "file"), count(len(r.lines), "place"))
	}
	if r.plan.Broken > 0 {
		return fmt.Errorf("oidmove: the code compiled before, and has %s now: fix the places above, or move back", count(r.plan.Broken, "error"))
	}
	return nil
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
