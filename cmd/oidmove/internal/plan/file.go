package plan

import (
	"bytes"
	"go/ast"
	"go/token"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/edit"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// A file notes the edits of one file, and the imports that they need.
type file struct {
	*load.File
	*sheet
	noted []edit.Edit
	adds  map[string]string // imports to add: the local name by the path
	needs map[string]bool   // paths of packages that the edits refer to
}

func (f *file) at(pos token.Pos) int { return f.Pkg.Program.Offset(pos) }

// replace notes that text takes the place of what is from start to end.
func (f *file) replace(start, end token.Pos, text string) { f.put(f.at(start), f.at(end), text) }

func (f *file) put(start, end int, text string) {
	f.noted = append(f.noted, edit.Edit{Start: start, End: end, Text: text})
}

// name replaces a name of a package.
func (f *file) name(sel *ast.SelectorExpr, path, name string) {
	f.replace(sel.Pos(), sel.End(), f.local(path)+"."+name)
}

// wrap puts text on both sides of n.
func (f *file) wrap(n ast.Node, before, after string) {
	from, to := f.at(n.Pos()), f.at(n.End())
	f.noted = append(f.noted, edit.Wrap(from, to, before, after)...)
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
	end := f.lineEnd(pos)
	f.put(end, end, "\n"+line)
}

// lineEnd returns where the line ends that holds pos.
func (f *file) lineEnd(pos token.Pos) int {
	at := f.at(pos)
	if i := bytes.IndexByte(f.Text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(f.Text)
}

// dropLines removes n with the rest of its lines.
func (f *file) dropLines(n ast.Node) {
	f.put(bytes.LastIndexByte(f.Text[:f.at(n.Pos())], '\n')+1, min(f.lineEnd(n.End())+1, len(f.Text)), "")
}

// leave notes what a person must do at n.
func (f *file) leave(n ast.Node, why, do string) {
	f.remarks = append(f.remarks, Remark{f.Name, why + ": " + do, f.at(n.Pos())})
}
