package plan

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/edit"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
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
func (f *file) replace(start, end token.Pos, text string) { f.put(f.at(start), f.at(end), text) }

func (f *file) put(start, end int, text string) {
	f.noted = append(f.noted, noted{Edit: edit.Edit{Start: start, End: end, Text: text}})
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

// convert makes x an ID of ours, or of the driver.
func (f *file) convert(x ast.Expr, ours bool) { f.wrap(x, f.nameOf(ours)+"(", ")") }

// nameOf returns how the file writes our type, or the driver's.
func (f *file) nameOf(ours bool) string {
	if ours {
		return f.local(names.OID) + ".ID"
	}
	return f.local(f.program.Driver.BSON) + ".ObjectID"
}

// unwrap removes all of outer but inner.
func (f *file) unwrap(outer, inner ast.Node) {
	f.replace(outer.Pos(), inner.Pos(), "")
	f.replace(inner.End(), outer.End(), "")
}

// insertLine adds a line after the one that holds pos.
func (f *file) insertLine(pos token.Pos, line string) {
	at := f.at(pos)
	if i := bytes.IndexByte(f.Text[at:], '\n'); i >= 0 {
		at += i
	}
	f.put(at, at, "\n"+line)
}

// dropLines removes n with the rest of its lines.
func (f *file) dropLines(n ast.Node) {
	end := f.at(n.End())
	if i := bytes.IndexByte(f.Text[end:], '\n'); i >= 0 {
		end += i + 1
	}
	f.put(bytes.LastIndexByte(f.Text[:f.at(n.Pos())], '\n')+1, end, "")
}

// leave notes what a person must do at n.
func (f *file) leave(n ast.Node, why, do string) {
	f.remarks = append(f.remarks, Remark{f.Name, why + ": " + do, f.at(n.Pos())})
}

// edits returns what was noted, with the imports for it. Of two wraps that begin or end at
// one place, the longer one is outside.
func (f *file) edits() (edits []edit.Edit) {
	f.importAdds()
	slices.SortStableFunc(f.noted, func(a, b noted) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.side(), b.side()), cmp.Compare(b.from, a.from), cmp.Compare(b.to, a.to))
	})
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
