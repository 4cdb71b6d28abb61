// Package apply makes of a plan the texts of files and of go.mod, and a report with places
// in those. It prints the difference, or writes it.
package apply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/plan"
)

// A Result is what a plan makes of a program. Nothing of it is in the project.
type Result struct {
	program *load.Program
	plan    *plan.Plan
	mod     *load.Module
	tmp     string
	texts   map[string][]byte // of the files that change
	lines   []line            // of the report
}

// Plan applies a plan to the texts of a program, and to the copy of go.mod. It may use the
// folder tmp.
func Plan(p *load.Program, plan *plan.Plan, mod *load.Module, tmp string) (*Result, error) {
	r := &Result{program: p, plan: plan, mod: mod, tmp: tmp, texts: map[string][]byte{}}
	for name, text := range plan.Texts {
		r.texts[name] = text
		if before, err := format.Source(p.Texts[name]); err != nil || !bytes.Equal(before, p.Texts[name]) {
			continue // it wasn't formatted
		}
		formatted, err := format.Source(text)
		if err != nil {
			return nil, fmt.Errorf("oidmove: the new text of %s is not Go: please report this: %w", name, err)
		}
		r.texts[name] = formatted
	}
	if len(r.texts) > 0 {
		if err := r.tidy(); err != nil {
			return nil, err
		}
	}
	return r, r.describe()
}

// tidy brings the copy of go.mod in line with the new texts.
func (r *Result) tidy() error {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range r.texts {
		file := filepath.Join(r.tmp, fmt.Sprint(len(overlay.Replace), ".go"))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		overlay.Replace[name] = file
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	name := filepath.Join(r.tmp, "overlay.json")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return err
	}
	tidy := []string{"mod", "tidy", "-modfile=" + r.mod.File, "-overlay=" + name}
	if err := r.mod.Run(tidy...); err != nil {
		// Code that imports what nobody has can't be tidy.
		if r.mod.Run(append(tidy, "-e")...) != nil {
			return err
		}
		r.lines = append(r.lines, line{"go.mod", 1, "go mod tidy fails, probably also without the move: run go mod tidy to see why"})
	}
	return r.mod.Edit(r.mod.Undo)
}

// Save writes the files that change, go.mod, and the vendor folder if there is one.
func (r *Result) Save() error {
	if len(r.texts) == 0 {
		return nil
	}
	for name, text := range r.texts {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	if err := load.CopyMod(r.tmp, r.mod.Dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.mod.Dir, "vendor", "modules.txt")); err == nil {
		return r.mod.Run("mod", "vendor")
	}
	return nil
}

// PrintDiff diffs Go files and go.mod.
func (r *Result) PrintDiff(w io.Writer) error {
	if len(r.texts) == 0 {
		return nil
	}
	before, err := os.ReadFile(filepath.Join(r.mod.Dir, "go.mod"))
	if err != nil {
		return err
	}
	after, err := os.ReadFile(r.mod.File)
	if err != nil {
		return err
	}
	all := diff.Diff("a/go.mod", before, "b/go.mod", after)
	for _, name := range slices.Sorted(maps.Keys(r.texts)) {
		all = append(all, diff.Diff("a/"+r.rel(name), r.program.Texts[name], "b/"+r.rel(name), r.texts[name])...)
	}
	_, err = w.Write(all)
	return err
}

// rel returns the name of a file of the module without the module's folder.
func (r *Result) rel(name string) string {
	rel, err := filepath.Rel(r.mod.Dir, name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}
