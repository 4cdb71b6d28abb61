package apply

import (
	"bytes"
	"cmp"
	"fmt"
	"go/version"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/edit"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// A line of the report is about a place in a file as it is after the move.
type line struct {
	file string // relative to the module
	line int
	text string
}

// describe fills the report: the remarks of the plan, what the compiler says of the new
// texts, and what changes in go.mod.
func (r *Result) describe() error {
	for _, remark := range r.plan.Remarks {
		r.add(remark.File, r.lineOf(remark.File, remark.At), remark.Why+": "+remark.Do)
	}
	for _, e := range r.program.Unloaded {
		r.lines = append(r.lines, line{text: "the go command can't load a package, so it stays as it is: " + strings.TrimSpace(e.Msg)})
	}
	if len(r.changed) > 0 {
		r.compile()
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

func (r *Result) add(name string, number int, text string) {
	if rel, err := filepath.Rel(r.mod.Dir, name); err == nil {
		name = rel
	}
	r.lines = append(r.lines, line{filepath.ToSlash(name), number, text})
}

// lineOf returns the line after the move of the byte at in a file as it was read. gofmt
// changes white space only, so it is found again by the number of other bytes before it.
func (r *Result) lineOf(name string, at int) int {
	before, after := r.program.Texts[name], r.texts[name]
	if before == nil {
		return 1
	}
	if edits := r.plan.Edits[name]; len(edits) > 0 {
		if text, err := edit.Apply(before, edits); err == nil {
			before, at = text, edit.Place(edits, at)
		}
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

// compile checks the types of the new texts. It lists the errors that a package didn't have
// before, if it has more errors now.
func (r *Result) compile() {
	before, after := errorsOf(r.program), errorsOf(r.program.Check(r.texts))
	for pkg, errors := range after {
		if len(errors) <= len(before[pkg]) {
			continue
		}
		for _, e := range errors {
			known := slices.ContainsFunc(before[pkg], func(b line) bool { return b.file == e.file && b.text == e.text })
			if !known {
				r.add(e.file, e.line, e.text+": fix it by hand")
			}
		}
		if len(before[pkg]) == 0 {
			r.broken += len(errors)
		}
	}
}

// errorsOf returns what the compiler says of the module's files, by the paths of packages.
func errorsOf(p *load.Program) map[string][]line {
	all := map[string][]line{}
	for _, f := range p.Files {
		for _, e := range f.Pkg.Errors {
			if pos := p.Fset.PositionFor(e.Pos, false); pos.Filename == f.Name {
				all[f.Pkg.Path] = append(all[f.Pkg.Path], line{pos.Filename, pos.Line, e.Msg})
			}
		}
	}
	return all
}

// compareMods adds what the move changes in go.mod for all of the module.
func (r *Result) compareMods() error {
	before, err := load.Read(r.mod.Dir)
	if err != nil {
		return err
	}
	after, err := load.Read(r.tmp)
	if err != nil {
		return err
	}
	if before.Go != after.Go {
		text := fmt.Sprintf("go %s is go %s now, which oidkit needs", before.Go, after.Go)
		if version.Compare("go"+before.Go, "go1.22") < 0 {
			text += ": a variable of a for loop is a new one in each round now, so check closures that share it, and calls of go"
		}
		r.add(filepath.Join(r.mod.Dir, "go.mod"), 1, text)
	}
	versions := map[string]string{}
	for _, require := range before.Require {
		versions[require.Path] = require.Version
	}
	for _, require := range after.Require {
		was := versions[require.Path]
		if (require.Path == names.V1.Module || require.Path == names.V2.Module) && was != "" && was != require.Version {
			r.add(filepath.Join(r.mod.Dir, "go.mod"), 1, fmt.Sprintf("%s %s is %s now, which oidkit needs: read its release notes", require.Path, was, require.Version))
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
	if len(r.changed) > 0 {
		fmt.Fprintf(w, "oidmove: %s changed, %s to look at\n", count(len(r.changed), "file"), count(len(r.lines), "place"))
	}
	if r.broken > 0 {
		return fmt.Errorf("oidmove: the code compiled before, and has %s now: fix the places above, or move back", count(r.broken, "error"))
	}
	return nil
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
