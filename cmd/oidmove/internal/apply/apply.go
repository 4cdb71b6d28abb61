// Package apply makes of a plan the texts of files and of go.mod, and a report with places
// in those. It prints the difference, or writes it.
package apply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/plan"
)

// A Result is what a plan makes of a program. Nothing of it is on the disk yet.
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
		file, err := r.write("b", name, text)
		if err != nil {
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
		r.lines = append(r.lines, line{"go.mod", 1, "go mod tidy fails, as it must have before: run go mod tidy to see why"})
	}
	return r.mod.Edit(r.mod.Undo)
}

// write writes the text of a file of the module below a folder of tmp, and returns its name
// there.
func (r *Result) write(side, name string, text []byte) (string, error) {
	rel, err := filepath.Rel(r.mod.Dir, name)
	if err != nil {
		return "", err
	}
	name = filepath.Join(r.tmp, side, rel)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	return name, os.WriteFile(name, text, 0o600)
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

// PrintDiff prints what Save would change. It needs git.
func (r *Result) PrintDiff(w io.Writer) error {
	if len(r.texts) == 0 {
		return nil
	}
	for name := range r.texts { // tidy has written the new texts
		if _, err := r.write("a", name, r.program.Texts[name]); err != nil {
			return err
		}
	}
	mod := filepath.Join(r.mod.Dir, "go.mod")
	for side, name := range map[string]string{"a": mod, "b": r.mod.File} {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := r.write(side, mod, text); err != nil {
			return err
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-prefix", "a", "b")
	cmd.Dir = r.tmp
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: there are differences
		return fmt.Errorf("oidmove: -n needs git: %w\n%s", err, &stderr)
	}
	return nil
}
