package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

const eitherType = "an any from the driver holds either type, so this may never be equal"

// results makes comparisons with the IDs in the results of the driver true again. The
// driver puts its own type into them.
func (f *file) results() {
	results := find.ResultsIn(f.File)
	for c := range f.Cursors((*ast.BinaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.IndexExpr)(nil), (*ast.SwitchStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				f.compare(results, n)
			}
		case *ast.CallExpr:
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				f.compareArgs(results, n, sel)
			}
		case *ast.IndexExpr:
			if m, ok := names.Under(f.TypeOf(n.X)).(*types.Map); ok && names.IsAny(m.Key()) && results.Is(n.Index) {
				f.readAny(n.Index)
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && results.Is(n.Tag) {
				f.leave(n.Tag, eitherType, "switch on "+f.codecName()+".MustFromAny of it")
			}
		}
	}
}

// compare makes res.InsertedID == id a call of Same.
func (f *file) compare(results find.Results, n *ast.BinaryExpr) {
	x, y := n.X, n.Y
	switched := !results.Is(x)
	if switched {
		x, y = y, x
	}
	if !results.Is(x) || results.Is(y) {
		return
	}
	id := find.AnID(f.File, y, f.isOld)
	if id == nil {
		if names.IsAny(f.TypeOf(y)) {
			f.leave(n, eitherType, "compare with "+f.codecName()+".Same")
		}
		return
	}
	same := f.codec("Same") + "("
	if n.Op == token.NEQ {
		same = "!" + same
	}
	if switched {
		f.replace(n.Pos(), n.End(), same+f.take(x)+", "+f.take(id)+")")
		return
	}
	f.replace(x.End(), id.Pos(), ", ")
	f.replace(id.End(), n.End(), "")
	f.wrap(n, same, ")")
}

// compareArgs reads an ID from a result that is an argument of a function such as Equal. A
// test that expects another ID may get none, which only a person can read.
func (f *file) compareArgs(results find.Results, call *ast.CallExpr, sel *ast.SelectorExpr) {
	for _, list := range find.ComparedLists(f.File, call, sel) {
		f.leave(list, "an any in this list holds either type", "compare "+f.codecName()+".MustFromAny of each")
	}
	args := find.Compared(f.File, call, sel)
	if args == nil || results.Is(args[0]) == results.Is(args[1]) {
		return
	}
	x, other := args[0], args[1]
	if results.Is(other) {
		x, other = other, x
	}
	switch {
	case !find.Holds(f.File, other, f.isOld):
		if names.IsAny(f.TypeOf(other)) {
			f.leave(x, eitherType, "compare with "+f.codecName()+".MustFromAny of it")
		}
	case strings.HasPrefix(sel.Sel.Name, "Not") && strings.HasPrefix(find.ResultName(x), "Upserted"):
		f.leave(x, "this holds nil or the driver's ObjectID, which is never equal to an oid.ID", "compare with "+f.codecName()+".MustFromAny of it, if it isn't nil")
	default:
		f.readAny(x)
	}
}

// readAny reads x as an ID, and leaves it an any.
func (f *file) readAny(x ast.Expr) { f.wrap(x, "any("+f.codec("MustFromAny")+"(", "))") }

// readsAny reports whether n is what readAny has put around a value.
func (f *file) readsAny(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	return ok && names.IsAny(f.TypeOf(call)) && find.CallOf(f.File, find.Conversion(f.File, call), f.program.Driver.Codec, "MustFromAny") != nil
}

// backResults makes Same a comparison again, and removes readAny.
func (f *file) backResults() {
	for c := range f.Cursors((*ast.CallExpr)(nil)) {
		n := c.Node().(*ast.CallExpr)
		if f.readsAny(n) {
			f.unwrap(n, n.Args[0].(*ast.CallExpr).Args[0])
			continue
		}
		call := find.CallOf(f.File, n, f.program.Driver.Codec, "Same")
		if call == nil || len(call.Args) != 2 {
			continue
		}
		start, op := call.Pos(), " == "
		if not, ok := c.Parent().Node().(*ast.UnaryExpr); ok && not.Op == token.NOT {
			start, op = not.Pos(), " != "
		}
		f.replace(start, call.Args[0].Pos(), "")
		f.replace(call.Args[0].End(), call.Args[1].Pos(), op)
		f.replace(call.Args[1].End(), call.End(), "")
	}
}
