package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// A finding is a place that a person must decide.
type finding struct {
	pos     token.Position
	why, do string
}

// leave notes that n stays as it is.
func (f *file) leave(n ast.Node, why, do string) {
	p := f.unit.project
	p.left = append(p.left, finding{p.fset.PositionFor(n.Pos(), false), why, do})
}

// leaveErrors notes the errors of the type checker that weren't there before the move.
func (p *project) leaveErrors() {
	for _, e := range p.errors() {
		if !p.known[e.why] {
			e.do = "fix it by hand"
			p.left = append(p.left, e)
		}
	}
}

// errors returns what the type checker said in the last round about the project's files.
func (p *project) errors() (all []finding) {
	for _, u := range p.units {
		for _, e := range u.errors {
			pos := p.fset.PositionFor(e.Pos, false)
			if f := p.files[pos.Filename]; f != nil && !strings.HasPrefix(e.Msg, "\t") {
				all = append(all, finding{pos: pos, why: e.Msg})
			}
		}
	}
	return all
}

// report prints the findings, each place once, in the order of the files.
func (p *project) report(w io.Writer) {
	slices.SortFunc(p.left, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.pos.Filename, b.pos.Filename), cmp.Compare(a.pos.Line, b.pos.Line), strings.Compare(a.why, b.why))
	})
	last := ""
	for _, l := range p.left {
		name := l.pos.Filename
		if rel, err := filepath.Rel(p.dir, name); err == nil {
			name = rel
		}
		if line := fmt.Sprintf("%s:%d: %s: %s\n", filepath.ToSlash(name), l.pos.Line, l.why, l.do); line != last {
			io.WriteString(w, line)
			last = line
		}
	}
}
