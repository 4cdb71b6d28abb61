package plan

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/edit"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
)

// A file notes the edits of one file, and the imports that they need.
type file struct {
	*load.File
	*sheet
	noted []noted
	adds  map[string]string // imports to add: the local name by the path
}

// A noted edit knows the text around which it stands, if it is one side of a wrap.
type noted struct {
	edit.Edit
	from, to int
}

func (f *file) at(pos token.Pos) int { return f.Pkg.Program.Offset(pos) }

// replace notes that text takes the place of what is from start to end.
func (f *file) replace(start, end token.Pos, text string) {
	f.noted = append(f.noted, noted{Edit: edit.Edit{Start: f.at(start), End: f.at(end), Text: text}})
}

// name replaces a name of a package.
func (f *file) name(sel *ast.SelectorExpr, path, name string) {
	f.replace(sel.Pos(), sel.End(), f.local(path)+"."+name)
}

// wrap puts text on both sides of n.
func (f *file) wrap(n ast.Node, before, after string) {
	from, to := f.at(n.Pos()), f.at(n.End())
	f.noted = append(f.noted, noted{edit.Edit{Start: from, End: from, Text: before}, from, to}, noted{edit.Edit{Start: to, End: to, Text: after}, from, to})
}

// unwrap removes all of outer but inner.
func (f *file) unwrap(outer, inner ast.Node) {
	f.replace(outer.Pos(), inner.Pos(), "")
	f.replace(inner.End(), outer.End(), "")
}

// take returns the text of n with the edits that were noted in it, and forgets these, so that
// the text can stand in another place.
func (f *file) take(n ast.Node) string {
	start, end := f.at(n.Pos()), f.at(n.End())
	var inside []edit.Edit
	f.noted = slices.DeleteFunc(f.noted, func(e noted) bool {
		if e.Start < start || e.End > end {
			return false
		}
		inside = append(inside, edit.Edit{Start: e.Start - start, End: e.End - start, Text: e.Text})
		return true
	})
	text, err := edit.Apply(f.Text[start:end], inside)
	if err != nil { // edits overlap, so the move ends with this error
		f.noted = append(f.noted, noted{Edit: edit.Edit{Start: start, End: end}}, noted{Edit: edit.Edit{Start: start, End: end}})
	}
	return string(text)
}

// insertLine adds a line after the one that holds pos.
func (f *file) insertLine(pos token.Pos, line string) {
	at := f.at(pos)
	if i := bytes.IndexByte(f.Text[at:], '\n'); i >= 0 {
		at += i
	}
	f.noted = append(f.noted, noted{Edit: edit.Edit{Start: at, End: at, Text: "\n" + line}})
}

// dropLines removes n with the rest of its lines.
func (f *file) dropLines(n ast.Node) {
	start, end := f.at(n.Pos()), f.at(n.End())
	start = bytes.LastIndexByte(f.Text[:start], '\n') + 1
	if i := bytes.IndexByte(f.Text[end:], '\n'); i >= 0 {
		end += i + 1
	}
	f.noted = append(f.noted, noted{Edit: edit.Edit{Start: start, End: end}})
}

// leave notes that n stays as it is.
func (f *file) leave(n ast.Node, why, do string) {
	f.remarks = append(f.remarks, Remark{f.Name, f.at(n.Pos()), why, do})
}

// edits returns what was noted, with the imports for it. Of two wraps that begin or end at
// one place, the longer one is outside.
func (f *file) edits() []edit.Edit {
	f.importAdds()
	slices.SortStableFunc(f.noted, func(a, b noted) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.side(), b.side()), cmp.Compare(b.from, a.from), cmp.Compare(b.to, a.to))
	})
	var edits []edit.Edit
	for _, n := range f.noted {
		edits = append(edits, n.Edit)
	}
	return edits
}

// side orders what stands at one place: the end of a wrap, other text, the beginning of a
// wrap.
func (n noted) side() int {
	switch {
	case n.to == 0:
		return 1
	case n.Start == n.to:
		return 0
	}
	return 2
}
