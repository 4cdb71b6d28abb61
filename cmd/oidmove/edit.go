package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
)

// A file is a Go file of the project, as it is in the middle of the move.
type file struct {
	name      string // absolute
	before    []byte // nil for a file that the move makes
	now       []byte // nil for a file that the move removes
	formatted bool   // gofmt had nothing to do before the move
	generated bool

	unit   *unit // that the file was checked in last
	syntax *ast.File
	edits  []edit
	adds   map[string]string // imports to add: the local name by the path
}

// An edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

func newFile(name string, content []byte) *file {
	formatted, err := format.Source(content)
	return &file{name: name, before: content, now: content, formatted: err == nil && bytes.Equal(formatted, content)}
}

func (f *file) changed() bool { return !bytes.Equal(f.before, f.now) }

// offset returns where pos is in the file.
func (f *file) offset(pos token.Pos) int { return f.unit.project.fset.PositionFor(pos, false).Offset }

// text returns the source of n.
func (f *file) text(n ast.Node) string { return string(f.now[f.offset(n.Pos()):f.offset(n.End())]) }

// replace notes that text takes the place of what is from start to end.
func (f *file) replace(start, end token.Pos, text string) {
	f.edits = append(f.edits, edit{f.offset(start), f.offset(end), text})
}

func (f *file) insert(pos token.Pos, text string) { f.replace(pos, pos, text) }

// wrap puts text on both sides of n.
func (f *file) wrap(n ast.Node, before, after string) {
	f.insert(n.Pos(), before)
	f.insert(n.End(), after)
}

// unwrap removes all of outer but inner.
func (f *file) unwrap(outer, inner ast.Node) {
	f.replace(outer.Pos(), inner.Pos(), "")
	f.replace(inner.End(), outer.End(), "")
}

// apply makes the edits and adds the imports that were noted since the last call. It
// reports whether there were any.
func (f *file) apply() (bool, error) {
	f.importAdds()
	if len(f.edits) == 0 {
		return false, nil
	}
	slices.SortStableFunc(f.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	var out []byte
	at := 0
	for _, e := range f.edits {
		if e.start < at {
			return false, fmt.Errorf("oidmove.apply(%s): two edits overlap at byte %d: please report this", f.name, e.start)
		}
		out = append(append(out, f.now[at:e.start]...), e.text...)
		at = e.end
	}
	f.now = append(out, f.now[at:]...)
	f.edits = nil
	return true, nil
}

// finish formats the file, if it was formatted before.
func (f *file) finish() error {
	if !f.formatted || f.now == nil || !f.changed() {
		return nil
	}
	formatted, err := format.Source(f.now)
	if err != nil {
		return fmt.Errorf("oidmove: the new text of %s is not Go: please report this: %w", f.name, err)
	}
	f.now = formatted
	return nil
}
